import Dispatch
import Foundation
import HeraldFoundation
import Testing

private typealias Center = HeraldNotificationCenter
private typealias Queue = HeraldNotificationQueue

private final class Sender: Sendable {}

extension Notification.Name {
    fileprivate static let read = Notification.Name("queue.read")
    fileprivate static let written = Notification.Name("queue.written")
    fileprivate static let last = Notification.Name("queue.last")
}

extension RunLoop.Mode {
    fileprivate static let own = RunLoop.Mode("HeraldFoundationTests.own")
}

/// Queues in the run loop of a thread: when they post, what they coalesce, and how they end.
@Suite(.timeLimit(.minutes(10))) struct NotificationQueueTests {
    private let center = Center()

    /// The styles that wait for the run loop.
    enum Style: CaseIterable, Sendable, CustomTestStringConvertible {
        case asap, whenIdle

        var posting: HeraldNotificationQueue.PostingStyle { self == .asap ? .asap : .whenIdle }
        var testDescription: String { self == .asap ? ".asap" : ".whenIdle" }
    }

    /// What a notification has in common with one that waits, if it is to take its place.
    enum Mask: CaseIterable, Sendable {
        case nothing, name, sender, both

        var coalescing: HeraldNotificationQueue.NotificationCoalescing {
            switch self {
            case .nothing: []
            case .name: .onName
            case .sender: .onSender
            case .both: [.onName, .onSender]
            }
        }
    }

    /// Logs every notification of the center as its name and number.
    private func observe(_ log: Log<String>) -> any NSObjectProtocol {
        center.addObserver(forName: nil, object: nil, queue: nil) { log.add(text($0)) }
    }

    // MARK: Styles

    @Test(".now posts before it returns, on this thread, in a run loop or without one")
    func now() async {
        await inRunLoop { [center] in
            let log = Log<Bool>()
            let thread = ObjectIdentifier(Thread.current)
            let observer = center.addObserver(forName: .read, object: nil, queue: nil) { _ in
                log.add(ObjectIdentifier(Thread.current) == thread)
            }
            let queue = Queue(notificationCenter: center)
            queue.enqueue(Notification(name: .read), postingStyle: .now)
            #expect(log.all == [true])
            inATimer { queue.enqueue(Notification(name: .read), postingStyle: .now) }
            #expect(log.all == [true, true])
            center.removeObserver(observer)
        }
    }

    @Test(".now is never coalesced with another .now")
    func nowAgain() async {
        await inRunLoop {
            let log = Log<String>()
            let observer = observe(log)
            let queue = Queue(notificationCenter: center)
            for number in 1...3 { queue.enqueue(notification(.read, number), postingStyle: .now) }
            turns(2)
            #expect(log.all == ["read 1", "read 2", "read 3"])
            center.removeObserver(observer)
        }
    }

    @Test(".now takes the place of what waits with its name and sender")
    func nowInsteadOfWaiting() async {
        await inRunLoop {
            let log = Log<String>()
            let observer = observe(log)
            let queue = Queue(notificationCenter: center)
            queue.enqueue(notification(.read, 1), postingStyle: .asap)
            queue.enqueue(notification(.written, 2), postingStyle: .whenIdle)
            queue.enqueue(notification(.read, 3), postingStyle: .now)
            #expect(log.all == ["read 3"])
            #expect(run { log.count >= 2 })
            turns(2)
            #expect(log.all == ["read 3", "written 2"])
            center.removeObserver(observer)
        }
    }

    @Test("Other styles post in the run loop, once, on its thread", arguments: Style.allCases)
    func later(_ style: Style) async {
        await inRunLoop { [center] in
            let log = Log<Bool>()
            let thread = ObjectIdentifier(Thread.current)
            let observer = center.addObserver(forName: .read, object: nil, queue: nil) { _ in
                log.add(ObjectIdentifier(Thread.current) == thread)
            }
            let queue = Queue(notificationCenter: center)
            queue.enqueue(Notification(name: .read), postingStyle: style.posting)
            #expect(log.count == 0)
            #expect(run { log.count > 0 })
            turns(3)
            #expect(log.all == [true])
            center.removeObserver(observer)
        }
    }

    @Test("What one style has waiting is posted in the order in which it was put in", arguments: Style.allCases)
    func order(_ style: Style) async {
        await inRunLoop {
            let log = Log<String>()
            let observer = observe(log)
            let queue = Queue(notificationCenter: center)
            for number in 1...5 {
                queue.enqueue(notification(.read, number), postingStyle: style.posting, coalesceMask: [], forModes: nil)
            }
            #expect(run { log.count >= 5 })
            #expect(log.all == (1...5).map { "read \($0)" })
            center.removeObserver(observer)
        }
    }

    @Test("An observer may put in the next notification, which a later turn posts", arguments: Style.allCases)
    func chain(_ style: Style) async {
        await inRunLoop { [center] in
            let log = Log<Int>()
            // The observer and the queue belong to this thread.
            nonisolated(unsafe) let queue = Queue(notificationCenter: center)
            let observer = center.addObserver(forName: .read, object: nil, queue: nil) { _ in
                log.add(log.count + 1)
                if log.count < 5 { queue.enqueue(Notification(name: .read), postingStyle: style.posting) }
            }
            queue.enqueue(Notification(name: .read), postingStyle: style.posting)
            #expect(run { log.count >= 5 })
            turns(3)
            #expect(log.all == [1, 2, 3, 4, 5])
            center.removeObserver(observer)
        }
    }

    // MARK: Coalescing

    /// Of two notifications that are put in, the first is dropped if the second has the same name, sender or both.
    struct Case: Sendable, CustomTestStringConvertible {
        let mask: Mask
        let hasSameName, hasSameSender: Bool

        var isDropped: Bool {
            switch mask {
            case .nothing: false
            case .name: hasSameName
            case .sender: hasSameSender
            case .both: hasSameName && hasSameSender
            }
        }

        var testDescription: String { "\(mask), same name: \(hasSameName), same sender: \(hasSameSender)" }

        static let all: [Case] = Mask.allCases.flatMap { mask in
            [(true, true), (true, false), (false, true), (false, false)].map {
                Case(mask: mask, hasSameName: $0, hasSameSender: $1)
            }
        }
    }

    @Test("What waits is dropped for a notification with its name, its sender, or both", arguments: Case.all)
    func coalescing(_ item: Case) async {
        for style in Style.allCases {
            await inRunLoop {
                let log = Log<String>()
                let observer = observe(log)
                let queue = Queue(notificationCenter: center)
                let sender = Sender()
                let other = Sender()
                let second = notification(
                    item.hasSameName ? .read : .written, 2, from: item.hasSameSender ? sender : other)
                queue.enqueue(notification(.read, 1, from: sender), postingStyle: style.posting)
                queue.enqueue(
                    second, postingStyle: style.posting, coalesceMask: item.mask.coalescing, forModes: nil)
                let expected = (item.isDropped ? [] : ["read 1"]) + [text(second)]
                #expect(run { log.count >= expected.count })
                turns(3)
                #expect(log.all == expected)
                center.removeObserver(observer)
            }
        }
    }

    @Test("Without a mask name and sender count; no sender is a sender, too, and equal values are one")
    func defaultMask() async {
        await inRunLoop {
            let log = Log<String>()
            let observer = observe(log)
            let queue = Queue(notificationCenter: center)
            for number in 1...3 {
                queue.enqueue(notification(.read, number), postingStyle: .asap)
                queue.enqueue(notification(.written, number), postingStyle: .asap)
                queue.enqueue(notification(.read, number + 10, from: "sender"), postingStyle: .asap)
                queue.enqueue(notification(.read, number + 20, from: Sender()), postingStyle: .asap)
            }
            #expect(run { log.count >= 6 })
            turns(3)
            #expect(log.all.sorted() == ["read 13", "read 21", "read 22", "read 23", "read 3", "written 3"])
            center.removeObserver(observer)
        }
    }

    @Test("What waits is dropped in whichever style it waits")
    func acrossStyles() async {
        await inRunLoop {
            let log = Log<String>()
            let observer = observe(log)
            let queue = Queue(notificationCenter: center)
            let first = Sender()
            let second = Sender()
            func enqueue(_ number: Int, _ sender: Sender, _ style: Style, _ mask: Mask) {
                queue.enqueue(
                    notification(.read, number, from: sender), postingStyle: style.posting,
                    coalesceMask: mask.coalescing, forModes: nil)
            }
            enqueue(1, first, .asap, .name)
            enqueue(2, second, .whenIdle, .sender)
            // Instead of 1 and 2.
            enqueue(3, first, .whenIdle, .name)
            // Instead of 3.
            enqueue(4, second, .asap, .name)
            // Its sender is another.
            enqueue(5, first, .asap, .sender)
            #expect(run { log.count >= 2 })
            turns(3)
            #expect(log.all == ["read 4", "read 5"])
            center.removeObserver(observer)
        }
    }

    @Test("Two queues of a thread coalesce nothing of each other, and post to their own centers")
    func twoQueues() async {
        await inRunLoop {
            let other = Center()
            let log = Log<String>()
            let elsewhere = Log<String>()
            let observers = (
                observe(log),
                other.addObserver(forName: nil, object: nil, queue: nil) { elsewhere.add(text($0)) }
            )
            let queues = [
                Queue(notificationCenter: center), Queue(notificationCenter: center), Queue(notificationCenter: other),
            ]
            for (number, queue) in queues.enumerated() {
                queue.enqueue(notification(.read, number), postingStyle: .asap)
            }
            #expect(run { log.count + elsewhere.count >= 3 })
            turns(3)
            #expect(log.all.sorted() == ["read 0", "read 1"])
            #expect(elsewhere.all == ["read 2"])
            center.removeObserver(observers.0)
            other.removeObserver(observers.1)
        }
    }

    // MARK: Taking out

    @Test("What is taken out by name, sender or both is not posted; with neither, nothing is", arguments: Mask.allCases)
    func dequeue(_ mask: Mask) async {
        await inRunLoop {
            let log = Log<String>()
            let observer = observe(log)
            let queue = Queue(notificationCenter: center)
            let sender = Sender()
            let other = Sender()
            let all = [
                notification(.read, 1, from: sender), notification(.read, 2, from: other),
                notification(.written, 3, from: sender), notification(.written, 4, from: other),
            ]
            for style in Style.allCases {
                for notification in all {
                    queue.enqueue(notification, postingStyle: style.posting, coalesceMask: [], forModes: nil)
                }
            }
            queue.dequeueNotifications(matching: notification(.read, 5, from: sender), coalesceMask: mask.coalescing)
            queue.enqueue(Notification(name: .last), postingStyle: .whenIdle)
            let left =
                switch mask {
                case .nothing: ["read 1", "read 2", "written 3", "written 4"]
                case .name: ["written 3", "written 4"]
                case .sender: ["read 2", "written 4"]
                case .both: ["read 2", "written 3", "written 4"]
                }
            #expect(run { log.count >= 2 * left.count + 1 })
            turns(3)
            #expect(log.all.sorted() == (left + left + ["last"]).sorted())
            center.removeObserver(observer)
        }
    }

    // MARK: Modes

    @Test(".now posts only in the modes that it names; without modes, in the default mode")
    func modesOfNow() async {
        await inRunLoop {
            let log = Log<String>()
            let observer = observe(log)
            let queue = Queue(notificationCenter: center)
            func enqueue() {
                queue.enqueue(notification(.read, 1), postingStyle: .now)
                queue.enqueue(notification(.read, 2), postingStyle: .now, coalesceMask: [], forModes: [.own])
                queue.enqueue(notification(.read, 3), postingStyle: .now, coalesceMask: [], forModes: [.own, .default])
                // Compared as it is: the loop is never in the mode that stands for the common ones.
                queue.enqueue(notification(.read, 4), postingStyle: .now, coalesceMask: [], forModes: [.common])
            }
            inATimer(.default, enqueue)
            #expect(log.all == ["read 1", "read 3"])
            inATimer(.own, enqueue)
            #expect(log.all == ["read 1", "read 3", "read 2", "read 3"])
            turns(2)
            #expect(log.count == 4)
            center.removeObserver(observer)
        }
    }

    @Test("What is not for the run loop's mode waits until the loop runs in its own", arguments: Style.allCases)
    func modes(_ style: Style) async {
        await inRunLoop {
            let log = Log<String>()
            let observer = observe(log)
            let queue = Queue(notificationCenter: center)
            for (number, modes) in [[RunLoop.Mode.own], [.own, .default], [.default]].enumerated() {
                queue.enqueue(
                    notification(.read, number), postingStyle: style.posting, coalesceMask: [], forModes: modes)
            }
            #expect(run { log.count >= 2 })
            turns(3)
            #expect(log.all == ["read 1", "read 2"])
            #expect(run(.own) { log.count >= 3 })
            turns(2)
            #expect(log.all == ["read 1", "read 2", "read 0"])
            center.removeObserver(observer)
        }
    }

    // MARK: Queues and threads

    @Test("A thread has one default queue, and another thread has another")
    func defaultQueue() async {
        await inRunLoop {
            let here = Queue.default
            #expect(Queue.default === here)
            let different = Log<Bool>()
            let done = DispatchSemaphore(value: 0)
            let address = ObjectIdentifier(here)
            Thread {
                let there = Queue.default
                different.add(ObjectIdentifier(there) != address && there === Queue.default)
                done.signal()
            }.start()
            #expect(done.wait(timeout: .now() + 60) == .success)
            #expect(different.all == [true])
            withExtendedLifetime(here) {}
        }
    }

    @Test("The default queue posts to the default center")
    func defaultCenter() async {
        await inRunLoop {
            let log = Log<String>()
            let name = Notification.Name("queue.default.\(UUID())")
            let observer = Center.default.addObserver(forName: name, object: nil, queue: nil) { _ in log.add("heard") }
            Queue.default.enqueue(Notification(name: name), postingStyle: .asap)
            #expect(run { log.count > 0 })
            turns(2)
            #expect(log.count == 1)
            Center.default.removeObserver(observer)
        }
    }

    @Test("A queue that is gone posts nothing, and releases what has waited")
    func queueIsGone() async {
        await inRunLoop {
            let log = Log<String>()
            let deaths = Log<Int>()
            let observer = observe(log)
            weak var gone: Queue?
            do {
                let queue = Queue(notificationCenter: center)
                gone = queue
                queue.enqueue(notification(.read, 1, from: Canary(deaths)), postingStyle: .asap)
                queue.enqueue(notification(.written, 2, from: Canary(deaths)), postingStyle: .whenIdle)
                #expect(deaths.count == 0)
            }
            #expect(gone == nil)
            #expect(deaths.count == 2)
            let next = Queue(notificationCenter: center)
            next.enqueue(Notification(name: .last), postingStyle: .whenIdle)
            #expect(run { log.count > 0 })
            turns(3)
            #expect(log.all == ["last"])
            center.removeObserver(observer)
        }
    }

    @Test("A queue keeps its center, and a notification its sender, until it is posted", arguments: Style.allCases)
    func keeps(_ style: Style) async {
        await inRunLoop {
            let log = Log<String>()
            let deaths = Log<Int>()
            weak var gone: Center?
            do {
                let queue: Queue
                do {
                    let short = Center()
                    gone = short
                    _ = short.addObserver(forName: .read, object: nil, queue: nil) { log.add(text($0)) }
                    queue = Queue(notificationCenter: short)
                }
                #expect(gone != nil)
                queue.enqueue(notification(.read, 1, from: Canary(deaths)), postingStyle: style.posting)
                #expect(deaths.count == 0)
                #expect(run { log.count > 0 })
                #expect(deaths.count == 1)
                withExtendedLifetime(queue) {}
            }
            #expect(gone == nil)
            #expect(log.all == ["read 1"])
        }
    }

    @Test("The default queue of a thread goes with the thread, and with it what waits")
    func threadIsGone() async {
        let log = Log<String>()
        let deaths = Log<Int>()
        let name = Notification.Name("queue.thread.\(UUID())")
        let observer = Center.default.addObserver(forName: name, object: nil, queue: nil) { _ in log.add("heard") }
        await inRunLoop {
            Queue.default.enqueue(Notification(name: name, object: Canary(deaths)), postingStyle: .asap)
        }
        await expectSoon("what waits is released") { deaths.count == 1 }
        #expect(log.count == 0)
        Center.default.removeObserver(observer)
    }
}

// MARK: Notifications

private func notification(_ name: Notification.Name, _ number: Int, from sender: Any? = nil) -> Notification {
    Notification(name: name, object: sender, userInfo: ["number": number])
}

private func text(_ notification: Notification) -> String {
    let name = notification.name.rawValue.split(separator: ".").last ?? ""
    return (notification.userInfo?["number"] as? Int).map { "\(name) \($0)" } ?? String(name)
}

// MARK: Run loops

/// Runs the work on a thread of its own, whose run loop runs only as far as the work has it run.
private func inRunLoop(_ work: @escaping @Sendable () -> Void) async {
    await withCheckedContinuation { done in
        Thread {
            work()
            done.resume()
        }.start()
    }
}

/// Runs this thread's run loop until the condition holds. Returns false after a time that no healthy machine needs.
private func run(_ mode: RunLoop.Mode = .default, until condition: () -> Bool) -> Bool {
    // A run loop without a source returns at once. The timer also ends each wait, so the condition is looked at.
    let timer = Timer(timeInterval: 0.001, repeats: true) { _ in }
    RunLoop.current.add(timer, forMode: mode)
    defer { timer.invalidate() }
    let end = ContinuousClock.now + .seconds(250)
    while !condition() {
        if ContinuousClock.now > end { return false }
        _ = RunLoop.current.run(mode: mode, before: Date(timeIntervalSinceNow: 0.01))
    }
    return true
}

/// Runs this thread's run loop until it has waited and gone on this many times.
private func turns(_ count: Int) {
    for _ in 0..<count { inATimer {} }
}

/// Calls the body within this thread's run loop, while it runs in the mode.
private func inATimer(_ mode: RunLoop.Mode = .default, _ body: @escaping () -> Void) {
    let fired = Log<Int>()
    // The timer fires on this thread, before this function returns.
    nonisolated(unsafe) let body = body
    let timer = Timer(timeInterval: 0.001, repeats: false) { _ in
        body()
        fired.add(1)
    }
    RunLoop.current.add(timer, forMode: mode)
    #expect(run(mode) { fired.count > 0 })
    timer.invalidate()
}
