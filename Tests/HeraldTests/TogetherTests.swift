import Dispatch
import Herald
import Processes
import Testing

private final class Thing: Sendable {}

private struct Opened: HeraldCenter.Message, Sendable {
    typealias Subject = Thing
    var number = 0
}

private struct Closed: HeraldCenter.Message, Sendable {
    typealias Subject = Thing
    var number = 0
}

private struct Drawn: HeraldCenter.MainActorMessage, Sendable { var number = 0 }

extension HeraldCenter.Name {
    fileprivate static let touched: Self = "together.touched"
}

private enum Event: Sendable, Equatable {
    case opened(Int), closed(Int), touched(Int)
}

private func number(_ posted: HeraldCenter.Posted) -> Int { posted.userInfo as? Int ?? -1 }

private actor Store {
    var heard: [String] = []

    func start(_ center: HeraldCenter, _ thing: Thing) {
        center.observe(on: self) {
            $0.on(Opened.self) { store, opened in store.heard.append("opened \(opened.number)") }
            $0.on(Closed.self) { store, closed in store.heard.append("closed \(closed.number)") }
            $0.on(Closed.self, subject: thing) { store, _ in store.heard.append("one") }
            $0.on(.touched) { store, posted in store.heard.append("touched \(number(posted))") }
            $0.on(.touched, subject: thing) { store, _ in store.heard.append("touched one") }
        }
    }

    func startAgain(_ center: HeraldCenter) {
        center.observe(Opened.self, on: self) { store, _ in store.heard.append("again") }
    }

    func wait(for count: Int) async -> [String] {
        let came = await eventually { await self.heard.count >= count }
        defer { heard = [] }
        return came ? heard : heard + ["and no more"]
    }
}

@MainActor private final class Window {
    var titles: [String] = []

    func start(_ center: HeraldCenter) -> ObservationBag {
        center.observe(async: {
            $0.on(Opened.self) { [weak self] opened in self?.titles.append("opened \(opened.number)") }
            $0.on(Closed.self) { [weak self] closed in
                await Task.yield()
                self?.titles.append("closed \(closed.number)")
            }
            $0.on(Drawn.self) { [weak self] drawn in self?.titles.append("drawn \(drawn.number)") }
            $0.on(.touched) { [weak self] posted in self?.titles.append("touched \(number(posted))") }
        })
    }
}

/// Observers of several types that share one mailbox: they hear the posts in their order.
@Suite(.timeLimit(.minutes(10))) struct TogetherTests {
    private let center = HeraldCenter()
    private let log = Log<String>()
    private let queue = DispatchQueue(label: "together")

    @Test("Through a queue, several types and names are heard in the order of the posts")
    func R02_several_types_through_a_queue_keep_the_order_of_the_posts() {
        let thing = Thing()
        let bag = center.observe(via: queue) { [log] in
            $0.on(Opened.self) { log.append("opened \($0.number)") }
            $0.on(Closed.self) { log.append("closed \($0.number)") }
            $0.on(Closed.self, subject: thing) { _ in log.append("one") }
            $0.on(.touched) { log.append("touched \(number($0))") }
            $0.on(.touched, subject: thing) { _ in log.append("touched one") }
        }
        queue.suspend()
        var expected: [String] = []
        for number in 0..<200 {
            center.post(Opened(number: number))
            center.post(Closed(number: number), subject: number % 2 == 0 ? thing : Thing())
            center.post(.touched, subject: number % 3 == 0 ? thing : nil, userInfo: number)
            expected += ["opened \(number)", "closed \(number)"] + (number % 2 == 0 ? ["one"] : [])
            expected += ["touched \(number)"] + (number % 3 == 0 ? ["touched one"] : [])
        }
        queue.resume()
        queue.sync {}
        #expect(log.take() == expected)
        bag.cancelAll()
        center.post(Opened())
        queue.sync {}
        #expect(log.take() == [] && !center.isHeard(Opened.self) && !center.isHeard(.touched))
    }

    @Test("Nothing that waits is heard after the bag's end; the mailbox gives back what it had")
    func R06_nothing_that_waits_is_heard_after_the_bag_has_ended() {
        let instances = Instances()
        for endsByHand in [true, false] {
            var captured: Counted? = instances.make()
            var bag: ObservationBag? = center.observe(via: queue) { [log, captured] in
                $0.on(Opened.self) { [captured] _ in withExtendedLifetime(captured) { log.append("opened") } }
                $0.on(Closed.self) { [captured] _ in withExtendedLifetime(captured) { log.append("closed") } }
            }
            captured = nil
            queue.suspend()
            center.post(Opened())
            center.post(Closed())
            if endsByHand { bag?.cancelAll() }
            bag = nil
            #expect(instances.isEmpty)
            queue.resume()
            queue.sync {}
            #expect(log.take() == [])
        }
    }

    @Test("A limit counts the messages of all types; the drops are counted once")
    func buffer() {
        let bag = center.observe(via: queue, buffer: .newest(2)) { [log] in
            $0.on(Opened.self) { log.append("opened \($0.number)") }
            $0.on(Closed.self) { log.append("closed \($0.number)") }
        }
        queue.suspend()
        for number in 1...3 {
            center.post(Opened(number: number))
            center.post(Closed(number: number))
        }
        #expect(center.observations.map(\.dropped).reduce(0, +) == 4)
        #expect(center.observations.map(\.waiting).reduce(0, +) == 2)
        #expect(center.observations.allSatisfy { $0.delivery == "queue" })
        queue.resume()
        queue.sync {}
        #expect(log.take() == ["opened 3", "closed 3"])
        bag.cancelAll()
    }

    @Test("A scheduler that is a closure; nothing added, and nothing to end")
    func inline() {
        let bag = center.observe(via: { $0() }) { [log] in
            $0.on(Opened.self) { log.append("opened \($0.number)") }
            $0.on(Closed.self) { log.append("closed \($0.number)") }
        }
        center.post(Closed(number: 1))
        center.post(Opened(number: 2))
        #expect(log.take() == ["closed 1", "opened 2"])
        bag.cancelAll()
        center.observe(via: queue) { _ in }.cancelAll()
        #expect(center.observations.isEmpty)
    }

    @Test("On an actor, several types are heard in the order of the posts")
    func R02_several_types_on_an_actor_keep_the_order_of_the_posts() async {
        let store = Store(), thing = Thing()
        await store.start(center, thing)
        var expected: [String] = []
        for number in 0..<200 {
            center.post(Opened(number: number))
            center.post(Closed(number: number), subject: number % 2 == 0 ? thing : nil)
            center.post(.touched, subject: number % 3 == 0 ? thing : nil, userInfo: number)
            expected += ["opened \(number)", "closed \(number)"] + (number % 2 == 0 ? ["one"] : [])
            expected += ["touched \(number)"] + (number % 3 == 0 ? ["touched one"] : [])
        }
        #expect(await store.wait(for: expected.count) == expected)
        center.removeObserver(store)
        #expect(center.observations.isEmpty)
    }

    @Test("One of an actor's observers is replaced or removed, and the others go on")
    func R06_one_of_several_observers_is_removed_and_the_others_go_on() async {
        let store = Store(), thing = Thing()
        await store.start(center, thing)
        await store.startAgain(center)
        center.post(Opened(number: 1))
        center.post(Closed(number: 1))
        #expect(await store.wait(for: 2).sorted() == ["again", "closed 1"])
        center.removeObserver(store, of: Closed.self)
        center.post(Closed(number: 2))
        center.post(.touched, userInfo: 3)
        #expect(await store.wait(for: 1) == ["touched 3"])
        await store.start(center, thing)
        center.post(Closed(number: 4))
        center.post(Opened(number: 4))
        center.post(.touched, userInfo: 4)
        #expect(await store.wait(for: 3) == ["closed 4", "opened 4", "touched 4"])
        center.removeObserver(store)
    }

    @Test("What waits for an observer that has been removed is not heard; what waits for the others is")
    func R06_what_waits_for_one_removed_observer_is_not_heard() async {
        let executor = HeldExecutor()
        let busy = Held(executor)
        busy.start(center, log)
        center.post(Opened(number: 1))
        center.post(Closed(number: 1))
        center.post(Opened(number: 2))
        center.removeObserver(busy, of: Opened.self)
        #expect(await executor.run { log.count == 1 })
        #expect(log.take() == ["closed 1"])
        center.post(Closed(number: 2))
        #expect(await executor.run { log.count == 1 })
        #expect(log.take() == ["closed 2"])
        center.removeObserver(busy)
    }

    @Test("The same type twice on one actor: the second replaces the first, and is heard")
    func R04_a_type_that_is_observed_again_is_heard_once() async {
        let store = Store()
        center.observe(on: store) {
            $0.on(Opened.self) { store, _ in store.heard.append("first") }
            $0.on(Opened.self) { store, _ in store.heard.append("second") }
            $0.on(Closed.self) { store, _ in store.heard.append("closed") }
        }
        center.post(Opened())
        center.post(Closed())
        #expect(await store.wait(for: 2) == ["second", "closed"])
        center.removeObserver(store)
    }

    @Test("The actor's end ends its observers")
    func R06_no_observer_is_called_after_the_actor_is_gone() async {
        var store: Store? = Store()
        await store?.start(center, Thing())
        center.post(Opened())
        _ = await store?.wait(for: 1)
        weak let gone = store
        store = nil
        #expect(await eventually { gone == nil })
        let isOver = await eventually {
            center.post(Opened())
            center.post(Closed())
            return registrations(of: Opened.self, in: center) == 0 && registrations(of: Closed.self, in: center) == 0
        }
        #expect(isOver)
    }

    @Test("Bodies of the main actor use its state, in the order of the posts") @MainActor
    func R03_bodies_run_on_the_actor_in_which_they_are_written() async {
        let window = Window()
        let bag = window.start(center)
        var expected: [String] = []
        for number in 0..<100 {
            center.post(Opened(number: number))
            center.post(Drawn(number: number))
            center.post(Closed(number: number))
            center.post(.touched, userInfo: number)
            expected += ["opened \(number)", "drawn \(number)", "closed \(number)", "touched \(number)"]
        }
        #expect(await eventually { window.titles.count == 400 })
        #expect(window.titles == expected)
        center.post(Opened())
        bag.cancelAll()
        await Task.yield()
        center.post(Closed())
        #expect(window.titles.count == 400 && !center.isHeard(Opened.self))
    }

    @Test("Bodies on several actors take turns, in the order of the posts")
    func R02_bodies_on_several_actors_keep_the_order_of_the_posts() async {
        let bag = center.observe(async: { [log] in
            $0.on(Opened.self) { @MainActor opened in
                MainActor.assertIsolated()
                log.append("opened \(opened.number)")
            }
            $0.on(Closed.self) { closed in log.append("closed \(closed.number)") }
        })
        var expected: [String] = []
        for number in 0..<200 {
            center.post(Opened(number: number))
            center.post(Closed(number: number))
            expected += ["opened \(number)", "closed \(number)"]
        }
        #expect(await eventually { log.count == 400 })
        #expect(log.take() == expected)
        bag.cancelAll()
    }

    @Test("Threads that post: each thread's posts are heard in their order")
    func R02_posts_of_each_thread_are_heard_in_order() {
        let bag = center.observe(via: queue) { [log] in
            $0.on(Opened.self) { log.append("\($0.number)") }
            $0.on(Closed.self) { log.append("\($0.number)") }
        }
        let came = onThreads(4) { [center] thread in
            for step in 0..<500 {
                let number = thread * 1000 + step
                if step % 2 == 0 { center.post(Opened(number: number)) } else { center.post(Closed(number: number)) }
            }
        }
        #expect(came)
        queue.sync {}
        let heard = log.take().compactMap { Int($0) }
        #expect(heard.count == 2000)
        for thread in 0..<4 {
            let mine = heard.filter { $0 / 1000 == thread }
            #expect(mine == mine.sorted())
        }
        bag.cancelAll()
    }

    @Test("As a sequence of an enum: in the order of the posts, and it ends")
    func R02_several_types_in_a_sequence_keep_the_order_of_the_posts() async {
        let thing = Thing()
        let events = center.messages(as: Event.self) {
            $0.on(Opened.self) { .opened($0.number) }
            $0.on(Closed.self, subject: thing) { .closed($0.number) }
            $0.on(.touched) { .touched(number($0)) }
        }
        center.post(Closed(number: 1), subject: thing)
        center.post(Closed(number: 2))
        center.post(Opened(number: 3))
        center.post(.touched, userInfo: 4)
        center.post(Opened(number: 5))
        events.finish()
        center.post(Opened(number: 6))
        #expect(center.observations.isEmpty)
        var heard: [Event] = []
        for await event in events { heard.append(event) }
        #expect(heard == [.closed(1), .opened(3), .touched(4), .opened(5)])
        do {
            let dropped = center.messages(as: Event.self, buffer: .newest(1)) {
                $0.on(Opened.self) { .opened($0.number) }
                $0.on(Closed.self) { .closed($0.number) }
            }
            center.post(Opened(number: 1))
            center.post(Closed(number: 2))
            #expect(dropped.dropped == 1 && center.isHeard(Opened.self))
            #expect(await dropped.makeAsyncIterator().next() == .closed(2))
        }
        #expect(!center.isHeard(Opened.self) && !center.isHeard(Closed.self))
    }
}

/// An actor whose work runs when the test says so.
private actor Held {
    let executor: HeldExecutor
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(_ executor: HeldExecutor) { self.executor = executor }

    nonisolated func start(_ center: HeraldCenter, _ log: Log<String>) {
        center.observe(on: self) {
            $0.on(Opened.self) { _, opened in log.append("opened \(opened.number)") }
            $0.on(Closed.self) { _, closed in log.append("closed \(closed.number)") }
        }
    }
}
