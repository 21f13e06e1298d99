import Foundation
import Herald
import Synchronization
import Testing

private struct Step: HeraldCenter.Message, Sendable, Equatable {
    var number: Int
    var poster = 0
}

private struct Drawn: HeraldCenter.MainActorMessage { let number: Int }

private struct Loaded: HeraldCenter.Message, Sendable { let load: Counted }

@globalActor private actor Store {
    static let shared = Store()
}

@MainActor private final class Screen {
    var heard: [Int] = []

    func watch(_ center: HeraldCenter) -> HeraldCenter.ObservationToken {
        center.observe(
            Step.self,
            async: { [weak self] step in
                MainActor.assertIsolated()
                self?.heard.append(step.number)
            })
    }
}

@Store private final class Shelf {
    var heard: [Int] = []

    func watch(_ center: HeraldCenter) {
        center.observe(
            Step.self, by: self,
            async: { shelf, step in
                Store.assertIsolated()
                shelf.heard.append(step.number)
                await Task.yield()
                Store.assertIsolated()
            })
    }
}

private actor Desk {
    var heard: [Int] = []

    func watch(_ center: HeraldCenter) -> HeraldCenter.ObservationToken {
        center.observe(
            Step.self,
            async: { step in
                self.assertIsolated()
                self.heard.append(step.number)
            })
    }
}

@Suite struct DeliveryTests {
    let center = HeraldCenter()
    let log = Log<Int>()
    let instances = Instances()

    private func post(_ numbers: ClosedRange<Int>) {
        for number in numbers { center.post(Step(number: number)) }
    }

    // ---- Through a queue

    @Test("A dispatch queue and an operation queue hear everything in order")
    func queues() async {
        let queue = DispatchQueue(label: "herald.test")
        let operations = OperationQueue()
        operations.maxConcurrentOperationCount = 4  // still one piece at a time
        let operated = Log<Int>()
        let one = center.observe(Step.self, via: { queue.async(execute: $0) }) { [log] in log.append($0.number) }
        let other = center.observe(Step.self, via: { operations.addOperation($0) }) { operated.append($0.number) }
        post(1...1000)
        #expect(await eventually { log.count == 1000 && operated.count == 1000 })
        #expect(log.values == Array(1...1000))
        #expect(operated.values == Array(1...1000))
        one.cancel()
        other.cancel()
    }

    @Test("A scheduler that runs at once makes it synchronous, also for posts from the body")
    func atOnce() {
        let token = center.observe(Step.self, via: { $0() }) { [center, log] step in
            if step.number < 100 { center.post(Step(number: step.number + 1)) }
            log.append(step.number)
        }
        center.post(Step(number: 1))
        #expect(log.values == Array(1...100))
        token.cancel()
    }

    @Test("A scheduler that runs later has one piece at a time")
    func later() {
        let work = HeldWork()
        let token = center.observe(Step.self, via: work.scheduler) { [log] in log.append($0.number) }
        post(1...500)
        #expect(log.values == [])
        #expect(work.count == 1)
        work.run()
        #expect(log.values == Array(1...500))
        post(501...501)
        #expect(work.count == 1)
        work.run()
        #expect(log.count == 501)
        token.cancel()
    }

    @Test("What is queued is not heard after cancel, and what it captured is given back at once")
    func cancelledInQueue() {
        let work = HeldWork()
        func observe() -> HeraldCenter.ObservationToken {
            let capture = instances.make()
            return center.observe(Loaded.self, via: work.scheduler) { [log] _ in
                log.append(1)
                withExtendedLifetime(capture) {}
            }
        }
        let token = observe()
        for _ in 0..<3 { center.post(Loaded(load: instances.make())) }
        #expect(instances.count == 4)
        token.cancel()
        #expect(instances.isEmpty)  // though the queue has the work
        work.run()
        #expect(log.values == [])
        #expect(instances.isEmpty)
    }

    @Test("A token dropped, or a center that dies, silences what is queued")
    func endedInQueue() {
        let work = HeldWork()
        do {
            let token = center.observe(Step.self, via: work.scheduler) { [log] in log.append($0.number) }
            post(1...3)
            withExtendedLifetime(token) {}
        }
        func mortal() {
            let center = HeraldCenter()
            center.observe(Step.self, via: work.scheduler) { [log] in log.append($0.number) }.keep()
            center.post(Step(number: 4))
        }
        mortal()
        #expect(work.count == 2)
        work.run()
        #expect(log.values == [])
    }

    @Test("A body that cancels its own token hears nothing more of what was taken with its message")
    func cancelledByItself() {
        final class Box: @unchecked Sendable { var token: HeraldCenter.ObservationToken? }
        let box = Box()
        let work = HeldWork()
        box.token = center.observe(Step.self, via: work.scheduler) { [log] step in
            log.append(step.number)
            if step.number == 2 { box.token?.cancel() }
        }
        post(1...10)
        work.run()
        #expect(log.values == [1, 2])
    }

    @Test("Two posting threads: each one's order is kept, through a queue and on an actor")
    func posters() async {
        let queue = DispatchQueue(label: "herald.test")
        let queued = Log<Step>()
        let acted = Log<Step>()
        let token = center.observe(Step.self, via: { queue.async(execute: $0) }) { queued.append($0) }
        let desk = Desk()
        center.observe(Step.self, on: desk) { _, step in acted.append(step) }
        let posting = (0..<2).map { [center] poster in
            thread { for number in 0..<2000 { center.post(Step(number: number, poster: poster)) } }
        }
        #expect(await eventually { queued.count == 4000 && acted.count == 4000 })
        await withoutPool { for done in posting { done.wait() } }
        for heard in [queued.values, acted.values] {
            for poster in 0..<2 {
                #expect(heard.filter { $0.poster == poster }.map(\.number) == Array(0..<2000))
            }
        }
        token.cancel()
        withExtendedLifetime(desk) {}
    }

    // ---- On actors

    @MainActor @Test("A body written in a main-actor class runs there, after the post")
    func mainActorClass() async {
        let screen = Screen()
        let token = screen.watch(center)
        post(1...100)
        #expect(screen.heard == [])
        #expect(await eventually { screen.heard.count == 100 })
        #expect(screen.heard == Array(1...100))
        token.cancel()
    }

    @Test("A body written in an actor runs there")
    func inActor() async {
        let desk = Desk()
        let token = await desk.watch(center)
        post(1...100)
        while await desk.heard.count < 100 { await Task.yield() }
        #expect(await desk.heard == Array(1...100))
        token.cancel()
    }

    @Test("A body written in a class of another global actor runs there")
    func globalActor() async {
        let shelf = Shelf()
        await shelf.watch(center)
        post(1...100)
        while await shelf.heard.count < 100 { await Task.yield() }
        #expect(await shelf.heard == Array(1...100))
        center.removeObserver(shelf)
        #expect(registrations(of: Step.self, in: center) == 0)
    }

    @Test("A body of no actor hears one message after the other; a closure may name its actor")
    func nonisolated() async {
        let running = Atomic(0)
        let together = Atomic(0)
        let token = center.observe(
            Step.self,
            async: { [log] step in
                if running.add(1, ordering: .sequentiallyConsistent).newValue > 1 {
                    together.add(1, ordering: .sequentiallyConsistent)
                }
                await Task.yield()
                log.append(step.number)
                running.subtract(1, ordering: .sequentiallyConsistent)
            })
        let named = Log<Int>()
        let other = center.observe(
            Step.self,
            async: { @Store step in
                Store.assertIsolated()
                named.append(step.number)
            })
        post(1...200)
        #expect(await eventually { log.count == 200 && named.count == 200 })
        #expect(log.values == Array(1...200))
        #expect(named.values == Array(1...200))
        let met = together.load(ordering: .sequentiallyConsistent)
        #expect(met == 0)
        token.cancel()
        other.cancel()
    }

    // ---- On the main actor, at once

    @MainActor @Test("Main-actor messages are heard before the post returns, in the order of registration")
    func R03_main_actor_messages_are_heard_before_the_post_returns() {
        let box = ScreenBox()
        let token = center.observe(Drawn.self) { message in
            MainActor.assertIsolated()
            box.heard.append(message.number)
            if message.number < 3 { self.center.post(Drawn(number: message.number + 1)) }
        }
        center.observe(Drawn.self, by: box) { box, message in box.heard.append(message.number * 10) }
        center.post(Drawn(number: 1))
        #expect(box.heard == [1, 2, 3, 30, 20, 10])
        token.cancel()
        center.removeObserver(box, of: Drawn.self)
        center.post(Drawn(number: 4))
        #expect(box.heard.count == 6)
    }
}

@MainActor private final class ScreenBox {
    var heard: [Int] = []
}
