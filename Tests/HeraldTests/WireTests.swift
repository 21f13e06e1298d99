import CHerald
import CHeraldHost
import Foundation
import Herald
import Processes
import Testing

/// Each test has a type, and so a name, of its own, because they share the center.
private protocol Plain: HeraldCenter.WireMessage, Codable, Equatable {
    var text: String { get }
    init(text: String)
}
extension Plain {
    static var wireName: HeraldCenter.Name { HeraldCenter.Name("test.wire.\(Self.self)") }
}

/// Posts bytes as a foreign process would.
@discardableResult
private func send(
    _ bytes: [UInt8], named name: HeraldCenter.Name, type: String? = "application/json", subject: String? = nil
) -> HeraldStatus {
    bytes.withUnsafeBytes { bytes in
        (type ?? "").withCString { text in
            (subject ?? "").withCString { object in
                var message = HeraldMessage()
                message.size = MemoryLayout<HeraldMessage>.size
                message.type = type == nil ? nil : text
                message.object = subject == nil ? nil : object
                message.bytes = bytes.baseAddress
                message.length = bytes.count
                return HeraldCenterPostMessage(HeraldCenterGetHostCenter(), name.native, &message)
            }
        }
    }
}
private func send(_ text: String, named name: HeraldCenter.Name, type: String? = "application/json") {
    send(Array(text.utf8), named: name, type: type)
}

@Suite(.serialized) struct WireTests {
    let host = HeraldCenter.host

    init() { _ = hostFolder }

    // ---- Forms

    private struct Form: Plain { let text: String }

    private actor Listener {
        let heard: Log<Form>
        init(_ heard: Log<Form>) { self.heard = heard }
        func hear(_ form: Form) { heard.append(form) }
    }

    private final class Owner: Sendable {
        let heard: Log<Form>
        init(_ heard: Log<Form>) { self.heard = heard }
    }

    @MainActor private final class View {
        var heard: [Form] = []
        func observe() {
            HeraldCenter.host.observe(Form.self, by: self) { view, form async in
                MainActor.assertIsolated()
                view.heard.append(form)
            }
        }
    }

    @Test("A message is heard in every form that names have, once and in order, about its subject")
    func R23_a_message_is_heard_once_and_in_order_in_every_form() async throws {
        let logs = (0..<9).map { _ in Log<Form>() }
        let bag = ObservationBag()
        host.observe(Form.self) { logs[0].append($0) }.store(in: bag)
        host.observe(Form.self, via: DispatchQueue(label: "wire")) { logs[1].append($0) }.store(in: bag)
        host.observe(Form.self, via: { $0() }) { logs[2].append($0) }.store(in: bag)
        host.observe(Form.self) { form async in logs[3].append(form) }.store(in: bag)
        let owners = (4..<7).map { Owner(logs[$0]) }
        host.observe(Form.self, by: owners[0]) { $0.heard.append($1) }
        host.observe(Form.self, by: owners[1], via: DispatchQueue(label: "wire.owned")) { $0.heard.append($1) }
        host.observe(Form.self, by: owners[2], via: { $0() }) { $0.heard.append($1) }
        let listener = Listener(logs[7])
        host.observe(Form.self, on: listener) { $0.hear($1) }
        host.observe(Form.self, subject: "b") { logs[8].append($0) }.store(in: bag)
        let view = View()
        await view.observe()
        let messages = host.messages(Form.self)
        func observations() -> Int { HeraldCenter.host.observations.count { $0.name == "\(Form.wireName)" } }
        let before = observations()
        async let next = host.next(Form.self, within: .seconds(60)) { $0.text == "8" }
        let sent = (0..<10).map { Form(text: "\($0)") }
        #expect(await eventually { observations() == before + 1 })  // `next` is registered
        for form in sent { try host.post(form, subject: form.text == "3" ? "b" : "a") }
        for log in logs.dropLast() { #expect(await eventually { log.values == sent }) }
        #expect(await eventually { logs[8].values == [Form(text: "3")] })
        #expect(await next == Form(text: "8"))
        let iterator = messages.makeAsyncIterator()
        for form in sent { #expect(await iterator.next() == form) }
        #expect(await eventually { await view.heard.count == 10 })
        #expect(await view.heard == sent)
        bag.cancelAll()
        keepAlive(owners, listener)
    }

    private struct Everywhere: Plain { let text: String }

    @Test("The same value goes to a center of this process, by its type and not encoded")
    func local() throws {
        let heard = Log<Everywhere>()
        let token = HeraldCenter.local.observe(Everywhere.self) { heard.append($0) }
        let name = HeraldCenter.local.observe(Everywhere.wireName) { _ in Issue.record("a name was posted") }
        HeraldCenter.local.post(Everywhere(text: "here"))
        #expect(heard.values == [Everywhere(text: "here")])
        token.cancel()
        name.cancel()
    }

    private struct Ended: Plain { let text: String }

    @Test("Registrations end: with the token, with the owner, by removal; what they have captured is given back")
    func ended() async throws {
        let heard = Log<String>(), instances = Instances()
        let token = host.observe(Ended.self) { [captured = instances.make()] _ in
            keepAlive(captured)
            heard.append("token")
        }
        var owner: Canary? = Canary()
        host.observe(Ended.self, by: owner!) { _, _ in heard.append("replaced") }
        host.observe(Ended.wireName, by: owner!) { _, _ in heard.append("name") }  // is not replaced
        host.observe(Ended.self, by: owner!) { _, _ in heard.append("owner") }
        try host.post(Ended(text: ""))
        #expect(await eventually { heard.count == 3 })
        #expect(heard.take() == ["token", "name", "owner"])  // an observer of the name hears messages, too
        host.post(Ended.wireName)
        #expect(await eventually { heard.take() == ["name"] })
        token.cancel()
        #expect(instances.isEmpty)
        host.removeObserver(owner!, of: Ended.self)
        host.observe(Ended.self, subject: "s", by: owner!) { _, _ in heard.append("gone") }
        owner = nil
        let last = host.observe(Ended.self) { _ in heard.append("last") }
        try host.post(Ended(text: ""), subject: "s")
        #expect(await eventually { heard.count > 0 } && heard.values == ["last"])
        last.cancel()
    }

    private struct First: HeraldCenter.WireMessage, Codable {
        static let wireName: HeraldCenter.Name = "test.wire.shared"
        var first: Int
    }
    private struct Second: HeraldCenter.WireMessage, Codable {
        static let wireName: HeraldCenter.Name = "test.wire.shared"
        var first: Int
        var second: Int?
    }

    @Test("Two types may share a name, and an owner observe both")
    func sharedName() async throws {
        let heard = Log<String>(), owner = Canary()
        host.observe(First.self, by: owner) { _, message in heard.append("first \(message.first)") }
        host.observe(Second.self, by: owner) { _, message in heard.append("second \(message.second ?? 0)") }
        try host.post(Second(first: 1, second: 2))
        #expect(await eventually { heard.count == 2 } && heard.take() == ["first 1", "second 2"])
        host.removeObserver(owner, of: First.self)
        try host.post(First(first: 3))
        #expect(await eventually { heard.count == 1 } && heard.values == ["second 0"])
        keepAlive(owner)
    }

    @Test("What can never be heard is not waited for")
    func nothing() async {
        #expect(await host.next(First.self, subject: "a\0b") == nil)
        for await _ in host.messages(messages: .under("")) { Issue.record("heard") }
    }

    private struct Kept: HeraldCenter.WireMessage {
        static let wireName: HeraldCenter.Name = "test.wire.kept"
        static let contentType = ""
        func encode() -> [UInt8] { [UInt8](repeating: 0, count: 60_000) }
        static func decode(_: RawSpan, contentType: String) -> Kept { Kept() }
    }

    /// In a process of its own: an observer of any name of another test would flush what the center holds (R16).
    @Test("A suspended center holds messages up to a limit; what it drops is counted and said")
    func R23_a_suspended_center_keeps_messages_up_to_a_limit() async {
        await #expect(processExitsWith: .success) { try await WireTests().holdMessagesUpToALimit() }
    }

    private func holdMessagesUpToALimit() async throws {
        let heard = Log<Int>(), passed = Log<Int>(), events = host.events, before = host.statistics
        let token = host.observe(Kept.self, whileSuspended: .hold) { _ in heard.append(1) }
        let dropping = host.observe(Kept.self, whileSuspended: .drop) { _ in Issue.record("heard while suspended") }
        host.isSuspended = true
        let now = host.observe(messages: "test.wire.kept.at.once") { _ in passed.append(1) }
        let come = Log<Int>()
        let trace = host.trace(Kept.wireName) { if $0.phase == .postEnd && $0.outcome != .carried { come.append(1) } }
        for number in 1...400 {
            try host.post(Kept())
            try #require(await eventually { come.count + host.statistics.missed - before.missed >= number })
        }
        trace.stop()
        func lost() -> Int { host.statistics.dropped + host.statistics.missed - before.dropped - before.missed }
        let most = (16 << 20) / 60_000
        #expect(await eventually { lost() >= 400 - most })  // then there is room for messages that are on their way
        #expect(heard.count == 0)
        dropping.cancel()
        host.isSuspended = false
        #expect(await eventually { heard.count + lost() == 400 })
        #expect(heard.count > 100 && heard.count <= most)
        send("now", named: "test.wire.kept.at.once")
        #expect(await eventually { passed.count == 1 })
        events.finish()
        var said = 0
        for await event in events {
            if case .slow(_, let count) = event { said += count }
            if case .lost(_, let count) = event { said += count }
        }
        #expect(said == lost())
        token.cancel()
        now.cancel()
    }

    // ---- Posting

    private struct Counted: HeraldCenter.WireMessage {
        static let wireName: HeraldCenter.Name = "test.wire.counted"
        static let contentType = "application/x-counted"
        let encodings: Log<Int>
        func encode() -> [UInt8] {
            encodings.append(1)
            return [1, 2, 3]
        }
        static func decode(_ bytes: RawSpan, contentType: String) throws -> Counted {
            guard bytes.byteCount == 3, contentType == Self.contentType else { throw CancellationError() }
            return Counted(encodings: Log())
        }
    }

    /// In a new file messages are kept for processes that have yet to find it. This makes the file one that is no
    /// longer new.
    private func expectNobody() throws {
        host.post("test.wire.makes-the-file")
        let file = open(try #require(HeraldHostGetPath()), O_RDWR)
        var none: UInt32 = 0
        #expect(file >= 0 && pwrite(file, &none, 4, 88) == 4)  // `expecting` of layout.h
        close(file)
    }

    @Test("What nobody hears is not encoded; a format is two functions and a content type")
    func unheard() async throws {
        let message = Counted(encodings: Log()), heard = Log<WirePost>(), whole = Log<Int>()
        try expectNobody()
        try host.post(message)
        #expect(message.encodings.count == 0)
        let posts = host.observe(messages: .named(Counted.wireName)) { heard.append($0) }
        let messages = host.observe(Counted.self) { _ in whole.append(1) }
        try host.post(message, subject: "about")
        #expect(await eventually { heard.count == 1 && whole.count == 1 } && message.encodings.count == 1)
        #expect(heard.values[0].bytes == [1, 2, 3] && heard.values[0].type == "application/x-counted")
        #expect(heard.values[0].subject == "about" && heard.values[0].count == 1 && heard.values[0].sequence > 0)
        #expect(heard.values[0].sender == UInt64(getpid()) && heard.values[0].name == Counted.wireName)
        posts.cancel()
        messages.cancel()
        try host.post(message)
        #expect(message.encodings.count == 1)
    }

    @Test("Bytes of a name that is known when the program runs are a message; those that cannot be are refused")
    func R23_bytes_of_a_name_are_a_message() async throws {
        let heard = Log<WirePost>(), name = HeraldCenter.Name("test.wire.bytes.\(getpid())")
        let token = host.observe(messages: .named(name)) { heard.append($0) }
        defer { token.cancel() }
        try host.post(messageNamed: name, [1, 0, 255], type: "application/x-raw", subject: "a")
        try host.post(messageNamed: name)
        #expect(await eventually { heard.count == 2 })
        #expect(heard.values[0].bytes == [1, 0, 255] && heard.values[0].type == "application/x-raw")
        #expect(heard.values[0].subject == "a")
        #expect(heard.values[1].bytes == [] && heard.values[1].type == nil && heard.values[1].subject == nil)
        let before = host.statistics.refused
        #expect(throws: WireError.tooLarge(65537)) {
            try host.post(messageNamed: name, .init(repeating: 0, count: 65537))
        }
        #expect(throws: WireError.self) { try host.post(messageNamed: name, subject: "a\0b") }
        #expect(throws: WireError.self) { try host.post(messageNamed: name, type: "a\0b") }
        #expect(host.statistics.refused == before + 3)
    }

    private struct Large: Plain { let text: String }
    private struct Odd: HeraldCenter.WireMessage, Codable {
        static let wireName: HeraldCenter.Name = "test.wire.odd"
        var number: Double
    }
    private struct LongName: HeraldCenter.WireMessage, Codable {
        static let wireName = HeraldCenter.Name(String(repeating: "n", count: 513))
    }

    @Test("What cannot be posted is an error, and nothing is heard")
    func R15_a_message_that_cannot_be_posted_is_an_error_and_is_not_heard() async throws {
        let heard = Log<String>()
        let token = host.observe(Large.self) { heard.append($0.text) }
        let odd = host.observe(Odd.self) { _ in heard.append("odd") }
        let before = host.statistics
        #expect(throws: WireError.tooLarge(65_537)) {
            try host.post(Large(text: String(repeating: "x", count: 65_537 - 11)))
        }
        #expect(throws: WireError.tooLarge(2016)) {
            try host.post(Large(text: "x"), subject: String(repeating: "s", count: 2000))
        }
        #expect {
            try host.post(Large(text: "x"), subject: "a\0b")
        } throws: { if case WireError.cannotEncode = $0 { true } else { false } }
        #expect {
            try host.post(Odd(number: .infinity))
        } throws: { if case WireError.cannotEncode(let reason) = $0 { !reason.isEmpty } else { false } }
        #expect {
            try host.post(LongName())
        } throws: { if case WireError.unavailable(let reason) = $0 { !reason.isEmpty } else { false } }
        try host.post(
            Large(text: String(repeating: "x", count: 65_536 - 11)), subject: String(repeating: "s", count: 1000))
        #expect(await eventually { heard.count == 1 } && heard.values[0].utf8.count == 65_525)
        #expect(host.statistics.refused - before.refused >= 5 && host.statistics.posted > before.posted)
        token.cancel()
        odd.cancel()
    }

    // ---- Foreign bytes

    private struct Nested: HeraldCenter.WireMessage, Codable {
        static let wireName: HeraldCenter.Name = "test.wire.nested"
        final class Node: Codable, Sendable {
            let next: Node?
        }
        var node: Node?
        var must: Int
        var may: Int?
    }

    /// A whole message, nested to so many levels and one.
    private static func nested(_ levels: Int) -> String {
        "{\"must\":4,\"node\":" + String(repeating: "{\"next\":", count: levels - 1) + "{}"
            + String(repeating: "}", count: levels)
    }

    @Test("Bytes that are no message never reach a body: they are counted, and said once for each reason")
    func R23_what_does_not_decode_reaches_no_typed_body() async throws {
        let heard = Log<Int>(), untouched = Log<WirePost>()
        let token = host.observe(Nested.self) { heard.append($0.must) }
        let posts = host.observe(messages: .named(Nested.wireName)) { untouched.append($0) }
        let events = host.events, before = host.statistics
        let deep = String(repeating: "{\"next\":", count: 3000)
        let garbled: [(String, String?)] = [
            ("", nil), ("{", nil), ("{\"must\":", "application/json"), ("{\"must\":\"1\"}", nil), ("[1]", nil),
            ("null", nil), ("{\"must\":1}", "application/x-plist"), ("{\"must\":1}", "text/plain; charset=utf-8"),
            ("{\"must\":1e400}", nil), ("{\"other\":1}", nil), ("{\"must\":1,\"node\":" + deep, nil),
            (Self.nested(128), nil), (Self.nested(500), nil),
            (String(repeating: "[", count: 60_000), nil), ("\u{feff}", nil), ("{\"must\":1}{", nil),
        ]
        for (text, type) in garbled { send(text, named: Nested.wireName, type: type) }
        send([0xff, 0xfe, 0x00, 0x80], named: Nested.wireName)
        send([UInt8](repeating: 0, count: 65_536), named: Nested.wireName, type: nil)
        send("{\"must\":1,\"surplus\":[1,2]}", named: Nested.wireName, type: nil)
        send("{\"must\":2,\"node\":{\"next\":{}}}", named: Nested.wireName, type: "Application/JSON; charset=utf-8")
        send(Self.nested(127), named: Nested.wireName)
        send("{\"must\":5,\"text\":\"" + String(repeating: "[\\\"{", count: 200) + "\"}", named: Nested.wireName)
        #expect(await eventually { heard.count == 4 } && heard.values == [1, 2, 4, 5])
        // The second observer is called after the first.
        #expect(await eventually { untouched.count == garbled.count + 6 })
        let bad = garbled.count + 2
        #expect(host.statistics.undecodable - before.undecodable == bad)
        #expect(host.statistics.received - before.received >= bad + 4)
        for _ in 0..<3 { send("{\"other\":1}", named: Nested.wireName) }
        try host.post(Nested(must: 3))
        #expect(await eventually { heard.count == 5 })
        #expect(host.statistics.undecodable - before.undecodable == bad + 3)
        events.finish()
        var said: [WireEvent] = []
        for await event in events {
            guard case .undecodable(let name, _, let reason) = event, name == Nested.wireName else { continue }
            #expect(!reason.isEmpty && reason.utf8.count < 1300 && "\(event)".contains("test.wire.nested"))
            said.append(event)
        }
        #expect(said.count == Set(said).count && said.count > 5 && said.count <= bad + 1)
        token.cancel()
        posts.cancel()
    }

    // ---- As it comes

    @Test("Names under a prefix end at a dot; observers of all names hear both kinds of posts")
    func R26_observers_under_a_prefix_hear_names_after_its_dot() async throws {
        let under = Log<String>(), all = Log<String>()
        let token = host.observe(messages: .under("test.under")) { under.append("\($0.name) \($0.bytes?.count ?? -1)") }
        let every = host.observe(messages: .all) { if "\($0.name)".hasPrefix("test.und") { all.append("\($0.name)") } }
        let sequence = host.messages(messages: .under("test.under"))
        host.post("test.under")
        host.post("test.under.a")
        host.post("test.underground.x")
        send("xyz", named: "test.under.b.c", type: nil)
        #expect(await eventually { all.count == 4 })
        #expect(under.values == ["test.under.a -1", "test.under.b.c 3"])
        let iterator = sequence.makeAsyncIterator()
        #expect(await iterator.next()?.name == "test.under.a")
        #expect(await iterator.next()?.bytes == Array("xyz".utf8))
        token.cancel()
        every.cancel()
        for prefix in ["", "test.", "a\0b"] {
            host.observe(messages: .under(prefix)) { _ in under.append("never") }.cancel()
        }
    }

    private struct Plainly: Plain { let text: String }

    @Test("Posts of a name alone come with their number, and are no messages of a type")
    func R23_a_plain_post_is_no_message() async throws {
        let counted = Log<Int>(), typed = Log<Plainly>()
        let messages = host.observe(Plainly.self) { typed.append($0) }
        let posts = host.observe(messages: "test.wire.Plainly") { counted.append($0.count) }
        for _ in 0..<100 { host.post("test.wire.Plainly") }
        #expect(await eventually { counted.values.reduce(0, +) == 100 } && typed.count == 0)
        posts.cancel()
        messages.cancel()
    }

    private struct Lost: Plain { let text: String }

    @Test("What is lost is an event, and counted")
    func R23_lost_messages_are_counted() async throws {
        let events = host.events, heard = Log<Int>(), begun = Signal(), goOn = Signal(), before = host.statistics
        let token = host.observe(messages: .named(Lost.wireName)) { post in
            heard.append(post.missed)
            if heard.count == 1 {
                begun.send()
                goOn.wait()
            }
        }
        try host.post(Lost(text: ""))
        await withoutPool { begun.wait() }
        for _ in 0..<12_000 { try host.post(Lost(text: "x")) }
        goOn.send()
        #expect(await eventually { heard.count + heard.values.reduce(0, +) == 12_001 })
        #expect(heard.values.reduce(0, +) > 3000)
        #expect(host.statistics.missed - before.missed == heard.values.reduce(0, +))
        events.finish()
        var lost = 0
        for await event in events { if case .lost(_, let count) = event { lost += count } }
        #expect(lost >= heard.values.reduce(0, +))
        token.cancel()
    }

    // ---- A center that cannot be had

    @Test("Where the file cannot be used, posting and asking throw, and an observer says why")
    func R15_a_file_that_cannot_be_used_is_an_error() async throws {
        let output = try await run(
            URL(fileURLWithPath: "/usr/bin/env"),
            ["HERALD_HOST_DIRECTORY=/nowhere", productFolder.appendingPathComponent("HeraldWirePeer").path, "unusable"])
        let lines = output.text.split(separator: "\n")
        #expect(lines.count == 4 && lines[0].hasPrefix("unavailable: ") && lines[0].contains("/nowhere"))
        #expect(lines[1].hasPrefix("unavailable: ") && lines[2] == "1" && lines[3].contains("was refused: "))
        #expect(output.errors.contains("will not be called") && output.errors.contains("/nowhere"))
    }

    private struct Question: HeraldCenter.WireMessage, Codable {
        static let wireName: HeraldCenter.Name = "test.peer.question"
        var number: Int
    }
    /// The other process has another type with the same name, with one more field.
    private struct Answer: HeraldCenter.WireMessage, Codable {
        static let wireName: HeraldCenter.Name = "test.peer.answer"
        var number: Int
    }

    @Test("Messages go to another process and back")
    func R23_messages_cross_processes_in_both_directions() async throws {
        let peer = Process()
        let output = Pipe()
        peer.executableURL = productFolder.appendingPathComponent("HeraldWirePeer")
        peer.arguments = ["answer"]
        peer.standardOutput = output
        try peer.run()
        #expect(output.fileHandleForReading.availableData == Data("ready\n".utf8))
        let answers = Log<Int>(), seventh = Log<Int>()
        let token = host.observe(Answer.self) { answers.append($0.number) }
        let about = host.observe(Answer.self, subject: "to 7") { seventh.append($0.number) }
        for number in 0..<100 { try host.post(Question(number: number)) }
        #expect(await eventually { answers.values == Array(1...100) })
        #expect(seventh.values == [8])
        try host.post(Question(number: -1))
        peer.waitUntilExit()
        #expect(peer.terminationStatus == 0 && output.fileHandleForReading.availableData.isEmpty)
        token.cancel()
        about.cancel()
    }

    // ---- Requests

    @Test("A watch counts posts and messages, and has the name's state")
    func watch() throws {
        let watch = try host.watch("test.wire.asked"), other = try host.watch("test.wire.asked")
        #expect(try watch.check() == 1)
        #expect(try watch.check() == 0)
        host.post("test.wire.asked")
        host.post("test.wire.asked")
        #expect(send([1], named: "test.wire.asked") == HeraldOK)
        #expect(try watch.check() == 3)
        #expect(try other.check() == 4)
        #expect(try watch.state() == 0)
        try watch.setState(.max)
        #expect(try other.state() == .max)
        try host.setState(7, of: "test.wire.asked")
        #expect(try host.state(of: "test.wire.asked") == 7)
        #expect(throws: HostCenter.Unavailable.self) {
            _ = try host.watch(HeraldCenter.Name(String(repeating: "n", count: 513)))
        }
    }
}
