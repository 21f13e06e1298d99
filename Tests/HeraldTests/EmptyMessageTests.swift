import Herald
import Synchronization
import Testing

private struct Empty: HeraldCenter.Message {}
private struct EmptyUnique: HeraldCenter.Message, ~Copyable {}
private enum Single: HeraldCenter.Message { case one }
private final class Model {
    @Watched var nothing: Void = ()
}

/// A value of size zero has no address of its own. Its posts must be heard like others.
@Suite struct EmptyMessageTests {
    @Test("Every post of an empty message is heard, whatever lies in a register")
    func emptyMessages() {
        let center = HeraldCenter()
        let heard = Atomic(0)
        let noticed = Atomic(0)
        let bag = ObservationBag()
        center.observe(Empty.self) { _ in heard.add(1, ordering: .relaxed) }.store(in: bag)
        center.observe(EmptyUnique.self) { _ in heard.add(1, ordering: .relaxed) }.store(in: bag)
        center.observe(Single.self) { _ in heard.add(1, ordering: .relaxed) }.store(in: bag)
        center.observeAll { if $0.message != nil { noticed.add(1, ordering: .relaxed) } }.store(in: bag)
        func post() {
            center.post(Empty())
            center.post(Empty(), subject: bag)
            center.topic(for: Empty.self).post(Empty())
            center.post(EmptyUnique())
            center.post(Single.one)
            let empty: any HeraldCenter.Message = Empty()
            center.post(empty)
        }
        for _ in 0..<10 { post() }
        #expect(heard.load(ordering: .relaxed) == 60)
        #expect(noticed.load(ordering: .relaxed) == 50, "what cannot be copied is not handed out")
    }

    @Test("A watched property without a size tells of its changes")
    func watchedVoid() {
        let model = Model()
        var changes = 0
        let token = model.$nothing.observe { _, _ in changes += 1 }
        for _ in 0..<3 { model.nothing = () }
        token.cancel()
        #expect(changes == 3)
    }
}
