#if Network
import Dispatch
import Foundation
import Herald
import HeraldNetwork
import Testing

private struct Settings: HeraldCenter.KeptMessage, HeraldCenter.WireMessage, Codable, Equatable {
    static let wireName: HeraldCenter.Name = "test.kept.settings"
    var theme: String
}
private struct Other: HeraldCenter.KeptMessage, HeraldCenter.WireMessage, Codable {
    static let wireName: HeraldCenter.Name = "test.kept.settings"
    var number: Int
}
private struct Saved: HeraldCenter.WireMessage, Codable {
    static let wireName: HeraldCenter.Name = "test.kept.saved"
}

/// What the servers keep (R25), in Swift.
@Suite(.serialized, .timeLimit(.minutes(10))) struct NetworkKeptTests {
    private let bag = ObservationBag()

    @Test("A latecomer hears what is kept, marked, then how much that was, then what is posted")
    func R25_a_latecomer_hears_what_is_kept_and_then_what_is_posted() async throws {
        let keeper = try Keeper()
        let here = try HeraldCenter.network(keeper.server.url)
        try await here.synchronize(within: long)
        try await here.createKept(replicas: 1, within: long)
        try await here.createKept(replicas: 1, within: long)  // it is there
        #expect(try await here.kept(Settings.self) == nil)
        try here.post(Settings(theme: "light"))
        try here.post(Settings(theme: "dark"))
        try here.post(Settings(theme: "blue"), subject: "a")
        try here.post(Saved())
        try await here.synchronize(within: long)
        #expect(try await here.kept(Settings.self) == Settings(theme: "dark"))
        #expect(try await here.kept(Settings.self, subject: "a") == Settings(theme: "blue"))
        #expect(try await here.kept(Settings.self, subject: "a\0b") == nil)
        await #expect(throws: WireError.self) { try await here.kept(Other.self) }

        let there = try HeraldCenter.network(keeper.server.url)
        let heard = Log<String>(), bytes = Log<Bool>(), ofOne = Log<String>(), wrong = Log<Int>()
        there.observe(Settings.self, from: .kept, began: { heard.append("\($0)") }) {
            heard.append("\($0.theme) \(HeraldCenter.currentPostIsKept)")
        }.store(in: bag)
        there.observe(messages: Settings.wireName, from: .kept) { bytes.append($0.isKept) }.store(in: bag)
        there.observe(Settings.self, subject: "a", from: .kept, via: DispatchQueue(label: "kept")) {
            ofOne.append($0.theme)
        }.store(in: bag)
        there.observe(Other.self, from: .kept, began: { wrong.append($0) }) { _ in
            wrong.append(1)
        }.store(in: bag)
        #expect(await heard.first(3) == ["dark true", "blue true", "2"])
        #expect(await bytes.first(2) == [true, true])
        #expect(await ofOne.first(1) == ["blue"])
        #expect(await wrong.first(1) == [0])
        try here.post(Settings(theme: "red"), subject: "a")
        #expect(await heard.first(4).last == "red false")
        #expect(await ofOne.first(2) == ["blue", "red"])
        #expect(await bytes.first(3) == [true, true, false])

        #expect(try await here.forget(Settings.self))
        #expect(try await !here.forget(Settings.self))
        #expect(try await here.kept(Settings.self) == nil)
        let messages = there.messages(Settings.self, from: .kept)
        #expect(await messages.makeAsyncIterator().next() == Settings(theme: "red"))
        #expect(try await there.forget(Settings.self, subject: "a"))
        #expect(heard.all.count == 4)  // forgetting calls nobody
        bag.cancelAll()
    }

    @Test("Without a stream, or without JetStream, a beginning says why, and what is posted is heard")
    func R25_without_a_stream_a_beginning_fails_and_says_why() async throws {
        for isOn in [false, true] {
            let keeper = try Keeper(), plain = try Server()
            let network = try HeraldCenter.network(isOn ? keeper.server.url : plain.url)
            try await network.synchronize(within: long)
            let events = network.events
            let reasons = Log<WireError>(), heard = Log<String>()
            network.observe(Settings.self, from: .kept, cannotBegin: { reasons.append($0) }) {
                heard.append($0.theme)
            }
            .store(in: bag)
            #expect(await !"\(reasons.first(1)[0])".isEmpty)
            for await event in events {
                if case .refused(Settings.wireName, let reason) = event {
                    #expect(!reason.isEmpty)
                    break
                }
            }
            await #expect(throws: WireError.self) { try await network.kept(Settings.self) }
            await #expect(throws: WireError.self) { try await network.forget(Settings.self) }
            try network.post(messageNamed: Settings.wireName, Array("{\"theme\":\"dark\"}".utf8))
            #expect(await heard.first(1) == ["dark"])
            bag.cancelAll()
        }
    }

    @Test("A center makes the stream that keeps messages, if it is to")
    func R25_a_center_makes_the_stream_that_keeps_messages() async throws {
        let keeper = try Keeper()
        let network = try HeraldCenter.network(keeper.server.url, keptReplicas: 1)
        try await network.synchronize(within: long)
        while true {
            do {
                #expect(try await network.kept(Settings.self) == nil)
                break
            } catch { try await Task.sleep(for: .milliseconds(20)) }
        }
        #expect(throws: WireError.self) { try HeraldCenter.network(keeper.server.url, keptReplicas: 6) }
        #expect(throws: WireError.self) { try HeraldCenter.network(keeper.server.url, keptReplicas: -1) }
        await #expect(throws: WireError.self) { try await network.createKept(replicas: 0) }
    }
}
#endif
