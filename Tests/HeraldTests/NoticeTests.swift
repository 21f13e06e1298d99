import CHerald
import Herald
import Testing

private struct Saved: HeraldCenter.Message { var path = "a" }

/// The contents of a notice, and their limits: a payload is never read as another type (R21).
@Suite struct NoticeTests {
    private let center = HeraldCenter()

    private struct Said: Sendable {
        let name: String
        let hasSubject, hasUserInfo, hasMessage: Bool
        let rawSubject, rawUserInfo, rawTag: UInt

        init(_ notice: HeraldCenter.Notice) {
            name = notice.name.description
            hasSubject = notice.subject != nil
            hasUserInfo = notice.userInfo != nil
            hasMessage = notice.message != nil
            rawSubject = UInt(bitPattern: notice.rawSubject)
            rawUserInfo = UInt(bitPattern: notice.rawUserInfo)
            rawTag = UInt(bitPattern: notice.rawTag)
        }
    }

    private func hear(_ post: () -> Void) -> Said? {
        let log = Log<Said>()
        let token = center.observeAll { log.append(Said($0)) }
        post()
        token.cancel()
        return log.values.first
    }

    @Test("A post from C shows its addresses, and nothing that it would take a guess to read")
    func R21_a_payload_of_C_is_an_address_and_no_value() throws {
        let said = try #require(
            hear {
                HeraldCenterPostTagged(
                    center.native, HeraldNameCreate("notice.c"), UnsafeRawPointer(bitPattern: 8),
                    UnsafeRawPointer(bitPattern: 24), UnsafeRawPointer(bitPattern: 40), 0)
            })
        #expect(said.name == "notice.c")
        #expect(!said.hasSubject && !said.hasUserInfo && !said.hasMessage)
        #expect((said.rawSubject, said.rawUserInfo, said.rawTag) == (8, 24, 40))
    }

    @Test("A name posted from Swift shows its values, and no address of them")
    func R21_a_payload_of_Swift_is_a_value_and_no_address() throws {
        let subject = Canary()
        let said = try #require(hear { center.post("notice.swift", subject: subject, userInfo: 5) })
        #expect(said.hasSubject && said.hasUserInfo && !said.hasMessage)
        #expect((said.rawUserInfo, said.rawTag) == (0, 0))
        #expect(said.rawSubject == UInt(bitPattern: Unmanaged.passUnretained(subject).toOpaque()))
    }

    @Test("A message shows itself, by its type's name")
    func R21_a_message_is_told_from_a_payload() throws {
        let said = try #require(hear { center.post(Saved()) })
        #expect(said.name.hasSuffix("Saved"))
        #expect(said.hasMessage && !said.hasUserInfo && !said.hasSubject)
        #expect((said.rawSubject, said.rawUserInfo, said.rawTag) == (0, 0, 0))
    }

    /// What a notice and its kept part both read under a key.
    private func read<Value: Equatable & Sendable>(
        _ key: String, as type: Value.Type, _ post: () -> Void
    ) async throws -> Value? {
        let log = Log<HeraldCenter.Notice>()
        let token = center.observeAll { log.append($0) }
        let posts = center.messages(named: "notice.keyed").makeAsyncIterator()
        post()
        token.cancel()
        let notice = try #require(log.values.first)
        let posted = try #require(await posts.next())
        #expect(posted[key, as: Value.self] == notice[key, as: Value.self])
        return notice[key, as: Value.self]
    }

    @Test("A value of the payload is read by its key and type")
    func R21_a_value_of_a_payload_is_read_by_its_key_and_type() async throws {
        let post = { center.post("notice.keyed", userInfo: ["path": "a", "length": 12, "gone": nil as String?]) }
        #expect(try await read("path", as: String.self, post) == "a")
        #expect(try await read("length", as: Int.self, post) == 12)
        #expect(try await read("length", as: Int?.self, post) == .some(12))
        // Missing, nil, and of another type.
        #expect(try await read("size", as: Int.self, post) == nil)
        #expect(try await read("size", as: Int?.self, post) == nil)
        #expect(try await read("gone", as: String.self, post) == nil)
        #expect(try await read("length", as: String.self, post) == nil)
        #expect(try await read("length", as: Double.self, post) == nil)
    }

    @Test("A dictionary literal of any shape is read back as [String: any Sendable], and by key")
    func R21_payloads_of_every_literal_are_read_back() async throws {
        let log = Log<[String: any Sendable]?>()
        let token = center.observe("notice.keyed") { log.append($0.userInfo as? [String: any Sendable]) }
        let one = { center.post("notice.keyed", userInfo: ["key": 1]) }
        let several = { center.post("notice.keyed", userInfo: ["key": 1, "other": "b"]) }
        let optional = { center.post("notice.keyed", userInfo: ["key": 1, "other": nil]) }
        let nested = { center.post("notice.keyed", userInfo: ["key": ["key": 1], "other": [1, 2]]) }
        let nothing = { center.post("notice.keyed", userInfo: [:]) }
        let subject = { center.post("notice.keyed", subject: Canary(), userInfo: ["key": 1]) }
        let variable = ["key": 1]
        let typed = { center.post("notice.keyed", userInfo: variable) }
        let erased: any Sendable = variable
        let existential = { center.post("notice.keyed", userInfo: erased) }
        let held: (any Sendable)? = ["key": 1, "other": "b"] as [String: any Sendable]
        let maybe = { center.post("notice.keyed", userInfo: held) }
        for post in [one, several, optional, subject, typed, existential, maybe] {
            #expect(try await read("key", as: Int.self, post) == 1)
        }
        #expect(try await read("key", as: [String: Int].self, nested) == ["key": 1])
        #expect(try await read("other", as: [Int].self, nested) == [1, 2])
        #expect(try await read("key", as: Int.self, nothing) == nil)
        #expect(log.values.count == 10 && log.values.allSatisfy { $0 != nil })
        token.cancel()
    }

    @Test("A payload that is no dictionary of Swift's has no keys")
    func R21_other_payloads_have_no_keys() async throws {
        #expect(try await read("key", as: Int.self) { center.post("notice.keyed", userInfo: "key") } == nil)
        #expect(try await read("key", as: Int.self) { center.post("notice.keyed", userInfo: [1: 2]) } == nil)
        #expect(try await read("key", as: Int.self) { center.post("notice.keyed", userInfo: nil) } == nil)
        #expect(try await read("key", as: Int.self) { center.post("notice.keyed") } == nil)
        // Not even the address that C has posted is looked at.
        #expect(
            try await read("key", as: Int.self) {
                HeraldCenterPostTagged(
                    center.native, HeraldNameCreate("notice.keyed"), nil, UnsafeRawPointer(bitPattern: 24),
                    UnsafeRawPointer(bitPattern: 40), 0)
            } == nil)
    }

    @Test("A notice may be kept, and captured by a task: it keeps its subject and its userInfo")
    func kept() async {
        let ends = Flag()
        let log = Log<HeraldCenter.Notice>()
        let told = Log<String>()
        let token = center.observe("notice.kept") { notice in
            log.append(notice)
            Task { told.append("\(notice.name) \(notice.userInfo as? String ?? "none")") }
        }
        do {
            let subject = Canary { ends.set() }
            center.post("notice.kept", subject: subject, userInfo: "a text of more than fifteen bytes")
        }
        #expect(!ends.isSet)
        #expect(await eventually { !told.values.isEmpty })
        #expect(told.values == ["notice.kept a text of more than fifteen bytes"])
        #expect(log.values.first?.subject is Canary)
        #expect(log.values.first?.userInfo as? String == "a text of more than fifteen bytes")
        _ = log.take()
        token.cancel()
        #expect(await eventually { ends.isSet })
    }

    @Test("The message of a notice is its post's: it is there in the call, in posts inside it, and gone afterwards")
    func R21_nested_posts_each_have_their_own_message() throws {
        let log = Log<HeraldCenter.Notice>()
        let seen = Log<Bool>()
        let inner = center
        let token = center.observeAll { notice in
            log.append(notice)
            if log.values.count == 1 { inner.post(Saved(path: "inner")) }
            seen.append((notice.message as? Saved)?.path == (log.values[0].message as? Saved)?.path)
            seen.append(log.values[0].message != nil)
        }
        center.post(Saved(path: "outer"))
        token.cancel()
        #expect(seen.values == [false, true, true, true])
        #expect(log.values.allSatisfy { $0.message == nil && $0.name.description.hasSuffix("Saved") })
    }

    @Test("An address that C uses as a name is no type's")
    func R13_an_address_as_a_name_is_the_name_of_no_type() throws {
        let word = UnsafeMutablePointer<Int>.allocate(capacity: 1)
        defer { word.deallocate() }
        let said = try #require(
            hear { HeraldCenterPostNotification(center.native, HeraldNameForAddress(word), nil, word, false) })
        #expect(said.name.hasPrefix("address "))
        #expect(!said.hasMessage)
    }
}
