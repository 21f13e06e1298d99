import Dispatch
import Herald
import Processes
import Testing

private final class Thing: Sendable {}

private struct Step: HeraldCenter.Message, Sendable { typealias Subject = Thing }
private struct Single: HeraldCenter.Message, ~Copyable {}
private struct Drawn: HeraldCenter.MainActorMessage {}

private struct Shared: HeraldCenter.WireMessage, Codable {
    static let wireName: HeraldCenter.Name = "test.is.heard.shared"
}

/// Whether a post would find an observer.
@Suite(.timeLimit(.minutes(10))) struct IsHeardTests {
    private let center = HeraldCenter()

    init() { _ = hostFolder }

    @Test("A type is heard while it has an observer: of any subject, of one, of all posts")
    func R01_a_type_is_heard_while_it_has_an_observer() {
        #expect(!center.isHeard(Step.self) && !center.isHeard(Single.self) && !center.isHeard(Drawn.self))
        let step = center.observe(Step.self, subject: Thing()) { _ in }
        #expect(center.isHeard(Step.self) && !center.isHeard(Single.self))
        step.cancel()
        #expect(!center.isHeard(Step.self))
        let single = center.observe(Single.self) { _ in }
        let drawn = center.observe(Drawn.self) { _ in }
        #expect(center.isHeard(Single.self) && center.isHeard(Drawn.self) && !center.isHeard(Step.self))
        single.cancel()
        drawn.cancel()
        let all = center.observeAll { _ in }
        #expect(center.isHeard(Step.self) && center.isHeard(Single.self) && center.isHeard(Drawn.self))
        all.cancel()
        let queued = center.observe(Step.self, via: .main) { _ in }
        #expect(center.isHeard(Step.self))
        queued.cancel()
        #expect(!center.isHeard(Step.self))
        #expect(!HeraldCenter().isHeard(Step.self))
    }

    @Test("A name is heard while it, or a prefix of it, has an observer")
    func R26_a_name_is_heard_while_a_prefix_has_an_observer() {
        let name: HeraldCenter.Name = "test.is.heard.name"
        #expect(!center.isHeard(name))
        let token = center.observe(name) { _ in }
        #expect(center.isHeard(name) && !center.isHeard("test.is.heard.other"))
        token.cancel()
        #expect(!center.isHeard(name))
        let below = center.observe(posts: .under("test.is.heard")) { _ in }
        #expect(center.isHeard(name))
        below.cancel()
        #expect(!center.isHeard(name))
    }

    @Test("Between processes: a message by its type and by its name, and a name")
    func R23_a_wire_message_is_heard_while_it_has_an_observer() {
        let host = HeraldCenter.host
        let name: HeraldCenter.Name = "test.is.heard.by.the.host"
        let shared = host.observe(Shared.self) { _ in }
        let named = host.observe(name) { _ in }
        #expect(host.isHeard(Shared.self) && host.isHeard(Shared.wireName) && host.isHeard(name))
        shared.cancel()
        named.cancel()
        // Other suites observe all names of the host center, so nothing is sure to be unheard now.
    }
}
