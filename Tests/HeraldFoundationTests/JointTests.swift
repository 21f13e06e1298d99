import Foundation
import Herald
import HeraldFoundation
import Testing

private typealias Center = HeraldNotificationCenter

/// Typed messages of Foundation's center. On Linux, an observer of every name that meets one ends the process.
private struct Typed: Foundation.NotificationCenter.AsyncMessage { typealias Subject = NSObject }
private struct TypedOnMain: Foundation.NotificationCenter.MainActorMessage { typealias Subject = NSObject }

extension Foundation.NotificationCenter {
    @discardableResult fileprivate func hear(
        _ name: Notification.Name, about object: Any? = nil, _ body: @escaping @Sendable (Notification) -> Void
    ) -> Added {
        Added(observer: addObserver(forName: name, object: object, queue: nil, using: body))
    }
}

/// What is posted under a joined name in our center or Foundation's is heard in the other, once.
@Suite struct JointTests {
    private let center = Center()
    private let foundation = Foundation.NotificationCenter()
    private let log = Log<String>()
    private let joined = Notification.Name("joined")

    /// Posts here, then in Foundation's center, and returns which centers have heard it: "in" is here, "out" is there.
    private func heard() -> String {
        let here = center.hear(joined.rawValue, write: "in", to: log)
        let there = foundation.hear(joined) { [log] _ in log.add("out") }
        center.post(name: joined, object: nil)
        let postedHere = log.take().sorted()
        foundation.post(name: joined, object: nil)
        let postedThere = log.take().sorted()
        center.remove(here)
        foundation.removeObserver(there.observer)
        return [postedHere, postedThere].map { $0.joined(separator: " ") }.joined(separator: ", ")
    }

    // MARK: Both ways

    @Test("Without a joint the centers hear nothing of each other")
    func withoutAJoint() {
        #expect(heard() == "in, out")
    }

    @Test("What is posted in either center is heard in both, once")
    func once() {
        let joint = center.join(joined, with: foundation)
        #expect(heard() == "in out, in out")
        withExtendedLifetime(joint) {}
    }

    @Test("What comes in has the object and the userInfo that were posted, and no more")
    func inwardContents() {
        let object = Canary()
        let joint = center.join(joined, with: foundation)
        center.hear(joined.rawValue, about: object) { [log] in
            let userInfo = $0.userInfo as? [String: Int] ?? [:]
            log.add("\($0.name.rawValue), \($0.object as AnyObject === object), \(userInfo)")
        }
        center.hear(joined.rawValue, about: Canary(), write: "another object", to: log)
        center.hear(joined.rawValue) { [log] in log.add("\($0.userInfo?.count ?? 0)") }
        foundation.post(name: joined, object: object, userInfo: ["n": 1])
        foundation.post(name: joined, object: nil)
        #expect(log.all == ["joined, true, [\"n\": 1]", "1", "0"])
        withExtendedLifetime(joint) {}
    }

    @Test("What goes out has the object and the userInfo that were posted, and one entry more")
    func outwardContents() {
        let object = Canary()
        let joint = center.join(joined, with: foundation)
        foundation.hear(joined, about: object) { [log] in
            let mark = $0.userInfo?["HeraldFoundation.joined"] != nil
            log.add("\($0.object as AnyObject === object), \($0.userInfo?["n"] as? Int ?? 0), \(mark)")
        }
        center.say("joined", about: object, ["n": 1])
        center.say("joined", about: object)
        #expect(log.all == ["true, 1, true", "true, 0, true"])
        withExtendedLifetime(joint) {}
    }

    @Test("Other names do not cross")
    func otherNames() {
        let joint = center.join(joined, with: foundation)
        center.hear(nil, write: "here", to: log)
        foundation.hear(Notification.Name("other")) { [log] _ in log.add("there") }
        foundation.post(name: Notification.Name("other"), object: nil)
        #expect(log.take() == ["there"])
        center.say("other")
        #expect(log.take() == ["here"])
        withExtendedLifetime(joint) {}
    }

    @Test("A joint that lets nothing out brings in what is posted there")
    func inwardOnly() {
        let joint = center.join(joined, with: foundation, outward: false)
        #expect(heard() == "in, in out")
        withExtendedLifetime(joint) {}
    }

    @Test("Herald's own observers and posts cross, too")
    func heraldsOwn() {
        let joint = center.join(joined, with: foundation)
        let bag = ObservationBag()
        center.herald.observe("joined") { [log] in log.add("Herald \($0["n", as: Int.self] ?? 0)") }.store(in: bag)
        foundation.hear(joined) { [log] in log.add("Foundation \($0.userInfo?["n"] as? Int ?? 0)") }
        center.herald.post("joined", userInfo: ["n": 1])
        #expect(Set(log.take()) == ["Herald 1", "Foundation 1"])
        foundation.post(name: joined, object: nil, userInfo: ["n": 2])
        #expect(Set(log.take()) == ["Herald 2", "Foundation 2"])
        withExtendedLifetime((joint, bag)) {}
    }

    @Test("Foundation's NotificationQueue, which takes no center of ours, posts through a joint")
    func notificationQueue() {
        let joint = center.join(joined, with: foundation)
        center.hear("joined", write: "heard", to: log)
        let queue = NotificationQueue(notificationCenter: foundation)
        queue.enqueue(Notification(name: joined), postingStyle: .now)
        #expect(log.all == ["heard"])
        withExtendedLifetime(joint) {}
    }

    // MARK: Loops

    @Test("An observer that answers under another joined name is no loop")
    func answers() {
        let answer = Notification.Name("answer")
        let joints = [center.join(joined, with: foundation), center.join(answer, with: foundation)]
        center.hear("joined") { [center, log] _ in
            log.add("question")
            center.say("answer")
        }
        foundation.hear(answer) { [log] _ in log.add("answer") }
        foundation.post(name: joined, object: nil)
        #expect(log.all == ["question", "answer"])
        withExtendedLifetime(joints) {}
    }

    @Test("What went out is heard here if it is posted there under another name, and not if under its own")
    func postedAgain() {
        let joint = center.join(joined, with: foundation)
        let again = Notification.Name("again")
        let other = center.join(again, with: foundation)
        foundation.hear(joined) { [foundation, posts = Log<Bool>()] in
            foundation.post(Notification(name: again, object: $0.object, userInfo: $0.userInfo))
            if posts.count > 0 { return }
            posts.add(true)
            foundation.post($0)
        }
        center.hear("joined", write: "joined", to: log)
        center.hear("again", write: "again", to: log)
        center.say("joined")
        #expect(log.all.sorted() == ["again", "again", "joined"])
        withExtendedLifetime((joint, other)) {}
    }

    @Test("Two centers that are joined with one of Foundation's hear each other, once")
    func threeCenters() {
        let other = Center()
        let joints = [center.join(joined, with: foundation), other.join(joined, with: foundation)]
        center.hear("joined", write: "first", to: log)
        other.hear("joined", write: "second", to: log)
        foundation.hear(joined) { [log] _ in log.add("Foundation") }
        center.say("joined")
        #expect(log.take().sorted() == ["Foundation", "first", "second"])
        other.say("joined")
        #expect(log.take().sorted() == ["Foundation", "first", "second"])
        foundation.post(name: joined, object: nil)
        #expect(log.take().sorted() == ["Foundation", "first", "second"])
        withExtendedLifetime(joints) {}
    }

    @Test("Threads post on both sides at once: each side hears all, once")
    func manyThreads() async {
        let joint = center.join(joined, with: foundation)
        let (here, there) = (Log<Int>(), Log<Int>())
        center.hear("joined") { here.add($0.userInfo?["n"] as? Int ?? -1) }
        foundation.hear(joined) { there.add($0.userInfo?["n"] as? Int ?? -1) }
        await together(4) { [center, foundation, joined] thread in
            for number in 0..<250 {
                let userInfo = ["n": thread * 250 + number]
                if thread % 2 == 0 {
                    center.say("joined", userInfo)
                } else {
                    foundation.post(name: joined, object: nil, userInfo: userInfo)
                }
            }
        }
        #expect(here.all.sorted() == Array(0..<1000))
        #expect(there.all.sorted() == Array(0..<1000))
        withExtendedLifetime(joint) {}
    }

    // MARK: Lifetime

    @Test("A joint lasts as long as a reference to it")
    func lifetime() {
        _ = center.join(joined, with: foundation)
        #expect(heard() == "in, out")
        do {
            let joint = center.join(joined, with: foundation)
            #expect(heard() == "in out, in out")
            withExtendedLifetime(joint) {}
        }
        #expect(heard() == "in, out")
    }

    @Test("Two joints of one name between the same centers are one, which ends with the last")
    func twoJoints() {
        var joints = [center.join(joined, with: foundation), center.join(joined, with: foundation)]
        #expect(heard() == "in out, in out")
        joints.removeFirst()
        #expect(heard() == "in out, in out")
        joints.removeFirst()
        #expect(heard() == "in, out")
    }

    @Test("Joints through several faces of one center are one")
    func twoFaces() {
        let face = Center(over: center.herald)
        let joints = [center.join(joined, with: foundation), face.join(joined, with: foundation)]
        #expect(heard() == "in out, in out")
        withExtendedLifetime(joints) {}
    }

    @Test("A joint both ways and one inward: what goes out ends with the first, what comes in with the last")
    func bothWaysAndInward() {
        var joints = [center.join(joined, with: foundation), center.join(joined, with: foundation, outward: false)]
        #expect(heard() == "in out, in out")
        joints.removeFirst()
        #expect(heard() == "in, in out")
        joints.removeFirst()
        #expect(heard() == "in, out")
    }

    @Test("A joint with one center of Foundation's does not concern another")
    func anotherFoundation() {
        let other = Foundation.NotificationCenter()
        let joints = [center.join(joined, with: foundation), center.join(joined, with: other)]
        center.hear("joined", write: "here", to: log)
        foundation.hear(joined) { [log] _ in log.add("one") }
        other.hear(joined) { [log] _ in log.add("other") }
        center.say("joined")
        #expect(log.take().sorted() == ["here", "one", "other"])
        withExtendedLifetime(joints) {}
    }

    // MARK: Typed messages

    @MainActor @Test("Typed messages on Foundation's center, under names of their own, do no harm")
    func typedMessages() {
        let joint = center.join(joined, with: foundation)
        center.hear(nil) { [log] in log.add($0.name.rawValue) }
        foundation.post(Typed())
        foundation.post(TypedOnMain())
        foundation.post(Typed(), subject: NSObject())
        foundation.post(name: joined, object: nil)
        #expect(log.all == ["joined"])
        withExtendedLifetime(joint) {}
    }
}

/// The default center, which hears what Foundation posts by itself. Each test posts about an object of its own.
///
/// Foundation posts for file handles from the run loop of the main thread, which never runs in tests on Linux: there,
/// posts by hand under these names have to do.
@Suite struct DefaultCenterTests {
    private let log = Log<String>()

    private static let postedByFoundation: [Notification.Name] = [
        UserDefaults.didChangeNotification, Port.didBecomeInvalidNotification,
        Notification.Name("NSURLCredentialStorageChangedNotification"), FileHandle.readCompletionNotification,
        .NSFileHandleReadToEndOfFileCompletion, .NSFileHandleConnectionAccepted, .NSFileHandleDataAvailable,
    ]

    @Test("The default center stands over Herald's local center: both hear what is posted in either")
    func overLocal() {
        let name = "default.\(UUID().uuidString)"
        let bag = ObservationBag()
        #expect(Center.default.herald == .local)
        HeraldCenter.local.observe(HeraldCenter.Name(name)) { [log] _ in log.add("Herald") }.store(in: bag)
        let added = Center.default.hear(name, write: "default", to: log)
        Center.default.say(name)
        HeraldCenter.local.post(HeraldCenter.Name(name))
        #expect(log.all == ["Herald", "default", "Herald", "default"])
        Center.default.remove(added)
        bag.cancelAll()
    }

    @Test("What Foundation posts by itself comes in, once, and goes not out again", arguments: postedByFoundation)
    func inward(_ name: Notification.Name) {
        let object = NSObject()
        let foundation = Foundation.NotificationCenter.default
        let here = Center.default.hear(name.rawValue, about: object, write: "here", to: log)
        let there = foundation.hear(name, about: object) { [log] _ in log.add("there") }
        foundation.post(name: name, object: object)
        #expect(log.take().sorted() == ["here", "there"])
        Center.default.post(name: name, object: object)
        #expect(log.take() == ["here"])
        Center.default.remove(here)
        foundation.removeObserver(there.observer)
    }

    @Test("No other name comes in")
    func otherNames() {
        let name = "default.\(UUID().uuidString)"
        let added = Center.default.hear(name, write: "here", to: log)
        Foundation.NotificationCenter.default.post(name: Notification.Name(name), object: nil)
        #expect(log.all == [])
        Center.default.remove(added)
    }

    @Test("A change of a persistent domain is heard")
    func userDefaults() {
        let domain = "herald.tests.\(UUID().uuidString)"
        let defaults = UserDefaults()
        let added = Center.default.hear(
            UserDefaults.didChangeNotification.rawValue, about: defaults, write: "changed", to: log)
        defaults.setPersistentDomain(["color": "red"], forName: domain)
        #expect(log.all == ["changed"])
        defaults.removePersistentDomain(forName: domain)
        #expect(log.all == ["changed", "changed"])
        Center.default.remove(added)
        removePreferences(of: domain)
    }

    @Test("The end of a port is heard")
    func port() throws {
        let port = try #require(SocketPort(tcpPort: 0))
        let added = Center.default.hear(
            Port.didBecomeInvalidNotification.rawValue, about: port, write: "invalid", to: log)
        port.invalidate()
        #expect(log.all == ["invalid"])
        Center.default.remove(added)
    }

    @MainActor @Test("Typed messages on Foundation's default center do no harm")
    func typedMessages() {
        _ = Center.default
        Foundation.NotificationCenter.default.post(Typed())
        Foundation.NotificationCenter.default.post(TypedOnMain())
    }
}

/// The file that is left of a domain without values.
private func removePreferences(of domain: String) {
    let environment = ProcessInfo.processInfo.environment
    let folder = environment["XDG_CONFIG_HOME"] ?? NSHomeDirectory() + "/.config"
    try? FileManager.default.removeItem(atPath: "\(folder)/\(domain).plist")
}
