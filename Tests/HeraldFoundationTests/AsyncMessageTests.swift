import Foundation
import Herald
import HeraldFoundation
import Testing

private typealias Center = HeraldNotificationCenter

private final class Folder: Sendable {}

private struct Step: HeraldNotificationCenter.AsyncMessage {
    typealias Subject = Folder
    var number: Int
    var producer = 0
}

extension HeraldNotificationCenter.MessageIdentifier
where Self == HeraldNotificationCenter.BaseMessageIdentifier<Step> {
    fileprivate static var step: Self { .init() }
}

private struct Loaded: HeraldNotificationCenter.AsyncMessage {
    typealias Subject = Canary
    var load: Canary?
}

private enum Poster { @TaskLocal static var name = "nobody" }

/// How many are inside at once, at most.
private final class Meter: Sendable {
    private let inside = Guarded((now: 0, most: 0))

    var most: Int { inside.withLock { $0.most } }

    func enter() {
        inside.withLock {
            $0.now += 1
            $0.most = max($0.most, $0.now)
        }
    }

    func leave() { inside.withLock { $0.now -= 1 } }
}

/// Messages whose observers are async: the order of their bodies, where these run, and how they end.
@Suite(.timeLimit(.minutes(10))) struct AsyncMessageTests {
    private let center = Center()

    @Test("An observer of a subject hears what is posted about it alone; an observer of the type hears all")
    func subjects() async {
        let first = Folder()
        let second = Folder()
        let logs = (Log<Int>(), Log<Int>(), Log<Int>())
        let tokens = [
            center.addObserver(of: first, for: .step) { logs.0.add($0.number) },
            center.addObserver(of: second, for: .step) { logs.1.add($0.number) },
            center.addObserver(of: Folder.self, for: .step) { logs.2.add($0.number) },
        ]
        center.post(Step(number: 1))
        center.post(Step(number: 2), subject: Folder())
        center.post(Step(number: 3), subject: second)
        center.post(Step(number: 4), subject: first)
        await expectSoon("all are heard") { logs.0.count + logs.1.count + logs.2.count == 6 }
        #expect(logs.0.all == [4])
        #expect(logs.1.all == [3])
        #expect(logs.2.all == [1, 2, 3, 4])
        withExtendedLifetime((tokens, first, second)) {}
    }

    @Test("The type of the message does as well as an identifier, with a subject and without")
    func withoutIdentifier() async {
        let folder = Folder()
        let one = Log<Int>()
        let all = Log<Int>()
        let tokens = [
            center.addObserver(of: folder, for: Step.self) { one.add($0.number) },
            center.addObserver(for: Step.self) { all.add($0.number) },
        ]
        center.post(Step(number: 1))
        center.post(Step(number: 2), subject: folder)
        await expectSoon("all are heard") { one.count + all.count == 3 }
        #expect(one.all == [2])
        #expect(all.all == [1, 2])
        withExtendedLifetime((tokens, folder)) {}
    }

    @Test("Bodies are called in posting order, one at a time while they do not suspend")
    func order() async {
        let log = Log<Int>()
        let meter = Meter()
        let token = center.addObserver(for: Step.self) { step in
            meter.enter()
            log.add(step.number)
            meter.leave()
        }
        for number in 0..<1000 { center.post(Step(number: number)) }
        await expectSoon("all are heard") { log.count == 1000 }
        #expect(log.all == Array(0..<1000))
        #expect(meter.most == 1)
        withExtendedLifetime(token) {}
    }

    @Test("Bodies begin in posting order, also when they suspend in the middle")
    func orderOfSuspending() async {
        let begun = Log<Int>()
        let done = Log<Int>()
        let token = center.addObserver(for: Step.self) { step in
            begun.add(step.number)
            for _ in 0..<step.number % 7 { await Task.yield() }
            done.add(step.number)
        }
        for number in 0..<500 { center.post(Step(number: number)) }
        await expectSoon("all are done") { done.count == 500 }
        #expect(begun.all == Array(0..<500))
        #expect(done.all.sorted() == Array(0..<500))
        withExtendedLifetime(token) {}
    }

    @Test("A body that waits for the next message does not hang: the next body begins while it is suspended")
    func waitingForTheNext() async {
        let log = Log<String>()
        let (arrivals, arrival) = AsyncStream.makeStream(of: Int.self)
        let token = center.addObserver(for: Step.self) { step in
            log.add("begin \(step.number)")
            if step.number == 1 {
                for await _ in arrivals { break }
            } else {
                arrival.yield(step.number)
            }
            log.add("end \(step.number)")
        }
        center.post(Step(number: 1))
        center.post(Step(number: 2))
        await expectSoon("both are done") { log.count == 4 }
        #expect(log.all.prefix(2) == ["begin 1", "begin 2"])
        #expect(Set(log.all.suffix(2)) == ["end 1", "end 2"])
        withExtendedLifetime(token) {}
    }

    @Test("A body that never ends holds up no other observer")
    func stuck() async {
        let log = Log<Int>()
        let (never, end) = AsyncStream.makeStream(of: Int.self)
        let tokens = [
            center.addObserver(for: Step.self) { _ in for await _ in never { break } },
            center.addObserver(for: Step.self) { log.add($0.number) },
        ]
        for number in 1...3 { center.post(Step(number: number)) }
        await expectSoon("the other observer hears all") { log.count == 3 }
        #expect(log.all == [1, 2, 3])
        end.finish()
        withExtendedLifetime(tokens) {}
    }

    @Test("Several threads post: nothing is lost, and the order of each of them is kept")
    func producers() async {
        let log = Log<Step>()
        let token = center.addObserver(for: Step.self) { log.add($0) }
        for producer in 0..<4 {
            begin { [center] in
                for number in 0..<250 { center.post(Step(number: number, producer: producer)) }
            }
        }
        await expectSoon("all are heard") { log.count == 1000 }
        for producer in 0..<4 {
            #expect(log.all.filter { $0.producer == producer }.map(\.number) == Array(0..<250))
        }
        withExtendedLifetime(token) {}
    }

    @Test("A body may post the message that it hears")
    func postingInABody() async {
        let log = Log<Int>()
        let token = center.addObserver(for: Step.self) { [center] step in
            log.add(step.number)
            if step.number < 50 { center.post(Step(number: step.number + 1)) }
        }
        center.post(Step(number: 1))
        await expectSoon("the chain ends") { log.count == 50 }
        #expect(log.all == Array(1...50))
        center.removeObserver(token)
    }

    @MainActor @Test("Bodies run outside of the poster's actor and task")
    func isolation() async {
        let log = Log<String>()
        let token = center.addObserver(for: Step.self) { _ in
            log.add("\(Poster.name), \(onMainThread() ? "main" : "elsewhere")")
        }
        Poster.$name.withValue("poster") { center.post(Step(number: 1)) }
        await expectSoon("it is heard") { log.count == 1 }
        #expect(log.all == ["nobody, elsewhere"])
        withExtendedLifetime(token) {}
    }

    @Test("What a cancelled task posts is heard, in a task that is not cancelled")
    func cancelledPoster() async {
        let log = Log<Bool>()
        let token = center.addObserver(for: Step.self) { _ in log.add(Task.isCancelled) }
        let task = Task { [center] in
            while !Task.isCancelled { await Task.yield() }
            center.post(Step(number: 1))
        }
        task.cancel()
        await task.value
        await expectSoon("it is heard") { log.count == 1 }
        #expect(log.all == [false])
        withExtendedLifetime(token) {}
    }

    @Test("When the observation has ended, bodies that have not begun are not called")
    func endedInABody() async {
        let log = Log<Int>()
        let deaths = Log<Int>()
        let held = Log<Center.ObservationToken>()
        let token = center.addObserver(for: Step.self) { [center, captured = Canary(deaths)] step in
            log.add(step.number)
            // These wait until this body returns, and the observation is over by then.
            for number in 2...5 { center.post(Step(number: number)) }
            if let token = held.all.first { center.removeObserver(token) }
            withExtendedLifetime(captured) {}
        }
        held.add(token)
        center.post(Step(number: 1))
        await expectSoon("the body is released, so nothing calls it any more") { deaths.count == 1 }
        #expect(log.all == [1])
    }

    @Test("A body that runs while its observation ends runs to its end, and is not cancelled")
    func endedWhileSuspended() async {
        let log = Log<String>()
        let (gate, open) = AsyncStream.makeStream(of: Int.self)
        let token = center.addObserver(for: Step.self) { _ in
            log.add("begin")
            for await _ in gate { break }
            log.add("end, \(Task.isCancelled ? "cancelled" : "not cancelled")")
        }
        center.post(Step(number: 1))
        await expectSoon("the body has begun") { log.count == 1 }
        center.removeObserver(token)
        open.yield(1)
        await expectSoon("the body ends") { log.count == 2 }
        #expect(log.all == ["begin", "end, not cancelled"])
    }

    @Test("A message is released when its bodies have returned, though the observation goes on")
    func messageIsReleased() async {
        let deaths = Log<Int>()
        let heard = Log<Int>()
        let token = center.addObserver(for: Loaded.self) { _ in heard.add(1) }
        for _ in 0..<10 { center.post(Loaded(load: Canary(deaths))) }
        await expectSoon("all are released") { deaths.count == 10 }
        #expect(heard.count == 10)
        withExtendedLifetime(token) {}
    }

    @Test("The subject is not held by the observation, and its observer hears of no other instance")
    func subjectIsNotHeld() async {
        let deaths = Log<Int>()
        let one = Log<Int>()
        let all = Log<Int>()
        var tokens: [Center.ObservationToken] = []
        do {
            let subject = Canary(deaths)
            tokens.append(center.addObserver(of: subject, for: Loaded.self) { _ in one.add(1) })
        }
        #expect(deaths.count == 1)
        tokens.append(center.addObserver(for: Loaded.self) { _ in all.add(1) })
        // One of these may be where the subject was.
        for _ in 0..<100 { center.post(Loaded(), subject: Canary(deaths)) }
        await expectSoon("the other observer hears all") { all.count == 100 }
        #expect(one.count == 0)
        withExtendedLifetime(tokens) {}
    }
}

private func begin(_ work: @escaping @Sendable () -> Void) { Thread(block: work).start() }

/// An async function should not ask a `Thread` itself.
private func onMainThread() -> Bool { Thread.isMainThread }
