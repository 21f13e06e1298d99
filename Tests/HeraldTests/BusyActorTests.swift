import Herald
import Testing

private struct Step: HeraldCenter.Message, Sendable {
    var number: Int
    var load: Counted?
}

private final class Owner: Sendable {}

extension Busy {
    fileprivate func watch(
        _ center: HeraldCenter, _ log: Log<Int>, _ capture: Counted, buffer: HeraldCenter.Buffer = .unbounded
    ) -> HeraldCenter.ObservationToken {
        center.observe(
            Step.self, buffer: buffer,
            async: { step in
                self.assertIsolated()
                log.append(step.number)
                withExtendedLifetime(capture) {}
            })
    }

    /// The body inherits this actor, though another object is its owner.
    fileprivate func watch(_ center: HeraldCenter, by owner: Owner, _ log: Log<Int>, _ capture: Counted) {
        center.observe(
            Step.self, by: owner,
            async: { _, step in
                self.assertIsolated()
                log.append(step.number)
                withExtendedLifetime(capture) {}
            })
    }

    fileprivate func watchSlowly(
        _ center: HeraldCenter, _ log: Log<Int>, _ capture: Counted
    ) -> HeraldCenter.ObservationToken {
        center.observe(
            Step.self,
            async: { step in
                log.append(step.number)
                await Task.yield()
                self.assertIsolated()
                log.append(-step.number)
                withExtendedLifetime(capture) {}
            })
    }
}

/// Observers on an actor whose work is held back, so that the test decides what happens while messages are queued. The
/// release of the body's captured values shows that the last turn is over.
@Suite struct BusyActorTests {
    let center = HeraldCenter()
    let log = Log<Int>()
    let instances = Instances()
    let executor = HeldExecutor()

    private func post(_ numbers: ClosedRange<Int>) {
        for number in numbers { center.post(Step(number: number)) }
    }

    @Test("Nothing is heard until the actor is free, then everything, in order")
    func order() async {
        let busy = Busy(executor)
        center.observe(Step.self, on: busy) { [log] busy, step in
            busy.assertIsolated()
            log.append(step.number)
        }
        post(1...300)
        #expect(await executor.hasWork())
        #expect(log.values == [])
        #expect(await executor.run { log.count == 300 })
        #expect(log.values == Array(1...300))
        post(301...301)
        #expect(await executor.run { log.count == 301 })
        withExtendedLifetime(busy) {}
    }

    @Test("What is queued is heard in one turn of the actor for many messages, not in one for each")
    func turns() async {
        let busy = Busy(executor)
        center.observe(Step.self, on: busy) { [log] _, step in log.append(step.number) }
        post(1...640)
        #expect(await executor.hasWork())
        #expect(await executor.run { log.count == 640 })
        #expect(executor.jobsRun <= 64)
        withExtendedLifetime(busy) {}
    }

    @Test("Posts from the body are heard after what is queued")
    func postFromBody() async {
        let busy = Busy(executor)
        center.observe(Step.self, on: busy) { [center, log] _, step in
            log.append(step.number)
            if step.number < 10 { center.post(Step(number: step.number + 10)) }
        }
        post(1...3)
        #expect(await executor.run { log.count == 6 })
        #expect(log.values == [1, 2, 3, 11, 12, 13])
        withExtendedLifetime(busy) {}
    }

    enum End: CaseIterable { case cancel, drop, center }

    @Test("Nothing queued is heard after the end", arguments: End.allCases)
    func ended(_ end: End) async {
        let busy = Busy(executor)
        var center: HeraldCenter? = HeraldCenter()
        var token: HeraldCenter.ObservationToken? = await onHeld { [center, log, instances] in
            await busy.watch(center!, log, instances.make())
        }
        for number in 1...100 { center?.post(Step(number: number, load: instances.make())) }
        #expect(instances.count == 101)
        #expect(await executor.hasWork())
        switch end {
        case .cancel: token?.cancel()
        case .drop: token = nil
        case .center:
            token?.keep()
            token = nil
            center = nil
        }
        #expect(instances.isEmpty)  // though the actor has yet to run the task
        #expect(await executor.run { instances.isEmpty })
        #expect(log.values == [])
        withExtendedLifetime(center) {}
    }

    @Test("Nothing queued is heard after removeObserver, nor after the owner's death", arguments: [true, false])
    func ownerGone(_ isRemoved: Bool) async {
        let busy = Busy(executor)
        var owner: Owner? = Owner()
        await onHeld { [owner = owner!, center, log, instances] in
            await busy.watch(center, by: owner, log, instances.make())
        }
        post(1...100)
        #expect(await executor.hasWork())
        if isRemoved { center.removeObserver(owner!) }
        withExtendedLifetime(owner) {}
        owner = nil
        // A post finds that the observation has ended, at the latest when its turn has ended.
        let isSo = await executor.run {
            center.post(Step(number: 101))
            return registrations(of: Step.self, in: center) == 0 && instances.isEmpty
        }
        #expect(isSo)
        #expect(log.values == [])
    }

    @Test("Nothing queued is heard after removeObserver, of that type and of all", arguments: [true, false])
    func actorRemoved(_ isOfType: Bool) async {
        let busy = Busy(executor)
        func observe() {
            let capture = instances.make()
            center.observe(Step.self, on: busy) { [log] _, step in
                log.append(step.number)
                withExtendedLifetime(capture) {}
            }
        }
        observe()
        post(1...100)
        #expect(await executor.hasWork())
        if isOfType { center.removeObserver(busy, of: Step.self) } else { center.removeObserver(busy) }
        #expect(registrations(of: Step.self, in: center) == 0)
        #expect(await executor.run { instances.isEmpty })
        #expect(log.values == [])
    }

    @Test("A body that is under way when it is cancelled runs to its end; no other begins")
    func cancelledUnderWay() async {
        let busy = Busy(executor)
        let token = await onHeld { [center, log, instances] in await busy.watchSlowly(center, log, instances.make()) }
        post(1...10)
        let isSo = await eventually {
            if log.count == 0 { executor.runOne() }  // until the first body has yielded
            return log.count == 1
        }
        #expect(isSo)
        token.cancel()
        #expect(await executor.run { instances.isEmpty })
        #expect(log.values == [1, -1])
    }

    @Test("Replacing an owner's observation silences what was queued for the one before")
    func replaced() async {
        let busy = Busy(executor)
        center.observe(Step.self, on: busy) { [log] _, step in log.append(step.number) }
        post(1...3)
        #expect(await executor.hasWork())
        center.observe(Step.self, on: busy) { [log] _, step in log.append(step.number * 100) }
        post(4...5)
        #expect(await executor.run { log.count == 2 })
        #expect(log.values == [400, 500])
    }

    struct Bound: Sendable {
        let buffer: HeraldCenter.Buffer
        let heard: [Int]
    }

    @Test(
        "A buffer drops as it says",
        arguments: [
            Bound(buffer: .newest(2), heard: [4, 5]), Bound(buffer: .oldest(2), heard: [1, 2]),
            Bound(buffer: .newest(1), heard: [5]), Bound(buffer: .oldest(1), heard: [1]),
            Bound(buffer: .newest(0), heard: [1]), Bound(buffer: .oldest(-1), heard: [1]),
            Bound(buffer: .oldest(.max), heard: [1, 2, 3, 4, 5]), Bound(buffer: .unbounded, heard: [1, 2, 3, 4, 5]),
        ])
    func bounded(_ bound: Bound) async {
        let busy = Busy(executor)
        let token = await onHeld { [center, log, instances] in
            await busy.watch(center, log, instances.make(), buffer: bound.buffer)
        }
        for number in 1...5 { center.post(Step(number: number, load: instances.make())) }
        #expect(await executor.hasWork())
        #expect(instances.count == 1 + bound.heard.count)
        #expect(await executor.run { log.count == bound.heard.count })
        // With a limit of zero it hears again when it is at rest, which is a little later.
        let isSo = await executor.run {
            center.post(Step(number: 6))
            return log.values.last == 6
        }
        #expect(isSo)
        token.cancel()
        #expect(log.values.filter { $0 < 6 } == bound.heard)
    }

    @Test("An actor that nobody else has dies with messages queued, and its observation with it")
    func actorDies() async {
        var busy: Busy? = Busy(executor, instances)
        center.observe(Step.self, on: busy!) { _, _ in }
        for number in 1...100 { center.post(Step(number: number, load: instances.make())) }
        #expect(await executor.hasWork())
        withExtendedLifetime(busy) {}
        busy = nil
        #expect(await executor.run { instances.isEmpty })
        let isSo = await executor.run {
            center.post(Step(number: 0))
            return registrations(of: Step.self, in: center) == 0
        }
        #expect(isSo)
    }

    @Test("Messages that keep coming do not keep an actor alive that nobody else has")
    func actorDiesUnderFire() async {
        var busy: Busy? = Busy(executor, instances)
        center.observe(Step.self, on: busy!) { [log] _, step in log.append(step.number) }
        post(-99...0)
        #expect(await executor.hasWork())
        withExtendedLifetime(busy) {}
        busy = nil
        for number in 1...500 where !instances.isEmpty {  // always a hundred ahead of the heard ones
            post(number...number)
            _ = await eventually {
                executor.runOne()
                return log.count >= number || instances.isEmpty
            }
        }
        #expect(instances.isEmpty, "it has heard \(log.count) messages since nobody had it")
        #expect(await executor.run { instances.isEmpty })
    }

    /// Runs the executor while a task waits for the actor on it.
    private func onHeld<R: ~Copyable & Sendable>(_ work: @escaping @Sendable () async -> R) async -> R {
        let executor = executor
        let isDone = Flag()
        let running = Task {
            while !isDone.isSet {
                executor.run()
                await Task.yield()
            }
        }
        let result = await work()
        isDone.set()
        await running.value
        return result
    }
}
