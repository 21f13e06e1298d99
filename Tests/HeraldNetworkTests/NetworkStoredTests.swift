#if Network
import Herald
import HeraldNetwork
import Testing

private struct Saved: HeraldCenter.WireMessage, Codable, Equatable {
    static let wireName: HeraldCenter.Name = "test.stored.saved"
    var path: String
}
private struct Setting: HeraldCenter.KeptMessage, HeraldCenter.WireMessage, Codable {
    static let wireName: HeraldCenter.Name = "test.stored.setting"
    var theme: String
}
private struct Unstored: HeraldCenter.WireMessage, Codable {
    static let wireName: HeraldCenter.Name = "test.unstored"
}
private struct Broken: HeraldCenter.WireMessage, Codable {
    static let wireName: HeraldCenter.Name = "test.stored.broken"
    struct Reason: Error {}
    func encode(to _: any Encoder) throws { throw Reason() }
}

/// Stored messages (R28), in Swift.
@Suite(.serialized, .timeLimit(.minutes(10))) struct NetworkStoredTests {
    private let bag = ObservationBag()

    /// Makes a stream, by hand.
    private func makeStream(_ subjects: String, at server: Server) throws {
        let client = try RawClient(server.port)
        let call = #"{"name":"S","subjects":[\#(subjects)],"storage":"memory"}"#
        client.send("SUB made 1\r\nPUB $JS.API.STREAM.CREATE.S made \(call.utf8.count)\r\n\(call)\r\n")
        #expect(client.text(until: "stream_create_response").contains("MSG made"))
    }

    @Test("A poster is told the number of its message, which observers hear, too")
    func R28_a_poster_is_told_the_number_of_its_stored_message() async throws {
        let keeper = try Keeper()
        let network = try HeraldCenter.network(keeper.server.url)
        try await network.synchronize(within: long)
        try makeStream(#""herald.test.stored.>""#, at: keeper.server)
        let heard = Log<String>()
        network.observe(Saved.self) { heard.append($0.path) }.store(in: bag)
        try await network.synchronize(within: long)
        for number in 1...3 {
            #expect(
                try await network.store(Saved(path: "\(number)"), within: .seconds(60)).sequence == UInt64(number))
        }
        #expect(await heard.first(3) == ["1", "2", "3"])
        let about = try await network.store(Saved(path: "4"), subject: "a file", within: .seconds(60))
        #expect(about.sequence == 4 && network.statistics.sent == 4)
        // A message that is stored is not kept, whatever its type.
        #expect(try await network.store(Setting(theme: "dark"), within: .seconds(60)).sequence == 5)
        // Its type may not be known.
        let bytes = Array(#"{"path":"6"}"#.utf8)
        #expect(
            try await network.store(
                messageNamed: Saved.wireName, bytes, type: "application/json", within: .seconds(60)
            )
            .sequence == 6)
        #expect(await heard.first(5) == ["1", "2", "3", "4", "6"])
        try await network.close(within: long)
        await #expect(throws: WireError.unavailable("the network center has been closed")) {
            try await network.store(Saved(path: "5"))
        }
    }

    @Test("What is not stored throws an error with the reason")
    func R28_what_is_not_stored_throws_the_reason() async throws {
        let server = try Server([])
        defer { server.end() }
        let network = try HeraldCenter.network(server.url)
        try await network.synchronize(within: long)
        var tries = 0, reason = ""
        repeat {  // an answer that comes late has another reason
            tries += 1
            do {
                _ = try await network.store(Unstored(), within: .seconds(1))
                Issue.record("nobody stores it")
            } catch {
                guard case .unavailable(let why) = error else { throw error }
                reason = why
            }
        } while !reason.contains("JetStream") && tries < 10
        #expect(reason.contains("JetStream"))
        let refused = network.statistics.refused
        #expect(refused == tries)
        await #expect(throws: WireError.cannotEncode("a subject or a content type must not contain a NUL")) {
            try await network.store(Saved(path: ""), subject: "a\0b")
        }
        for limit in [Duration.zero, .seconds(-1), .seconds(121)] {
            await #expect(throws: WireError.self) { try await network.store(Saved(path: ""), within: limit) }
        }
        await #expect(throws: WireError.cannotEncode("Reason()")) { try await network.store(Broken()) }
        do {
            _ = try await network.store(Saved(path: String(repeating: "x", count: 9 << 20)))
            Issue.record("it is too large")
        } catch {
            guard case .tooLarge(let size) = error else { throw error }
            #expect(size > 9 << 20)
        }
        #expect(network.statistics.waiting == 0)
    }
}
#endif
