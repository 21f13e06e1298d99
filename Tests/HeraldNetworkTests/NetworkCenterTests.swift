#if Network
import CHeraldNetwork
import Dispatch
import Foundation
import Herald
import HeraldNetwork
import HeraldTestSupport
import Testing

private struct Saved: HeraldCenter.WireMessage, Codable, Equatable {
    static let wireName: HeraldCenter.Name = "test.net.saved"
    var path: String
}
private struct Other: HeraldCenter.WireMessage, Codable {
    static let wireName: HeraldCenter.Name = "test.net.saved"
    var number: Int
}

private actor Index {
    let heard: Log<String>
    init(_ heard: Log<String>) { self.heard = heard }
    func add(_ path: String) { heard.append(path) }
}

private final class View: Sendable {
    let heard = Log<String>()
}

@Suite(.serialized) struct NetworkCenterTests {
    let server: Server
    let here: NetworkCenter
    let there: NetworkCenter

    init() async throws {
        server = try Server()
        here = try HeraldCenter.network(server.url)
        there = try HeraldCenter.network(server.url)
        try await here.synchronize(within: long)
        try await there.synchronize(within: long)
    }

    @Test("A message is heard by the other center and by the poster's own, whatever the form")
    func R23_a_message_is_heard_in_every_form() async throws {
        let heard = Log<String>(), view = View(), index = Index(heard)
        let queue = DispatchQueue(label: "test")
        let bag = ObservationBag()
        here.observe(Saved.self) { heard.append("own \($0.path)") }.store(in: bag)
        there.observe(Saved.self) { heard.append("token \($0.path)") }.store(in: bag)
        there.observe(Saved.self, via: queue) { heard.append("queue \($0.path)") }.store(in: bag)
        there.observe(Saved.self) { saved in await index.add("async \(saved.path)") }.store(in: bag)
        there.observe(Saved.self, by: view) { view, saved in view.heard.append(saved.path) }
        there.observe(Saved.self, on: index) { index, saved in index.add("actor \(saved.path)") }
        let messages = there.messages(Saved.self)
        let there = there
        let before = there.observations.count
        let next = Task { await there.next(Saved.self, within: long) { $0.path == "a" } }
        #expect(await eventually { there.observations.count == before + 1 })
        try await here.synchronize(within: long)
        try await there.synchronize(within: long)
        try here.post(Saved(path: "a"))
        let all = Set(await heard.first(5))
        #expect(all == ["own a", "token a", "queue a", "async a", "actor a"])
        #expect(await view.heard.first(1) == ["a"])
        #expect(await messages.makeAsyncIterator().next() == Saved(path: "a"))
        #expect(await next.value == Saved(path: "a"))
        bag.cancelAll()
    }

    @Test("Observers of a type, of its name, under a prefix and of all names hear a message once, in their order")
    func R02_observers_of_a_message_are_called_once_in_their_order() async throws {
        let heard = Log<String>()
        let bag = ObservationBag()
        there.observe(Saved.self) { _ in heard.append("type") }.store(in: bag)
        there.observe(messages: .under("test.net")) { heard.append("under \($0.name)") }.store(in: bag)
        there.observe("test.net.saved") { heard.append("name \($0.count)") }.store(in: bag)
        there.observe(messages: .all) { heard.append("all \($0.subject ?? "")") }.store(in: bag)
        there.observe(messages: "test.net.saved") { heard.append("messages \($0.sequence)") }.store(in: bag)
        there.observe(messages: .under("test.ne")) { _ in heard.append("stranger") }.store(in: bag)
        try await there.synchronize(within: long)
        try here.post(Saved(path: "a"), subject: "doc.1")
        try here.post(Saved(path: "b"), subject: "doc.2")  // heard after everything that the first one caused
        #expect(
            await heard.first(10) == [
                "type", "under test.net.saved", "name 1", "all doc.1", "messages 1",
                "type", "under test.net.saved", "name 1", "all doc.2", "messages 2",
            ])
        bag.cancelAll()
    }

    @Test("Tests expect messages of a network center as those of any other")
    func R23_messages_of_a_network_center_are_expected() async throws {
        let saved = try await expectMessage(Saved.self, on: there, within: long, where: { $0.path == "b" }) {
            try await there.synchronize(within: long)
            try here.post(Saved(path: "a"))
            try here.post(Saved(path: "b"))
        }
        #expect(saved.path == "b")
    }

    @Test("Centers whose prefixes are equal texts meet")
    func R13_prefixes_of_equal_texts_meet() async throws {
        let one = try HeraldCenter.network(server.url, prefix: "caf\u{E9}")
        let other = try HeraldCenter.network(server.url, prefix: "cafe\u{301}")
        try await one.synchronize(within: long)
        try await expectMessage(Saved.self, on: other, within: long) {
            try await other.synchronize(within: long)
            try one.post(Saved(path: "a"))
        }
    }

    @Test("Under a prefix no more comes in than that")
    func R26_no_more_comes_in_than_names_under_the_prefix() async throws {
        let heard = Log<String>()
        let token = there.observe(messages: .under("test.under")) { heard.append("\($0.name)") }
        try await there.synchronize(within: long)
        here.post("test.elsewhere.x")
        here.post("test.under.x")
        #expect(await heard.first(1) == ["test.under.x"])
        #expect(there.statistics.received == 1)
        token.cancel()
    }

    @Test("Names are posted and heard as on the host, and who is about a subject hears that alone")
    func R27_names_and_subjects_are_carried_as_on_the_host() async throws {
        let heard = Log<String>(), about = Log<String>()
        let bag = ObservationBag()
        there.observe("test.net.name") { heard.append("\($0.name) \($0.count)") }.store(in: bag)
        there.observe(Saved.self, subject: "doc 1") { about.append($0.path) }.store(in: bag)
        try await there.synchronize(within: long)
        here.post("test.net.name")
        try here.post(Saved(path: "a"), subject: "doc 2")
        try here.post(Saved(path: "b"), subject: "doc 1")
        #expect(await heard.first(1) == ["test.net.name 1"])
        #expect(await about.first(1) == ["b"])
        bag.cancelAll()
    }

    @Test("A sender's messages come in order, and are counted")
    func R23_messages_of_a_sender_come_in_order() async throws {
        let heard = Log<String>()
        let token = there.observe(Saved.self) { heard.append($0.path) }
        try await there.synchronize(within: long)
        for number in 0..<2000 { try here.post(Saved(path: "\(number)")) }
        #expect(await heard.first(2000) == (0..<2000).map(String.init))
        #expect(here.statistics.posted == 2000)
        #expect(there.statistics.received == 2000)
        try await here.synchronize(within: long)
        #expect(here.statistics.sent == 2000 && here.statistics.waiting == 0)
        token.cancel()
    }

    @Test("A raw client hears plain JSON with its type, and posts it without headers")
    func R27_posts_are_carried_to_and_from_a_raw_client() async throws {
        let client = try RawClient(server.port)
        client.send("SUB herald.test.net.> 1\r\n")
        client.flush()
        try here.post(Saved(path: "a b"), subject: "doc.1")
        let text = client.text(until: "}\r\n")
        #expect(text.contains("HMSG herald.test.net.saved.%.doc%2E1 1 "), "\(text)")
        #expect(text.contains("Content-Type: application/json\r\n"))
        #expect(text.contains("Herald-Post: "))
        #expect(text.hasSuffix("{\"path\":\"a b\"}\r\n"))
        let heard = Log<String>()
        let token = there.observe(Saved.self) { heard.append($0.path) }
        try await there.synchronize(within: long)
        client.send("PUB herald.test.net.saved 12\r\n{\"path\":\"c\"}\r\n")
        #expect(await heard.first(1) == ["c"])
        token.cancel()
    }

    @Test("What does not decode is an event, once for each reason, and no body's")
    func R23_what_does_not_decode_reaches_no_typed_body() async throws {
        let heard = Log<String>(), events = there.events
        let token = there.observe(Saved.self) { heard.append($0.path) }
        try await there.synchronize(within: long)
        for _ in 0..<3 { try here.post(Other(number: 1)) }
        try here.post(Saved(path: "good"))
        #expect(await heard.first(1) == ["good"])
        #expect(there.statistics.undecodable == 3)
        events.finish()
        var said = 0
        for await case .undecodable(let name, _, _) in events where name == "test.net.saved" { said += 1 }
        #expect(said == 1)
        token.cancel()
    }

    @Test("Too large, closed: the post says so, and nothing is lost before")
    func R15_a_message_that_cannot_be_posted_is_an_error() async throws {
        #expect(throws: WireError.self) { try here.post(Saved(path: String(repeating: "x", count: 2 << 20))) }
        // With headers the message is larger than the server accepts; C reports by how many bytes.
        let payload = 1 << 20, name = HeraldCenter.Name("test.net.large")
        for length in [payload, payload - 1, payload - 40] {
            #expect {
                try here.post(messageNamed: name, .init(repeating: 0, count: length), type: "t")
            } throws: { if case WireError.tooLarge(let size) = $0 { size > payload } else { false } }
        }
        #expect {
            try here.post(messageNamed: name, type: "a\nb")
        } throws: { "\($0)".contains("control character") }
        let heard = Log<String>()
        let token = there.observe(Saved.self) { heard.append($0.path) }
        try await there.synchronize(within: long)
        for number in 0..<100 { try here.post(Saved(path: "\(number)")) }
        try await here.close(within: long)
        #expect(await heard.first(100).count == 100)
        #expect(throws: WireError.self) { try here.post(Saved(path: "late")) }
        await #expect(throws: WireError.self) { try await here.synchronize() }
        await #expect(throws: WireError.self) { try await here.close() }
        #expect(here.statistics.refused == 0 || here.statistics.refused >= 2)
        token.cancel()
    }

    @Test("A server that ends and comes back: events say so, and posts wait")
    func posts_wait_for_a_server_that_comes_back() async throws {
        let first = try Server(), port = first.port
        let center = try HeraldCenter.network(first.url)
        let events = center.events, heard = Log<String>()
        let token = center.observe(Saved.self) { heard.append($0.path) }
        try await center.synchronize(within: long)
        first.end()
        var told: [String] = []
        for await event in events {
            told.append("\(event)")
            if case .disconnected = event { break }
        }
        #expect(told.contains { $0.hasPrefix("disconnected") })
        try center.post(Saved(path: "waits"))
        #expect(center.statistics.waiting == 1)
        let again = try Server(["-p", "\(port)"])
        #expect(await heard.first(1) == ["waits"])
        #expect(center.statistics.reconnects == 1)
        token.cancel()
        again.end()
    }
}

@Suite struct NetworkWithoutServerTests {
    @Test("Without a server: events with a reason, and waiting ends when it is said to", .timeLimit(.minutes(10)))
    func noServer() async throws {
        let center = try HeraldCenter.network("nats://127.0.0.1:1")
        let events = center.events
        await #expect(throws: WireError.self) { try await center.synchronize(within: .milliseconds(300)) }
        for await event in events {
            guard case .disconnected(let reason) = event else { continue }
            #expect(reason.contains("127.0.0.1:1"), "\(reason)")
            break
        }
        try center.post(Saved(path: "waits"))
        await #expect(throws: WireError.self) { try await center.close(within: .milliseconds(100)) }
    }

    @Test(
        "What cannot be a server, a prefix or a file is an error with a sentence",
        arguments: ["", "http://a", "nats://", "nats://a:0", "nats://a:70000", "a,,b", "nats://a b"])
    func badServers(_ servers: String) {
        do {
            _ = try HeraldCenter.network(servers)
            Issue.record("\(servers) was taken")
        } catch { #expect(!"\(error)".isEmpty) }
    }

    @Test("Likewise files and prefixes")
    func badFiles() {
        #expect(throws: WireError.self) { try HeraldCenter.network("nats://a", credentials: "/nowhere/a.creds") }
        #expect(throws: WireError.self) { try HeraldCenter.network("nats://a", nkeySeed: "/etc/hostname") }
        #expect(throws: WireError.self) {
            try HeraldCenter.network("nats://a", tls: .init(certificateAuthority: "/etc/hostname"))
        }
        #expect(throws: WireError.self) {
            try HeraldCenter.network("nats://a", tls: .init(certificate: "/etc/hostname"))
        }
        #expect(throws: WireError.self) { try HeraldCenter.network("nats://a", prefix: "a.*") }
        #expect(throws: WireError.self) { try HeraldCenter.network("nats://a", prefix: ".") }
    }

    @Test("A center that goes takes its threads and descriptors with it")
    func R19_a_center_that_goes_takes_its_threads_and_descriptors() async throws {
        func descriptors() throws -> Int {
            try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
        }
        let server = try Server()
        func use() async throws {
            let center = try HeraldCenter.network(server.url)
            let token = center.observe(Saved.self) { _ in }
            try await center.synchronize(within: long)
            try center.post(Saved(path: "a"))
            token.cancel()
        }
        try await use()
        let before = try descriptors()  // including those of the first center, which may still be ending
        for _ in 0..<20 { try await use() }
        #expect(await eventually { (try? descriptors()).map { $0 <= before } ?? false })
    }
}
#endif
