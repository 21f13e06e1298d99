#if os(Linux)
import CoreFoundation
public import Foundation

/// Foundation's `NotificationQueue`, for a ``HeraldNotificationCenter``: Foundation's own takes only Foundation's center.
///
/// A queue belongs to the thread that enqueues, and posts there, in that thread's run loop.
open class HeraldNotificationQueue: NSObject {
    public typealias PostingStyle = NotificationQueue.PostingStyle
    public typealias NotificationCoalescing = NotificationQueue.NotificationCoalescing

    private struct Waiting {
        let notification: Notification, modes: [RunLoop.Mode]
    }

    private let center: HeraldNotificationCenter
    private var soon: [Waiting] = []
    private var idle: [Waiting] = []
    private var observers: [CFRunLoopObserver] = []
    private var watched: Set<String> = []

    /// The queue of this thread for the default center.
    open class var `default`: HeraldNotificationQueue {
        let key = "HeraldFoundation.HeraldNotificationQueue", values = Thread.current.threadDictionary
        if let queue = values[key] as? HeraldNotificationQueue { return queue }
        let queue = HeraldNotificationQueue(notificationCenter: .default)
        values[key] = queue
        return queue
    }

    /// Makes a queue that posts to a center.
    public init(notificationCenter: HeraldNotificationCenter) { center = notificationCenter }

    deinit { for observer in observers { CFRunLoopObserverInvalidate(observer) } }

    /// Adds a notification. Those that wait with its name and object are dropped.
    open func enqueue(_ notification: Notification, postingStyle: PostingStyle) {
        enqueue(notification, postingStyle: postingStyle, coalesceMask: [.onName, .onSender], forModes: nil)
    }

    /// Adds a notification.
    ///
    /// - Parameters:
    ///   - notification: The notification.
    ///   - postingStyle: `.now`: by this call. `.asap`: before the run loop waits. `.whenIdle`: when it has nothing to
    ///     do.
    ///   - coalesceMask: Which notifications that wait are dropped: those with the same name, object, or both.
    ///   - modes: The modes of the run loop in which the notification is posted. `nil`: the default mode.
    open func enqueue(
        _ notification: Notification, postingStyle: PostingStyle, coalesceMask: NotificationCoalescing,
        forModes modes: [RunLoop.Mode]?
    ) {
        let modes = modes ?? [.default]
        dequeueNotifications(matching: notification, coalesceMask: coalesceMask)
        let waiting = Waiting(notification: notification, modes: modes)
        switch postingStyle {
        case .asap: soon.append(waiting)
        case .whenIdle: idle.append(waiting)
        case .now where isIn(modes): return center.post(notification)
        case .now: return
        @unknown default: return center.post(notification)
        }
        watch(modes)
    }

    /// Drops notifications that wait: those with the same name, object, or both. With an empty mask, none.
    open func dequeueNotifications(matching notification: Notification, coalesceMask: NotificationCoalescing) {
        if coalesceMask.isEmpty { return }
        func matches(_ waiting: Waiting) -> Bool {
            (!coalesceMask.contains(.onName) || waiting.notification.name == notification.name)
                && (!coalesceMask.contains(.onSender) || isSame(waiting.notification.object, notification.object))
        }
        // The dropped notifications are released after both are set: a deinitializer may enqueue.
        let before = (soon, idle), rest = (before.0.filter { !matches($0) }, before.1.filter { !matches($0) })
        (soon, idle) = rest
        withExtendedLifetime(before) {}
    }

    private func isSame(_ one: Any?, _ other: Any?) -> Bool {
        guard let one, let other else { return one == nil && other == nil }
        if let one = Subject.instance(one), let other = Subject.instance(other) { return one === other }
        guard let one = one as? AnyHashable, let other = other as? AnyHashable else { return false }
        return one == other
    }

    /// Whether the run loop is in one of the modes. Outside of a run loop, any will do.
    private func isIn(_ modes: [RunLoop.Mode]) -> Bool { RunLoop.current.currentMode.map(modes.contains) ?? true }

    private func watch(_ modes: [RunLoop.Mode]) {
        if observers.isEmpty { observe() }
        for mode in modes where watched.insert(mode.rawValue).inserted {
            // The common modes are known by this one instance.
            let name =
                mode == .common
                ? kCFRunLoopCommonModes
                : CFStringCreateWithCString(
                    kCFAllocatorDefault, mode.rawValue, CFStringBuiltInEncodings.UTF8.rawValue)
            for observer in observers { CFRunLoopAddObserver(CFRunLoopGetCurrent(), observer, name) }
        }
        CFRunLoopWakeUp(CFRunLoopGetCurrent())  // what is enqueued late in a turn of the loop does not sleep with it
    }

    private func observe() {
        let moments: [(CFRunLoopActivity, isIdle: Bool)] = [([.beforeTimers, .exit], false), (.beforeWaiting, true)]
        for (moment, isIdle) in moments {
            let made = CFRunLoopObserverCreateWithHandler(kCFAllocatorDefault, moment.rawValue, true, 0) {
                [weak self] _, _ in self?.post(isIdle)
            }
            if let made { observers.append(made) }
        }
    }

    private func post(_ isIdle: Bool) {
        let list = isIdle ? idle : soon
        let isDue = list.map { isIn($0.modes) || $0.modes.contains(.common) }
        let due = zip(list, isDue).filter(\.1).map(\.0), rest = zip(list, isDue).filter { !$0.1 }.map(\.0)
        if isIdle { idle = rest } else { soon = rest }
        for waiting in due { center.post(waiting.notification) }
    }
}
#endif
