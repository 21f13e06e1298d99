import Herald
import Testing

private struct Saved: HeraldCenter.Message {}

private class Base: UserObserver, @unchecked Sendable {
    let log: Log<String>

    init(_ log: Log<String>) { self.log = log }

    func userNameChanged(old: String, new: String) { log.append("base") }
}

private final class Derived: Base, @unchecked Sendable {
    override func userNameChanged(old: String, new: String) { log.append("derived") }
}

private actor Keeper: UserObserver {
    let log: Log<String>

    init(_ log: Log<String>) { self.log = log }

    nonisolated func userNameChanged(old: String, new: String) { log.append("actor: \(new)") }
}

private struct Value: UserObserver {
    func userNameChanged(old: String, new: String) {}
}

/// Observers of a protocol: which are called, in which order, and how they are added and removed. XMCNotificationCenter
/// offered this; its bugs are tests of their own.
@Suite struct ProtocolObserverTests {
    let center = HeraldCenter()
    private let log = Log<String>()

    @Test("Each observer's method is called, in the order in which they were added")
    func R02_observers_of_a_protocol_are_called_in_the_order_added() {
        let screens = (0..<3).map { UserScreen("\($0)", log) }
        for screen in screens { center.addObserver(screen, as: UserObserver.self) }
        center.rename("b")
        #expect(log.values == ["0: a to b", "1: a to b", "2: a to b"])
        keepAlive(screens)
    }

    @Test("Who is added twice is called once, in the place of the first time")
    func twiceIsOnce() {
        let first = UserScreen("1", log)
        let second = UserScreen("2", log)
        for screen in [first, second, first, second, first] { center.addObserver(screen, as: UserObserver.self) }
        center.rename("b")
        #expect(log.values == ["1: a to b", "2: a to b"])
        keepAlive(first, second)
    }

    @Test("Who is removed and added again is called in the new place")
    func R02_an_observer_added_again_is_called_in_its_new_place() {
        let first = UserScreen("1", log)
        let second = UserScreen("2", log)
        for screen in [first, second] { center.addObserver(screen, as: UserObserver.self) }
        center.removeObserver(first, as: UserObserver.self)
        center.addObserver(first, as: UserObserver.self)
        center.rename("b")
        #expect(log.values == ["2: a to b", "1: a to b"])
        keepAlive(first, second)
    }

    @Test("An optional method is a default implementation")
    func optionalMethods() {
        let screen = UserScreen("s", log)
        let session = UserSession(log)
        center.addObserver(screen, as: UserObserver.self)
        center.addObserver(session, as: UserObserver.self)
        center.notify(UserObserver.self) { $0.userLoggedOut() }
        #expect(log.values == ["logged out"])
        keepAlive(screen, session)
    }

    @Test("One observer may observe several protocols, and hears each for itself")
    func R01_an_observer_hears_each_of_its_protocols() {
        let screen = UserScreen("s", log)
        center.addObserver(screen, as: UserObserver.self)
        center.addObserver(screen, as: CartObserver.self)
        center.notify(CartObserver.self) { $0.cartChanged(count: 3) }
        #expect(log.take() == ["s: 3"])
        center.rename("b")
        #expect(log.take() == ["s: a to b"])
        keepAlive(screen)
    }

    @Test("A protocol that refines another is a protocol of its own")
    func R01_a_refined_protocol_is_called_for_itself() {
        let screen = UserScreen("s", log)
        center.addObserver(screen, as: AdminObserver.self)
        center.rename("b")
        #expect(log.count == 0)
        center.notify(AdminObserver.self) { $0.userNameChanged(old: "a", new: "b") }
        #expect(log.count == 1)
        keepAlive(screen)
    }

    @Test("Removal for one protocol leaves the other")
    func R08_a_removal_for_one_protocol_leaves_the_other() {
        let screen = UserScreen("s", log)
        center.addObserver(screen, as: UserObserver.self)
        center.addObserver(screen, as: CartObserver.self)
        center.removeObserver(screen, as: UserObserver.self)
        center.rename("b")
        center.notify(CartObserver.self) { $0.cartChanged(count: 1) }
        #expect(log.values == ["s: 1"])
        keepAlive(screen)
    }

    @Test("removeObserver(self) ends everything of this observer, messages and names included, and nothing of others")
    func R08_a_removal_of_everything_matches_its_observer_alone() {
        let screen = UserScreen("s", log)
        let other = UserScreen("o", log)
        for observer in [screen, other] {
            center.addObserver(observer, as: UserObserver.self)
            center.addObserver(observer, as: CartObserver.self)
            center.observe(Saved.self, by: observer) { me, _ in me.log.append("\(me.name): saved") }
            center.observe("raw", by: observer) { me, _ in me.log.append("\(me.name): raw") }
        }
        center.removeObserver(screen)
        center.rename("b")
        center.notify(CartObserver.self) { $0.cartChanged(count: 1) }
        center.post(Saved())
        center.post("raw")
        #expect(log.values == ["o: a to b", "o: 1", "o: saved", "o: raw"])
        keepAlive(screen, other)
    }

    @Test("Several centers know nothing of each other's observers")
    func R01_a_post_calls_observers_of_its_own_center() {
        let other = HeraldCenter()
        let here = UserScreen("here", log)
        let both = UserScreen("both", log)
        center.addObserver(here, as: UserObserver.self)
        center.addObserver(both, as: UserObserver.self)
        other.addObserver(both, as: UserObserver.self)
        other.rename("b")
        #expect(log.take() == ["both: a to b"])
        other.removeObserver(both)
        other.rename("b")
        #expect(log.take() == [])
        center.rename("c")
        #expect(log.take() == ["here: a to c", "both: a to c"])
        keepAlive(here, both)
    }

    @Test("Subclasses, overridden methods and actors observe as any class does")
    func kindsOfClasses() {
        let derived = Derived(log)
        let keeper = Keeper(log)
        center.addObserver(derived as Base, as: UserObserver.self)
        center.addObserver(keeper, as: UserObserver.self)
        center.rename("b")
        #expect(log.values == ["derived", "actor: b"])
        keepAlive(derived, keeper)
    }

    @Test("A class can stand for itself: no protocol is needed")
    func classAsProtocol() {
        let derived = Derived(log)
        center.addObserver(derived, as: Base.self)
        center.notify(Base.self) { $0.userNameChanged(old: "", new: "") }
        #expect(log.values == ["derived"])
        keepAlive(derived)
    }

    // ---- Bugs of the original

    @Test("Bug: the last element is found. Each of n observers, the last one too, can be removed, and is added once")
    func R08_a_removal_finds_the_last_observer_too() {
        for count in 1...5 {
            for removed in 0..<count {
                let center = HeraldCenter()
                let screens = (0..<count).map { UserScreen("\($0)", log) }
                for screen in screens { center.addObserver(screen, as: UserObserver.self) }
                center.addObserver(screens[removed], as: UserObserver.self)
                center.removeObserver(screens[removed], as: UserObserver.self)
                center.rename("b")
                #expect(log.take() == (0..<count).filter { $0 != removed }.map { "\($0): a to b" })
                keepAlive(screens)
            }
        }
    }

    @Test("Bug: remove-all deadlocks. It works inside a call, and who has not been called yet is not called any more")
    func R06_observers_removed_inside_a_call_are_not_called() {
        let screens = (0..<4).map { UserScreen("\($0)", log) }
        for screen in screens { center.addObserver(screen, as: UserObserver.self) }
        screens[1].onCall.put { [center] _ in for screen in screens { center.removeObserver(screen) } }
        center.rename("b")
        #expect(log.take() == ["0: a to b", "1: a to b"])
        center.rename("c")
        #expect(log.take() == [])
        screens[1].onCall.put(nil)
    }

    @Test("Bug: remove-all deadlocks. It works on several threads at once, with calls under way that remove too")
    func R07_callbacks_may_remove_beside_removals_of_other_threads() {
        let screens = (0..<8).map { UserScreen("\($0)", Log()) }
        let returned = onThreads(4) { [center] thread in
            for turn in 0..<300 {
                for screen in screens { center.addObserver(screen, as: UserObserver.self) }
                screens[turn % 8].onCall.put { center.removeObserver($0) }
                center.rename("b")
                for screen in screens { center.removeObserver(screen) }
            }
        }
        #expect(returned)
        for screen in screens {
            center.removeObserver(screen)
            screen.onCall.put(nil)
            _ = screen.log.take()
        }
        center.rename("c")
        #expect(screens.allSatisfy { $0.log.count == 0 })
    }

    @Test("Bug: posts race with adds. Everybody who was added before a post is called by it")
    func R01_a_post_calls_everybody_added_before_it() {
        let kept = UserScreen("kept", Log())
        center.addObserver(kept, as: UserObserver.self)
        let returned = onThreads(4) { [center] thread in
            for _ in 0..<300 {
                if thread < 2 {
                    center.rename("b")
                } else {
                    let screen = UserScreen("new", Log())
                    center.addObserver(screen, as: UserObserver.self)
                    center.rename("c")
                    if !screen.log.values.contains("new: a to c") { kept.log.append("missed") }
                }
            }
        }
        #expect(returned)
        #expect(kept.log.values.filter { $0 == "kept: a to b" }.count == 600)
        #expect(kept.log.values.filter { $0 == "kept: a to c" }.count == 600)
        #expect(kept.log.count == 1200)
    }

    @Test("Bug: non-conforming observers are accepted. What is not an instance of a class is refused")
    func valuesAreRefused() async {
        await #expect(processExitsWith: .failure) {
            HeraldCenter().addObserver(Value(), as: UserObserver.self)
        }
        await #expect(processExitsWith: .success) {
            HeraldCenter().addObserver(UserSession(Log()), as: UserObserver.self)
        }
    }

    @Test("A call may notify, add and remove: who is added in a call hears the next one")
    func R07_a_call_may_notify_and_add() {
        let first = UserScreen("1", log)
        let late = UserScreen("late", log)
        first.onCall.put { [center] me in
            me.onCall.put(nil)
            center.addObserver(late, as: UserObserver.self)
            center.rename("c")
        }
        center.addObserver(first, as: UserObserver.self)
        center.rename("b")
        #expect(log.values == ["1: a to b", "1: a to c", "late: a to c"])
        keepAlive(first, late)
    }
}
