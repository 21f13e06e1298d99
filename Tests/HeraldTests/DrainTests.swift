import Dispatch
import Herald
import Testing

private struct Step: HeraldCenter.Message, Sendable { var number = 0 }
private struct Other: HeraldCenter.Message, Sendable {}
private actor Reader {}

/// `drain` returns when everything has been heard that was queued when it was called.
@Suite(.timeLimit(.minutes(10))) struct DrainTests {
    private let center = HeraldCenter()
    private let bag = ObservationBag()
    private let work = HeldWork()
    private let heard = Log<String>()

    /// Drains in a task, and sets a flag when it has drained.
    private func drain() -> (task: Task<Void, Never>, isDrained: Flag) {
        let flag = Flag()
        let task = Task { [center] in
            await center.drain()
            flag.set()
        }
        return (task, flag)
    }

    @Test("A center without observers, and one where nothing waits, are drained at once")
    func nothingToDrain() async {
        await center.drain()
        center.observe(Step.self) { _ in }.store(in: bag)
        center.observe(Step.self, via: work.scheduler) { _ in }.store(in: bag)
        let sequence = center.messages(Step.self)
        await center.drain()
        center.observe(Other.self, async: { _ in }).store(in: bag)
        center.post(Other())
        await center.drain()
        sequence.finish()
    }

    @Test("Types that share a mailbox are drained, too, and counted when the first of them has gone")
    func sharedMailboxes() async {
        let actor = Reader(), held = HeldWork()
        center.observe(via: held.scheduler, buffer: .oldest(1)) {
            $0.on(Step.self) { [heard] _ in heard.append("step") }
            $0.on(Other.self) { [heard] _ in heard.append("other") }
        }.cancelAll()
        let shared = center.observe(via: held.scheduler) { $0.on(Step.self) { [heard] _ in heard.append("step") } }
        center.post(Step())
        let (task, isDrained) = drain()
        for _ in 0..<100 { await Task.yield() }
        #expect(!isDrained.isSet && heard.values == [])
        held.run()
        await task.value
        #expect(heard.values == ["step"])
        shared.cancelAll()
        center.observe(on: actor, buffer: .oldest(0)) {
            $0.on(Step.self) { _, _ in }
            $0.on(Other.self) { _, _ in }
        }
        center.removeObserver(actor, of: Step.self)
        for _ in 0..<100_000 where center.dropped(by: actor) == 0 { center.post(Other()) }
        #expect(center.dropped(by: actor) > 0)
        await center.drain()
    }

    @Test("Everything that waits in queues and on actors is heard, and bodies that run have returned")
    func everythingIsHeard() async {
        let actor = Reader()
        let count = 200
        let slow: @Sendable (String) async -> Void = { [heard] form in
            await Task.yield()
            heard.append(form)
        }
        for number in 0..<300 {  // more registrations than one look at a center copies
            center.observe(HeraldCenter.Name("drain.\(number)"), via: { $0() }) { _ in }.store(in: bag)
        }
        center.observe(Step.self, via: DispatchQueue(label: "drain")) { [heard] _ in heard.append("via") }.store(
            in: bag)
        center.observe(Step.self, async: { _ in await slow("async") }).store(in: bag)
        center.observe(Step.self, on: actor) { _, _ in await slow("actor") }
        center.observe(posts: .all, async: { _ in await slow("all") }).store(in: bag)
        for number in 0..<count { center.post(Step(number: number)) }
        await center.drain()
        let all = heard.values
        for form in ["via", "async", "actor", "all"] { #expect(all.filter { $0 == form }.count == count) }
        center.removeObserver(actor)
    }

    @Test("What is posted after the call is not waited for")
    func laterPostsAreNotWaitedFor() async {
        center.observe(Step.self, via: work.scheduler) { [heard] in heard.append("\($0.number)") }.store(in: bag)
        center.post(Step(number: 1))
        // This call is cancelled, so it returns when it has put its ticket on the first message.
        let cancelled = Task { [center] in
            withUnsafeCurrentTask { $0?.cancel() }
            await center.drain()
        }
        await cancelled.value
        let (_, isDrained) = drain()
        center.observe(Step.self, via: { $0() }) { _ in }.store(in: bag)
        work.runOne()
        #expect(await eventually { isDrained.isSet })
        center.post(Step(number: 2))
        let last = drain()
        work.run()
        #expect(await eventually { last.isDrained.isSet })
        #expect(heard.values == ["1", "2"])
    }

    @Test("What is dropped, and what waits when its registration ends, is not waited for")
    func droppedMessagesAreNotWaitedFor() async {
        let token = center.observe(Step.self, via: work.scheduler) { _ in }
        center.post(Step())
        let first = drain()
        token.cancel()
        #expect(await eventually { first.isDrained.isSet })
        center.observe(Step.self, via: work.scheduler, buffer: .newest(1)) { _ in }.store(in: bag)
        center.post(Step(number: 1))
        let second = drain()
        center.post(Step(number: 2))
        work.run()
        #expect(await eventually { second.isDrained.isSet })
    }

    @Test("A body that runs, with nothing behind it, is waited for")
    func aRunningBodyIsWaitedFor() async {
        let (began, mayEnd) = (Signal(), Signal())
        center.observe(Step.self, via: DispatchQueue(label: "running")) { [heard] _ in
            began.send()
            mayEnd.wait()
            heard.append("body")
        }.store(in: bag)
        center.post(Step())
        await withoutPool { began.wait() }
        let (_, isDrained) = drain()
        for _ in 0..<10 { await Task.yield() }
        #expect(!isDrained.isSet)
        mayEnd.send()
        #expect(await eventually { isDrained.isSet })
        #expect(heard.values == ["body"])
    }

    @Test("A message in a sequence is waited for until it is taken")
    func sequencesAreWaitedFor() async {
        let sequence = center.messages(Step.self).makeAsyncIterator()
        center.post(Step(number: 1))
        let (_, isDrained) = drain()
        for _ in 0..<10 { await Task.yield() }
        #expect(!isDrained.isSet)
        #expect(await sequence.next()?.number == 1)
        #expect(await eventually { isDrained.isSet })
    }

    @Test("A call whose task is cancelled returns")
    func cancelledCallsReturn() async {
        center.observe(Step.self, via: work.scheduler) { _ in }.store(in: bag)
        center.post(Step())
        let (task, isDrained) = drain()
        task.cancel()
        #expect(await eventually { isDrained.isSet })
        work.run()
    }

    @Test("A body that drains its own center is a precondition failure; a body may drain another center")
    func aBodyThatDrainsItsCenterFails() async {
        await #expect(processExitsWith: .failure) {
            let center = HeraldCenter()
            let token = center.observe(Step.self, async: { _ in await center.drain() })
            await center.postAndWait(Step())
            token.cancel()
        }
        await #expect(processExitsWith: .success) {
            let (center, other) = (HeraldCenter(), HeraldCenter())
            let token = center.observe(Step.self, async: { _ in await other.drain() })
            await center.postAndWait(Step())
            token.cancel()
        }
    }

    @Test("Drained while others post and observers come and go, the center has heard what was posted before")
    func drainedUnderLoad() async {
        let counts = Log<Int>()
        center.observe(Step.self, async: { counts.append($0.number) }).store(in: bag)
        await withTaskGroup(of: Void.self) { group in
            for thread in 1...2 {
                group.addTask { [center] in
                    for number in 1...300 {
                        let mine = thread * 1000 + number
                        center.post(Step(number: mine))
                        if number % 30 == 0 {
                            await center.drain()
                            #expect(counts.values.contains(mine))
                        }
                    }
                }
            }
            group.addTask { [center] in
                for _ in 0..<300 {
                    let token = center.observe(Step.self, via: DispatchQueue(label: "load")) { _ in }
                    await Task.yield()
                    token.end()
                }
            }
        }
        #expect(counts.count == 600)
    }
}
