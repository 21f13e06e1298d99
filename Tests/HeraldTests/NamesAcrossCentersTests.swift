import CHerald
import Herald
import Testing

/// A lower center, like the one between processes below Herald's. Ends register the names that are observed, and the
/// wire passes a post of such a name to every end that has registered it, including the poster's.
private final class Wire: Sendable {
    fileprivate let ends = Box<[End]>([])

    /// Stands for another process: a center of its own over this wire.
    func end(_ log: Log<String> = Log()) -> (center: HeraldCenter, end: End) {
        let end = End(self, log)
        let center = end.makeCenter()
        ends.put(ends.value + [end])
        return (center, end)
    }

    func carry(_ name: HeraldNameRef) -> Int {
        ends.value.reduce(0) { $0 + $1.receive(name) }
    }
}

/// One process's side of the wire, in C's terms a transport.
private final class End: Sendable {
    unowned let wire: Wire
    let log: Log<String>
    private let registered = Box<Set<String>>([])
    /// Not retained: a transport does not own its center.
    private let center = Guarded<UInt>(0)

    init(_ wire: Wire, _ log: Log<String>) {
        self.wire = wire
        self.log = log
    }

    func makeCenter() -> HeraldCenter {
        var transport = HeraldTransport()
        transport.size = MemoryLayout<HeraldTransport>.size
        transport.context = Unmanaged.passRetained(self).toOpaque()
        transport.firstObserver = { context, _, name in
            let end = End.of(context)
            end.registered.put(end.registered.value.union([text(name)]))
            end.log.append("+ \(text(name))")
            return HeraldOK
        }
        transport.lastObserver = { context, _, name in
            let end = End.of(context)
            end.registered.put(end.registered.value.subtracting([text(name)]))
            end.log.append("- \(text(name))")
        }
        // Only the name crosses the wire, as between processes.
        transport.post = { context, _, name, _, _, _, _ in End.of(context).wire.carry(name!) }
        transport.destroy = {
            End.of($0).log.append("closed")
            End.of($0).center.withLock { $0 = 0 }
            Unmanaged<End>.fromOpaque($0!).release()
        }
        var native: HeraldCenterRef?
        let status = HeraldCenterCreateWithTransport(nil, &transport, &native)
        precondition(status == HeraldOK)
        center.withLock { $0 = UInt(bitPattern: native) }
        defer { HeraldCenterRelease(native) }
        return HeraldCenter(retaining: native!)
    }

    func receive(_ name: HeraldNameRef) -> Int {
        guard registered.value.contains(text(name)) || registered.value.contains("*") else { return 0 }
        let center = center.withLock { HeraldCenterRef(bitPattern: $0) }
        return HeraldCenterDeliver(center, name, nil, nil, nil, 0)
    }

    static func of(_ context: UnsafeMutableRawPointer?) -> End {
        Unmanaged<End>.fromOpaque(context!).takeUnretainedValue()
    }
}

private func text(_ name: HeraldNameRef?) -> String {
    guard let name else { return "*" }
    return HeraldNameGetUTF8String(name).map { String(cString: $0) } ?? "a type"
}

private struct Saved: HeraldCenter.Message { var path: String }

private protocol CacheObserver: AnyObject, Sendable { func cacheChanged() }

private final class Target: CacheObserver {
    let log: Log<String>
    init(_ log: Log<String>) { self.log = log }
    func cacheChanged() { log.append("cache") }
}

/// Names over a center of wider scope, through a transport, and names shared with C. KKWatchAppNotificationCenter did
/// this by hand; its bugs are tests of their own.
@Suite struct NamesAcrossCentersTests {
    private let wire = Wire()
    private let log = Log<String>()
    private let changed: HeraldCenter.Name = "com.acme.cache-changed"

    @Test("A name posted on one end is heard on the others and on its own, without its payload")
    func R27_a_name_is_carried_to_all_ends_without_its_payload() {
        let here = wire.end()
        let there = wire.end()
        let tokens = ObservationBag()
        for (side, center) in [("here", here.center), ("there", there.center)] {
            center.observe(changed) { [log] notice in
                log.append("\(side) \(notice.name) \(notice.userInfo == nil) \(notice.subject == nil)")
            }.store(in: tokens)
        }
        here.center.post(changed, subject: here.end, userInfo: 7)
        #expect(log.take() == ["here \(changed) true true", "there \(changed) true true"])
        there.center.post("com.acme.other")
        #expect(log.take() == [])
        tokens.cancelAll()
    }

    @Test("One lower registration for a name, however many observe it, and one removal when the last has left")
    func R27_a_transport_is_told_of_first_and_last_observer_alone() {
        let (center, end) = wire.end()
        let targets = (0..<3).map { _ in Target(log) }
        for target in targets { center.observe(changed, by: target) { me, _ in me.log.append("target") } }
        let first = center.observe(changed) { [log] _ in log.append("block") }
        let second = center.observe(changed, subject: targets[0]) { _ in }
        #expect(end.log.values == ["+ \(changed)"])
        for target in targets { center.removeObserver(target, of: changed) }
        first.cancel()
        #expect(end.log.values == ["+ \(changed)"])
        second.cancel()
        #expect(end.log.values == ["+ \(changed)", "- \(changed)"])
        center.post(changed)
        #expect(log.count == 0)
    }

    @Test("Each name has a lower registration of its own, and so has any name")
    func R27_a_transport_is_told_of_each_name() {
        let (center, end) = wire.end()
        let first = center.observe("one") { _ in }
        let second = center.observe("two") { _ in }
        let all = center.observeAll { _ in }
        first.cancel()
        all.cancel()
        second.cancel()
        #expect(end.log.values == ["+ one", "+ two", "+ *", "- one", "- *", "- two"])
    }

    @Test("Bug: after the last observer has left, a name is never registered below again. It is, every time")
    func R27_a_transport_is_told_again_of_a_name_that_comes_back() {
        let (center, end) = wire.end()
        for turn in 0..<5 {
            let token = center.observe(changed) { [log] _ in log.append("\(turn)") }
            #expect(end.log.take() == ["+ \(changed)"])
            center.post(changed)
            token.cancel()
            #expect(end.log.take() == ["- \(changed)"])
            let target = Target(log)
            center.observe(changed, by: target) { me, _ in me.log.append("target \(turn)") }
            #expect(end.log.take() == ["+ \(changed)"])
            center.post(changed)
            center.removeObserver(target)
            #expect(end.log.take() == ["- \(changed)"])
        }
        #expect(log.values == (0..<5).flatMap { ["\($0)", "target \($0)"] })
    }

    @Test("Bug: targets are held strongly. They are not, and the name of a dead one is given up by the next post")
    func R27_a_transport_is_told_when_the_last_owner_has_died() {
        let (center, end) = wire.end()
        var target: Target? = Target(log)
        weak let weakly = target
        center.observe(changed, by: target!) { me, _ in me.log.append("target") }
        center.post(changed)
        target = nil
        #expect(weakly == nil)
        center.post(changed)
        #expect(log.values == ["target"])
        #expect(end.log.values == ["+ \(changed)", "- \(changed)"])
    }

    @Test("Observing again with the same owner does not give the name up in between")
    func R27_a_transport_is_not_told_of_a_replacement() {
        let (center, end) = wire.end()
        let target = Target(log)
        for turn in 0..<3 { center.observe(changed, by: target) { me, _ in me.log.append("\(turn)") } }
        center.post(changed)
        #expect(log.values == ["2"])
        #expect(end.log.values == ["+ \(changed)"])
        keepAlive(target)
    }

    @Test("A sequence of a name is an observer like the others")
    func R27_a_transport_is_told_of_a_sequence() async {
        let (center, end) = wire.end()
        do {
            let messages = center.messages(named: changed)
            #expect(end.log.take() == ["+ \(changed)"])
            center.post(changed)
            let iterator = messages.makeAsyncIterator()
            #expect(await iterator.next()?.name == changed)
        }
        #expect(end.log.take() == ["- \(changed)"])
    }

    @Test("What comes from outside reaches observers of the name, of any name, and no typed one")
    func R27_carried_posts_reach_observers_of_their_name_and_of_any() {
        let (center, end) = wire.end()
        let target = Target(log)
        let tokens = ObservationBag()
        center.observe(changed) { [log] notice in
            let payload = notice.rawUserInfo.map { $0.load(as: Int.self) }
            log.append("name \(payload ?? -1) \(notice.userInfo == nil)")
        }.store(in: tokens)
        center.observeAll { [log] in log.append("all \($0.name)") }.store(in: tokens)
        center.observe(Saved.self) { [log] in log.append($0.path) }.store(in: tokens)
        center.addObserver(target, as: CacheObserver.self)
        var payload = 7
        #expect(HeraldCenterDeliver(center.native, changed.native, nil, &payload, nil, 0) == 2)
        #expect(log.take() == ["name 7 true", "all \(changed)"])
        #expect(HeraldCenterDeliver(center.native, changed.native, nil, nil, nil, 0) == 2)
        #expect(log.take() == ["name -1 true", "all \(changed)"])
        tokens.cancelAll()
        #expect(HeraldCenterDeliver(center.native, changed.native, nil, nil, nil, 0) == 0)
        #expect(Set(end.log.values.filter { $0.hasPrefix("-") }) == ["- \(changed)", "- *", "- a type"])
        keepAlive(target)
    }

    @Test("While the center is suspended what comes from outside waits as its observers chose")
    func R16_carried_posts_wait_as_their_observers_chose() {
        let (center, _) = wire.end()
        let tokens = ObservationBag()
        for (name, behavior) in [
            ("drop", .drop), ("coalesce", .coalesce), ("hold", .hold),
        ] as [(String, HeraldCenter.SuspensionBehavior)] {
            center.observe(changed, whileSuspended: behavior) { [log] _ in log.append(name) }.store(in: tokens)
        }
        center.isSuspended = true
        for _ in 0..<2 { center.post(changed) }
        #expect(log.take() == [])
        center.isSuspended = false
        #expect(log.take().sorted() == ["coalesce", "hold", "hold"])
        tokens.cancelAll()
    }

    @Test("The center gives up its names and closes the transport when its last handle and token have gone")
    func R27_a_transport_is_closed_after_its_last_name_is_given_up() {
        let endLog = Log<String>()
        weak var weakly: End?
        do {
            let (center, end) = wire.end(endLog)
            weakly = end
            center.observe(changed) { _ in }.keep()
            let token = center.observe("other") { _ in }
            wire.ends.put([])
            keepAlive(center)
            token.cancel()
            #expect(weakly != nil)
        }
        #expect(endLog.values == ["+ \(changed)", "+ other", "- other", "- \(changed)", "closed"])
        #expect(weakly == nil)
    }

    @Test("Observers come and go on several threads: no lower registration is doubled, and none is left")
    func R27_a_transport_is_told_in_turn_by_many_threads() {
        let (center, end) = wire.end()
        let returned = onThreads(4) { [changed] _ in
            for _ in 0..<200 {
                let token = center.observe(changed) { _ in }
                center.post(changed)
                token.cancel()
            }
        }
        #expect(returned)
        let entries = end.log.values
        #expect(entries.count % 2 == 0)
        for (index, entry) in entries.enumerated() where entry != "\(index % 2 == 0 ? "+" : "-") \(changed)" {
            Issue.record("entry \(index) is \(entry)")
        }
    }

    @Test("Names without types are shared with C on the local center, both ways")
    func sharedWithC() {
        let name: HeraldCenter.Name = "NamesAcrossCentersTests.sharedWithC"
        let local = HeraldCenter.local
        let token = local.observe(name) { [log] notice in
            let number = notice.userInfo as? Int ?? notice.rawUserInfo.map { $0.load(as: Int.self) }
            log.append("Swift \(number ?? -1)")
        }
        let observer = Unmanaged.passRetained(log)
        let native = HeraldCenterGetLocalCenter()
        let status = HeraldCenterAddObserver(
            native, observer.toOpaque(),
            { _, observer, name, _, userInfo in
                let log = Unmanaged<Log<String>>.fromOpaque(observer!).takeUnretainedValue()
                // A Swift payload is tagged as such, so C can tell it from its own.
                let number = HeraldGetCurrentTag() == nil ? userInfo!.load(as: Int.self) : -1
                log.append("C \(number) \(text(name))")
            },
            HeraldNameCreate("NamesAcrossCentersTests.sharedWithC"), nil, HeraldSuspensionDeliverImmediately)
        #expect(status == HeraldOK)
        var payload = 7
        #expect(HeraldCenterPostNotification(native, name.native, nil, &payload, true) == 2)
        #expect(log.take() == ["Swift 7", "C 7 \(name)"])
        local.post(name, userInfo: 8)
        #expect(log.take() == ["Swift 8", "C -1 \(name)"])
        HeraldCenterRemoveEveryObserverAndWait(native, observer.toOpaque())
        observer.release()
        token.cancel()
        #expect(HeraldCenterPostNotification(native, name.native, nil, nil, true) == 0)
    }

    @Test("A handle on a center that came from C is the same center")
    func retaining() {
        let native = HeraldCenterCreate(nil)!
        let center = HeraldCenter(retaining: native)
        HeraldCenterRelease(native)
        #expect(center == HeraldCenter(retaining: native))
        #expect(HeraldCenter(retaining: HeraldCenterGetLocalCenter()) == .local)
        let token = HeraldCenter(retaining: native).observe(changed) { [log] _ in log.append("heard") }
        center.post(changed)
        #expect(log.values == ["heard"])
        token.cancel()
    }

    @Test("Copies of a handle know each other's owners")
    func ownersAcrossCopies() {
        let center = wire.end().center
        let copy = center
        let target = Target(log)
        center.observe(changed, by: target) { me, _ in me.log.append("first") }
        copy.observe(changed, by: target) { me, _ in me.log.append("second") }
        center.post(changed)
        #expect(log.take() == ["second"])
        copy.removeObserver(target)
        center.post(changed)
        #expect(log.take() == [])
        keepAlive(target)
    }
}
