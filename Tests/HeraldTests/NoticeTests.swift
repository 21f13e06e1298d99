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
