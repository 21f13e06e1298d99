import Foundation
import Herald
import HeraldFoundation
import Testing

extension Notification.Name {
    fileprivate static let gone = Notification.Name("odd.gone")
    fileprivate static let asked = Notification.Name("odd.asked")
}

/// Posts when it is deinitialized, as much code does.
private final class Leaver: @unchecked Sendable {
    private let leave: (Leaver) -> Void
    init(_ leave: @escaping (Leaver) -> Void) { self.leave = leave }
    deinit { leave(self) }
}

/// A value whose comparison posts.
private struct Asker: Hashable {
    let center: HeraldNotificationCenter
    let number: Int

    static func == (one: Asker, other: Asker) -> Bool {
        one.center.post(name: .asked, object: 7)
        return one.number == other.number
    }
    func hash(into hasher: inout Hasher) { hasher.combine(number) }
}

private struct Saved: HeraldNotificationCenter.AsyncMessage {
    typealias Subject = NSObject
    static var name: Notification.Name { Notification.Name("odd.saved") }
    var path: String

    static func makeNotification(_ message: Saved) -> Notification {
        Notification(name: name, object: nil, userInfo: ["path": message.path])
    }
}

private struct Left: HeraldNotificationCenter.MainActorMessage {
    typealias Subject = NSObject
    static var name: Notification.Name { .gone }
    static func makeMessage(_ notification: Notification) -> Left? { Left(hasObject: notification.object != nil) }
    var hasObject = false
}

private struct Counted: HeraldNotificationCenter.AsyncMessage {
    typealias Subject = NSObject
    static let made = Log<Bool>()
    static func makeNotification(_ message: Counted) -> Notification {
        made.add(true)
        return Notification(name: name)
    }
}

/// Posts of instances that are being deinitialized, code of the user's inside of Herald's calls, and calls that come
/// after a removal.
@Suite(.timeLimit(.minutes(10))) struct OddMomentTests {
    private let center = HeraldNotificationCenter()
    private let log = Log<String>()

    private func leave() -> Leaver { Leaver { [center] in center.post(name: .gone, object: $0) } }

    @Test("An instance that posts in its deinit is there for the call, and is not kept by a sequence")
    func deinitAndSequence() async {
        let notifications = center.notifications(named: .gone).makeAsyncIterator()
        center.hear("odd.gone") { [log] in log.add("\($0.object is Leaver)") }
        do { _ = leave() }
        #expect(log.all == ["true"])
        let notification = await notifications.next()
        #expect(notification?.name == .gone && notification?.object == nil)
    }

    @Test("An instance that posts in its deinit is not kept by a suspended center")
    func deinitAndSuspension() {
        let herald = center.herald
        let token = herald.observe("odd.gone", whileSuspended: .hold) { [log] in log.add("\($0.subject == nil)") }
        herald.isSuspended = true
        do { _ = leave() }
        herald.isSuspended = false
        #expect(log.all == ["true"])
        token.cancel()
    }

    @Test("An instance that posts in its deinit, elsewhere, is not kept for an observer on the main actor")
    func deinitAndMainActor() async {
        let token = center.addObserver(for: Left.self) { [log] in log.add("\($0.hasObject)") }
        await apart { [center] in
            do { _ = Leaver { center.post(name: .gone, object: $0) } }
        }
        await expectSoon("it comes") { log.count == 1 }
        #expect(log.all == ["false"])
        center.removeObserver(token)
    }

    @Test("A value whose comparison posts can be observed and posted")
    func comparisonsThatPost() {
        center.hear("odd.asked") { [log] _ in log.add("asked") }
        center.hear("odd.value", about: Asker(center: center, number: 1)) { [log] _ in log.add("heard") }
        center.say("odd.value", about: Asker(center: center, number: 1))
        center.say("odd.value", about: Asker(center: center, number: 2))
        #expect(log.all.filter { $0 == "heard" } == ["heard"])
        #expect(log.all.contains("asked"))
    }

    @Test("What a queue drops may enqueue while it is released")
    func droppedAndEnqueued() async {
        await apart { [center, log] in
            let queue = HeraldNotificationQueue(notificationCenter: center)
            nonisolated(unsafe) let waits = queue
            do {
                let leaver = Leaver { _ in
                    waits.enqueue(Notification(name: .asked), postingStyle: .asap)
                    log.add("dropped")
                }
                queue.enqueue(Notification(name: .gone, object: leaver), postingStyle: .asap)
            }
            queue.dequeueNotifications(matching: Notification(name: .gone), coalesceMask: .onName)
            #expect(log.all == ["dropped"])
        }
    }

    @Test("An observer that is removed while its call waits in a queue is not called")
    func removedInAQueue() async {
        let queue = OperationQueue(), posted = Signal()
        queue.maxConcurrentOperationCount = 1
        queue.isSuspended = true
        nonisolated(unsafe) let observer = center.addObserver(forName: .gone, object: nil, queue: queue) { [log] _ in
            log.add("called")
        }
        Thread.detachNewThread { [center] in
            center.post(name: .gone, object: nil)
            posted.send()
        }
        await expectSoon("it comes") { queue.operationCount == 1 }
        center.removeObserver(observer)
        queue.isSuspended = false
        #expect(posted.wait())
        #expect(log.all.isEmpty)
    }

    @Test("A message's notification is made once, for all who hear it")
    func madeOnce() {
        let herald = center.herald
        let tokens = [1, 2].map { number in
            herald.observe(HeraldCenter.Name(Counted.name.rawValue)) { [log] _ in log.add("\(number)") }.erased()
        }
        center.hear(Counted.name.rawValue) { [log] _ in log.add("3") }
        center.hear(nil) { [log] _ in log.add("4") }
        center.post(Counted())
        #expect(log.all == ["1", "2", "3", "4"])
        #expect(Counted.made.count == 1)
        withExtendedLifetime(tokens) {}
    }

    @Test("Herald's observers read the entries that a message has made by their keys")
    func entriesOfAMessage() {
        let token = center.herald.observe("odd.saved") { [log] in log.add($0["path", as: String.self] ?? "none") }
        center.post(Saved(path: "notes.txt"))
        #expect(log.all == ["notes.txt"])
        token.cancel()
    }

    @Test("In the common modes, and out of its own observer, a queue posts in a loop that nobody wakes")
    func loopThatSleeps() async {
        Thread.detachNewThread { [center, log] in
            let here = RunLoop.current
            here.add(Timer(timeInterval: 3600, repeats: true) { _ in }, forMode: .default)  // else there is no loop
            let queue = HeraldNotificationQueue(notificationCenter: center)
            nonisolated(unsafe) let enqueues = queue
            let observer = center.addObserver(forName: .gone, object: nil, queue: nil) { _ in
                log.add("first")
                enqueues.enqueue(
                    Notification(name: .asked), postingStyle: .asap, coalesceMask: [], forModes: [.common])
            }
            let other = center.addObserver(forName: .asked, object: nil, queue: nil) { _ in log.add("second") }
            queue.enqueue(
                Notification(name: .gone), postingStyle: .asap, coalesceMask: [], forModes: [.common])
            // Longer than the test waits. The thread ends after that.
            _ = here.run(mode: .default, before: Date(timeIntervalSinceNow: 60))
            center.removeObserver(observer)
            center.removeObserver(other)
        }
        await expectSoon("it comes") { log.count == 2 }
        #expect(log.all == ["first", "second"])
    }
}
