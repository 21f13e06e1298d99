import Dispatch
import Herald
import Synchronization
import Testing

private struct Step: HeraldCenter.Message, Sendable, Equatable {
    var number: Int
    var poster = 0
}

/// Runs every other piece at once, and keeps the others until `run`.
private final class Alternating: Sendable {
    private let asked = Atomic(0)
    private let held = HeldWork()

    var scheduler: @Sendable (@escaping @Sendable () -> Void) -> Void {
        { piece in
            if self.asked.add(1, ordering: .sequentiallyConsistent).newValue % 2 == 0 {
                self.held.scheduler(piece)
            } else {
                piece()
            }
        }
    }

    var count: Int { held.count }
    func run() { held.run() }
}

/// Schedulers that run their pieces at once, which affects the stack and the order; and actors that are shared.
@Suite(.timeLimit(.minutes(10))) struct SchedulerTests {
    let center = HeraldCenter()
    let log = Log<Int>()
    let instances = Instances()
    private static let name: HeraldCenter.Name = "scheduler.name"

    // ---- At once

    @Test("At once: a hundred thousand posts, each from the body of the one before, need no more stack than one")
    func chain() {
        let last = 100_000
        let heard = Box((count: 0, isInOrder: true))
        let token = center.observe(Step.self, via: { $0() }) { [center] step in
            let before = heard.value
            heard.put((before.count + 1, before.isInOrder && step.number == before.count))
            if step.number < last { center.post(Step(number: step.number + 1)) }
        }
        center.post(Step(number: 0))
        #expect(heard.value.count == last + 1)
        #expect(heard.value.isInOrder)
        token.cancel()
    }

    @Test("At once: many posts from one body are heard in order, before the outer post returns")
    func wide() {
        let token = center.observe(Step.self, via: { $0() }) { [center, log] step in
            log.append(step.number)
            if step.number == 0 { for number in 1...10_000 { center.post(Step(number: number)) } }
        }
        center.post(Step(number: 0))
        #expect(log.values == Array(0...10_000))
        token.cancel()
    }

    @Test("At once: nested posts are heard in posting order, each after the body that posts it")
    func nested() {
        let token = center.observe(Step.self, via: { $0() }) { [center, log] step in
            log.append(step.number)
            if step.number < 10 {
                center.post(Step(number: step.number * 10 + 1))
                center.post(Step(number: step.number * 10 + 2))
            }
            log.append(-step.number)
        }
        center.post(Step(number: 1))
        #expect(log.values == [1, -1, 11, -11, 12, -12])
        center.post(Step(number: 2))
        #expect(log.values.suffix(6) == [2, -2, 21, -21, 22, -22])
        token.cancel()
    }

    @Test("At once: two observers that post to each other thirty thousand times")
    func pingPong() {
        struct Back: HeraldCenter.Message, Sendable { var number: Int }
        let heard = Atomic(0)
        let one = center.observe(Step.self, via: { $0() }) { [center] step in
            heard.add(1, ordering: .relaxed)
            if step.number < 1000 { center.post(Back(number: step.number + 1)) }
        }
        let other = center.observe(Back.self, via: { $0() }) { [center] back in
            heard.add(1, ordering: .relaxed)
            if back.number < 1000 { center.post(Step(number: back.number + 1)) }
        }
        for _ in 0..<30 { center.post(Step(number: 0)) }
        let count = heard.load(ordering: .relaxed)
        #expect(count == 30 * 1001)
        one.cancel()
        other.cancel()
    }

    @Test("At once: a body that cancels itself in a chain is the last")
    func cancelledInChain() {
        final class Held: @unchecked Sendable { var token: HeraldCenter.ObservationToken? }
        let held = Held()
        held.token = center.observe(Step.self, via: { $0() }) { [center, log] step in
            log.append(step.number)
            center.post(Step(number: step.number + 1))
            if step.number == 100 { held.token?.cancel() }
        }
        center.post(Step(number: 1))
        center.post(Step(number: 200))
        #expect(log.values == Array(1...100))
        #expect(registrations(of: Step.self, in: center) == 0)
    }

    @Test("At once, posted on two threads: each is heard once, one at a time, in each thread's order")
    func threads() async {
        let heard = Log<Step>()
        let running = Atomic(0)
        let together = Atomic(0)
        let token = center.observe(Step.self, via: { $0() }) { step in
            if running.add(1, ordering: .sequentiallyConsistent).newValue > 1 {
                together.add(1, ordering: .sequentiallyConsistent)
            }
            heard.append(step)
            running.subtract(1, ordering: .sequentiallyConsistent)
        }
        await withoutPool { [center] in
            let isDone = onThreads(2) { poster in
                for number in 0..<5000 { center.post(Step(number: number, poster: poster)) }
            }
            #expect(isDone)
        }
        #expect(await eventually { heard.count == 10_000 })
        for poster in 0..<2 {
            #expect(heard.values.filter { $0.poster == poster }.map(\.number) == Array(0..<5000))
        }
        let met = together.load(ordering: .sequentiallyConsistent)
        #expect(met == 0)
        token.cancel()
    }

    // ---- Now and then

    @Test("A scheduler that runs now at once and then later: all is heard once, in order, and it rests")
    func alternating() {
        let work = Alternating()
        let token = center.observe(Step.self, via: work.scheduler) { [center, log] step in
            log.append(step.number)
            if step.number % 3 == 1 { center.post(Step(number: step.number + 1)) }
        }
        var expected: [Int] = []
        for number in stride(from: 0, to: 3000, by: 3) {
            center.post(Step(number: number))
            if number % 21 == 0 { work.run() }
            expected.append(number)
        }
        work.run()
        #expect(log.values == expected)
        #expect(work.count == 0)
        center.post(Step(number: 4))
        work.run()
        #expect(log.values == expected + [4, 5])
        token.cancel()
    }

    @Test("Later: while a piece runs, posts ask for no second one; the last piece finds nothing, and then it rests")
    func pieces() {
        let work = HeldWork()
        let token = center.observe(Step.self, via: work.scheduler) { [center, log] step in
            log.append(step.number)
            if step.number == 1 { center.post(Step(number: 2)) }
        }
        center.post(Step(number: 1))
        #expect(work.count == 1)
        work.runOne()
        #expect(log.values == [1])
        #expect(work.count == 1)
        center.post(Step(number: 3))
        #expect(work.count == 1)
        while work.count > 0 {
            work.runOne()
            #expect(work.count <= 1)
        }
        #expect(log.values == [1, 2, 3])
        center.post(Step(number: 4))
        #expect(work.count == 1)
        work.run()
        #expect(log.values == [1, 2, 3, 4])
        token.cancel()
    }

    // ---- Names

    @Test("Names through a scheduler: name and userInfo arrive later, about any subject, until the token goes")
    func names() {
        let work = HeldWork()
        let heard = Log<String>()
        let token = center.observe(Self.name, via: work.scheduler) { posted in
            heard.append("\(posted.name) \(posted.userInfo ?? "nothing")")
        }
        center.post(Self.name, userInfo: 1)
        center.post(Self.name, subject: Document(), userInfo: "two")
        center.post(Self.name)
        center.post("scheduler.other", userInfo: 4)
        #expect(heard.values == [])
        #expect(work.count == 1)
        work.run()
        #expect(heard.values == ["scheduler.name 1", "scheduler.name two", "scheduler.name nothing"])
        center.post(Self.name, userInfo: instances.make())
        #expect(instances.count == 1)
        token.cancel()
        #expect(instances.isEmpty)
        work.run()
        #expect(heard.count == 3)
    }

    @Test("Names through a scheduler, about one instance: others are passed over")
    func R01_names_through_a_scheduler_hear_their_subject_alone() {
        let document = Document()
        let token = center.observe(Self.name, subject: document, via: { $0() }) { [log] posted in
            log.append(posted.userInfo as? Int ?? 0)
        }
        center.post(Self.name, userInfo: 1)
        center.post(Self.name, subject: Document(), userInfo: 2)
        center.post(Self.name, subject: document, userInfo: 3)
        center.post(Self.name, subject: document)
        #expect(log.values == [3, 0])
        token.cancel()
        center.post(Self.name, subject: document, userInfo: 4)
        #expect(log.count == 2)
    }

    @Test("A post that comes just when the last turn ends is heard, through a queue and on an actor")
    func justInTime() async {
        let queue = DispatchQueue(label: "herald.scheduler")
        let place = Place()
        let queued = Atomic(0)
        let acted = Atomic(0)
        let token = center.observe(Step.self, via: { queue.async(execute: $0) }) {
            queued.store($0.number, ordering: .sequentiallyConsistent)
        }
        center.observe(Step.self, on: place) { acted.store($1.number, ordering: .sequentiallyConsistent) }
        await withoutPool { [center] in
            for number in 1...30_000 {
                let end = ContinuousClock.now + .seconds(60)
                center.post(Step(number: number))
                while queued.load(ordering: .sequentiallyConsistent) != number
                    || acted.load(ordering: .sequentiallyConsistent) != number
                {
                    guard ContinuousClock.now < end else {
                        Issue.record("nobody has come for message \(number)")
                        return
                    }
                }
            }
        }
        token.cancel()
        withExtendedLifetime(place) {}
    }

    @Test("What a limit gives up is given up until its turn: nothing grows old in the hands of who is at work")
    func limited() async {
        let executor = HeldExecutor()
        let busy = Busy(executor)
        center.observe(Step.self, on: busy, buffer: .newest(2)) { [center, log] _, step in
            log.append(step.number)
            if step.number == 2 { for number in 4...5 { center.post(Step(number: number)) } }
        }
        for number in 1...3 { center.post(Step(number: number)) }
        #expect(await executor.hasWork())
        #expect(await executor.run { log.values.last == 5 })
        #expect(log.values == [2, 4, 5])
        withExtendedLifetime(busy) {}
    }

    // ---- Shared actors

    @Test("Posts without end leave the actor to others after a handful: a call of another task gets its turn")
    func fairness() async {
        let executor = HeldExecutor()
        let busy = Busy(executor)
        center.observe(Step.self, on: busy) { [center, log] _, step in
            log.append(step.number)
            if step.number < 50_000 { center.post(Step(number: step.number + 1)) }  // each one posts one more
        }
        center.post(Step(number: 1))
        #expect(await executor.hasWork())
        let heardBefore = Box(-1)
        let calling = Task { [log] in await busy.run { heardBefore.put(log.count) } }
        #expect(await eventually { executor.count == 2 })
        #expect(await executor.run { heardBefore.value >= 0 })
        #expect(heardBefore.value <= 128)
        center.removeObserver(busy)
        executor.run()
        await calling.value
    }

    @Test("While a thread posts without pause, calls of other tasks on the same actor come through")
    func fairnessUnderFire() async {
        let place = Place()
        let isOver = Flag()
        center.observe(Step.self, on: place) { _, _ in }
        let posting = thread { [center] in
            while !isOver.isSet { center.post(Step(number: 0)) }
        }
        for _ in 0..<20 { await place.call() }
        isOver.set()
        await withoutPool { posting.wait() }
        center.removeObserver(place)
    }

    @Test("While a thread posts without pause, an actor that nobody holds dies, and its observation with it")
    func dyingUnderFire() async {
        let isOver = Flag()
        func observe() -> Signal {
            let place = Place(instances.make())
            center.observe(Step.self, on: place) { _, _ in }
            let posting = thread { [center] in
                while !isOver.isSet { center.post(Step(number: 0)) }
            }
            withExtendedLifetime(place) {}
            return posting
        }
        let posting = observe()
        #expect(await eventually { instances.isEmpty && registrations(of: Step.self, in: center) == 0 })
        isOver.set()
        await withoutPool { posting.wait() }
    }
}

private actor Place {
    private let capture: Counted?

    init(_ capture: Counted? = nil) { self.capture = capture }

    func call() {}
}

extension Busy {
    fileprivate func run(_ work: @Sendable () -> Void) { work() }
}
