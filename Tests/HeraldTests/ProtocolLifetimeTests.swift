import Herald
import Testing

/// Removes itself, as the old programs did.
private final class Leaver: UserObserver {
    let center: HeraldCenter

    init(_ center: HeraldCenter) { self.center = center }

    func userNameChanged(old: String, new: String) {}

    deinit {
        center.removeObserver(self, as: UserObserver.self)
        center.removeObserver(self)
    }
}

/// How long an observer of a protocol is called. XMCNotificationCenter's worst bug was to call dead observers.
@Suite struct ProtocolLifetimeTests {
    let center = HeraldCenter()
    private let log = Log<String>()

    @Test("Observers are held weakly")
    func weakly() {
        var screen: UserScreen? = UserScreen("s", log)
        weak let weakly = screen
        center.addObserver(screen!, as: UserObserver.self)
        center.addObserver(screen!, as: CartObserver.self)
        screen = nil
        #expect(weakly == nil)
    }

    @Test("An observer may remove itself in its deinit")
    func removalInDeinit() {
        for _ in 0..<100 {
            let leaver = Leaver(center)
            center.addObserver(leaver, as: UserObserver.self)
            center.rename("b")
        }
        center.rename("c")
    }

    @Test("Bug: dangling observers. The dead are not called, wherever they stood among the living")
    func deadAreNotCalled() {
        for dead in 0..<4 {
            let center = HeraldCenter()
            var screens: [UserScreen?] = (0..<4).map { UserScreen("\($0)", log) }
            for screen in screens { center.addObserver(screen!, as: UserObserver.self) }
            screens[dead] = nil
            center.rename("b")
            #expect(log.take() == (0..<4).filter { $0 != dead }.map { "\($0): a to b" })
            keepAlive(screens)
        }
    }

    @Test("Bug: dangling observers. One that dies in the middle of a call is not called")
    func R06_an_observer_that_dies_during_a_call_is_not_called() {
        let killer = UserScreen("killer", log)
        let victim = Box<UserScreen?>(UserScreen("victim", log))
        center.addObserver(killer, as: UserObserver.self)
        center.addObserver(victim.value!, as: UserObserver.self)
        killer.onCall.put { _ in victim.put(nil) }
        center.rename("b")
        #expect(log.values == ["killer: a to b"])
        keepAlive(killer)
    }

    @Test("Bug: dangling observers. One that gives up itself while it is called lives until it returns")
    func livesWhileItIsCalled() {
        let box = Box<UserScreen?>(UserScreen("s", log))
        weak let weakly = box.value
        box.value!.onCall.put { me in
            box.put(nil)
            me.log.append("alive: \(me.name)")
        }
        center.addObserver(box.value!, as: UserObserver.self)
        center.rename("b")
        #expect(log.values == ["s: a to b", "alive: s"])
        #expect(weakly == nil)
    }

    @Test("Bug: dangling observers. A newcomer at a dead one's address is called for what it was added, and once")
    func newcomerAtTheSameAddress() {
        var addresses = Set<ObjectIdentifier>()
        for turn in 0..<200 {
            let screen = UserScreen("\(turn)", log)
            addresses.insert(ObjectIdentifier(screen))
            if turn % 2 == 0 {
                center.addObserver(screen, as: UserObserver.self)
            } else {
                center.addObserver(screen, as: AdminObserver.self)
            }
            center.rename("b")
            #expect(log.take() == (turn % 2 == 0 ? ["\(turn): a to b"] : []))
            keepAlive(screen)
        }
        #expect(addresses.count < 200, "no address has been used twice: the test has shown nothing")
    }
}
