import Foundation
import Herald
import HeraldFoundation
import Testing

/// The line by which a program moves from Foundation.
private typealias NotificationCenter = HeraldNotificationCenter

/// Hears its own posts, too.
private final class Overheard: HeraldNotificationCenter, @unchecked Sendable {
    let log = Log<String>()

    override func post(_ notification: Notification) {
        log.add("before \(notification.name.rawValue)")
        super.post(notification)
        log.add("after \(notification.name.rawValue)")
    }
}

/// Posts of notifications: whom they reach, in which order, how observers are added and removed, and which calls are
/// allowed in an observer. These are Foundation's own tests and more, in our words.
@Suite struct NotificationTests {
    private let center = NotificationCenter()
    private let log = Log<String>()

    // MARK: Posts

    @Test("A program that says NotificationCenter means this one, and nothing else in it changes")
    func alias() {
        let saved = Notification.Name("saved")
        let token = center.addObserver(forName: saved, object: nil, queue: nil) { [log] notification in
            log.add("\(notification.name == saved)")
        }
        center.post(name: saved, object: nil)
        center.post(Notification(name: saved))
        center.removeObserver(token)
        center.post(name: saved, object: nil)
        #expect(log.all == ["true", "true"])
        #expect(NotificationCenter.self == HeraldNotificationCenter.self)
    }

    @Test("A notification arrives as it was posted: its name, its object and its userInfo")
    func contents() {
        let object = Canary()
        center.hear("saved") { [log] in
            let path = $0.userInfo?["path"] as? String ?? "no path"
            let seven = $0.userInfo?[7] as? String ?? "no seven"
            log.add("\($0.name.rawValue), \(($0.object as AnyObject) === object), \(path), \(seven)")
        }
        center.say("saved", about: object, ["path": "a", 7: "seven"])
        center.post(Notification(name: Notification.Name("saved"), object: object, userInfo: [7: "b"]))
        #expect(log.all == ["saved, true, a, seven", "saved, true, no path, b"])
    }

    @Test("A notification without an object or userInfo arrives without them")
    func nothing() {
        center.hear("saved") { [log] in log.add("\($0.object == nil), \($0.userInfo == nil)") }
        center.say("saved")
        #expect(log.all == ["true, true"])
    }

    @Test("A post reaches every observer of its name once, and no other observer")
    func names() {
        for word in ["one", "two"] { center.hear("a", write: word, to: log) }
        center.hear("b", write: "three", to: log)
        center.say("a")
        #expect(log.take() == ["one", "two"])
        center.say("b")
        #expect(log.take() == ["three"])
        center.say("c")
        #expect(log.take() == [])
    }

    @Test(
        "A name and an object of an observer filter its posts; nil is any",
        arguments: [
            ("a", "A", ["a A", "a", "A", "all"]),
            ("a", "B", ["a", "all"]),
            ("a", nil, ["a", "all"]),
            ("b", "A", ["A", "all", "b"]),
            ("b", nil, ["all", "b"]),
            ("c", "A", ["A", "all"]),
            ("c", nil, ["all"]),
        ] as [(String, String?, [String])])
    func filters(_ name: String, _ object: String?, _ heard: [String]) {
        let objects = ["A": Canary(), "B": Canary()]
        center.hear("a", about: objects["A"], write: "a A", to: log)
        center.hear("a", write: "a", to: log)
        center.hear(nil, about: objects["A"], write: "A", to: log)
        center.hear(nil, write: "all", to: log)
        center.hear("b", write: "b", to: log)
        center.say(name, about: object.flatMap { objects[$0] })
        #expect(log.all == heard)
        withExtendedLifetime(objects) {}
    }

    @Test("Observers are called in the order in which they were added, whatever they filter")
    func order() {
        let object = Canary()
        var expected: [String] = []
        for number in 0..<40 {
            let word = "\(number)"
            switch number % 4 {
            case 0: center.hear(nil, write: word, to: log)
            case 1: center.hear("a", about: object, write: word, to: log)
            case 2: center.hear(nil, about: object, write: word, to: log)
            default: center.hear("a", write: word, to: log)
            }
            expected.append(word)
        }
        center.say("a", about: object)
        #expect(log.all == expected)
    }

    @Test("An observer that is added twice is called twice, and each of the two is removed by itself")
    func addedTwice() {
        let body: @Sendable (Notification) -> Void = { [log] _ in log.add("heard") }
        let first = center.hear("a", body)
        let second = center.hear("a", body)
        center.say("a")
        #expect(log.take() == ["heard", "heard"])
        center.remove(first)
        center.say("a")
        #expect(log.take() == ["heard"])
        center.remove(second)
        center.say("a")
        #expect(log.take() == [])
    }

    @Test("Two centers hear nothing of each other")
    func strangers() {
        let other = NotificationCenter()
        center.hear(nil, write: "here", to: log)
        other.hear(nil, write: "there", to: log)
        center.say("a")
        #expect(log.take() == ["here"])
        other.say("a")
        #expect(log.take() == ["there"])
    }

    // MARK: Removal

    @Test("A removed observer is not called, and the others are")
    func removed() {
        center.hear("a", write: "first", to: log)
        let second = center.hear("a", write: "second", to: log)
        center.hear("a", write: "third", to: log)
        center.remove(second)
        center.say("a")
        #expect(log.all == ["first", "third"])
    }

    @Test("Removing what is no observer of the center changes nothing: twice, from elsewhere, or any value")
    func removedForNothing() {
        let other = NotificationCenter()
        let gone = center.hear("a", write: "gone", to: log)
        center.hear("a", write: "here", to: log)
        let foreign = other.hear("a", write: "there", to: log)
        for _ in 0..<2 { center.remove(gone) }
        center.remove(foreign)
        center.removeObserver("a")
        center.removeObserver(7)
        center.removeObserver(NSObject())
        center.removeObserver(center)
        center.say("a")
        other.say("a")
        #expect(log.all == ["here", "there"])
    }

    @Test(
        "A removal with a name or an object matches only what was added with them",
        arguments: [
            ("a", "A", nil, nil, true), ("a", "A", "a", nil, true), ("a", "A", nil, "A", true),
            ("a", "A", "a", "A", true), ("a", "A", "b", nil, false), ("a", "A", nil, "B", false),
            ("a", "A", "b", "A", false), ("a", "A", "a", "B", false), (nil, nil, nil, nil, true),
            (nil, nil, "a", nil, false), (nil, nil, nil, "A", false), ("a", nil, "a", nil, true),
            ("a", nil, "a", "A", false), (nil, "A", "a", "A", false), (nil, "A", nil, "A", true),
        ] as [(String?, String?, String?, String?, Bool)])
    func removedByFilter(
        _ name: String?, _ object: String?, _ removedName: String?, _ removedObject: String?, _ isRemoved: Bool
    ) {
        let objects = ["A": Canary(), "B": Canary()]
        let added = center.hear(name, about: object.flatMap { objects[$0] }, write: "heard", to: log)
        center.removeObserver(
            added.observer, name: removedName.map { Notification.Name($0) },
            object: removedObject.flatMap { objects[$0] })
        center.say("a", about: objects["A"])
        #expect(log.all == (isRemoved ? [] : ["heard"]))
        withExtendedLifetime(objects) {}
    }

    @Test("The center keeps an observer whose token is thrown away")
    func thrownAway() {
        for _ in 0..<3 {
            _ = center.addObserver(forName: Notification.Name("a"), object: nil, queue: nil) { [log] _ in
                log.add("heard")
            }
        }
        center.say("a")
        #expect(log.count == 3)
    }

    @Test("What an observer has captured is released when it is removed and its token is gone")
    func capturesAreReleased() async {
        let deaths = Log<Int>()
        func addAndRemove() {
            let added = center.hear("a") { [canary = Canary(deaths)] _ in withExtendedLifetime(canary) {} }
            center.say("a")
            center.remove(added)
        }
        for _ in 0..<10 { addAndRemove() }
        await expectSoon("all are released") { deaths.count == 10 }
    }

    // MARK: In an observer

    @Test("An observer that an earlier one removes is not called by the running post")
    func removedInAPost() {
        let last = Log<Added>()
        center.hear("a") { [center, log] _ in
            log.add("first")
            for added in last.all { center.remove(added) }
        }
        last.add(center.hear("a", write: "last", to: log))
        for _ in 0..<2 { center.say("a") }
        #expect(log.all == ["first", "first"])
    }

    @Test("An observer that removes itself is called once")
    func removesItself() {
        let itself = Log<Added>()
        itself.add(
            center.hear("a") { [center, log] _ in
                log.add("once")
                for added in itself.take() { center.remove(added) }
            })
        for _ in 0..<3 { center.say("a") }
        #expect(log.all == ["once"])
    }

    @Test("An observer that is added in a post is called by the next post, and not by the running one")
    func addedInAPost() {
        center.hear("a") { [center, log] _ in
            log.add("first")
            if log.count == 1 { center.hear("a", write: "added", to: log) }
        }
        center.hear("a", write: "last", to: log)
        center.say("a")
        #expect(log.take() == ["first", "last"])
        center.say("a")
        #expect(log.take() == ["first", "last", "added"])
    }

    @Test("A post in an observer is over before the next observer of the outer post is called")
    func nested() {
        center.hear("outer") { [center, log] _ in
            log.add("outer begins")
            center.say("inner")
            log.add("outer ends")
        }
        center.hear("outer", write: "outer again", to: log)
        center.hear("inner", write: "inner", to: log)
        center.say("outer")
        #expect(log.all == ["outer begins", "inner", "outer ends", "outer again"])
    }

    @Test("An observer may post what it hears")
    func recursion() {
        center.hear("count") { [center, log] notification in
            let left = notification.userInfo?["left"] as? Int ?? 0
            log.add("\(left)")
            if left > 0 { center.say("count", ["left": left - 1]) }
        }
        center.say("count", ["left": 100])
        #expect(log.all == (0...100).reversed().map { "\($0)" })
    }

    @Test("A hundred observers that each remove the next one: every other one is called")
    func removingTheNext() {
        let added = Log<Added>()
        for number in 0..<100 {
            added.add(
                center.hear("a") { [center, log] _ in
                    log.add("\(number)")
                    if number < 99 { center.remove(added.all[number + 1]) }
                })
        }
        center.say("a")
        #expect(log.all == stride(from: 0, to: 100, by: 2).map { "\($0)" })
    }

    // MARK: Threads

    @Test("Observers are called on the posting thread, before the post returns")
    func onThePostingThread() async {
        let threads = Log<ObjectIdentifier>()
        center.hear("a") { _ in threads.add(ObjectIdentifier(Thread.current)) }
        await together(4) { [center, log] _ in
            center.say("a")
            if !threads.all.contains(ObjectIdentifier(Thread.current)) { log.add("not here, or not yet") }
        }
        #expect(threads.count == 4)
        #expect(log.all == [])
    }

    @Test("Any thread may add, post and remove: nothing is lost, and nothing comes after a removal")
    func manyThreads() async {
        let everything = Log<Int>()
        center.hear(nil) { _ in everything.add(1) }
        await together(4) { [center, log] thread in
            for number in 0..<250 {
                let own = Log<Int>()
                let added = center.hear("thread \(thread)") { _ in own.add(number) }
                center.say("thread \(thread)")
                center.remove(added)
                center.say("thread \(thread)")
                if own.all != [number] { log.add("thread \(thread) has heard \(own.all), not \(number)") }
            }
        }
        #expect(log.all == [])
        #expect(everything.count == 2000)
    }

    @Test("Removal does not wait for a running call: who removes may hold what the observer waits for")
    func removalDoesNotWait() async {
        let begun = Signal()
        let lock = Signal()
        let added = center.hear("a") { [log] _ in
            begun.send()
            log.add(lock.wait() ? "went on" : "gave up")
        }
        async let posted: Void = apart { [center] in center.say("a") }
        await apart { [center, log] in
            begun.wait()
            center.remove(added)
            log.add("removed")
            lock.send()
        }
        await posted
        center.say("a")
        #expect(log.all == ["removed", "went on"])
    }

    @Test("An observer that another thread removes during a post is not called by that post any more")
    func removedElsewhereInAPost() async {
        let begun = Signal()
        let proceed = Signal()
        center.hear("a") { [log] _ in
            begun.send()
            log.add(proceed.wait() ? "first" : "gave up")
        }
        let second = center.hear("a", write: "second", to: log)
        async let posted: Void = apart { [center] in center.say("a") }
        await apart { [center] in
            begun.wait()
            center.remove(second)
            proceed.send()
        }
        await posted
        #expect(log.all == ["first"])
    }

    // MARK: Centers

    @Test("When a center is gone, it has released what its observers captured")
    func centerIsGone() async {
        let deaths = Log<Int>()
        func use() {
            let center = NotificationCenter()
            center.hear("a") { [canary = Canary(deaths)] _ in withExtendedLifetime(canary) {} }
            center.hear(nil, about: Canary()) { [canary = Canary(deaths)] _ in withExtendedLifetime(canary) {} }
            center.say("a")
        }
        use()
        await expectSoon("both are released") { deaths.count == 2 }
    }

    @Test("A token that has outlived its center removes nothing from another")
    func tokenOfACenterThatIsGone() {
        let tokens = (0..<10).map { _ in NotificationCenter().hear("a", write: "gone", to: log) }
        center.hear("a", write: "here", to: log)
        for token in tokens { center.remove(token) }
        center.say("a")
        #expect(log.all == ["here"])
    }

    @Test("A center equals itself alone, and describes itself")
    func equality() {
        let other = NotificationCenter()
        #expect(center == center)
        #expect(center != other)
        #expect(NotificationCenter.default == NotificationCenter.default)
        #expect(NotificationCenter.default != center)
        #expect("\(center)".contains("HeraldNotificationCenter"))
        #expect("\(center)" != "\(other)")
    }

    @Test("A program may override how its own center posts")
    func overridden() {
        let center = Overheard()
        center.hear("a") { [log = center.log] in log.add("hears \($0.name.rawValue)") }
        center.post(Notification(name: Notification.Name("a")))
        #expect(center.log.all == ["before a", "hears a", "after a"])
    }
}
