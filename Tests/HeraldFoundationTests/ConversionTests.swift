import Foundation
import Herald
import HeraldFoundation
import Testing

private typealias Center = HeraldNotificationCenter

private final class Page: Sendable {}

/// A message of the main actor, with conversions both ways.
private struct Renamed: HeraldNotificationCenter.MainActorMessage {
    typealias Subject = Page
    var old: String
    var new: String

    static var name: Notification.Name { Notification.Name("conversions.renamed") }

    @MainActor static func makeMessage(_ notification: Notification) -> Self? {
        guard let old = notification.userInfo?["old"] as? String, let new = notification.userInfo?["new"] as? String
        else { return nil }
        return Self(old: old, new: new)
    }

    @MainActor static func makeNotification(_ message: Self) -> Notification {
        Notification(name: name, userInfo: ["old": message.old, "new": message.new])
    }
}

/// A message of any thread, with conversions both ways.
private struct Counted: HeraldNotificationCenter.AsyncMessage {
    typealias Subject = Page
    var count: Int

    static var name: Notification.Name { Notification.Name("conversions.counted") }

    static func makeMessage(_ notification: Notification) -> Self? {
        (notification.userInfo?["count"] as? Int).map { Self(count: $0) }
    }

    static func makeNotification(_ message: Self) -> Notification {
        Notification(name: name, userInfo: ["count": message.count])
    }
}

/// The name of `Counted`, read in another way.
private struct CountedElsewhere: HeraldNotificationCenter.MainActorMessage {
    typealias Subject = Page
    var text: String

    static var name: Notification.Name { Counted.name }

    @MainActor static func makeMessage(_ notification: Notification) -> Self? {
        (notification.userInfo?["count"] as? Int).map { Self(text: "count \($0)") }
    }

    @MainActor static func makeNotification(_ message: Self) -> Notification {
        Notification(name: name, userInfo: ["count": message.text.count])
    }
}

/// The name of `Counted`, and nothing to read in its notifications.
private struct CountedBlindly: HeraldNotificationCenter.AsyncMessage {
    typealias Subject = Page
    static var name: Notification.Name { Counted.name }
}

/// No conversions: the defaults. An instance, so that a copy would be seen.
private final class Draft: HeraldNotificationCenter.MainActorMessage, Sendable {
    typealias Subject = Page
    static var name: Notification.Name { Notification.Name("conversions.draft") }
}

/// Its notifications have another name and another object than the message has.
private struct Liar: HeraldNotificationCenter.MainActorMessage {
    typealias Subject = Page
    static let stranger = Page()
    static var name: Notification.Name { Notification.Name("conversions.liar") }

    @MainActor static func makeNotification(_ message: Self) -> Notification {
        Notification(
            name: Notification.Name("conversions.truth"), object: stranger, userInfo: ["text": "kept", 5: "kept, too"])
    }
}

/// What a test compares of a notification.
private struct Heard: Sendable, Equatable {
    let name: Notification.Name
    let object: ObjectIdentifier?
    /// Without the entry that has the message itself.
    let texts: [String: String]

    init(_ notification: Notification) {
        name = notification.name
        object = (notification.object as? Page).map { ObjectIdentifier($0) }
        let entries = (notification.userInfo ?? [:]).compactMap { entry in
            (entry.key.base as? String).flatMap { $0.hasPrefix("Herald") ? nil : ($0, "\(entry.value)") }
        }
        texts = Dictionary(uniqueKeysWithValues: entries)
    }

    init(_ name: Notification.Name, _ object: Page?, _ texts: [String: String]) {
        self.name = name
        self.object = object.map { ObjectIdentifier($0) }
        self.texts = texts
    }
}

/// Messages that are heard as notifications, and notifications that are heard as messages.
@Suite(.timeLimit(.minutes(10))) struct ConversionTests {
    private let center = Center()

    // MARK: Messages heard as notifications

    @MainActor @Test("A message is heard as the notification that it makes, about its subject, within the post")
    func messageAsNotification() {
        let log = Log<Heard>()
        let page = Page()
        let observer = center.addObserver(forName: Renamed.name, object: nil, queue: nil) { log.add(Heard($0)) }
        center.post(Renamed(old: "a", new: "b"), subject: page)
        #expect(log.all == [Heard(Renamed.name, page, ["old": "a", "new": "b"])])
        center.post(Renamed(old: "b", new: "c"))
        #expect(log.all.last == Heard(Renamed.name, nil, ["old": "b", "new": "c"]))
        #expect(log.count == 2)
        center.removeObserver(observer)
    }

    @Test("A message of any thread is heard as a notification by the thread that posts it")
    func asyncMessageAsNotification() async {
        let log = Log<Heard>()
        let page = Page()
        let observer = center.addObserver(forName: Counted.name, object: page, queue: nil) { log.add(Heard($0)) }
        let heard = await apart { [center] in
            center.post(Counted(count: 5), subject: page)
            center.post(Counted(count: 6))
            return log.all
        }
        #expect(heard == [Heard(Counted.name, page, ["count": "5"])])
        center.removeObserver(observer)
    }

    @MainActor @Test("Observers of notifications hear a message if its name and subject are what they observe")
    func whoHearsAMessage() {
        let log = Log<String>()
        let first = Page()
        let second = Page()
        func observe(_ what: String, _ name: Notification.Name?, _ page: Page?) -> any NSObjectProtocol {
            center.addObserver(forName: name, object: page, queue: nil) { _ in log.add(what) }
        }
        let observers = [
            observe("name", Renamed.name, nil), observe("name and first", Renamed.name, first),
            observe("name and second", Renamed.name, second), observe("first", nil, first),
            observe("second", nil, second), observe("everything", nil, nil), observe("other name", Counted.name, nil),
        ]
        center.post(Renamed(old: "a", new: "b"), subject: first)
        #expect(log.all == ["name", "name and first", "first", "everything"])
        center.post(Renamed(old: "a", new: "b"))
        #expect(log.all.dropFirst(4) == ["name", "everything"])
        observers.forEach { center.removeObserver($0) }
    }

    @MainActor @Test("A message without conversions is heard under its name, with nothing in userInfo but itself")
    func withoutConversions() {
        let log = Log<Int?>()
        let values = Log<Bool>()
        let draft = Draft()
        let observer = center.addObserver(forName: Draft.name, object: nil, queue: nil) { notification in
            log.add(notification.userInfo?.count)
            values.add(notification.userInfo?.values.first as? Draft === draft)
        }
        center.post(draft)
        #expect(log.all == [1])
        #expect(values.all == [true])
        center.removeObserver(observer)
    }

    @MainActor @Test("A notification that lies about its name and object is corrected, and its userInfo is kept")
    func lies() {
        let log = Log<Heard>()
        let counts = Log<Int?>()
        let page = Page()
        let observers = [
            center.addObserver(forName: Liar.name, object: nil, queue: nil) { notification in
                log.add(Heard(notification))
                counts.add(notification.userInfo?.count)
            },
            center.addObserver(forName: Notification.Name("conversions.truth"), object: nil, queue: nil) {
                log.add(Heard($0))
            },
            center.addObserver(forName: nil, object: Liar.stranger, queue: nil) { log.add(Heard($0)) },
        ]
        center.post(Liar(), subject: page)
        center.post(Liar())
        #expect(log.all == [Heard(Liar.name, page, ["text": "kept"]), Heard(Liar.name, nil, ["text": "kept"])])
        // Two entries of its own, and the message.
        #expect(counts.all == [3, 3])
        observers.forEach { center.removeObserver($0) }
    }

    // MARK: Notifications heard as messages

    @MainActor @Test("A notification is heard as the message that it makes, by observers of its object and of the type")
    func notificationAsMessage() {
        let log = Log<String>()
        let page = Page()
        let tokens = [
            center.addObserver(of: page, for: Renamed.self) { log.add("page \($0.old)\($0.new)") },
            center.addObserver(for: Renamed.self) { log.add("all \($0.old)\($0.new)") },
        ]
        center.post(name: Renamed.name, object: page, userInfo: ["old": "a", "new": "b"])
        center.post(name: Renamed.name, object: Page(), userInfo: ["old": "b", "new": "c"])
        center.post(Notification(name: Renamed.name, object: nil, userInfo: ["old": "c", "new": "d"]))
        #expect(log.all == ["page ab", "all ab", "all bc", "all cd"])
        withExtendedLifetime((tokens, page)) {}
    }

    @MainActor @Test("A notification that makes no message calls no observer of messages, and all of notifications")
    func makesNoMessage() {
        let log = Log<String>()
        let tokens = [
            center.addObserver(for: Renamed.self) { log.add("renamed \($0.old)") },
            center.addObserver(for: Draft.self) { _ in log.add("draft") },
        ]
        let observer = center.addObserver(forName: nil, object: nil, queue: nil) { log.add($0.name.rawValue) }
        center.post(name: Renamed.name, object: nil)
        center.post(name: Renamed.name, object: nil, userInfo: ["old": "a", "new": 5])
        center.post(name: Draft.name, object: nil, userInfo: ["old": "a", "new": "b"])
        #expect(log.all == [Renamed.name.rawValue, Renamed.name.rawValue, Draft.name.rawValue])
        center.removeObserver(observer)
        withExtendedLifetime(tokens) {}
    }

    @Test("A notification from any thread is heard by async observers, in posting order with messages")
    func notificationAsAsyncMessage() async {
        let log = Log<Int>()
        let page = Page()
        let token = center.addObserver(of: page, for: Counted.self) { log.add($0.count) }
        await apart { [center] in
            for number in stride(from: 0, to: 100, by: 4) {
                center.post(name: Counted.name, object: page, userInfo: ["count": number])
                center.post(Counted(count: number + 1), subject: page)
                center.post(name: Counted.name, object: page, userInfo: ["count": "none"])
                center.post(name: Counted.name, object: nil, userInfo: ["count": number + 2])
            }
            center.post(Counted(count: 100), subject: page)
        }
        await expectSoon("all are heard") { log.count == 51 }
        #expect(log.all == (0...100).filter { $0 % 4 < 2 })
        withExtendedLifetime(token) {}
    }

    @Test("Observers on the main actor hear a notification from another thread there, later")
    func notificationFromAnotherThread() async {
        let log = Log<String>()
        let token = center.addObserver(for: Renamed.self) { renamed in
            MainActor.preconditionIsolated()
            log.add(renamed.new)
        }
        await apart { [center] in
            center.post(name: Renamed.name, object: nil)
            center.post(name: Renamed.name, object: Page(), userInfo: ["old": "a", "new": "b"])
        }
        await expectSoon("the message is heard") { log.count == 1 }
        #expect(log.all == ["b"])
        withExtendedLifetime(token) {}
    }

    @MainActor @Test("What Herald posts by the name, with a dictionary, is heard as a message")
    func postFromHerald() {
        let log = Log<String>()
        let page = Page()
        let tokens = [
            center.addObserver(of: page, for: Renamed.self) { log.add("page \($0.new)") },
            center.addObserver(for: Renamed.self) { log.add("all \($0.new)") },
        ]
        let name = HeraldCenter.Name(Renamed.name.rawValue)
        center.herald.post(name, subject: page, userInfo: ["old": "a", "new": "b"])
        center.herald.post(name, userInfo: ["old": "b", "new": "c"])
        center.herald.post(name)
        #expect(log.all == ["page b", "all b", "all c"])
        withExtendedLifetime((tokens, page)) {}
    }

    // MARK: Round trips, and several types under a name

    @MainActor @Test("Observers of messages, notifications and everything are called in the order of registration")
    func order() {
        let log = Log<Int>()
        let page = Page()
        var tokens: [Center.ObservationToken] = []
        var observers: [any NSObjectProtocol] = []
        for number in stride(from: 0, to: 20, by: 5) {
            observers.append(center.addObserver(forName: nil, object: nil, queue: nil) { _ in log.add(number) })
            tokens.append(center.addObserver(for: Renamed.self) { _ in log.add(number + 1) })
            observers.append(
                center.addObserver(forName: Renamed.name, object: page, queue: nil) { _ in log.add(number + 2) })
            tokens.append(center.addObserver(of: page, for: Renamed.self) { _ in log.add(number + 3) })
            observers.append(
                center.addObserver(forName: Renamed.name, object: nil, queue: nil) { _ in log.add(number + 4) })
        }
        center.post(Renamed(old: "a", new: "b"), subject: page)
        #expect(log.all == Array(0..<20))
        center.post(name: Renamed.name, object: page, userInfo: ["old": "a", "new": "b"])
        #expect(log.all.dropFirst(20) == Array(0..<20)[...])
        observers.forEach { center.removeObserver($0) }
        withExtendedLifetime((tokens, page)) {}
    }

    @MainActor @Test("A notification that was made from a message, and is posted again, brings the message itself")
    func postedAgain() {
        let log = Log<Draft>()
        nonisolated(unsafe) var made: Notification?
        let token = center.addObserver(for: Draft.self) { log.add($0) }
        let observer = center.addObserver(forName: Draft.name, object: nil, queue: nil) { made = $0 }
        let draft = Draft()
        center.post(draft, subject: Page())
        center.removeObserver(observer)
        if let made { center.post(made) }
        // This one has no message in it, and none can be made of it.
        center.post(name: Draft.name, object: nil)
        #expect(log.all.map { $0 === draft } == [true, true])
        withExtendedLifetime(token) {}
    }

    @MainActor @Test("A notification that was made from a message brings the message itself into another center")
    func postedElsewhere() async {
        let other = Center()
        let drafts = Log<Draft>()
        let counts = Log<Int>()
        let tokens = [
            other.addObserver(for: Draft.self) { drafts.add($0) },
            other.addObserver(for: Counted.self) { counts.add($0.count) },
        ]
        let observer = center.addObserver(forName: nil, object: nil, queue: nil) { other.post($0) }
        let draft = Draft()
        center.post(draft)
        center.post(Counted(count: 7))
        #expect(drafts.all.map { $0 === draft } == [true])
        await expectSoon("the other message is heard") { counts.count == 1 }
        #expect(counts.all == [7])
        center.removeObserver(observer)
        withExtendedLifetime(tokens) {}
    }

    @MainActor @Test("Types that share a name hear each other by way of the notification, if they can read it")
    func oneNameForSeveralTypes() async {
        let counts = Log<Int>()
        let texts = Log<String>()
        let blind = Log<Int>()
        let tokens = [
            center.addObserver(for: Counted.self) { counts.add($0.count) },
            center.addObserver(for: CountedElsewhere.self) { texts.add($0.text) },
            center.addObserver(for: CountedBlindly.self) { _ in blind.add(1) },
        ]
        center.post(Counted(count: 5))
        center.post(CountedElsewhere(text: "twelve chars"))
        // Its notification is empty: it is heard by its own observers alone.
        center.post(CountedBlindly())
        #expect(texts.all == ["count 5", "twelve chars"])
        await expectSoon("all are heard") { counts.count == 2 && blind.count == 1 }
        #expect(counts.all == [5, 12])
        withExtendedLifetime(tokens) {}
    }

    @Test("A message from another thread reaches the main actor's type of its name there, later")
    func oneNameAcrossThreads() async {
        let log = Log<String>()
        let token = center.addObserver(for: CountedElsewhere.self) { counted in
            MainActor.preconditionIsolated()
            log.add(counted.text)
        }
        await apart { [center] in center.post(Counted(count: 5)) }
        await expectSoon("the message is heard") { log.count == 1 }
        #expect(log.all == ["count 5"])
        withExtendedLifetime(token) {}
    }

    // MARK: Sequences

    @Test("A sequence of messages has notifications that make one, and a sequence of notifications has messages")
    func sequences() async {
        let messages = center.messages(for: Counted.self).makeAsyncIterator()
        let notifications = center.notifications(named: Counted.name).makeAsyncIterator()
        center.post(Counted(count: 1))
        center.post(name: Counted.name, object: nil, userInfo: ["count": "none"])
        center.post(name: Counted.name, object: nil, userInfo: ["count": 3])
        var counts: [Int] = []
        while let message = await messages.next() {
            counts.append(message.count)
            if counts.count == 2 { break }
        }
        #expect(counts == [1, 3])
        var heard: [Heard] = []
        while let notification = await notifications.next() {
            heard.append(Heard(notification))
            if heard.count == 3 { break }
        }
        #expect(heard.map { $0.texts["count"] } == ["1", "none", "3"])
    }

    // MARK: Joints

    @MainActor @Test("A joint carries messages out as notifications, and notifications in as messages, once each")
    func joint() {
        let foundation = Foundation.NotificationCenter()
        let log = Log<String>()
        let page = Page()
        let joints = [center.join(Renamed.name, with: foundation), center.join(Renamed.name, with: foundation)]
        let token = center.addObserver(of: page, for: Renamed.self) { log.add("here \($0.new)") }
        let observer = foundation.addObserver(forName: Renamed.name, object: nil, queue: nil) { notification in
            let heard = Heard(notification)
            log.add("there \(heard.texts["new"] ?? "nothing")\(heard.object == nil ? "" : " of a page")")
        }
        center.post(Renamed(old: "a", new: "b"), subject: page)
        #expect(log.all.sorted() == ["here b", "there b of a page"])
        foundation.post(name: Renamed.name, object: page, userInfo: ["old": "b", "new": "c"])
        #expect(log.all.dropFirst(2).sorted() == ["here c", "there c of a page"])
        // Neither is about the page, and the last makes no message.
        center.post(Renamed(old: "c", new: "d"))
        foundation.post(name: Renamed.name, object: nil)
        #expect(log.all.dropFirst(4) == ["there d", "there nothing"])
        foundation.removeObserver(observer)
        withExtendedLifetime((joints, token, page)) {}
    }

    @MainActor @Test("A joint inward brings notifications in as messages, and carries no message out")
    func jointInward() {
        let foundation = Foundation.NotificationCenter()
        let log = Log<String>()
        let joint = center.join(Renamed.name, with: foundation, outward: false)
        let token = center.addObserver(for: Renamed.self) { log.add("here \($0.new)") }
        let observer = foundation.addObserver(forName: Renamed.name, object: nil, queue: nil) { _ in log.add("there") }
        center.post(Renamed(old: "a", new: "b"))
        #expect(log.all == ["here b"])
        foundation.post(name: Renamed.name, object: nil, userInfo: ["old": "b", "new": "c"])
        #expect(log.all.dropFirst().sorted() == ["here c", "there"])
        foundation.removeObserver(observer)
        withExtendedLifetime((joint, token)) {}
    }

    @MainActor @Test("Through Foundation's center, a message goes from one center to another, and arrives once")
    func jointBetweenTwo() {
        let foundation = Foundation.NotificationCenter()
        let other = Center()
        let log = Log<String>()
        let joints = [center.join(Draft.name, with: foundation), other.join(Draft.name, with: foundation)]
        let draft = Draft()
        let tokens = [
            center.addObserver(for: Draft.self) { log.add("here \($0 === draft)") },
            other.addObserver(for: Draft.self) { log.add("other \($0 === draft)") },
        ]
        center.post(draft)
        #expect(log.all.sorted() == ["here true", "other true"])
        withExtendedLifetime((joints, tokens)) {}
    }
}
