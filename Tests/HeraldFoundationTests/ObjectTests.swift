import Foundation
import HeraldFoundation
import Testing

/// Equal to every other of its kind.
private final class Twin: Hashable, Sendable {
    static func == (one: Twin, other: Twin) -> Bool { true }
    func hash(into hasher: inout Hasher) {}
}

private actor Worker {}

private struct Page: Hashable {
    var number: Int
}

private enum Side: Hashable {
    case left
    case right(Int)
}

/// Cannot be compared.
private struct Draft {
    var text: String
}

/// Equal by its number. The rest is something whose death is logged.
private struct Ticket: Hashable {
    let number: Int
    let canary: Canary

    static func == (one: Ticket, other: Ticket) -> Bool { one.number == other.number }
    func hash(into hasher: inout Hasher) { hasher.combine(number) }
}

/// The object of a notification: instances are compared by identity, values by equality, and nothing is kept alive.
@Suite struct ObjectTests {
    private let center = HeraldNotificationCenter()
    private let log = Log<String>()

    /// Whether an observer of one object hears a post about another.
    private func hears(_ observed: Any?, _ posted: Any?) -> Bool {
        let heard = Log<Int>()
        let added = center.hear("hears", about: observed) { _ in heard.add(1) }
        center.say("hears", about: posted)
        center.remove(added)
        return heard.count == 1
    }

    // MARK: Instances

    @Test("An instance is matched by its identity, even if it equals another")
    func identity() {
        let (one, other) = (Twin(), Twin())
        #expect(hears(one, one))
        #expect(!hears(one, other))
        let (text, sameText) = (NSString(string: "a long text"), NSString(string: "a long text"))
        #expect(hears(text, text))
        #expect(!hears(text, sameText))
    }

    @Test("An instance may be of any class, and is the same instance as whatever it is passed")
    func anyClass() {
        let (worker, object, page) = (Worker(), NSObject(), Canary())
        #expect(hears(worker, worker))
        #expect(hears(object, object as any NSObjectProtocol))
        #expect(hears(page as AnyObject, page))
        #expect(hears(page as any Sendable, page as Any))
        #expect(!hears(worker, page))
        #expect(!hears(page, object))
    }

    @Test("A post about an object reaches observers of any object; a post about none reaches only them")
    func anyObject() {
        let object = Canary()
        #expect(hears(nil, object))
        #expect(hears(nil, 7))
        #expect(hears(nil, nil))
        #expect(!hears(object, nil))
        #expect(!hears(7, nil))
    }

    @Test("An observer does not keep its object alive")
    func notKept() {
        let deaths = Log<Int>()
        func add() { center.hear("a", about: Canary(deaths), write: "heard", to: log) }
        add()
        #expect(deaths.count == 1)
        center.say("a")
        #expect(log.all == [])
    }

    @Test("A dead object's observer takes no later instance for it")
    func dead() {
        for _ in 0..<100 {
            center.hear("a", about: Canary(), write: "heard", to: log)
            center.hear(nil, about: Canary(), write: "heard", to: log)
        }
        // Some of these would get the addresses of the dead.
        let others = (0..<1000).map { _ in Canary() }
        for other in others { center.say("a", about: other) }
        for _ in 0..<1000 { center.say("a", about: Canary()) }
        #expect(log.all == [])
    }

    @Test("The observer of an object that is gone can be removed, and releases what it has captured")
    func deadAndRemoved() async {
        let deaths = Log<Int>()
        func addAndRemove() {
            let added = center.hear("a", about: NSObject()) { [canary = Canary(deaths)] _ in
                withExtendedLifetime(canary) {}
            }
            center.remove(added)
        }
        addAndRemove()
        await expectSoon("it is released") { deaths.count == 1 }
    }

    @Test("An object that is posted lives until the post returns, and not for longer")
    func postedObject() {
        let deaths = Log<Int>()
        center.hear("a") { [log] in log.add("\($0.object is Canary), \(deaths.count)") }
        center.say("a", about: Canary(deaths))
        #expect(log.all == ["true, 0"])
        #expect(deaths.count == 1)
    }

    // MARK: Values

    @Test("Values are matched by equality")
    func values() {
        let text = "sa"
        #expect(hears("saved", text + "ved"))
        #expect(hears(7, 3 + 4))
        #expect(hears(Page(number: 1), Page(number: 1)))
        #expect(hears(Side.right(1), Side.right(1)))
        #expect(hears([1, 2], [1] + [2]))
        #expect(hears(["a": 1], ["a": 1]))
        #expect(hears(URL(filePath: "/a"), URL(filePath: "/a")))
        #expect(hears("caf\u{E9}", "cafe\u{301}"))
        #expect(hears(0.0, -0.0))
    }

    @Test("Values that are not equal, or of types that have nothing in common, do not match")
    func differentValues() {
        #expect(!hears("saved", "Saved"))
        #expect(!hears(7, 8))
        #expect(!hears(7, "7"))
        #expect(!hears(Page(number: 1), Page(number: 2)))
        #expect(!hears(Page(number: 1), 1))
        #expect(!hears(Side.left, Side.right(1)))
        #expect(!hears([1, 2], [2, 1]))
        #expect(!hears("saved", Canary()))
        #expect(!hears(Canary(), "saved"))
    }

    @Test("A value that does not equal itself matches nothing")
    func notANumber() {
        #expect(!hears(Double.nan, Double.nan))
        #expect(!hears(Float.nan, Float.nan))
        #expect(!hears(Double.nan, 1.0))
        #expect(!hears(1.0, Double.nan))
        #expect(hears(nil, Double.nan))
    }

    @Test("A value that cannot be compared matches nothing, and arrives all the same")
    func notHashable() {
        #expect(!hears(Draft(text: "a"), Draft(text: "a")))
        #expect(!hears((1, 2), (1, 2)))
        center.hear("a") { [log] in log.add(($0.object as? Draft)?.text ?? "no draft") }
        center.say("a", about: Draft(text: "a"))
        #expect(log.all == ["a"])
    }

    @Test("A value in an optional is that value, and nil in a value is no object")
    func optionals() {
        let some: String? = "saved"
        let none: String? = nil
        #expect(hears(some as Any, "saved"))
        #expect(hears("saved", some as Any))
        #expect(hears(none as Any, "saved"))
        #expect(hears(none as Any, nil))
        #expect(!hears("saved", none as Any))
        let canary: Canary? = Canary()
        #expect(hears(canary as Any, canary))
        #expect(!hears(canary as Any, Canary()))
    }

    @Test("A notification has the object that was posted, even if an equal one is observed")
    func objectOfTheNotification() {
        let posted = Ticket(number: 1, canary: Canary())
        center.hear("a", about: Ticket(number: 1, canary: Canary())) { [log] in
            log.add("\(($0.object as? Ticket)?.canary === posted.canary)")
        }
        center.say("a", about: posted)
        #expect(log.all == ["true"])
    }

    @Test("Equal values of several observers are one object, for as long as one of them observes")
    func equalValues() {
        let first = center.hear("a", about: "x" + "yz", write: "first", to: log)
        let second = center.hear("a", about: "xy" + "z", write: "second", to: log)
        center.say("a", about: "xyz")
        #expect(log.take() == ["first", "second"])
        center.remove(first)
        center.say("a", about: "xyz")
        #expect(log.take() == ["second"])
        center.remove(second)
        center.say("a", about: "xyz")
        #expect(log.take() == [])
        center.hear("a", about: "xyz", write: "third", to: log)
        center.say("a", about: "xyz")
        #expect(log.take() == ["third"])
    }

    @Test("A removal with an equal value matches")
    func removedByValue() {
        let added = center.hear("a", about: Page(number: 1), write: "heard", to: log)
        center.removeObserver(added.observer, name: nil, object: Page(number: 2))
        center.say("a", about: Page(number: 1))
        #expect(log.take() == ["heard"])
        center.removeObserver(added.observer, name: nil, object: Page(number: 1))
        center.say("a", about: Page(number: 1))
        #expect(log.take() == [])
    }

    @Test("A value is released with its last observer")
    func valuesAreReleased() async {
        let deaths = Log<Int>()
        func observe() {
            let tokens = (0..<2).map { _ in
                center.hear("a", about: Ticket(number: 10, canary: Canary(deaths)), write: "heard", to: log)
            }
            center.say("a", about: Ticket(number: 10, canary: Canary()))
            for token in tokens { center.remove(token) }
        }
        observe()
        await expectSoon("both are released") { deaths.count == 2 }
        #expect(log.count == 2)
    }

    @Test("Any thread may add, post and remove values that are equal")
    func manyThreads() async {
        await together(4) { [center, log] thread in
            for number in 0..<250 {
                let own = Log<Int>()
                let page = Page(number: number % 5)
                let added = center.hear("thread \(thread)", about: page) { _ in own.add(number) }
                center.say("thread \(thread)", about: page)
                center.say("thread \(thread)", about: Page(number: -1))
                center.remove(added)
                center.say("thread \(thread)", about: page)
                if own.all != [number] { log.add("thread \(thread) has heard \(own.all), not \(number)") }
            }
        }
        #expect(log.all == [])
    }
}
