import Herald
import Synchronization
import Testing

private struct Step: HeraldCenter.Message, Sendable, Equatable {
    var number: Int
    var producer = 0
}

private struct Loaded: HeraldCenter.Message, Sendable { let load: Counted }

private func all<Element>(_ messages: Messages<Element>, count: Int) async -> [Element] {
    var heard: [Element] = []
    let iterator = messages.makeAsyncIterator()
    while heard.count < count, let next = await iterator.next() { heard.append(next) }
    return heard
}

/// Sequences of messages and `next(_:)`: their order, their buffers, cancellation, and when they end.
@Suite struct MessageSequenceTests {
    let center = HeraldCenter()
    let instances = Instances()

    @Test("Messages come in posting order, from the call on")
    func order() async {
        center.post(Step(number: 0))
        let messages = center.messages(Step.self)
        for number in 1...100 { center.post(Step(number: number)) }
        #expect(await all(messages, count: 100).map(\.number) == Array(1...100))
        #expect(messages.dropped == 0)
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let buffer: HeraldCenter.Buffer
        let heard: [Int]
        var testDescription: String { "\(buffer): \(heard)" }
    }

    @Test(
        "A buffer keeps what it says of five, and counts the rest",
        arguments: [
            Case(buffer: .newest(2), heard: [4, 5]), Case(buffer: .oldest(2), heard: [1, 2]),
            Case(buffer: .newest(1), heard: [5]), Case(buffer: .oldest(1), heard: [1]),
            Case(buffer: .newest(0), heard: []), Case(buffer: .oldest(0), heard: []),
            Case(buffer: .newest(-1), heard: []), Case(buffer: .oldest(.min), heard: []),
            Case(buffer: .newest(5), heard: [1, 2, 3, 4, 5]), Case(buffer: .oldest(5), heard: [1, 2, 3, 4, 5]),
            Case(buffer: .newest(.max), heard: [1, 2, 3, 4, 5]), Case(buffer: .oldest(.max), heard: [1, 2, 3, 4, 5]),
            Case(buffer: .unbounded, heard: [1, 2, 3, 4, 5]),
        ])
    func buffers(_ item: Case) async {
        let messages = center.messages(Step.self, buffer: item.buffer)
        for number in 1...5 { center.post(Step(number: number)) }
        #expect(messages.dropped == 5 - item.heard.count)
        #expect(await all(messages, count: item.heard.count).map(\.number) == item.heard)
    }

    @Test("A buffer of nothing hands over to who is waiting", arguments: [HeraldCenter.Buffer.newest(0), .oldest(-7)])
    func emptyBuffer(_ buffer: HeraldCenter.Buffer) async {
        let executor = HeldExecutor()
        let busy = Busy(executor)
        let messages = center.messages(Step.self, buffer: buffer)
        let task = Task { await busy.next(of: messages) }
        #expect(await executor.hasWork())
        executor.run()  // it waits now
        center.post(Step(number: 1))
        center.post(Step(number: 2))
        #expect(messages.dropped == 1)
        #expect(await executor.hasWork())
        executor.run()
        #expect(await task.value == Step(number: 1))
    }

    @Test("What a full buffer gives up, and what is left in one, is given back")
    func givenBack() async {
        do {
            let messages = center.messages(Loaded.self, buffer: .newest(3))
            for _ in 0..<10 { center.post(Loaded(load: instances.make())) }
            #expect(instances.count == 3)
            #expect(messages.dropped == 7)
            _ = await all(messages, count: 1)
            #expect(instances.count == 2)
        }
        #expect(instances.isEmpty)
    }

    @Test("Two iterators share the messages: each goes to one of them")
    func sharing() async {
        let messages = center.messages(Step.self)
        let one = messages.makeAsyncIterator()
        let other = messages.makeAsyncIterator()
        for number in 1...4 { center.post(Step(number: number)) }
        var heard: [Int] = []
        heard.append(await one.next()?.number ?? 0)
        heard.append(await other.next()?.number ?? 0)
        heard.append(await other.next()?.number ?? 0)
        heard.append(await one.next()?.number ?? 0)
        #expect(heard == [1, 2, 3, 4])
    }

    @Test("Many tasks that share a sequence lose nothing and get nothing twice")
    func sharedByTasks() async {
        let messages = center.messages(Step.self, buffer: .unbounded)
        let heard = await withTaskGroup(of: [Int].self) { group in
            for _ in 0..<8 {
                group.addTask { await all(messages, count: 250).map(\.number) }
            }
            group.addTask { [center] in
                for number in 0..<2000 { center.post(Step(number: number)) }
                return []
            }
            return await group.reduce(into: []) { $0 += $1 }
        }
        #expect(heard.sorted() == Array(0..<2000))
    }

    @Test("Producers on several threads: nothing is lost, and each one's order is kept")
    func producers() async {
        let messages = center.messages(Step.self, buffer: .unbounded)
        let producing = (0..<4).map { [center] producer in
            thread { for number in 0..<2500 { center.post(Step(number: number, producer: producer)) } }
        }
        let heard = await all(messages, count: 10_000)
        for producer in 0..<4 {
            #expect(heard.filter { $0.producer == producer }.map(\.number) == Array(0..<2500))
        }
        await withoutPool { for done in producing { done.wait() } }
        #expect(messages.dropped == 0)
    }

    @Test("A task that is cancelled before it asks gets nil, though a message waits")
    func cancelledBefore() async {
        let messages = center.messages(Step.self)
        center.post(Step(number: 1))
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            return await messages.makeAsyncIterator().next()
        }
        task.cancel()
        #expect(await task.value == nil)
        #expect(await all(messages, count: 1) == [Step(number: 1)])
    }

    @Test("A task that is cancelled while it waits gets nil, and the next message goes to somebody else")
    func cancelledWhileWaiting() async {
        let executor = HeldExecutor()
        let busy = Busy(executor)
        let messages = center.messages(Step.self)
        let task = Task { await busy.next(of: messages) }
        #expect(await executor.hasWork())
        executor.run()
        task.cancel()
        #expect(await executor.hasWork())
        center.post(Step(number: 1))
        executor.run()
        #expect(await task.value == nil)
        #expect(await all(messages, count: 1) == [Step(number: 1)])
    }

    @Test("Of two tasks that wait, the one that is cancelled gets nil, and the other the message")
    func oneOfTwoIsCancelled() async {
        let executors = [HeldExecutor(), HeldExecutor()]
        let actors = executors.map { Busy($0) }
        let messages = center.messages(Step.self)
        let tasks = actors.map { actor in Task { await actor.next(of: messages) } }
        for executor in executors {
            #expect(await executor.hasWork())
            executor.run()
        }
        tasks[1].cancel()
        #expect(await executors[1].hasWork())
        executors[1].run()
        #expect(await tasks[1].value == nil)
        center.post(Step(number: 1))
        #expect(await executors[0].hasWork())
        executors[0].run()
        #expect(await tasks[0].value == Step(number: 1))
    }

    @Test("In a cancelled task, next(_:) is nil at once, and leaves no registration")
    func nextCancelled() async {
        let task = Task { [center] in
            while !Task.isCancelled { await Task.yield() }
            return await center.next(Step.self)
        }
        task.cancel()
        #expect(await task.value == nil)
        #expect(registrations(of: Step.self, in: center) == 0)
    }

    @Test("next(_:) on an actor is registered before it waits, and hears on that actor")
    func nextOnActor() async {
        let executor = HeldExecutor()
        let busy = Busy(executor)
        let task = Task { [center] in await busy.next(in: center) }
        #expect(await executor.hasWork())
        executor.run()
        #expect(registrations(of: Step.self, in: center) == 1)
        center.post(Step(number: 1))
        center.post(Step(number: 2))
        #expect(await executor.run { registrations(of: Step.self, in: center) == 0 })
        #expect(await task.value == Step(number: 1))
    }

    @Test("next(_:) about a subject passes over others")
    func R01_next_hears_its_subject_alone() async {
        let executor = HeldExecutor()
        let busy = Busy(executor)
        let subject = instances.make()
        let task = Task { [center] in await busy.next(in: center, about: subject) }
        #expect(await executor.hasWork())
        executor.run()
        center.post(Step(number: 1))
        center.post(Step(number: 2), subject: instances.make())
        center.post(Step(number: 3), subject: subject)
        #expect(await executor.hasWork())
        executor.run()
        #expect(await task.value == Step(number: 3))
    }

    @MainActor @Test("On the main actor messages are taken without leaving it")
    func onMainActor() async {
        let messages = center.messages(Step.self, buffer: .unbounded)
        for number in 0..<100 { center.post(Step(number: number)) }
        var heard = 0
        for await message in messages {
            MainActor.assertIsolated()
            #expect(message.number == heard)
            heard += 1
            if heard == 100 { break }
        }
        Task { center.post(Step(number: 100)) }
        let last = await messages.makeAsyncIterator().next(isolation: MainActor.shared)
        MainActor.assertIsolated()
        #expect(last?.number == 100)
    }

    @Test("Leaving the loop ends the observation, when nobody else has the sequence")
    func leavingTheLoop() async {
        let posting = Task { [center] in
            while !Task.isCancelled {
                center.post(Step(number: 1))
                await Task.yield()
            }
        }
        for await _ in center.messages(Step.self) { break }
        posting.cancel()
        await posting.value
        #expect(registrations(of: Step.self, in: center) == 0)
    }

    @Test("The observation lasts while the sequence or an iterator does")
    func lasts() {
        var iterator: Messages<Step>.Iterator?
        do {
            let messages = center.messages(Step.self)
            iterator = messages.makeAsyncIterator()
        }
        #expect(registrations(of: Step.self, in: center) == 1)
        withExtendedLifetime(iterator) {}
        iterator = nil
        #expect(registrations(of: Step.self, in: center) == 0)
    }

    @Test("A sequence about a subject hears of no other")
    func R01_a_sequence_hears_its_subject_alone() async {
        let subject = instances.make()
        let messages = center.messages(Step.self, subject: subject)
        center.post(Step(number: 1))
        center.post(Step(number: 2), subject: subject)
        #expect(await all(messages, count: 1) == [Step(number: 2)])
    }

    @Test("A sequence of a name's posts carries their userInfo; the named post may be a message")
    func named() async {
        let messages = center.messages(named: "messages.named", buffer: .unbounded)
        center.post("messages.named", userInfo: 1)
        center.post("messages.other", userInfo: 2)
        center.post("messages.named")
        center.post("messages.named", subject: instances.make(), userInfo: ["three"])
        let heard = await all(messages, count: 3)
        #expect(heard.allSatisfy { $0.name == "messages.named" })
        #expect(heard[0].userInfo as? Int == 1)
        #expect(heard[1].userInfo == nil)
        #expect(heard[2].userInfo as? [String] == ["three"])
    }

    @Test("Ten thousand tasks that wait and are cancelled leave nothing")
    func manyCancelled() async {
        do {
            let messages = center.messages(Loaded.self)
            let tasks = (0..<10_000).map { _ in Task { await messages.makeAsyncIterator().next() == nil } }
            for task in tasks { task.cancel() }
            for task in tasks { #expect(await task.value) }
            // No task waits: both stay in the buffer.
            for _ in 0..<2 { center.post(Loaded(load: instances.make())) }
            #expect(instances.count == 2)
            #expect(await all(messages, count: 2).count == 2)
        }
        #expect(registrations(of: Loaded.self, in: center) == 0)
        #expect(instances.isEmpty)
    }

    @Test("Cancelling and posting at once: a message is heard or still there, never lost")
    func cancelAgainstPost() async {
        let messages = center.messages(Step.self, buffer: .unbounded)
        for round in 0..<1000 {
            let task = Task { await messages.makeAsyncIterator().next() }
            let posting = Task { [center] in center.post(Step(number: round)) }
            task.cancel()
            await posting.value
            if let heard = await task.value {
                #expect(heard.number == round)
            } else {
                #expect(await all(messages, count: 1) == [Step(number: round)])
            }
        }
        #expect(messages.dropped == 0)
    }
}

extension Busy {
    fileprivate func next(of messages: Messages<Step>) async -> Step? {
        let message = await messages.makeAsyncIterator().next()
        assertIsolated()
        return message
    }

    fileprivate func next(in center: HeraldCenter) async -> Step? {
        let message = await center.next(Step.self)
        assertIsolated()
        return message
    }

    fileprivate func next(in center: HeraldCenter, about subject: Counted) async -> Step? {
        await center.next(Step.self, subject: subject)
    }
}
