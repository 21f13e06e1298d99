import CHeraldRuntime
import Foundation
import Herald
import Synchronization
import Testing

private struct Ping: HeraldCenter.Message, Sendable {}

private protocol Listening: AnyObject, Sendable { func hear() }

private final class Owner: Listening {
    private let onCall: @Sendable (Owner) -> Void
    private let atDeath: @Sendable () -> Void

    init(onCall: @escaping @Sendable (Owner) -> Void, atDeath: @escaping @Sendable () -> Void) {
        self.onCall = onCall
        self.atDeath = atDeath
    }

    func hear() { onCall(self) }

    deinit { atDeath() }
}

private final class Tally: Sendable {
    let calls = Atomic(0), gone = Atomic(0), late = Atomic(0)
}

/// A weak reference. With the first one to an instance, the instance's counts move.
private final class Loose: @unchecked Sendable {
    weak var owner: Owner?
}

/// An owner is retained while it is called, and released after. Herald does both where the counts are (`strong.h`), so
/// these tests do what is done with an instance besides, before and while it is called.
@Suite(.timeLimit(.minutes(10))) struct OwnerCountsTests {
    let center = HeraldCenter()
    private let log = Log<String>()

    enum Form: CaseIterable { case message, name, call }

    /// When the owner is first referred to weakly.
    enum Weakly: CaseIterable { case never, before, inCall }

    private func observe(_ form: Form, _ owner: Owner) {
        switch form {
        case .message: center.observe(Ping.self, by: owner) { owner, _ in owner.hear() }
        case .name: center.observe("ping", by: owner) { owner, _ in owner.hear() }
        case .call: center.addObserver(owner, as: (any Listening).self)
        }
    }

    private static func post(_ form: Form, _ center: HeraldCenter) {
        switch form {
        case .message: center.post(Ping())
        case .name: center.post("ping")
        case .call: center.notify((any Listening).self) { $0.hear() }
        }
    }

    /// If this fails with a new toolchain, `strong.h` does not know its runtime: owners that others reference weakly are
    /// called more slowly, and all else works.
    @Test("The runtime counts references as strong.h says")
    func knowsCounts() {
        _ = HeraldCenter()
        #if arch(x86_64)
        let isSanitized = dlsym(UnsafeMutableRawPointer(bitPattern: 0), "__tsan_init") != nil
        #expect(herald_swift_knows_counts() != isSanitized)
        #else
        #expect(!herald_swift_knows_counts())
        #endif
    }

    @Test(
        "An owner that gives itself up in a call lives until the call returns", arguments: Form.allCases,
        Weakly.allCases)
    func R06_an_owner_that_is_dropped_in_its_call_lives_until_it_returns(form: Form, weakly: Weakly) {
        let held = Box<Owner?>(nil)
        let loose = Loose()
        let tally = Tally()
        held.put(
            Owner { [log] me in
                if weakly == .inCall { loose.owner = me }
                guard tally.calls.add(1, ordering: .relaxed).newValue == 4 else { return }
                held.put(nil)
                log.append("given up")
            } atDeath: { [log] in
                log.append("gone")
            })
        if weakly == .before { loose.owner = held.value }
        observe(form, held.value!)
        let bag = ObservationBag()
        switch form {
        case .name: center.observe("ping") { [log] _ in log.append("next") }.store(in: bag)
        default: center.observe(Ping.self) { [log] _ in log.append("next") }.store(in: bag)
        }
        for _ in 0..<3 { Self.post(form, center) }
        _ = log.take()
        Self.post(form, center)
        #expect(log.take() == ["given up", "gone"] + (form == .call ? [] : ["next"]))
        #expect(loose.owner == nil)
        Self.post(form, center)
        #expect(tally.calls.load(ordering: .relaxed) == 4)
        keepAlive(bag)
    }

    @Test("An owner in its deinit is not called", arguments: Form.allCases, [Weakly.never, .before])
    func R06_an_owner_that_is_gone_is_not_called_from_its_deinit(form: Form, weakly: Weakly) {
        let loose = Loose()
        var owner: Owner? = Owner { [log] _ in
            log.append("called")
        } atDeath: { [log, center] in
            log.append("in deinit")
            Self.post(form, center)
        }
        if weakly == .before { loose.owner = owner }
        observe(form, owner!)
        Self.post(form, center)
        owner = nil
        #expect(log.take() == ["called", "in deinit"])
    }

    @Test("An owner that is retained, referred to weakly and given up during posts dies once, after its calls")
    func R06_an_owner_that_is_dropped_during_posts_dies_once() {
        let ended = Flag()
        let tally = Tally(), rounds = 1000
        let current = Box<Owner?>(nil)
        let posters = (0..<2).map { number in
            thread { [center] in
                while !ended.isSet { Self.post(number == 0 ? .message : .call, center) }
            }
        }
        let retainers = (0..<2).map { number in
            thread {
                let loose = Loose()
                while !ended.isSet {
                    let copies = [current.value, current.value]
                    if number == 0 { loose.owner = copies[0] }
                    if let again = loose.owner { keepAlive(again) }
                }
            }
        }
        for _ in 0..<rounds {
            let life = Flag()
            let owner = Owner { _ in
                tally.calls.add(1, ordering: .relaxed)
                if life.isSet { tally.late.add(1, ordering: .relaxed) }
            } atDeath: {
                life.set()
                tally.gone.add(1, ordering: .relaxed)
            }
            observe(.message, owner)
            observe(.call, owner)
            let before = tally.calls.load(ordering: .relaxed)
            current.put(owner)
            #expect(eventually { tally.calls.load(ordering: .relaxed) > before })
        }
        current.put(nil)
        #expect(eventually { tally.gone.load(ordering: .relaxed) == rounds })
        ended.set()
        for one in posters + retainers { #expect(one.wait()) }
        #expect(tally.gone.load(ordering: .relaxed) == rounds)
        #expect(tally.late.load(ordering: .relaxed) == 0)
    }
}
