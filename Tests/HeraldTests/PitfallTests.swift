import CHerald
import Herald
import Testing

private struct Ping: HeraldCenter.Message { var number = 0 }
private struct Shown: HeraldCenter.MainActorMessage {}
private struct Heavy: HeraldCenter.Message { let canary: Canary }

private protocol Pinged: AnyObject, Sendable { func ping() }

private final class Owner: Pinged {
    let log: Log<String>
    let atDeath: @Sendable (Owner) -> Void

    init(_ log: Log<String>, atDeath: @escaping @Sendable (Owner) -> Void = { _ in }) {
        self.log = log
        self.atDeath = atDeath
    }

    func ping() { log.append("call") }

    deinit { atDeath(self) }
}

/// Common mistakes of notification centers: order, removal during a post, releases under a lock, addresses that are
/// used again. They are defects of Foundation's NotificationCenter on Linux; each is a test here.
@Suite struct PitfallTests {
    let center = HeraldCenter()
    private let log = Log<String>()
    private let bag = ObservationBag()

    @Test("Defect: random order. A thousand observers of all kinds are called in the order of registration")
    func R02_a_thousand_observers_are_called_in_the_order_of_registration() {
        let object = Canary()
        let owners = (0..<1000).map { _ in Owner(log) }
        for (index, owner) in owners.enumerated() {
            switch index % 5 {
            case 0: center.observe("a") { [log] _ in log.append("\(index)") }.store(in: bag)
            case 1: center.observe("a", subject: object) { [log] _ in log.append("\(index)") }.store(in: bag)
            case 2: center.observeAll { [log] _ in log.append("\(index)") }.store(in: bag)
            case 3: center.observeAll(subject: object) { [log] _ in log.append("\(index)") }.store(in: bag)
            default: center.observe("a", by: owner) { me, _ in me.log.append("\(index)") }
            }
        }
        for _ in 0..<2 {
            center.post("a", subject: object)
            #expect(log.take() == (0..<1000).map { "\($0)" })
        }
        keepAlive(owners)
    }

    @Test("Defect: who was removed during the post is called. It is not, removed by an observer or by another thread")
    func R06_an_observer_removed_during_a_post_is_not_called() {
        let later = ObservationBag()
        center.observe("a") { [log] _ in
            log.append("first")
            if !onThreads(1, { _ in later.cancelAll() }) { log.append("stuck") }
        }.store(in: bag)
        center.observe("a") { [log] _ in log.append("later") }.store(in: later)
        let owner = Owner(log)
        center.observe("b") { [center, log] _ in
            log.append("first")
            center.removeObserver(owner)
        }.store(in: bag)
        center.observe("b", by: owner) { me, _ in me.log.append("later") }
        center.post("a")
        center.post("b")
        #expect(log.values == ["first", "first"])
    }

    @Test("Defect: stale tokens remove strangers. They remove nobody, however many have come in their places")
    func R09_stale_tokens_remove_nobody() {
        for _ in 0..<100 {
            let stale = center.observe("a") { _ in }
            stale.cancel()
            let stranger = center.observe("a") { [log] _ in log.append("stranger") }
            for _ in 0..<3 { stale.cancel() }
            center.post("a")
            #expect(log.take() == ["stranger"])
            stranger.cancel()
        }
        let emptied = ObservationBag()
        for _ in 0..<100 { center.observe("a") { _ in }.store(in: emptied) }
        emptied.cancelAll()
        for _ in 0..<100 { center.observe("a") { [log] _ in log.append("stranger") }.store(in: bag) }
        emptied.cancelAll()
        center.post("a")
        #expect(log.count == 100)
    }

    @Test("Defect: closures are released under the lock. A deinit may use the center, however the closure is released")
    func R10_captures_are_released_outside_of_every_lock() {
        let returned = onThreads(1) { [center, log] _ in
            /// A captured instance makes every kind of call when it dies, on the center that releases it.
            func canary(_ center: HeraldCenter) -> Canary {
                let owner = Owner(log)
                center.observe("gone", by: owner) { me, _ in me.log.append("gone") }
                center.addObserver(owner, as: Pinged.self)
                return Canary {
                    let token = center.observe("gone") { _ in }
                    center.post("gone")
                    center.notify(Pinged.self) { $0.ping() }
                    center.removeObserver(owner)
                    center.post("gone")
                    token.cancel()
                }
            }
            func observe(_ canary: Canary) -> HeraldCenter.ObservationToken {
                center.observe("a") { _ in keepAlive(canary) }
            }
            func ends(_ name: String, _ body: () -> Void) {
                body()
                if log.take() != ["gone", "call"] { log.append("\(name) did not release what was captured") }
            }
            let owner = Owner(log)
            ends("cancel()") { observe(canary(center)).cancel() }
            ends("the end of a scope") { _ = observe(canary(center)) }
            ends("the end of a bag") { observe(canary(center)).store(in: ObservationBag()) }
            ends("removal by owner") {
                center.observe("a", by: owner) { [canary = canary(center)] _, _ in keepAlive(canary) }
                center.removeObserver(owner)
            }
            ends("replacing") {
                center.observe("a", by: owner) { [canary = canary(center)] _, _ in keepAlive(canary) }
                center.observe("a", by: owner) { _, _ in }
            }
            ends("the post after the owner's death") {
                do {
                    let mortal = Owner(log)
                    center.observe("b", by: mortal) { [canary = canary(center)] _, _ in keepAlive(canary) }
                    keepAlive(mortal)
                }
                center.post("b")
            }
            ends("cancel() of a queued observer") {
                let canary = canary(center)
                let token = center.observe(Ping.self, via: { $0() }) { _ in keepAlive(canary) }
                token.cancel()
            }
            ends("a sequence's end") {
                let messages = center.messages(Heavy.self)
                center.post(Heavy(canary: canary(center)))
                keepAlive(messages)
            }
            ends("what makes room in a sequence") {
                let messages = center.messages(Heavy.self, buffer: .newest(1))
                center.post(Heavy(canary: canary(center)))
                center.post(Heavy(canary: Canary()))
                keepAlive(messages)
            }
            ends("the end of a center") {
                let dying = HeraldCenter()
                dying.observe("a") { [canary = canary(center)] _ in keepAlive(canary) }.keep()
            }
            keepAlive(owner)
        }
        #expect(returned)
        #expect(log.values == [])
    }

    @Test("Defect: an observer that removes itself in its deinit, or posts there, ends the process. It may")
    func deinitsThatRemove() {
        let returned = onThreads(1) { [center, log] _ in
            for _ in 0..<100 {
                let owner = Owner(log) { [center] me in
                    center.removeObserver(me, of: "a")
                    center.post("a")
                    center.removeObserver(me)
                }
                center.observe("a", by: owner) { me, _ in me.log.append("heard") }
                center.observe(Ping.self, by: owner) { me, _ in me.log.append("heard") }
                keepAlive(owner)
            }
        }
        #expect(returned)
        #expect(log.count == 0)
    }

    @Test("Defect: a dead subject's observers hear strangers at its address. They hear nobody any more")
    func R12_strangers_at_the_address_of_a_dead_subject_are_not_heard() {
        for _ in 0..<100 {
            let subject = Canary()
            center.observe("a", subject: subject) { [log] _ in log.append("name") }.store(in: bag)
            center.observe(Ping.self, subject: subject) { [log] _ in log.append("message") }.store(in: bag)
        }
        for _ in 0..<10_000 {
            let stranger = Canary()
            center.post("a", subject: stranger)
            center.post(Ping(), subject: stranger)
        }
        #expect(log.count == 0)
    }

    @Test("Defect: typed and untyped observers on one center end the process. Each hears what is its own")
    @MainActor func R21_typed_and_untyped_observers_each_hear_their_own() {
        let ping = HeraldCenter.Name(String(reflecting: Ping.self))
        let owner = Owner(log)
        center.observe(Ping.self) { [log] in log.append("message \($0.number)") }.store(in: bag)
        center.observe(Shown.self) { [log] _ in log.append("shown") }.store(in: bag)
        center.observe(ping) { [log] in log.append("name \($0.userInfo as? Int ?? -1)") }.store(in: bag)
        center.observeAll { [log] in log.append("any \($0.userInfo == nil) \($0.message is Ping)") }.store(in: bag)
        center.addObserver(owner, as: Pinged.self)
        center.post(Ping(number: 1))
        #expect(log.take() == ["message 1", "any true true"])
        center.post(ping, userInfo: 2)
        #expect(log.take() == ["name 2", "any false false"])
        center.post(Shown())
        #expect(log.take() == ["shown", "any true false"])
        center.notify(Pinged.self) { $0.ping() }
        #expect(log.take() == ["any true false", "call"])
        var payload = 3
        HeraldCenterPostNotification(center.native, ping.native, nil, &payload, true)
        #expect(log.take() == ["name -1", "any true false"])
        keepAlive(owner)
    }

    @Test("Defect: there is no weak observer. There is: by owner, of a name, a message and a protocol")
    func weakObserver() {
        var owner: Owner? = Owner(log)
        weak let weakly = owner
        center.observe("a", by: owner!) { me, _ in me.log.append("name") }
        center.observe(Ping.self, by: owner!) { me, _ in me.log.append("message") }
        center.addObserver(owner!, as: Pinged.self)
        for _ in 0..<2 {
            center.post("a")
            center.post(Ping())
            center.notify(Pinged.self) { $0.ping() }
            #expect(log.take() == (owner == nil ? [] : ["name", "message", "call"]))
            owner = nil
        }
        #expect(weakly == nil)
    }

    @Test("Defect: there are no sequences of names. There are: from their making on, in order, what is lost is counted")
    func sequencesOfNames() async {
        let messages = center.messages(named: "a", buffer: .newest(3))
        for number in 0..<5 { center.post("a", userInfo: number) }
        center.post("b", userInfo: 9)
        #expect(messages.dropped == 2)
        let iterator = messages.makeAsyncIterator()
        for number in 2..<5 {
            let posted = await iterator.next()
            #expect(posted?.name == "a")
            #expect(posted?.userInfo as? Int == number)
        }
        let waiting = Task { await iterator.next() }
        waiting.cancel()
        #expect(await waiting.value == nil)
    }
}
