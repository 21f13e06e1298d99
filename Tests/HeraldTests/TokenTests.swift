import Herald
import Synchronization
import Testing

private struct Ping: HeraldCenter.Message { var number = 0 }
private struct Pong: HeraldCenter.Message {}

/// A token where closures find it. It is set before the first post.
private final class TokenBox: @unchecked Sendable {
    var token: HeraldCenter.ObservationToken?
    private let bag = ObservationBag()

    /// Moves the token into a bag, where `cancel` cancels it from now on.
    func putIntoBag() {
        let taken = token.take()
        if let taken { taken.store(in: bag) }
    }

    func cancel() {
        token?.cancel()
        bag.cancelAll()
    }
}

private final class Watcher: Sendable {
    let token: HeraldCenter.ObservationToken

    init(_ center: HeraldCenter, _ log: Log<Int>) {
        token = center.observe(Ping.self) { log.append($0.number) }
    }

    deinit { token.cancel() }
}

@Suite struct TokenTests {
    let center = HeraldCenter()
    let log = Log<Int>()
    let instances = Instances()

    @Test("The observation ends with the token's scope")
    func R09_a_token_ends_its_observation_with_its_scope() {
        do {
            let token = center.observe(Ping.self) { [log] in log.append($0.number) }
            center.post(Ping(number: 1))
            withExtendedLifetime(token) {}
        }
        center.post(Ping(number: 2))
        #expect(log.values == [1])
        #expect(registrations(of: Ping.self, in: center) == 0)
    }

    @Test("A token that is thrown away ends the observation at once")
    func R09_a_discarded_token_ends_its_observation_at_once() {
        _ = center.observe(Ping.self) { [log] in log.append($0.number) }
        center.post(Ping())
        #expect(log.values == [])
    }

    @Test("A muted observer misses posts, and keeps its place")
    func R30_a_blocked_observer_is_muted_and_keeps_its_place() async {
        let first = center.observe(Ping.self) { [log] in log.append($0.number) }
        let second = center.observe(Ping.self) { [log] in log.append(-$0.number) }.erased()
        var isMuted = first.isMuted
        #expect(!isMuted && !second.isMuted)
        first.isMuted = true
        center.post(Ping(number: 1))
        let topic = center.topic(for: Ping.self)
        topic.post(Ping(number: 2))
        isMuted = first.isMuted
        #expect(isMuted && log.values == [-1, -2])
        first.isMuted = false
        second.isMuted = true
        center.post(Ping(number: 3))
        second.isMuted = false
        center.post(Ping(number: 4))
        #expect(log.values == [-1, -2, 3, 4, -4])
        first.isMuted = true
        first.cancel()
        first.isMuted = true
        isMuted = first.isMuted
        #expect(!isMuted)
        second.isMuted = true
        second.end()
        #expect(!second.isMuted && registrations(of: Ping.self, in: center) == 0)
        center.post(Ping(number: 5))
        #expect(log.values == [-1, -2, 3, 4, -4])
    }

    @Test("An observer mutes itself, and one in a queue is muted at the post")
    func R30_a_blocked_observer_may_have_blocked_itself() async {
        let box = TokenBox()
        box.token = center.observe(Ping.self) { [log, box] in
            log.append($0.number)
            box.token?.isMuted = true
        }
        let waiting = center.observe(Ping.self, via: { $0() }) { [log] in log.append(100 + $0.number) }
        waiting.isMuted = true
        for number in 1...3 { center.post(Ping(number: number)) }
        #expect(log.values == [1])
        waiting.cancel()
        box.cancel()
    }

    @Test("Cancelling twice is cancelling once, and ends nobody else")
    func R09_a_token_cancelled_twice_ends_nobody_else() {
        let token = center.observe(Ping.self) { [log] in log.append($0.number) }
        token.cancel()
        let other = center.observe(Ping.self) { [log] in log.append($0.number + 10) }
        token.cancel()
        center.post(Ping(number: 1))
        #expect(log.values == [11])
        other.cancel()
    }

    @Test("An optional token, a deferred cancel, and one in deinit")
    func forms() {
        var token: HeraldCenter.ObservationToken? = center.observe(Ping.self) { [log] in log.append($0.number) }
        token?.cancel()
        token = nil
        center.post(Ping(number: 1))
        #expect(log.values == [])

        func scoped() {
            let token = center.observe(Ping.self) { [log] in log.append($0.number) }
            defer { token.cancel() }
            center.post(Ping(number: 2))
        }
        scoped()
        center.post(Ping(number: 3))
        #expect(log.values == [2])

        var watcher: Watcher? = Watcher(center, log)
        center.post(Ping(number: 4))
        withExtendedLifetime(watcher) {}
        watcher = nil
        center.post(Ping(number: 5))
        #expect(log.values == [2, 4])
    }

    @Test("Assigning a new observation to a variable ends the one before")
    func replaced() {
        let box = TokenBox()
        box.token = center.observe(Ping.self) { [log] in log.append($0.number) }
        box.token = center.observe(Ping.self) { [log] in log.append($0.number + 10) }
        center.post(Ping(number: 1))
        #expect(log.values == [11])
        #expect(registrations(of: Ping.self, in: center) == 1)
    }

    @Test("Many tasks may cancel one token")
    func R09_a_token_may_be_cancelled_by_many_tasks() async {
        let watcher = Watcher(center, log)
        await withTaskGroup { group in
            for _ in 0..<50 { group.addTask { watcher.token.cancel() } }
            for _ in 0..<50 { group.addTask { [center] in center.post(Ping()) } }
        }
        let heard = log.count
        center.post(Ping())
        #expect(log.count == heard)
        #expect(registrations(of: Ping.self, in: center) == 0)
    }

    @Test("A callback may cancel itself; its captures go when it returns")
    func R07_a_callback_may_cancel_itself() {
        let box = TokenBox()
        let capture = instances.make()
        box.token = center.observe(Ping.self) { [log, instances, capture] _ in
            box.cancel()
            box.cancel()
            log.append(instances.count)
            withExtendedLifetime(capture) {}
        }
        center.post(Ping())
        center.post(Ping())
        #expect(log.values == [1])
        #expect(registrations(of: Ping.self, in: center) == 0)
    }

    @Test("The callback's last captures have gone when the post returns")
    func R10_captures_are_released_when_the_last_call_returns() {
        let box = TokenBox()
        func observe() {
            let capture = instances.make()
            box.token = center.observe(Ping.self) { _ in
                box.cancel()
                withExtendedLifetime(capture) {}
            }
        }
        observe()
        #expect(instances.count == 1)
        center.post(Ping())
        #expect(instances.isEmpty)
    }

    @Test("Cancel waits for a call on another thread, also that of a bag (R11)", arguments: [false, true])
    func R11_cancel_waits_for_a_call_on_another_thread(inBag: Bool) async {
        let entered = Signal()
        let go = Signal()
        let calls = Atomic(0)
        let finished = Atomic(false)
        let returned = Atomic(false)
        let box = TokenBox()
        await withoutPool { [center] in
            box.token = center.observe(Ping.self) { _ in
                guard calls.add(1, ordering: .sequentiallyConsistent).newValue == 1 else { return }
                entered.send()
                go.wait()
                finished.store(true, ordering: .sequentiallyConsistent)
            }
            if inBag { box.putIntoBag() }
            let posting = thread { center.post(Ping()) }
            entered.wait()
            let cancelling = thread {
                box.cancel()
                let isFinished = finished.load(ordering: .sequentiallyConsistent)
                #expect(isFinished, "cancel() came back during a call")
                returned.store(true, ordering: .sequentiallyConsistent)
            }
            // Once posts are no longer heard, the cancel has begun. It waits for the earlier call.
            var before = -1
            while calls.load(ordering: .sequentiallyConsistent) != before {
                before = calls.load(ordering: .sequentiallyConsistent)
                center.post(Ping())
            }
            let isBack = returned.load(ordering: .sequentiallyConsistent)
            #expect(!isBack)
            go.send()
            #expect(posting.wait() && cancelling.wait())
        }
        let isBack = returned.load(ordering: .sequentiallyConsistent)
        #expect(isBack)
    }

    @Test("A token that is dropped does not wait for a call; the captures go with the call")
    func R06_a_dropped_token_waits_for_no_call() async {
        let entered = Signal()
        let go = Signal()
        let box = TokenBox()
        await withoutPool { [center, instances] in
            func observe() {
                let capture = instances.make()
                box.token = center.observe(Ping.self) { _ in
                    entered.send()
                    go.wait()
                    withExtendedLifetime(capture) {}
                }
            }
            observe()
            let posting = thread { center.post(Ping()) }
            entered.wait()
            box.token = nil  // would wait for ever if it waited
            #expect(registrations(of: Ping.self, in: center) == 0)
            #expect(instances.count == 1)
            go.send()
            #expect(posting.wait())
            #expect(instances.isEmpty)
        }
    }

    @Test("end() does not wait for a call, and cancel() after it does", arguments: [false, true])
    func R06_a_token_that_is_ended_waits_for_no_call(isErased: Bool) async {
        let entered = Signal(), go = Signal()
        let finished = Flag(), returned = Flag()
        let box = TokenBox()
        await withoutPool { [center, log] in
            box.token = center.observe(Ping.self) { ping in
                log.append(ping.number)
                entered.send()
                go.wait()
                finished.set()
            }
            let erased = isErased ? box.token.take()!.erased() : nil
            let end: @Sendable () -> Void = { if let erased { erased.end() } else { box.token?.end() } }
            let posting = thread { center.post(Ping(number: 1)) }
            entered.wait()
            end()  // would wait for ever if it waited
            end()
            center.post(Ping(number: 2))
            #expect(log.values == [1] && !finished.isSet)
            let cancelling = thread {
                if let erased { erased.cancel() } else { box.token?.cancel() }
                #expect(finished.isSet, "cancel() came back during a call")
                returned.set()
            }
            #expect(!returned.isSet)
            go.send()
            #expect(posting.wait() && cancelling.wait())
        }
        #expect(returned.isSet)
    }

    @Test("An observer may end itself; its captures go when it returns, and nobody else ends with it")
    func R07_an_observer_may_end_itself() {
        let box = TokenBox()
        func observe() {
            let capture = instances.make()
            box.token = center.observe(Ping.self) { [log] ping in
                box.token?.end()
                box.token?.end()
                log.append(ping.number)
                withExtendedLifetime(capture) {}
            }
        }
        observe()
        center.post(Ping(number: 1))
        #expect(instances.isEmpty)
        let other = center.observe(Ping.self) { [log] in log.append($0.number + 10) }
        box.token?.end()
        center.post(Ping(number: 2))
        #expect(log.values == [1, 12])
        box.token?.cancel()
        other.end()
        center.post(Ping(number: 3))
        #expect(log.values == [1, 12])
    }

    @Test("No queued body begins after end()")
    func R06_no_queued_body_begins_after_its_token_is_ended() {
        let work = HeldWork()
        let token = center.observe(Ping.self, via: work.scheduler) { [log] in log.append($0.number) }
        center.post(Ping(number: 1))
        token.end()
        work.run()
        center.post(Ping(number: 2))
        #expect(work.count == 0 && log.values == [])
    }

    @Test("Two callbacks that cancel each other on two threads do not wait for each other")
    func R11_callbacks_that_cancel_each_other_do_not_wait() async {
        await withoutPool { [center, instances] in
            for _ in 0..<100 {
                let ping = TokenBox()
                let pong = TokenBox()
                let pingIn = Signal()
                let pongIn = Signal()
                func observe() {
                    let capture = instances.make()
                    ping.token = center.observe(Ping.self) { _ in
                        pingIn.send()
                        pongIn.wait()
                        pong.cancel()
                        withExtendedLifetime(capture) {}
                    }
                    pong.token = center.observe(Pong.self) { _ in
                        pongIn.send()
                        pingIn.wait()
                        ping.cancel()
                        withExtendedLifetime(capture) {}
                    }
                }
                observe()
                let one = thread { center.post(Ping()) }
                let other = thread { center.post(Pong()) }
                #expect(one.wait() && other.wait())
                #expect(registrations(of: Ping.self, in: center) == 0)
                #expect(registrations(of: Pong.self, in: center) == 0)
                #expect(instances.isEmpty)
            }
        }
    }

    @Test("Cancel inside the callback of another center does not wait")
    func R11_cancel_in_a_callback_of_another_center_does_not_wait() {
        let other = HeraldCenter()
        let box = TokenBox()
        let outer = center.observe(Ping.self) { [log] _ in
            other.post(Pong())
            log.append(1)
        }
        box.token = other.observe(Pong.self) { _ in box.cancel() }
        center.post(Ping())
        #expect(log.values == [1])
        #expect(registrations(of: Pong.self, in: other) == 0)
        outer.cancel()
    }

    @Test("A bag ends what it holds, with cancelAll and with its own end, and may be filled again")
    func bag() {
        var bag: ObservationBag? = ObservationBag()
        for number in 1...3 {
            center.observe(Ping.self) { [log] _ in log.append(number) }.store(in: bag!)
        }
        center.post(Ping())
        #expect(log.values == [1, 2, 3])
        bag!.cancelAll()
        center.post(Ping())
        #expect(log.count == 3)
        bag!.cancelAll()

        center.observe(Ping.self) { [log] _ in log.append(4) }.store(in: bag!)
        center.post(Ping())
        #expect(log.values == [1, 2, 3, 4])
        withExtendedLifetime(bag) {}
        bag = nil
        center.post(Ping())
        #expect(log.count == 4)
        #expect(registrations(of: Ping.self, in: center) == 0)
    }

    @Test("A bag ends its observations in the order in which they were stored")
    func bagOrder() {
        final class Ends: Sendable {
            let number: Int
            let log: Log<Int>
            init(_ number: Int, _ log: Log<Int>) { (self.number, self.log) = (number, log) }
            deinit { log.append(number) }
        }
        let bag = ObservationBag()
        func fill() {
            for number in 1...3 {
                let ends = Ends(number, log)
                center.observe(Ping.self) { _ in withExtendedLifetime(ends) {} }.store(in: bag)
            }
        }
        fill()
        bag.cancelAll()
        #expect(log.values == [1, 2, 3])
    }

    @Test("A bag may be emptied by what it holds, and filled by many threads")
    func R07_a_callback_may_empty_the_bag_that_holds_it() async {
        let bag = ObservationBag()
        await withTaskGroup { group in
            for _ in 0..<20 {
                group.addTask { [center] in
                    for _ in 0..<50 { center.observe(Pong.self) { _ in }.store(in: bag) }
                }
            }
        }
        #expect(registrations(of: Pong.self, in: center) == 1000)
        center.observe(Ping.self) { [log] _ in
            bag.cancelAll()
            log.append(1)
        }.store(in: bag)
        center.post(Ping())
        center.post(Ping())
        #expect(log.values == [1])
        #expect(registrations(of: Pong.self, in: center) == 0)
    }

    @Test("A token keeps its center until it is cancelled; then it takes the center with it")
    func R19_a_token_keeps_its_center_until_it_is_cancelled() {
        let box = TokenBox()
        func observe() {
            let center = HeraldCenter()
            let capture = instances.make()
            box.token = center.observe(Ping.self) { [log] in
                log.append($0.number)
                withExtendedLifetime(capture) {}
            }
            let kept = instances.make()
            center.observe(Pong.self) { _ in withExtendedLifetime(kept) {} }.keep()
            center.post(Ping(number: 1))
        }
        observe()
        #expect(log.values == [1])
        #expect(instances.count == 2)
        box.token?.cancel()
        #expect(instances.isEmpty)  // a cancelled token holds nothing
    }

    @Test("What is kept lasts as long as its center")
    func R10_a_kept_observation_is_released_with_its_center() {
        func observe() {
            let center = HeraldCenter()
            let capture = instances.make()
            let token = center.observe(Ping.self) { [log] in
                log.append($0.number)
                withExtendedLifetime(capture) {}
            }
            token.keep()
            for number in 1...2 { center.post(Ping(number: number)) }
            #expect(instances.count == 1)
        }
        observe()
        #expect(log.values == [1, 2])
        #expect(instances.isEmpty)
    }

    @Test("A token of an observation that can hear nothing does everything a token does")
    func R09_a_token_of_nothing_cancels_nothing() {
        let names = HeraldCenter.Names.under("")  // says on stderr that no name is below it
        let bag = ObservationBag()
        let token = center.observe(posts: names) { [log] _ in log.append(0) }
        token.cancel()
        center.observe(posts: names) { _ in }.keep()
        center.observe(posts: names) { _ in }.store(in: bag)
        center.post(Ping())
        center.post(".nothing")
        bag.cancelAll()
        #expect(log.values == [])
    }
}
