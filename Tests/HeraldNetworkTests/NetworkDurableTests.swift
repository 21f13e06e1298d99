#if Network
import FoundationEssentials
import Herald
import HeraldNetwork
import Testing

private struct Saved: HeraldCenter.WireMessage, Codable, Equatable {
    static let wireName: HeraldCenter.Name = "test.durable.saved"
    var path: String
}

private struct Failure: Error {}

private actor Indexer {
    let heard: Log<String>
    init(_ heard: Log<String>) { self.heard = heard }
    func add(_ path: String) async throws {
        if path == "no", heard.all.isEmpty { throw Failure() }
        heard.append(path)
    }
}

/// Durable observers (R28), in Swift.
@Suite(.serialized, .timeLimit(.minutes(10))) struct NetworkDurableTests {
    private func makeStream(_ network: NetworkCenter) async throws {
        let json = #"{"name":"S","subjects":["herald.test.durable.>"],"storage":"memory"}"#
        let answer = try await network.callJetStream("STREAM.CREATE.S", json, within: .seconds(60))
        #expect(answer.contains("created"))
    }

    @Test("A durable observer hears what was stored while it was away, once and in order")
    func R28_a_durable_observer_hears_what_was_posted_while_it_was_away() async throws {
        let keeper = try Keeper()
        let network = try HeraldCenter.network(keeper.server.url)
        try await network.synchronize(within: long)
        try await makeStream(network)
        let first = Log<String>(), second = Log<String>()
        let token = network.observe(Saved.self, durable: "indexer") { first.append($0.path) }
        try await network.synchronize(within: long)
        try network.post(Saved(path: "1"))
        #expect(await first.first(1) == ["1"])
        token.cancel()
        for number in 2...5 { _ = try await network.store(Saved(path: "\(number)"), within: .seconds(60)) }
        let again = network.observe(Saved.self, durable: "indexer") { second.append($0.path) }
        #expect(await second.first(4) == ["2", "3", "4", "5"] && first.all.count == 1)
        again.cancel()
    }

    @Test("A body that throws hears the message again, in every form")
    func R28_a_durable_body_that_throws_hears_the_message_again() async throws {
        let keeper = try Keeper()
        let network = try HeraldCenter.network(keeper.server.url)
        try await network.synchronize(within: long)
        try await makeStream(network)
        let plain = Log<String>(), asynchronous = Log<String>(), isolated = Log<String>(),
            posts = Log<WirePost.Stored>()
        let indexer = Indexer(isolated)
        let throwing = Log<Int>()
        let one = network.observe(Saved.self, durable: "plain") {
            if throwing.all.count < 2 {
                throwing.append(1)
                throw Failure()
            }
            plain.append($0.path)
        }
        let two = network.observe(
            Saved.self, durable: .init("async", order: .each(inFlight: 4), attempts: 3),
            async: { saved in
                await Task.yield()
                asynchronous.append(saved.path)
            })
        network.observe(Saved.self, durable: "actor", on: indexer) { indexer, saved in
            try await indexer.add(saved.path)
        }
        let three = network.observe(
            messages: .under("test.durable"),
            durable: .init("posts", stream: "S", order: .alone(inFlight: 8), from: .beginning)
        ) { post in
            #expect(post.name == Saved.wireName && post.bytes != nil)
            if let stored = post.stored { posts.append(stored) }
        }
        try await network.synchronize(within: long)
        for path in ["a", "no"] { _ = try await network.store(Saved(path: path), within: .seconds(60)) }
        #expect(await plain.first(2) == ["a", "no"] && throwing.all.count == 2)
        #expect(await asynchronous.first(2).sorted() == ["a", "no"])
        #expect(await isolated.first(2) == ["a", "no"])
        let stored = await posts.first(2)
        #expect(stored.map(\.sequence) == [1, 2] && stored.map(\.deliveries) == [1, 1])
        #expect(stored[0].time > .seconds(1_700_000_000))
        one.cancel()
        two.cancel()
        three.cancel()
    }

    @Test("What a durable observer cannot do is an event, and it can be forgotten")
    func R28_what_a_durable_observer_cannot_do_is_an_event() async throws {
        let keeper = try Keeper()
        let network = try HeraldCenter.network(keeper.server.url)
        let events = network.events
        try await network.synchronize(within: long)
        let early = network.observe(Saved.self, durable: "early") { _ in }
        let bad = network.observe(Saved.self, durable: "a.b") { _ in }
        let negative = network.observe(Saved.self, durable: .init("n", attempts: -1)) { _ in }
        let soon = network.observe(Saved.self, durable: .init("s", from: .time(Date(timeIntervalSince1970: -1)))) {
            _ in
        }
        var told: [String] = []
        for await event in events {
            if case .durable(let event) = event, case .denied(let reason) = event.fact {
                told.append("\(event.durable): \(reason)")
            }
            if told.count == 4 { break }
        }
        told.sort()
        #expect(told[0].hasPrefix("a.b: the name of a durable observer has"))
        #expect(told[1] == "early: no stream stores what it observes")
        #expect(told[2].hasPrefix("n: a number") && told[3].hasPrefix("s: a number"))
        try await makeStream(network)
        let heard = Log<String>()
        let begun = network.observe(Saved.self, durable: .init("b", from: .beginning)) { heard.append($0.path) }
        _ = try await network.store(Saved(path: "1"), within: .seconds(60))
        #expect(await heard.first(1) == ["1"])
        try await network.forget(durable: "b", within: .seconds(60))
        #expect(await heard.first(2) == ["1", "1"])  // it begins again
        try await network.forget(durable: "unknown", within: .seconds(60))
        await #expect(throws: WireError.self) { try await network.forget(durable: "a b") }
        await #expect(throws: WireError.unavailable("stream not found")) {
            try await network.callJetStream("STREAM.INFO.NONE", within: .seconds(60))
        }
        for token in [early.erased(), bad.erased(), negative.erased(), soon.erased(), begun.erased()] {
            token.cancel()
        }
    }

    @Test("A durable observer and what it captures end with its token, its actor or its center")
    func R28_a_durable_observer_ends_with_its_token_its_actor_or_its_center() async throws {
        final class Captured: Sendable {}
        let keeper = try Keeper()
        let network = try HeraldCenter.network(keeper.server.url)
        try await network.synchronize(within: long)
        try await makeStream(network)
        weak var captured: Captured?
        do {
            let own = Captured()
            captured = own
            let token = network.observe(Saved.self, durable: "indexer") { _ in _ = own }
            token.cancel()
        }
        #expect(captured == nil)
        let heard = Log<String>(), other = Log<String>()
        var indexer: Indexer? = Indexer(heard)
        network.observe(Saved.self, durable: "actor", on: indexer!) { indexer, saved in
            try await indexer.add(saved.path)
        }
        try await network.synchronize(within: long)
        indexer = nil
        _ = try await network.store(Saved(path: "1"), within: .seconds(60))
        let token = network.observe(Saved.self, durable: "actor") { other.append($0.path) }
        #expect(await other.first(1) == ["1"] && heard.all.isEmpty)
        token.cancel()
        var second: NetworkCenter? = try HeraldCenter.network(keeper.server.url)
        do {
            let own = Captured()
            captured = own
            second?.observe(Saved.self, durable: "kept") { _ in _ = own }.keep()
        }
        second = nil
        #expect(await eventually { captured == nil })
    }
}
#endif
