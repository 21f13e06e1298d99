import Dispatch
import Herald
import Synchronization
import Testing

private struct Ping: HeraldCenter.Message, Sendable { var load: Counted? }
private struct Paper: ~Copyable, HeraldCenter.Message {}
private struct Drawn: HeraldCenter.MainActorMessage {}
private protocol Listener: AnyObject, Sendable { func listen() }

private final class Owner: Sendable {}
private final class CountedListener: Counted, Listener, @unchecked Sendable { func listen() {} }
private final class Model { @Watched var name = "" }
private final class Subject: Counted, @unchecked Sendable {}

private actor Place {
    func watch(_ center: HeraldCenter, _ capture: Counted) -> HeraldCenter.ObservationToken {
        center.observe(
            Ping.self,
            async: { _ in
                self.assertIsolated()
                withExtendedLifetime(capture) {}
            })
    }
}

/// One kind of observer, which captures its argument.
private struct Kind: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// Observes. Calling the result ends the observation; the result holds its cancelled token or its owner.
    let observe: @Sendable (HeraldCenter, Counted) async -> @Sendable () -> Void

    init(
        _ name: String, _ observe: @escaping @Sendable (HeraldCenter, Counted) async -> @Sendable () -> Void
    ) {
        testDescription = name
        self.observe = observe
    }

    /// A kind that has a token.
    static func token(
        _ name: String,
        _ observe: @escaping @Sendable (HeraldCenter, Counted) async -> HeraldCenter.ObservationToken
    ) -> Kind {
        Kind(name) { center, capture in
            let token = await observe(center, capture)
            return { token.cancel() }
        }
    }

    /// A kind that has an owner.
    static func owner(
        _ name: String, _ observe: @escaping @Sendable (HeraldCenter, Counted, Owner) async -> Void
    ) -> Kind {
        Kind(name) { center, capture in
            let owner = Owner()
            await observe(center, capture, owner)
            return { center.removeObserver(owner) }
        }
    }

    static let all: [Kind] = [
        .token("message") { center, capture in center.observe(Ping.self) { _ in use(capture) } },
        .token("noncopyable") { center, capture in center.observe(Paper.self) { _ in use(capture) } },
        .token("main actor") { @MainActor center, capture in center.observe(Drawn.self) { _ in use(capture) } },
        .token("name") { center, capture in center.observe("leak.name") { _ in use(capture) } },
        .token("all") { center, capture in center.observeAll { _ in use(capture) } },
        .token("held name") { center, capture in
            center.observe("leak.name", whileSuspended: .hold) { _ in use(capture) }
        },
        .token("via") { center, capture in center.observe(Ping.self, via: { $0() }) { _ in use(capture) } },
        .token("via queue") { center, capture in
            let queue = DispatchQueue(label: "herald.leak")
            return center.observe(Ping.self, via: { queue.async(execute: $0) }) { _ in use(capture) }
        },
        .token("async") { center, capture in
            center.observe(
                Ping.self,
                async: { _ in
                    await Task.yield()
                    use(capture)
                })
        },
        .token("async in an actor") { center, capture in await Place().watch(center, capture) },
        .token("async, bounded") { center, capture in
            center.observe(Ping.self, buffer: .newest(1), async: { _ in use(capture) })
        },
        .owner("owner") { center, capture, owner in center.observe(Ping.self, by: owner) { _, _ in use(capture) } },
        .owner("owner, main actor") { @MainActor center, capture, owner in
            center.observe(Drawn.self, by: owner) { _, _ in use(capture) }
        },
        .owner("owner, name") { center, capture, owner in
            center.observe("leak.name", by: owner) { _, _ in use(capture) }
        },
        .owner("owner, async") { center, capture, owner in
            center.observe(Ping.self, by: owner, async: { _, _ in use(capture) })
        },
        Kind("on an actor") { center, capture in
            let place = Place()
            center.observe(Ping.self, on: place) { _, _ in use(capture) }
            return { center.removeObserver(place) }
        },
        Kind("bag") { center, capture in
            let bag = ObservationBag()
            center.observe(Ping.self) { _ in use(capture) }.store(in: bag)
            return { bag.cancelAll() }
        },
        Kind("about a subject") { center, capture in
            let token = center.observe(Ping.self, subject: Subject(Instances())) { _ in use(capture) }
            return { token.cancel() }
        },
    ]

    /// Posts everything that these kinds of observers hear.
    static func post(to center: HeraldCenter) async {
        center.post(Ping())
        center.post(Paper())
        center.post("leak.name", userInfo: 1)
        await MainActor.run { center.post(Drawn()) }
    }
}

private func use(_ capture: Counted) { withExtendedLifetime(capture) {} }

@Suite struct LeakTests {
    let instances = Instances()

    @Test(
        "What an observer captured is given back at its end, though its token or owner is still held",
        arguments: Kind.all)
    private func R10_captures_are_released_at_the_end_of_an_observation(_ kind: Kind) async {
        for posts in 0...2 {
            let center = HeraldCenter()
            let end = await kind.observe(center, instances.make())
            #expect(instances.count == 1)
            for _ in 0..<posts { await Kind.post(to: center) }
            end()
            #expect(await eventually { instances.isEmpty })
            withExtendedLifetime(end) {}
        }
    }

    @Test("What an observer captured is given back with its center", arguments: Kind.all)
    private func R10_captures_are_released_with_their_center(_ kind: Kind) async {
        func kept() async {
            let center = HeraldCenter()
            _ = await kind.observe(center, instances.make())
            await Kind.post(to: center)
        }
        await kept()
        #expect(await eventually { instances.isEmpty })
    }

    @Test("What is kept goes with the center, also from a suspended one")
    func R10_kept_observers_are_released_with_their_center() {
        func observe(_ isSuspended: Bool) {
            let center = HeraldCenter()
            let capture = instances.make()
            center.observe(Ping.self) { _ in use(capture) }.keep()
            center.observe("leak.name", whileSuspended: .hold) { _ in use(capture) }.keep()
            center.observe(Ping.self, via: { $0() }) { _ in use(capture) }.keep()
            center.observe(Ping.self, async: { _ in use(capture) }).keep()
            center.observeAll(whileSuspended: .coalesce) { _ in use(capture) }.keep()
            center.isSuspended = isSuspended
            center.post("leak.name", subject: instances.make(), userInfo: instances.make())
            #expect(instances.count == (isSuspended ? 3 : 1))
        }
        for isSuspended in [false, true] {
            observe(isSuspended)
            #expect(instances.isEmpty)
        }
    }

    @Test("An observer of a protocol is not kept alive, nor anything of it after its death")
    func protocols() {
        let center = HeraldCenter()
        do {
            let listener = CountedListener(instances)
            center.addObserver(listener, as: (any Listener).self)
            center.addObserver(listener, as: (any Listener).self)
            center.notify((any Listener).self) { $0.listen() }
            #expect(instances.count == 1)
        }
        #expect(instances.isEmpty)
        center.notify((any Listener).self) { $0.listen() }
        #expect(registrations(of: (any Listener).self, in: center) == 0)
    }

    @Test("A dead owner's captures go at the next post")
    func R10_captures_of_a_dead_owner_are_released_by_the_next_post() async {
        let center = HeraldCenter()
        do {
            let owner = Owner()
            let capture = instances.make()
            center.observe(Ping.self, by: owner) { _, _ in use(capture) }
            center.observe("leak.name", by: owner) { _, _ in use(capture) }
            center.observe(Ping.self, by: owner, async: { _, _ in use(capture) })  // replaces the first
        }
        #expect(instances.count == 1)
        center.post(Ping())
        center.post("leak.name")
        #expect(await eventually { instances.isEmpty })
    }

    @Test("Messages that wait, in a sequence or for an observer, are given back at the end")
    func waitingMessages() async {
        let center = HeraldCenter()
        let work = HeldWork()
        do {
            let token = center.observe(Ping.self, via: work.scheduler) { _ in }
            let messages = center.messages(Ping.self)
            let iterator = messages.makeAsyncIterator()
            for _ in 0..<10 { center.post(Ping(load: instances.make())) }
            _ = await iterator.next()
            #expect(instances.count == 10)
            token.cancel()
            #expect(instances.count == 9)
        }
        #expect(instances.isEmpty)
        let posted = center.messages(named: "leak.name")
        center.post("leak.name", userInfo: instances.make())
        #expect(instances.count == 1)
        _ = await posted.makeAsyncIterator().next()
        #expect(instances.isEmpty)
    }

    @Test("next(_:) leaves neither a registration nor the messages that came too late")
    func nextLeavesNothing() async {
        let center = HeraldCenter()
        let executor = HeldExecutor()
        let busy = Busy(executor)
        let task = Task { await busy.nextPing(in: center) }
        #expect(await executor.hasWork())
        executor.run()
        for _ in 0..<3 { center.post(Ping(load: instances.make())) }
        #expect(await executor.run { registrations(of: Ping.self, in: center) == 0 })
        await task.value
        #expect(await eventually { instances.isEmpty })
    }

    @Test("A topic keeps its subject, and gives it back with its last copy")
    func topics() {
        let center = HeraldCenter()
        do {
            let topic = center.topic(for: Ping.self, subject: instances.make())
            let copy = topic
            topic.post(Ping(load: instances.make()))
            #expect(instances.count == 1)
            withExtendedLifetime(copy) {}
        }
        #expect(instances.isEmpty)
    }

    @Test("A subject that is observed is not kept alive")
    func R12_an_observed_subject_is_not_kept_alive() {
        let center = HeraldCenter()
        let owner = Owner()
        let token = center.observe(Ping.self, subject: instances.make()) { _ in }
        center.observe(Ping.self, subject: instances.make(), by: owner) { _, _ in }
        let messages = center.messages(Ping.self, subject: instances.make())
        #expect(instances.isEmpty)
        token.cancel()
        withExtendedLifetime((owner, messages.dropped)) {}
    }

    @Test("Watching a property: captures go with the token, with the owner's removal, and with the model")
    func R10_captures_of_watching_are_released_with_token_owner_and_model() {
        let owner = Owner()
        do {
            let model = Model()
            func watch() -> HeraldCenter.ObservationToken {
                let capture = instances.make()
                model.$name.observe(by: owner) { _, _, _ in use(capture) }
                let second = instances.make()
                return model.$name.observe(initial: true) { _, _ in use(second) }
            }
            let token = watch()
            model.name = "a"
            #expect(instances.count == 2)
            token.cancel()
            #expect(instances.count == 1)
            model.$name.removeObserver(owner)
            #expect(instances.isEmpty)
            func keep() {
                let capture = instances.make()
                model.$name.observe(by: owner) { _, _, _ in use(capture) }
                model.$name.observe { _, _ in use(capture) }.keep()
            }
            keep()
            #expect(instances.count == 1)
            withExtendedLifetime(token) {}
        }
        #expect(instances.isEmpty)
    }

    @Test("Ten thousand owners that come and go do not pile up, though nothing is posted")
    func R14_owners_that_come_and_go_take_no_memory() {
        let center = HeraldCenter()
        let steady = Owner()
        center.observe(Ping.self, by: steady) { _, _ in }
        var most = 0
        for number in 0..<10_000 {
            let owner = Owner()
            let capture = instances.make()
            switch number % 4 {
            case 0: center.observe("leak.never", by: owner) { _, _ in use(capture) }
            case 1: center.observe(Ping.self, by: owner) { _, _ in use(capture) }
            case 2: center.observe(Ping.self, by: owner, async: { _, _ in use(capture) })
            default: center.observe(Ping.self, subject: steady, by: owner) { _, _ in use(capture) }
            }
            most = max(most, instances.count)
        }
        #expect(most < 20)
        #expect(registrations(of: Ping.self, about: steady, in: center) < 20)
    }

    @Test("Dead owners do not pile up among a thousand living ones")
    func R14_dead_owners_among_living_ones_take_no_memory() {
        let center = HeraldCenter()
        let living = (0..<1000).map { _ in Owner() }
        for owner in living { center.observe(Ping.self, by: owner) { _, _ in } }
        var most = 0
        for _ in 0..<10_000 {
            let owner = Owner()
            let capture = instances.make()
            center.observe("leak.never", by: owner) { _, _ in use(capture) }
            most = max(most, instances.count)
        }
        #expect(most < 2000)
        #expect(registrations(of: Ping.self, in: center) == 1000)
        withExtendedLifetime(living) {}
    }

    @Test("A living owner's observations of subjects that have died do not pile up")
    func R14_dead_subjects_of_a_living_owner_take_no_memory() {
        let center = HeraldCenter()
        let owner = Owner()
        var most = 0
        for _ in 0..<10_000 {
            let capture = instances.make()
            center.observe(Ping.self, subject: Subject(Instances()), by: owner) { _, _ in use(capture) }
            center.observe("leak.never", subject: Subject(Instances()), by: owner) { _, _ in use(capture) }
            most = max(most, instances.count)
        }
        #expect(most < 20)
        center.removeObserver(owner)
        #expect(instances.isEmpty)
    }

    @Test("Owners that come and go on many threads leave nothing")
    func R14_owners_on_many_threads_leave_no_registrations() async {
        let center = HeraldCenter()
        await withTaskGroup { group in
            for _ in 0..<4 {
                group.addTask { [instances] in
                    for number in 0..<500 {
                        let owner = Owner()
                        let capture = instances.make()
                        center.observe(Ping.self, by: owner) { _, _ in use(capture) }
                        center.post(Ping())
                        if number % 2 == 0 { center.removeObserver(owner) }
                    }
                }
            }
        }
        center.post(Ping())
        #expect(instances.isEmpty)
        #expect(registrations(of: Ping.self, in: center) == 0)
    }

    @Test("A deinit may take its owner's observations away")
    func removedInDeinit() {
        let center = HeraldCenter()
        do {
            let owner = Leaving { center.removeObserver($0) }
            let capture = instances.make()
            center.observe("leak.never", by: owner) { _, _ in use(capture) }
        }
        #expect(instances.isEmpty)
    }
}

extension Busy {
    fileprivate func nextPing(in center: HeraldCenter) async { _ = await center.next(Ping.self) }
}
