import Dispatch
import Herald
import Testing

private protocol Audited { var text: String { get } }

private struct Saved: HeraldCenter.Message, Audited { var text = "saved" }
private enum Moved: HeraldCenter.Message, Audited {
    case up, down
    var text: String { self == .up ? "up" : "down" }
}
private struct Generic<Value>: HeraldCenter.Message { var value: Value }
extension Generic: Audited where Value == Int { var text: String { "generic \(value)" } }
private struct Drawn: HeraldCenter.MainActorMessage, Audited { var text = "drawn" }
private struct Plain: HeraldCenter.Message { var number = 0 }
private struct Single: HeraldCenter.Message, ~Copyable {}
private class Base: HeraldCenter.Message, @unchecked Sendable {}
private final class Derived: Base, Audited, @unchecked Sendable { var text: String { "derived" } }

/// An observer of all messages that conform to a protocol.
@Suite(.timeLimit(.minutes(10))) struct FamilyTests {
    private let center = HeraldCenter()
    private let log = Log<String>()

    @Test("It hears all types that conform, and no others, however often each is posted") @MainActor
    func R01_an_observer_of_a_protocol_hears_all_types_that_conform() {
        let token = center.observe(conforming: (any Audited).self) { [log] in log.append($0.text) }
        for _ in 0..<3 {
            center.post(Plain())
            center.post(Saved())
            center.post(Single())
            center.post(Moved.up)
            center.post(Moved.down)
            center.post(Generic(value: 1))
            center.post(Generic(value: "text"))
            center.post(Drawn())
            center.post("family.name", userInfo: Saved())
            #expect(log.take() == ["saved", "up", "down", "generic 1", "drawn"])
        }
        token.cancel()
        center.post(Saved())
        #expect(log.take() == [])
    }

    @Test("A class is looked at in each post: a subclass may conform")
    func R01_an_observer_of_a_protocol_hears_subclasses_that_conform() {
        let token = center.observe(conforming: (any Audited).self) { [log] in log.append($0.text) }
        for _ in 0..<3 {
            center.post(Base())
            center.post(Derived() as Base)
            center.post(Derived())
        }
        #expect(log.take() == Array(repeating: "derived", count: 6))
        token.cancel()
    }

    @Test("It has its place in the order of registration, and may end itself")
    func R02_an_observer_of_a_protocol_has_its_place_in_the_order() {
        let first = center.observe(Saved.self) { [log] _ in log.append("first") }
        let family = center.observe(conforming: (any Audited).self) { [log] _ in log.append("family") }
        let last = center.observe(Saved.self) { [log] _ in log.append("last") }
        center.post(Saved())
        #expect(log.take() == ["first", "family", "last"])
        family.cancel()
        center.post(Saved())
        #expect(log.take() == ["first", "last"])
        first.cancel()
        last.cancel()
    }

    @Test("More types than are remembered, from several threads")
    func R20_many_types_from_several_threads() {
        let token = center.observe(conforming: (any Audited).self) { [log] in log.append($0.text) }
        let came = onThreads(4) { [center] _ in
            func post<T>(_ value: T, _ depth: Int) {
                center.post(Generic(value: value))
                if depth > 0 { post([value], depth - 1) }
            }
            for _ in 0..<20 {
                post("text", 100)
                center.post(Saved())
            }
        }
        #expect(came)
        #expect(log.take() == Array(repeating: "saved", count: 80))
        token.cancel()
    }
}
