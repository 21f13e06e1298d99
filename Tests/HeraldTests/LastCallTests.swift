import Dispatch
import Foundation
import Herald
import Synchronization
import Testing

private struct Ping: HeraldCenter.Message, Sendable { var number = 0 }

/// What a body uses, as it would use a file: it must not be closed while a body runs.
private final class Resource: Sendable {
    private let uses = Atomic(0)
    private let closed = Atomic(0)
    private let faulty = Atomic(false)

    func use(_ work: () -> Void = {}) {
        uses.add(1, ordering: .sequentiallyConsistent)
        check()
        work()
        check()
        uses.subtract(1, ordering: .sequentiallyConsistent)
    }

    private func check() {
        if timesClosed > 0 { faulty.store(true, ordering: .sequentiallyConsistent) }
    }

    func close() {
        closed.add(1, ordering: .sequentiallyConsistent)
        if uses.load(ordering: .sequentiallyConsistent) > 0 { faulty.store(true, ordering: .sequentiallyConsistent) }
    }

    var timesClosed: Int { closed.load(ordering: .sequentiallyConsistent) }
    /// Whether it was used after it was closed, or closed during a use.
    var isFaulty: Bool { faulty.load(ordering: .sequentiallyConsistent) }
}

/// A token where closures find it. It is set before the first post.
private final class TokenBox: @unchecked Sendable {
    var token: HeraldCenter.ObservationToken?
}

private typealias Run = @Sendable (@escaping @Sendable () -> Void) -> Void

/// The closure that `cancel` calls after the last call of the observer.
@Suite(.timeLimit(.minutes(10))) struct LastCallTests {
    let center = HeraldCenter()
    let instances = Instances()
    private let resource = Resource()

    /// Where the body is called.
    enum Place: CaseIterable, Sendable { case here, queue, actor, name }

    private func observe(_ place: Place, via scheduler: @escaping Run = { $0() })
        -> HeraldCenter.ObservationToken
    {
        let capture = instances.make()
        let body: @Sendable () -> Void = { [resource] in resource.use { withExtendedLifetime(capture) {} } }
        return switch place {
        case .here: center.observe(Ping.self) { _ in body() }
        case .queue: center.observe(Ping.self, via: scheduler) { _ in body() }
        case .actor: center.observe(Ping.self, async: { _ in body() })
        case .name: center.observe("last.name") { _ in body() }
        }
    }

    @Test(
        "If nothing runs, the closure is called before cancel returns, and the body is gone", arguments: Place.allCases)
    func R11_then_is_called_at_once_if_nothing_runs(place: Place) {
        let token = observe(place)
        #expect(instances.count == 1)
        token.cancel { [instances, resource] in
            #expect(instances.isEmpty)
            resource.close()
        }
        #expect(resource.timesClosed == 1)
        center.post(Ping())
        center.post("last.name")
        token.cancel { [resource] in resource.close() }
        token.cancel()
        token.end()
        token.cancel { [resource] in resource.close() }
        #expect(resource.timesClosed == 3 && !resource.isFaulty)
    }

    @Test("cancel waits although an observer of another center, with the same number, ends meanwhile")
    func R11_cancel_waits_for_its_own_call_alone() {
        let other = HeraldCenter(), inside = Flag(), over = Flag(), left = Flag()
        let same = other.observe("last.other") { _ in }.erased()  // the first of its center, as the one below
        final class Ending: Sendable {
            let token: AnyObservation
            init(_ token: AnyObservation) { self.token = token }
            deinit { token.cancel() }
        }
        let center = HeraldCenter()
        let token = center.observe("last.held", whileSuspended: .hold) { _ in
            inside.set()
            #expect(eventually { over.isSet })
            left.set()
        }
        let poster = Thread { center.post("last.held") }
        poster.start()
        #expect(eventually { inside.isSet })
        center.isSuspended = true
        center.post("last.held", userInfo: Ending(same))
        let canceller = Thread {
            Thread.sleep(forTimeInterval: 0.05)
            over.set()
        }
        canceller.start()
        token.cancel()
        #expect(left.isSet)
    }

    @Test("Every kind of token calls it: erased, ended before, and one that can hear nothing")
    func R11_then_is_called_for_every_token() {
        let erased = observe(.here).erased()
        erased.cancel { [resource] in resource.close() }
        erased.cancel { [resource] in resource.close() }
        let names = HeraldCenter.Names.under("")  // says on stderr that no name is below it
        let nothing = center.observe(posts: names) { _ in }
        nothing.cancel { [resource] in resource.close() }
        let queued = center.observe(posts: names, via: { $0() }) { _ in }
        queued.cancel { [resource] in resource.close() }
        let cancelled = observe(.queue)
        cancelled.cancel()
        cancelled.cancel { [resource] in resource.close() }
        #expect(resource.timesClosed == 5 && instances.isEmpty)
    }

    @Test("A call on another thread is the last: the closure is called when it returns", arguments: [false, true])
    func R11_then_waits_for_a_call_on_another_thread(isEnded: Bool) async {
        let entered = Signal(), go = Signal()
        await withoutPool { [center, resource, instances] in
            func observe() -> HeraldCenter.ObservationToken {
                let capture = instances.make()
                return center.observe(Ping.self) { _ in
                    resource.use {
                        entered.send()
                        go.wait()
                    }
                    withExtendedLifetime(capture) {}
                }
            }
            let token = observe()
            let posting = thread { center.post(Ping()) }
            entered.wait()
            if isEnded { token.end() }
            for _ in 0..<2 {
                token.cancel {
                    #expect(instances.isEmpty)
                    resource.close()
                }
            }
            #expect(resource.timesClosed == 0)
            go.send()
            #expect(posting.wait())
        }
        #expect(resource.timesClosed == 2 && !resource.isFaulty)
    }

    @Test("In the observer itself: the closure is called when the call returns", arguments: [false, true])
    func R11_then_is_called_when_the_observer_that_cancels_returns(isCancelledBefore: Bool) {
        let box = TokenBox()
        func observe() {
            let capture = instances.make()
            box.token = center.observe(Ping.self) { [resource, instances] _ in
                resource.use {
                    if isCancelledBefore { box.token?.cancel() }
                    box.token?.cancel {
                        #expect(instances.isEmpty)
                        resource.close()
                    }
                }
                withExtendedLifetime(capture) {}
            }
        }
        observe()
        center.post(Ping())
        #expect(resource.timesClosed == 1 && !resource.isFaulty)
        center.post(Ping())
        #expect(resource.timesClosed == 1)
    }

    @Test("A body that runs in a queue is the last call", arguments: [false, true])
    func R11_then_waits_for_a_body_in_a_queue(isCancelledInBody: Bool) async {
        let entered = Signal(), go = Signal()
        let queue = DispatchQueue(label: "herald.last")
        let box = TokenBox()
        await withoutPool { [center, resource, instances] in
            func observe() {
                let capture = instances.make()
                box.token = center.observe(Ping.self, via: queue) { _ in
                    resource.use {
                        if isCancelledInBody { box.token?.cancel() }
                        entered.send()
                        go.wait()
                    }
                    withExtendedLifetime(capture) {}
                }
            }
            observe()
            for number in 0..<3 { center.post(Ping(number: number)) }
            entered.wait()
            let done = Signal()
            for _ in 0..<2 {
                box.token?.cancel {
                    #expect(instances.isEmpty)
                    resource.close()
                    done.send()
                }
            }
            #expect(resource.timesClosed == 0)
            go.send()
            #expect(done.wait() && done.wait())
            queue.sync {}
        }
        #expect(resource.timesClosed == 2 && !resource.isFaulty && instances.isEmpty)
    }

    @Test(
        "A turn that begins after cancel or end calls nobody, also while a posting thread still hands it over",
        arguments: [true, false])
    func R06_a_turn_that_begins_after_cancel_calls_nobody(ends: Bool) async {
        let given = Box<(@Sendable () -> Void)?>(nil), handed = Signal(), go = Signal(), heard = Flag(), done = Signal()
        let token = center.observe(
            Ping.self,
            via: { run in
                given.put(run)
                handed.send()
                go.wait()
            }
        ) { _ in heard.set() }
        await withoutPool { [center, resource] in
            let poster = thread { center.post(Ping()) }
            #expect(handed.wait())
            if ends { token.end() }
            let then: @Sendable () -> Void = {
                resource.close()
                done.send()
            }
            if !ends { token.cancel(then) }
            given.value?()
            #expect(!heard.isSet && resource.timesClosed == 0)
            if ends { token.cancel(then) }
            go.send()
            #expect(done.wait() && poster.wait())
        }
        #expect(!heard.isSet && resource.timesClosed == 1)
    }

    @Test("An async body that is suspended is the last call")
    func R11_then_waits_for_an_async_body() async {
        let entered = Signal(), done = Signal()
        let waiting = Box<CheckedContinuation<Void, Never>?>(nil)
        func observe() -> HeraldCenter.ObservationToken {
            let capture = instances.make()
            return center.observe(
                Ping.self,
                async: { [resource] _ in
                    await withCheckedContinuation {
                        waiting.put($0)
                        entered.send()
                    }
                    resource.use()
                    withExtendedLifetime(capture) {}
                })
        }
        let token = observe()
        center.post(Ping())
        await withoutPool { entered.wait() }
        token.cancel { [resource, instances] in
            #expect(instances.isEmpty)
            resource.close()
            done.send()
        }
        #expect(resource.timesClosed == 0)
        waiting.value?.resume()
        await withoutPool { done.wait() }
        #expect(resource.timesClosed == 1 && !resource.isFaulty)
    }

    @Test("The last reference to an object goes inside a post, while another thread is in its body")
    func R11_then_in_a_deinit_inside_a_post_waits_for_the_last_call() async {
        final class Journal: Sendable {
            private let resource: Resource
            private let token: HeraldCenter.ObservationToken

            init(_ center: HeraldCenter, _ resource: Resource, _ work: @escaping @Sendable () -> Void) {
                self.resource = resource
                token = center.observe(Ping.self) { _ in resource.use(work) }
            }

            deinit { token.cancel { [resource] in resource.close() } }
        }
        struct Drop: HeraldCenter.Message {}

        let entered = Signal(), go = Signal()
        await withoutPool { [center, resource] in
            let last = Box<Journal?>(
                Journal(center, resource) {
                    entered.send()
                    go.wait()
                })
            let posting = thread { center.post(Ping()) }
            entered.wait()
            let dropping = center.observe(Drop.self) { _ in last.put(nil) }
            center.post(Drop())
            #expect(resource.timesClosed == 0)
            go.send()
            #expect(posting.wait())
            dropping.cancel()
        }
        #expect(resource.timesClosed == 1 && !resource.isFaulty)
    }

    // ---- The mailbox owns the body

    @Test("When cancel returns, a queued body that has not begun is gone, with what it captures", arguments: 0..<3)
    func R10_a_queued_body_that_has_not_begun_is_released_by_cancel(way: Int) {
        let work = HeldWork()
        let token = observe(.queue, via: work.scheduler)
        center.post(Ping())
        #expect(work.count == 1 && instances.count == 1)
        switch way {
        case 0: token.cancel()
        case 1: token.end()
        default:
            token.cancel { [instances, resource] in
                #expect(instances.isEmpty)
                resource.close()
            }
            #expect(resource.timesClosed == 1)
        }
        #expect(instances.isEmpty)
        work.run()
        #expect(!resource.isFaulty)
    }

    @Test("Threads post while others cancel: nothing is closed in use, and everything is closed once")
    func R11_then_under_fire() async {
        let queue = DispatchQueue(label: "herald.last", attributes: .concurrent)
        let isOver = Flag()
        await withoutPool { [center] in
            let posting = (0..<2).map { _ in thread { while !isOver.isSet { center.post(Ping()) } } }
            var all: [Resource] = []
            for round in 0..<1500 {
                let resource = Resource()
                let token: HeraldCenter.ObservationToken =
                    switch round % 4 {
                    case 0: center.observe(Ping.self) { _ in resource.use() }
                    case 1: center.observe(Ping.self, via: queue) { _ in resource.use() }
                    case 2: center.observe(Ping.self, via: { $0() }) { _ in resource.use() }
                    default: center.observe(Ping.self, async: { _ in resource.use() })
                    }
                let observation = token.erased()
                all.append(resource)
                center.post(Ping())
                let other = thread { observation.cancel { resource.close() } }
                observation.cancel { resource.close() }
                #expect(other.wait())
            }
            isOver.set()
            for each in posting { #expect(each.wait()) }
            let end = ContinuousClock.now + .seconds(60)
            while !all.allSatisfy({ $0.timesClosed == 2 }), ContinuousClock.now < end { queue.sync(flags: .barrier) {} }
            #expect(all.allSatisfy { $0.timesClosed == 2 && !$0.isFaulty })
        }
    }
}
