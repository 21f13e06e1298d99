#if os(Linux)
import CHerald
public import Foundation
public import Herald

/// Foundation's `NotificationCenter`, over a center of Herald.
///
/// ```swift
/// import HeraldFoundation
/// typealias NotificationCenter = HeraldNotificationCenter
/// ```
///
/// The interface is Foundation's; <doc:/Herald/FromFoundation> lists what behaves differently. Observers are called in
/// the order in which they were added, on the posting thread (R2, R3). An observer that was removed is not called any
/// more (R6), and a post does not call an observer that is added during the post (R5). Any thread may make any call,
/// even inside an observer (R7).
///
/// The center of Herald is ``herald``. Herald's own observers of a name hear what is posted here, and observers here hear
/// what is posted there by name. A center over another center owns nothing: several may stand over one.
open class HeraldNotificationCenter: @unchecked Sendable {
    /// The center of Herald that has the observers.
    public let herald: HeraldCenter

    /// Makes a center that shares nothing with any other center.
    public required init() {
        Sent.describe()
        herald = HeraldCenter()
    }

    /// Makes a center that posts to a center of Herald, and observes it.
    public init(over herald: HeraldCenter) {
        Sent.describe()
        self.herald = herald
    }

    /// The center over ``/Herald/HeraldCenter/local``. It hears what Foundation itself posts to its default center,
    /// because it is joined to that center for these names.
    open class var `default`: HeraldNotificationCenter {
        _ = joints
        return shared
    }

    private static let shared = HeraldNotificationCenter(over: .local)
    private static let joints = postedByFoundation.map { shared.join($0, outward: false) }

    // MARK: Posts

    /// Posts a notification: calls the observers of its name and object, in the order in which they were added, before
    /// the call returns.
    open func post(_ notification: Notification) { herald.send(notification) }

    /// Posts a notification with these parts.
    open func post(name: Notification.Name, object: Any?, userInfo: [AnyHashable: Any]? = nil) {
        post(Notification(name: name, object: object, userInfo: userInfo))
    }

    // MARK: Observers

    /// Adds an observer. The center keeps it until it is removed.
    ///
    /// - Parameters:
    ///   - name: The name to observe. `nil`: every name.
    ///   - object: The object whose notifications are observed. An instance is compared by its identity, and is not kept
    ///     alive; if it is gone, no other instance is taken for it. Any other value is compared by `==`. `nil`: every
    ///     object.
    ///   - queue: The queue on which the block is called; the post waits for the call. The queue is not kept alive.
    ///     `nil`, and the queue on which the post is made: the block is called by the post.
    ///   - block: Called for each notification.
    /// - Returns: The observer, for ``removeObserver(_:)-(Any)``.
    open func addObserver(
        forName name: Notification.Name?, object: Any?, queue: OperationQueue?,
        using block: @escaping @Sendable (Notification) -> Void
    ) -> any NSObjectProtocol {
        let observer = queue.map { QueueObserver($0, block) } ?? BlockObserver(block)
        observer.add(to: herald, name?.rawValue, object)
        return observer
    }

    /// Removes an observer, and does not wait. If the center has no such observer, nothing is changed.
    open func removeObserver(_ observer: Any) { removeObserver(observer, name: nil, object: nil) }

    /// Removes an observer if it was added with this name and this object. `nil` matches any.
    open func removeObserver(_ observer: Any, name: Notification.Name?, object: Any?) {
        guard let observer = Subject.instance(observer) as? Observer, observer.observes(name?.rawValue, object) else {
            return
        }
        observer.remove(from: herald)
    }
}

extension HeraldNotificationCenter: Equatable, CustomStringConvertible {
    public static func == (one: HeraldNotificationCenter, other: HeraldNotificationCenter) -> Bool { one === other }

    public var description: String {
        "<HeraldNotificationCenter 0x\(String(UInt(bitPattern: ObjectIdentifier(self)), radix: 16))>"
    }
}
#endif
