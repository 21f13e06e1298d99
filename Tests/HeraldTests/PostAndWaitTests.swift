import Dispatch
import Herald
import Testing

private final class Thing: Sendable {}
private struct Step: HeraldCenter.Message, Sendable {
    typealias Subject = Thing
    var number = 0
}
private struct Empty: HeraldCenter.Message, Sendable {}
private struct Other: HeraldCenter.Message, Sendable { var number = 0 }
private struct Drawn: HeraldCenter.MainActorMessage, Sendable {}
private final class Owner: Sendable {}
private actor Reader {}

/// A call in a task of its own, and whether it has returned.
private struct Call: Sendable {
    private let flag = Flag()
    let task: Task<Void, Never>

    init(_ call: @escaping @Sendable () async -> Void) {
        task = Task { [flag] in
            await call()
            flag.set()
        }
    }

    var hasReturned: Bool { flag.isSet }
    /// - Parameter work: What is done meanwhile: a step waits in its mailbox a moment before the scheduler has its work.
    func returns(doing work: @escaping @Sendable () -> Void = {}) async -> Bool {
        await eventually {
            work()
            return flag.isSet
        }
    }
}

/// Calls that return when what they have posted has been heard: `postAndWait`.
@Suite(.timeLimit(.minutes(10))) struct PostAndWaitTests {
    private let center = HeraldCenter()
    private let bag = ObservationBag()
    private let work = HeldWork()
    private let heard = Log<String>()

    /// Posts a step and waits, in a task, until the step is in the queue.
    private func postStep(_ number: Int = 0) async -> Call {
        let before = waiting
        let call = Call { [center] in await center.postAndWait(Step(number: number)) }
        #expect(await eventually { waiting > before || call.hasReturned })
        return call
    }

    private var waiting: Int { center.observations.reduce(0) { $0 + $1.waiting } }

    @Test("A post waits for the body in a queue")
    func aPostWaitsForAQueue() async {
        center.observe(Step.self, via: work.scheduler) { [heard] _ in heard.append("via") }.store(in: bag)
        let call = await postStep()
        #expect(!call.hasReturned && heard.count == 0)
        let isHeard = await call.returns(doing: { [work] in work.run() })
        #expect(isHeard)
        #expect(heard.values == ["via"])
    }

    @Test("When the call returns, all bodies have returned, in every form")
    func everyFormIsWaitedFor() async {
        let (owner, actor) = (Owner(), Reader())
        let queue = DispatchQueue(label: "wait")
        let slow: @Sendable (String) async -> Void = { [heard] form in
            for _ in 0..<3 { await Task.yield() }
            heard.append(form)
        }
        center.observe(Step.self) { [heard] _ in heard.append("token") }.store(in: bag)
        center.observe(Step.self, by: owner) { [heard] _, _ in heard.append("owner") }
        center.observe(Step.self, via: queue) { [heard] _ in heard.append("via") }.store(in: bag)
        center.observe(Step.self, via: { $0() }) { [heard] _ in heard.append("closure") }.store(in: bag)
        center.observe(Step.self, by: owner, via: queue) { [heard] _, _ in heard.append("owner via") }
        center.observe(Step.self, async: { _ in await slow("async") }).store(in: bag)
        center.observe(Step.self, by: owner, async: { _, _ in await slow("owner async") })
        center.observe(Step.self, on: actor) { _, _ in await slow("actor") }
        center.observe(posts: .all, async: { _ in await slow("all") }).store(in: bag)
        for _ in 0..<100 {
            await center.postAndWait(Step())
            // The last registration of the owner for the type replaces the ones before.
            #expect(heard.take().sorted() == ["actor", "all", "async", "closure", "owner async", "token", "via"])
        }
        center.removeObserver(owner)
        center.removeObserver(actor)
    }

    @Test("Without an observer, and with observers on the posting thread, the call returns")
    func aPostWithoutQueuesReturns() async {
        await center.postAndWait(Step())
        center.observe(Step.self) { [heard] _ in heard.append("here") }.store(in: bag)
        await center.postAndWait(Step())
        #expect(heard.values == ["here"])
    }

    @Test("The subject decides who hears, and who is waited for")
    func theSubjectDecides() async {
        let thing = Thing()
        center.observe(Step.self, subject: thing, async: { [heard] in heard.append("\($0.number)") }).store(in: bag)
        await center.postAndWait(Step(number: 1), subject: thing)
        await center.postAndWait(Step(number: 2), subject: Thing())
        await center.postAndWait(Step(number: 3))
        #expect(heard.values == ["1"])
    }

    @Test("Names, with and without a userInfo, and messages without a size")
    func namesAreWaitedFor() async {
        let name: HeraldCenter.Name = "wait.name"
        let thing = Thing()
        center.observe(name, async: { [heard] in heard.append("\($0.userInfo as? Int ?? 0)") }).store(in: bag)
        center.observe(Empty.self, async: { [heard] _ in heard.append("empty") }).store(in: bag)
        await center.postAndWait(name)
        await center.postAndWait(name, subject: thing, userInfo: 7)
        await center.postAndWait(name, userInfo: ["a": 1, "b": "two"])
        await center.postAndWait(Empty())
        #expect(heard.values == ["0", "7", "0", "empty"])
    }

    @Test("Main-actor messages") @MainActor
    func mainActorMessagesAreWaitedFor() async {
        center.observe(Drawn.self) { [heard] _ in heard.append("here") }.store(in: bag)
        center.observe(Drawn.self, async: { @MainActor [heard] _ in heard.append("main") }).store(in: bag)
        center.observe(Drawn.self, via: DispatchQueue(label: "drawn")) { [heard] _ in heard.append("via") }
            .store(in: bag)
        await center.postAndWait(Drawn())
        #expect(heard.values.sorted() == ["here", "main", "via"])
    }

    @Test("A message that is dropped for a newer one is not waited for; the newer one is")
    func droppedMessagesAreNotWaitedFor() async {
        center.observe(Step.self, via: work.scheduler, buffer: .newest(1)) { [heard] in heard.append("\($0.number)") }
            .store(in: bag)
        let old = await postStep(1)
        let new = Call { [center] in await center.postAndWait(Step(number: 2)) }
        #expect(await old.returns())
        #expect(!new.hasReturned)
        work.run()
        #expect(await new.returns())
        #expect(heard.values == ["2"])
    }

    @Test("A message that is refused is not waited for")
    func refusedMessagesAreNotWaitedFor() async {
        center.observe(Step.self, via: work.scheduler, buffer: .oldest(1)) { _ in }.store(in: bag)
        let first = await postStep(1)
        await center.postAndWait(Step(number: 2))
        #expect(!first.hasReturned)
        work.run()
        #expect(await first.returns())
    }

    @Test("When the registration ends, the messages that wait are not waited for")
    func endedObserversAreNotWaitedFor() async {
        let token = center.observe(Step.self, via: work.scheduler) { [heard] _ in heard.append("late") }
        let calls = [await postStep(1), await postStep(2)]
        token.cancel()
        for call in calls { #expect(await call.returns()) }
        work.run()
        #expect(heard.count == 0)
    }

    @Test("A body that runs while its registration ends is waited for")
    func aRunningBodyIsWaitedFor() async {
        let (began, mayEnd) = (Signal(), Signal())
        let token = center.observe(Step.self, via: DispatchQueue(label: "running")) { [heard] _ in
            began.send()
            mayEnd.wait()
            heard.append("body")
        }
        let call = Call { [center] in await center.postAndWait(Step()) }
        await withoutPool { began.wait() }
        token.end()
        #expect(!call.hasReturned)
        mayEnd.send()
        #expect(await call.returns())
        #expect(heard.values == ["body"])
    }

    @Test("A body that ends its registration frees the messages that were taken with its own")
    func aBodyThatEndsItsRegistrationFreesTheRest() async {
        let owner = Owner()
        center.observe(Step.self, by: owner, via: work.scheduler) { [center, heard] owner, _ in
            heard.append("body")
            center.removeObserver(owner)
        }
        var calls: [Call] = []
        for number in 0..<5 { calls.append(await postStep(number)) }
        work.run()
        for call in calls { #expect(await call.returns()) }
        #expect(heard.values == ["body"])
    }

    @Test("Messages whose work the scheduler drops are not waited for")
    func lostWorkIsNotWaitedFor() async {
        let pieces = Box<[@Sendable () -> Void]>([])
        center.observe(Step.self, via: { pieces.put([$0]) }) { _ in }.store(in: bag)
        let call = await postStep()
        #expect(!call.hasReturned)
        let isLost = await call.returns(doing: { pieces.put([]) })
        #expect(isLost)
    }

    @Test("A call whose task is cancelled returns, and the message is heard")
    func cancelledCallsReturn() async {
        center.observe(Step.self, via: work.scheduler) { [heard] _ in heard.append("via") }.store(in: bag)
        let call = await postStep()
        call.task.cancel()
        #expect(await call.returns())
        let cancelled = Call { [center] in
            withUnsafeCurrentTask { $0?.cancel() }
            await center.postAndWait(Step())
        }
        #expect(await cancelled.returns())
        work.run()
        #expect(heard.values == ["via", "via"])
    }

    @Test("A message in a sequence is waited for until it is taken, or the sequence is gone")
    func sequencesAreWaitedFor() async {
        do {
            let sequence = center.messages(Step.self).makeAsyncIterator()
            let taken = await postStep(1)
            #expect(!taken.hasReturned)
            #expect(await sequence.next()?.number == 1)
            #expect(await taken.returns())
        }
        var sequence: Messages<Step>? = center.messages(Step.self)
        let left = await postStep(2)
        #expect(!left.hasReturned)
        sequence?.finish()
        sequence = nil
        #expect(await left.returns())
    }

    @Test("A task that waits in a sequence takes the message at once")
    func waitingTasksTakeTheMessage() async {
        let sequence = center.messages(Step.self)
        let reader = Task { [heard] in for await step in sequence { heard.append("\(step.number)") } }
        for number in 0..<100 { await center.postAndWait(Step(number: number)) }
        sequence.finish()
        await reader.value
        #expect(heard.count == 100)
    }

    @Test("Posts that bodies make in the meantime are not waited for")
    func nestedPostsAreNotWaitedFor() async {
        center.observe(Step.self) { [center] step in
            center.post(Other())
            if step.number == 0 { center.post(Step(number: 1)) }
        }.store(in: bag)
        let late = HeldWork()
        center.observe(Other.self, via: late.scheduler) { _ in }.store(in: bag)
        center.observe("wait.inner", via: late.scheduler) { _ in }.store(in: bag)
        center.observe("wait.outer") { [center] _ in center.post("wait.inner") }.store(in: bag)
        center.observe("wait.outer", via: { $0() }) { [center] _ in center.post("wait.inner") }.store(in: bag)
        await center.postAndWait("wait.outer")
        await center.postAndWait(Step())
        #expect(late.count > 0)
        bag.cancelAll()
        late.run()
    }

    @Test("A body may wait for a post of its own")
    func bodiesMayWait() async {
        center.observe(Other.self, via: DispatchQueue(label: "other")) { [heard] in heard.append("other \($0.number)") }
            .store(in: bag)
        center.observe(
            Step.self,
            async: { [center, heard] step in
                await center.postAndWait(Other(number: step.number))
                heard.append("step \(step.number)")
            }
        ).store(in: bag)
        await center.postAndWait(Step(number: 1))
        await center.postAndWait(Step(number: 2))
        #expect(heard.values == ["other 1", "step 1", "other 2", "step 2"])
    }

    @Test("A body that waits for its own observer is a precondition failure; a task of its own may wait")
    func aBodyThatWaitsForItselfFails() async {
        await #expect(processExitsWith: .failure) {
            let center = HeraldCenter()
            let token = center.observe(
                Step.self,
                async: { step in
                    if step.number == 0 { await center.postAndWait(Step(number: 1)) }
                })
            await center.postAndWait(Step())
            token.cancel()
        }
        await #expect(processExitsWith: .success) {
            let center = HeraldCenter()
            let inner = Box<Task<Void, Never>?>(nil)
            let token = center.observe(
                Step.self,
                async: { step in
                    if step.number == 0 { inner.put(Task { await center.postAndWait(Step(number: 1)) }) }
                })
            await center.postAndWait(Step())
            await inner.value?.value
            token.cancel()
        }
    }

    @Test("Many tasks wait at once, while observers come and go: all calls return, and nothing is kept")
    func manyTasksWait() async {
        let instances = Instances()
        let actor = Reader()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask { [center] in
                    for number in 0..<200 { await center.postAndWait(Step(number: number)) }
                }
            }
            for place in 0..<4 {
                group.addTask { [center] in
                    let queue = DispatchQueue(label: "many", attributes: .concurrent)
                    for _ in 0..<100 {
                        let capture = instances.make()
                        let body: @Sendable (Step) -> Void = { _ in withExtendedLifetime(capture) {} }
                        let buffer: HeraldCenter.Buffer = place % 2 == 0 ? .newest(1) : .unbounded
                        let token =
                            place < 2
                            ? center.observe(Step.self, via: queue, buffer: buffer, body)
                            : center.observe(Step.self, buffer: buffer, async: { body($0) })
                        for _ in 0..<5 { await Task.yield() }
                        token.cancel()
                    }
                }
            }
            group.addTask { [center] in
                for _ in 0..<100 {
                    center.observe(Step.self, on: actor) { _, _ in }
                    await Task.yield()
                    center.removeObserver(actor)
                }
            }
        }
        #expect(await eventually { instances.isEmpty })
    }
}
