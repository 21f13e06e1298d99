import CHerald
import Dispatch
import Glibc
import Herald
import HeraldTestSupport
import Testing

private struct Step: HeraldCenter.Message, Sendable, Equatable { var number = 0 }
private struct Drawn: HeraldCenter.MainActorMessage, Sendable, Equatable { var number = 0 }

private final class Owner: Sendable {
    let heard = Log<Int>()
}

@MainActor private final class View {
    var numbers: [Int] = []
}

private actor Reader {
    var numbers: [Int] = []
    func hear(_ number: Int) { numbers.append(number) }
}

private func number(_ posted: HeraldCenter.Posted) -> Int { posted.userInfo as? Int ?? -1 }

/// The forms of observing: where a body runs, how long it lasts, and how many messages wait for it.
@Suite(.timeLimit(.minutes(10))) struct FormsTests {
    let center = HeraldCenter()
    let log = Log<Int>()
    private static let name: HeraldCenter.Name = "forms.name"

    // ---- Queues

    @Test("A queue as it is, with a buffer: what does not fit is dropped, and counted")
    func buffer() {
        let queue = DispatchQueue(label: "forms")
        queue.suspend()
        let newest = center.observe(Step.self, via: queue, buffer: .newest(2)) { [log] in log.append($0.number) }
        let oldest = center.observe(Step.self, via: queue, buffer: .oldest(2)) { [log] in log.append(-$0.number) }
        let all = center.observe(Step.self, via: queue) { _ in }
        for number in 1...5 { center.post(Step(number: number)) }
        #expect((newest.dropped, oldest.dropped, all.dropped) == (3, 3, 0))
        queue.resume()
        queue.sync {}
        #expect(log.values.sorted() == [-2, -1, 4, 5])
        newest.cancel()
        #expect(newest.dropped == 0)
        withExtendedLifetime((oldest.erased(), all.erased())) {}
    }

    @Test("A weak owner on a queue: heard while it lives, replaced, removed, counted")
    func ownerOnQueue() {
        let queue = DispatchQueue(label: "forms")
        var owner: Owner? = Owner()
        let heard = owner!.heard
        center.observe(Step.self, by: owner!, via: queue, buffer: .newest(1)) { $0.heard.append(-$1.number) }
        center.observe(Step.self, by: owner!, via: queue, buffer: .newest(1)) { $0.heard.append($1.number) }
        center.observe(Self.name, by: owner!, via: queue) { $0.heard.append(number($1)) }
        queue.suspend()
        for number in 1...3 { center.post(Step(number: number)) }
        center.post(Self.name, userInfo: 10)
        #expect(center.dropped(by: owner!) == 2)
        queue.resume()
        queue.sync {}
        #expect(heard.values == [3, 10])
        queue.suspend()
        center.post(Step(number: 4))
        owner = nil
        queue.resume()
        queue.sync {}
        #expect(heard.values == [3, 10], "nothing that is queued runs after the owner is gone")
        center.post(Step(number: 5))
        center.post(Self.name, userInfo: 5)
        #expect(registrations(of: Step.self, in: center) == 0)
    }

    @Test("A weak owner through a scheduler hears until it is removed")
    func ownerThroughScheduler() {
        let owner = Owner()
        center.observe(Step.self, by: owner, via: { $0() }) { $0.heard.append($1.number) }
        center.post(Step(number: 1))
        center.removeObserver(owner, of: Step.self)
        center.post(Step(number: 2))
        #expect(owner.heard.values == [1])
    }

    // ---- Names

    @Test("A name has every form: queues, actors, owners, sequences, and the next one")
    func names() async {
        let queue = DispatchQueue(label: "forms")
        let reader = Reader(), owner = Owner(), subject = Owner()
        let onQueue = Log<Int>(), scheduled = Log<Int>(), later = Log<Int>(), about = Log<Bool>()
        let tokens = [
            center.observe(Self.name, via: queue) { onQueue.append(number($0)) }.erased(),
            center.observe(Self.name, via: { $0() }, buffer: .newest(1)) { scheduled.append(number($0)) }.erased(),
            center.observe(Self.name, async: { later.append(number($0)) }).erased(),
            center.observe(Self.name, subject: subject, async: { about.append($0.subject === subject) }).erased(),
        ]
        center.observe(Self.name, on: reader) { $0.hear(number($1)) }
        center.observe(Self.name, by: owner, async: { $0.heard.append(number($1)) })
        async let next = center.next("forms.next", where: { number($0) == 2 })
        #expect(await eventually { observers(of: "forms.next", in: center) == 1 })
        for number in 1...3 { center.post(Self.name, subject: number == 3 ? subject : nil, userInfo: number) }
        for number in 1...3 { center.post("forms.next", userInfo: number) }
        #expect(await next.map(number) == 2)
        queue.sync {}
        #expect(onQueue.values == [1, 2, 3])
        #expect(scheduled.values == [1, 2, 3])
        #expect(await eventually { later.values == [1, 2, 3] && owner.heard.values == [1, 2, 3] })
        #expect(await eventually { about.values == [true] })
        while await reader.numbers.count < 3 { await Task.yield() }
        #expect(await reader.numbers == [1, 2, 3])
        tokens.forEach { $0.cancel() }
    }

    // ---- Main-actor messages

    @Test("Main-actor messages are observed from anywhere, without await")
    func mainActorFromElsewhere() async {
        let view = View()
        let token = center.observe(Drawn.self) { view.numbers.append($0.number) }
        center.observe(Drawn.self, by: view) { $0.numbers.append(-$1.number) }
        await MainActor.run { center.post(Drawn(number: 3)) }
        #expect(await view.numbers == [3, -3])
        token.cancel()
    }

    @Test("Main-actor messages in sequences, topics, tests, and the next one") @MainActor
    func mainActorEverywhere() async throws {
        let subject = Owner()
        let messages = center.messages(Drawn.self)
        let recorder = MessageRecorder(Drawn.self, on: center)
        let topic = center.topic(for: Drawn.self, subject: subject)
        let about = center.messages(Drawn.self, subject: subject)
        center.post(Drawn(number: 1))
        topic.post(Drawn(number: 2))
        let both = messages.makeAsyncIterator(), one = about.makeAsyncIterator()
        #expect(await both.next()?.number == 1)
        #expect(await both.next()?.number == 2)
        #expect(await one.next()?.number == 2)
        #expect(recorder.messages == [Drawn(number: 1), Drawn(number: 2)])
        let expected = try await expectMessage(Drawn.self, on: center) { center.post(Drawn(number: 4)) }
        #expect(expected.number == 4)
        try await expectNoMessage(Drawn.self, on: center, where: { $0.number == 9 }) { center.post(Drawn(number: 5)) }
        async let next = center.next(Drawn.self, where: { $0.number > 6 })
        #expect(await eventually { registrations(of: Drawn.self, in: center) == 3 })
        center.post(Drawn(number: 6))
        center.post(Drawn(number: 7))
        #expect(await next?.number == 7)
    }

    // ---- Once, and the next one

    @Test("Once is once, whatever races, and the registration is over")
    func once() {
        for _ in 0..<200 {
            let token = center.observeOnce(Step.self) { [log] in log.append($0.number) }
            let came = onThreads(4) { [center] thread in center.post(Step(number: thread)) }
            #expect(came)
            #expect(log.take().count == 1)
            #expect(registrations(of: Step.self, in: center) == 0)
            token.cancel()
        }
    }

    @Test("Once, registered beside threads that post")
    func onceBesidePosts() {
        let stop = Flag()
        let posters = (0..<2).map { _ in thread { [center] in while !stop.isSet { center.post(Step()) } } }
        for _ in 0..<2000 {
            let token = center.observeOnce(Step.self) { [log] _ in log.append(1) }
            #expect(eventually { log.count == 1 })
            #expect(log.take().count == 1)
            token.cancel()
        }
        stop.set()
        for poster in posters { #expect(poster.wait()) }
    }

    @Test("A condition of next is not asked again once it is fulfilled")
    func nextAsksOnce() async {
        let asked = Log<Int>()
        let task = Task { [center] in
            await center.next(
                Step.self,
                where: {
                    asked.append($0.number)
                    return $0.number == 1
                })
        }
        #expect(await eventually { registrations(of: Step.self, in: center) == 1 })
        for number in 0..<4 { center.post(Step(number: number)) }
        #expect(await task.value == Step(number: 1))
        #expect(asked.values == [0, 1])
    }

    @Test("Two threads empty a bag: both wait for the call that is running")
    func R11_two_threads_that_empty_a_bag_wait_for_its_running_call() {
        let bag = ObservationBag()
        let inside = Signal(), leave = Signal(), isInside = Flag()
        center.observe(Step.self) { _ in
            inside.send()
            leave.wait()
            isInside.set()
        }.store(in: bag)
        let poster = thread { [center] in center.post(Step()) }
        #expect(inside.wait())
        let begun = Signal()
        let others = (0..<2).map { _ in
            thread {
                begun.send()
                bag.cancelAll()
                #expect(isInside.isSet)
            }
        }
        #expect(begun.wait() && begun.wait())
        #expect(eventually { registrations(of: Step.self, in: center) == 0 })  // one of them waits
        leave.send()
        for other in others { #expect(other.wait()) }
        #expect(poster.wait())
        bag.cancelAll()
    }

    @Test("Once may be cancelled before, posts from its own body, and is for names and subjects too")
    func onceElse() async {
        let token = center.observeOnce(Step.self) { [log] in log.append($0.number) }
        token.cancel()
        center.post(Step())
        #expect(log.values == [])
        let again = center.observeOnce(Step.self) { [center, log] step in
            log.append(step.number)
            center.post(Step(number: step.number + 1))
        }
        center.post(Step(number: 1))
        center.post(Step(number: 5))
        #expect(log.take() == [1])
        let subject = Owner()
        let named = center.observeOnce(Self.name, subject: subject) { [log] in log.append(number($0)) }
        center.post(Self.name, userInfo: 1)
        center.post(Self.name, subject: subject, userInfo: 2)
        center.post(Self.name, subject: subject, userInfo: 3)
        #expect(log.take() == [2])
        let onMain = center.observeOnce(Drawn.self) { [log] in log.append($0.number) }
        await MainActor.run {
            center.post(Drawn(number: 1))
            center.post(Drawn(number: 2))
        }
        #expect(log.take() == [1])
        withExtendedLifetime((again.erased(), named.erased(), onMain.erased())) {}
    }

    @Test("What once has captured is given back after the call")
    func R10_captures_of_once_are_released_after_its_call() {
        let instances = Instances()
        let captured = instances.make()
        let token = center.observeOnce(Step.self) { [log, captured] _ in
            withExtendedLifetime(captured) { log.append(1) }
        }
        center.post(Step())
        _ = consume captured
        #expect(instances.isEmpty)
        token.cancel()
    }

    @Test("The next message that counts, or none in time")
    func next() async {
        #expect(await center.next(Step.self, within: .milliseconds(50)) == nil)
        #expect(registrations(of: Step.self, in: center) == 0)
        async let next = center.next(Step.self, within: .seconds(60), where: { $0.number == 3 })
        #expect(await eventually { registrations(of: Step.self, in: center) == 1 })
        for number in 0...5 { center.post(Step(number: number)) }
        #expect(await next == Step(number: 3))
    }

    /// Durations around the limits: 2^31 and 2^32 seconds, a hundred years, what Task.sleep takes, the longest.
    private static let long = [
        .seconds(1 << 31), .seconds(3_155_760_000), .seconds(3_155_760_001), .seconds(1 << 32),
        .seconds(Int64.max - 1), .seconds(Int64.max), Duration(attoseconds: .max),
    ]

    @Test("Any duration may be the limit of the next message", arguments: long)
    func R15_any_duration_may_be_a_limit(_ long: Duration) async throws {
        async let next = center.next(Step.self, within: long)
        #expect(await eventually { registrations(of: Step.self, in: center) == 1 })
        for _ in 0..<10 { await Task.detached {}.value }  // its timer has begun
        center.post(Step(number: 3))
        #expect(await next == Step(number: 3))
        let expected = try await expectMessage(Step.self, on: center, within: long) { center.post(Step(number: 4)) }
        #expect(expected == Step(number: 4))
        let negative = Duration.zero - long
        #expect(await center.next(Step.self, within: negative) == nil)
        try await expectNoMessage(Step.self, on: center, within: negative) {}
    }

    // ---- Sequences

    @Test("A sequence that is finished gives what waits, and ends, in every task")
    func finish() async {
        let messages = center.messages(Step.self)
        for number in 1...3 { center.post(Step(number: number)) }
        messages.finish()
        center.post(Step(number: 4))
        #expect(registrations(of: Step.self, in: center) == 0)
        var heard: [Int] = []
        for await message in messages { heard.append(message.number) }
        #expect(heard == [1, 2, 3])

        let waited = center.messages(Step.self)
        let executor = HeldExecutor()
        let (busy, ended) = (Busy(executor), Log<Step?>())
        for _ in 0..<10 { Task { ended.append(await busy.next(of: waited)) } }
        #expect(await eventually { executor.count == 10 })
        executor.run()  // they wait now
        waited.finish()
        #expect(await executor.run { ended.count == 10 })
        #expect(ended.values.allSatisfy { $0 == nil })
        waited.finish()
    }

    /// If each task were searched for among the others, ten times as many would take a hundred times as long.
    @Test("A hundred thousand waiting tasks are cancelled in time that grows with their number")
    func waiting() async {
        let messages = center.messages(Step.self)
        let executor = HeldExecutor()
        let busy = Busy(executor)
        func cancelling(_ count: Int) async -> Double {
            let ended = Log<Step?>()
            let tasks = (0..<count).map { _ in Task { ended.append(await busy.next(of: messages)) } }
            #expect(await eventually { executor.count == count })
            executor.run()  // they wait now
            let took = processorTime { for task in tasks.reversed() { task.cancel() } }
            #expect(await executor.run { ended.count == count })
            #expect(ended.values.allSatisfy { $0 == nil })
            return took
        }
        let few = max(await cancelling(10_000), await cancelling(10_000), await cancelling(10_000))
        #expect(await cancelling(100_000) < 40 * few)
        let last = Task { await busy.next(of: messages) }
        #expect(await executor.hasWork())
        executor.run()
        center.post(Step(number: 7))
        #expect(await executor.hasWork())
        executor.run()
        #expect(await last.value?.number == 7)
    }

    // ---- Tokens

    @Test("A cancelled token gives everything back at once: the center, and all that was captured")
    func R10_a_cancelled_token_releases_its_center_and_captures() {
        let instances = Instances()
        let queue = DispatchQueue(label: "forms")
        func tokens() -> [AnyObservation] {
            let own = HeraldCenter(), captured = instances.make()
            let ends = own.observe(Self.name) { _ in _ = captured }
            return [
                own.observe(Step.self) { _ in _ = captured }.erased(), ends.erased(),
                own.observe(Step.self, via: queue) { _ in _ = captured }.erased(),
                own.observe(Step.self, async: { _ in _ = captured }).erased(),
            ]
        }
        let held = tokens()
        #expect(!instances.isEmpty)
        held.forEach { $0.cancel() }
        #expect(eventually { instances.isEmpty })

        let released = Flag()
        let last = {
            let own = HeraldCenter()
            let gone = Canary { released.set() }
            own.observe(Self.name) { _ in _ = gone }.keep()
            return own.observe(Step.self) { _ in }.erased()
        }()
        #expect(!released.isSet, "the token holds the center")
        last.cancel()
        #expect(released.isSet)
        withExtendedLifetime((held, last)) {}
    }

    @Test("An observation can be stored anywhere, and ends with its last reference")
    func erased() {
        var set: Set<AnyObservation> = []
        let one = center.observe(Step.self) { [log] in log.append($0.number) }.erased()
        center.observe(Step.self) { [log] in log.append(-$0.number) }.store(in: &set)
        one.store(in: &set)
        one.store(in: &set)
        #expect(set.count == 2 && set.contains(one) && one == one)
        center.post(Step(number: 1))
        set = []
        center.post(Step(number: 2))
        one.cancel()
        one.cancel()
        center.post(Step(number: 3))
        #expect(log.values == [1, -1, 2])
    }

    // ---- Names and payloads

    @Test("A payload of several types")
    func mixed() {
        let heard = Log<String>()
        let token = center.observe(Self.name) { notice in
            let info = notice.userInfo as? [String: any Sendable]
            heard.append("\(info?["a"] as? Int ?? 0) \(info?["b"] as? String ?? "none")")
        }
        center.post("forms.name", userInfo: ["a": 1, "b": "x"])
        center.post(Self.name, subject: Owner(), userInfo: ["a": 2])
        #expect(heard.values == ["1 x", "2 none"])
        token.cancel()
    }

    @Test("A payload of one type stays what it is, and can be read as what it was written as")
    func unmixed() {
        let heard = Log<String>()
        let token = center.observe(Self.name) { notice in
            heard.append("\(type(of: notice.userInfo!)) \((notice.userInfo as? [String: Int])?["a"] ?? 0)")
        }
        let dictionary = ["a": 1]
        let optional: [String: Int]? = ["a": 2]
        center.post(Self.name, userInfo: dictionary)
        center.post(Self.name, userInfo: optional)
        center.post("forms.name", userInfo: ["a": 3])
        #expect(heard.values.prefix(2) == ["Dictionary<String, Int> 1", "Dictionary<String, Int> 2"])
        #expect(heard.values.last?.hasSuffix(" 3") == true)
        token.cancel()
    }

    @Test("A literal finds its name: long, short, of one character, of no ASCII, and the same text elsewhere")
    func R13_a_literal_is_the_name_of_its_text() {
        let texts = ["a", "forms.literal", "forms.å.日本", "forms.literal"]
        for _ in 0..<3 {
            let names: [HeraldCenter.Name] = ["a", "forms.literal", "forms.å.日本", "forms.literal"]
            #expect(names.map(\.description) == texts)
            #expect(names == texts.map { HeraldCenter.Name($0) })
        }
    }
}

extension Busy {
    fileprivate func next(of messages: Messages<Step>) async -> Step? { await messages.makeAsyncIterator().next() }
}

/// The number of observers that a post of a name reaches. The test post comes from C, without a payload.
private func observers(of name: HeraldCenter.Name, in center: HeraldCenter) -> Int {
    HeraldCenterPostNotification(center.native, name.native, nil, nil, true)
}
