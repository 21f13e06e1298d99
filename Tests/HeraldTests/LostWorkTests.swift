import Dispatch
import Foundation
import Herald
import Synchronization
import Testing

private struct Step: HeraldCenter.Message, Sendable {
    var number = 0
    var load: Counted?
}

/// A scheduler that drops the pieces that it is told to drop.
private final class Dropping: Sendable {
    private let left = Atomic(0)
    let held = HeldWork()

    /// Drops the next pieces.
    func drop(_ count: Int) { left.store(count, ordering: .sequentiallyConsistent) }

    fileprivate var scheduler: Run {
        { piece in
            if self.left.subtract(1, ordering: .sequentiallyConsistent).oldValue > 0 { return }
            self.held.scheduler(piece)
        }
    }
}

private typealias Run = @Sendable (@escaping @Sendable () -> Void) -> Void

/// Schedulers that release work without running it: the observer goes on to hear later messages, and what was lost is
/// counted.
@Suite(.timeLimit(.minutes(10))) struct LostWorkTests {
    let center = HeraldCenter()
    let log = Log<Int>()
    let instances = Instances()

    private func post(_ numbers: ClosedRange<Int>) {
        for number in numbers { center.post(Step(number: number, load: instances.make())) }
    }

    @Test("A piece of work is dropped at once: its message is counted, and the next is heard")
    func dropped() {
        let dropping = Dropping()
        let token = center.observe(Step.self, via: dropping.scheduler) { [log] in log.append($0.number) }
        dropping.drop(2)
        post(1...2)
        #expect(token.dropped == 2 && instances.isEmpty && dropping.held.count == 0)
        post(3...4)
        dropping.held.run()
        #expect(log.values == [3, 4] && token.dropped == 2)
    }

    @Test("Operations are cancelled before they begin: their messages are counted, and later ones are heard in order")
    func cancelled() async {
        let operations = OperationQueue()
        operations.maxConcurrentOperationCount = 1
        let token = center.observe(Step.self, via: { operations.addOperation($0) }) { [log] in log.append($0.number) }
        operations.isSuspended = true
        post(1...5)
        operations.cancelAllOperations()
        operations.isSuspended = false
        await withoutPool { operations.waitUntilAllOperationsAreFinished() }
        #expect(await eventually { token.dropped == 5 && instances.isEmpty })
        post(6...9)
        #expect(await eventually { log.count == 4 })
        #expect(log.values == [6, 7, 8, 9] && token.dropped == 5)
    }

    @Test(
        "A worker that is gone drops everything: nothing piles up, and an owner counts its losses", arguments: [1, 8])
    func weakWorker(limit: Int) {
        final class Worker: Sendable {
            func run(_ piece: @Sendable () -> Void) { piece() }
        }
        final class Owner: Sendable {}
        let owner = Owner()
        var worker: Worker? = Worker()
        func observe() {
            let scheduler: Run = { [weak worker] in worker?.run($0) }
            center.observe(Step.self, by: owner, via: scheduler, buffer: .newest(limit)) { [log] in
                log.append($1.number)
            }
        }
        observe()
        post(1...3)
        #expect(log.values == [1, 2, 3] && center.dropped(by: owner) == 0)
        withExtendedLifetime(worker) {}
        worker = nil
        post(4...103)
        #expect(log.count == 3 && center.dropped(by: owner) == 100 && instances.isEmpty)
        withExtendedLifetime(owner) {}
    }

    @Test("A piece is dropped while a body runs: the running turn asks for the next one")
    func droppedDuringATurn() {
        let dropping = Dropping()
        let token = center.observe(Step.self, via: dropping.scheduler) { [center, log] step in
            log.append(step.number)
            if step.number == 1 {
                dropping.drop(1)
                center.post(Step(number: 2))
            }
        }
        post(1...1)
        dropping.held.run()
        #expect(log.values == [1, 2] && token.dropped == 0)
    }

    @Test("Work that is dropped after the end counts nothing, and harms nothing")
    func droppedAfterTheEnd() {
        let queued = Box<[@Sendable () -> Void]>([])
        let token = center.observe(Step.self, via: { queued.put(queued.value + [$0]) }) { [log] in
            log.append($0.number)
        }
        post(1...1)
        token.end()
        #expect(instances.isEmpty)
        queued.put([])
        post(2...2)
        #expect(log.values == [] && instances.isEmpty)
    }

    @Test("A scheduler drops every other piece while threads post: each message is heard or counted, in order")
    func underFire() async {
        let queue = DispatchQueue(label: "herald.lost")
        let asked = Atomic(0), count = 2000
        let token = center.observe(
            Step.self,
            via: { piece in
                if asked.add(1, ordering: .relaxed).newValue % 2 == 0 { queue.async(execute: piece) }
            }
        ) { [log] in log.append($0.number) }
        await withoutPool { [center] in
            let posting = (0..<2).map { poster in
                thread { for number in 0..<count { center.post(Step(number: number * 2 + poster)) } }
            }
            for each in posting { #expect(each.wait()) }
        }
        #expect(await eventually { log.count + token.dropped == 2 * count })
        for poster in 0..<2 {
            let heard = log.values.filter { $0 % 2 == poster }
            #expect(heard == heard.sorted())
        }
    }
}
