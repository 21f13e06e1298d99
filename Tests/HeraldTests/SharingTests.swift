import Dispatch
import Foundation
import Herald
import Testing

private struct Step: HeraldCenter.Message, Sendable { var number = 0 }

/// Bodies that share an actor or a queue with other work: none waits for long, and none runs too late.
@Suite(.serialized, .timeLimit(.minutes(10))) struct SharingTests {
    let center = HeraldCenter()

    /// A body that takes so many milliseconds.
    private static func work(_ milliseconds: Double) {
        let end = ContinuousClock.now + .microseconds(Int(milliseconds * 1000))
        while ContinuousClock.now < end {}
    }

    /// Runs an actor's turns until so many bodies have been called. Returns the most bodies of one turn. The actor's
    /// other tasks run between turns.
    private func mostInOneTurn(of executor: HeldExecutor, _ heard: Log<Int>, until count: Int) async -> Int {
        var most = 0
        let isSo = await eventually {
            var before = heard.count
            while before < count, executor.runOne() {
                most = max(most, heard.count - before)
                before = heard.count
            }
            return before == count
        }
        #expect(isSo)
        return most
    }

    @Test("A loop over messages that always finds one lets the actor's other tasks in")
    func loop() async {
        let executor = HeldExecutor(), heard = Log<Int>()
        let busy = Busy(executor)
        let messages = center.messages(Step.self, buffer: .unbounded)
        for number in 0..<2000 { center.post(Step(number: number)) }
        let ended = Flag()
        let loop = Task {
            await busy.hearAll(of: messages) {
                Self.work(0.5)
                heard.append($0.number)
            }
            ended.set()
        }
        let most = await mostInOneTurn(of: executor, heard, until: 2000)
        #expect(most <= 200, "one turn had \(most) bodies of half a millisecond")
        messages.finish()
        #expect(await executor.run { ended.isSet })
        await loop.value
    }

    @Test("Bodies on an actor let its other tasks in, however long a backlog they have")
    func bodies() async {
        let executor = HeldExecutor(), heard = Log<Int>()
        let busy = Busy(executor)
        center.observe(Step.self, on: busy) { _, step in
            Self.work(2)
            heard.append(step.number)
        }
        for number in 0..<500 { center.post(Step(number: number)) }
        let most = await mostInOneTurn(of: executor, heard, until: 500)
        #expect(most <= 32, "one turn had \(most) bodies of two milliseconds; a stay has up to 64")
        center.removeObserver(busy)
    }

    @Test("A serial queue is a barrier: what was posted before a block is heard before the block runs")
    func barrier() {
        for round in 0..<200 {
            let queue = DispatchQueue(label: "barrier")
            let heard = Log<Int>()
            let token = center.observe(Step.self, via: queue) { heard.append($0.number) }
            for number in 0..<500 { center.post(Step(number: number)) }
            queue.sync {}
            #expect(heard.count == 500, "round \(round)")
            token.cancel()
        }
    }

    @Test("A queue is a barrier for what a body posts, too")
    func barrierInside() {
        let queue = DispatchQueue(label: "barrier")
        let heard = Log<Int>()
        let token = center.observe(Step.self, via: queue) { [center] step in
            heard.append(step.number)
            if step.number == 0 {
                for number in 1...50 { center.post(Step(number: number)) }
                queue.async { heard.append(-1) }
            }
        }
        center.post(Step(number: 0))
        #expect(eventually { heard.values.contains(-1) })
        #expect(heard.values == Array(0...50) + [-1])
        token.cancel()
    }

    @Test("A concurrent queue calls one body at a time, in posting order, and all of them")
    func concurrent() {
        let queue = DispatchQueue(label: "concurrent", attributes: .concurrent)
        let heard = Log<Int>()
        let inside = Box(0)
        let token = center.observe(Step.self, via: queue) { step in
            inside.put(inside.value + 1)
            #expect(inside.value == 1)
            heard.append(step.number)
            inside.put(0)
        }
        for number in 0..<5000 { center.post(Step(number: number)) }
        #expect(eventually { heard.count == 5000 })
        #expect(heard.values == Array(0..<5000))
        token.cancel()
    }

    @Test("A scheduler may wait for the work: bodies may post, and posts come back when they have been heard")
    func waits() {
        let queue = DispatchQueue(label: "waits")
        let heard = Log<Int>()
        let token = center.observe(Step.self, via: { piece in queue.sync(execute: piece) }) { [center] step in
            heard.append(step.number)
            if step.number < 200 { center.post(Step(number: step.number + 1)) }
        }
        center.post(Step(number: 0))
        #expect(heard.values == Array(0...200))
        token.cancel()
    }

    @Test("An operation queue may be waited for, as Foundation's queue: does")
    func operations() {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        let heard = Log<Int>()
        let token = center.observe(
            Step.self,
            via: { piece in
                queue.addOperations([BlockOperation(block: piece)], waitUntilFinished: true)
            }
        ) { [center] step in
            heard.append(step.number)
            if step.number % 10 == 0 { center.post(Step(number: step.number + 1)) }
        }
        for number in 0..<10 { center.post(Step(number: number * 10)) }
        var expected: [Int] = []
        for number in 0..<10 { expected += [number * 10, number * 10 + 1] }
        #expect(heard.values == expected)
        token.cancel()
    }

    @Test("Threads that post through a scheduler that waits: everything is heard once, each thread's in its order")
    func waitsForThreads() {
        let queue = DispatchQueue(label: "waits")
        let heard = Log<Int>()
        let token = center.observe(Step.self, via: { piece in queue.sync(execute: piece) }) { heard.append($0.number) }
        let came = onThreads(4) { [center] thread in
            for number in 0..<500 { center.post(Step(number: thread * 1000 + number)) }
        }
        #expect(came)
        #expect(eventually { heard.count == 2000 })
        for thread in 0..<4 {
            let own = heard.values.filter { $0 / 1000 == thread }
            #expect(own == Array(thread * 1000..<thread * 1000 + 500))
        }
        token.cancel()
    }

    @Test("A queue is a barrier for each thread, even while another has not put its turn there yet")
    func barrierOfThreads() {
        let queue = DispatchQueue(label: "barrier")
        let heard = Log<Int>()
        let isSlow = Flag(), inside = Signal(), goOn = Signal()
        let token = center.observe(
            Step.self,
            via: { piece in
                if !isSlow.isSet {
                    isSlow.set()
                    inside.send()
                    goOn.wait()
                }
                queue.async(execute: piece)
            }
        ) { heard.append($0.number) }
        let other = thread { [center] in center.post(Step(number: 1)) }
        #expect(inside.wait())
        center.post(Step(number: 2))
        queue.sync {}
        #expect(heard.values == [1, 2])
        goOn.send()
        #expect(other.wait())
        queue.sync {}
        #expect(heard.values == [1, 2])
        token.cancel()
    }

    @Test("A post through a scheduler that waits comes back when it is heard, whatever other threads wait for")
    func waitsForItsOwn() {
        let queue = DispatchQueue(label: "waits")
        let heard = Log<Int>()
        let token = center.observe(Step.self, via: { piece in queue.sync(execute: piece) }) { heard.append($0.number) }
        let came = onThreads(4) { [center] thread in
            for number in 0..<200 {
                center.post(Step(number: thread * 1000 + number))
                #expect(heard.values.contains(thread * 1000 + number))
            }
        }
        #expect(came)
        token.cancel()
    }
}

extension Busy {
    fileprivate func hearAll(of messages: Messages<Step>, _ body: (Step) -> Void) async {
        for await message in messages { body(message) }
    }
}
