#if os(Linux)
import CHerald
public import Foundation
import Herald

extension HeraldNotificationCenter {
    /// What Foundation on Linux posts by itself. (All its calls were read, main of August 2026. UserDefaults post only
    /// when a persistent domain is set or removed.)
    static let postedByFoundation: [Notification.Name] = [
        UserDefaults.didChangeNotification, Port.didBecomeInvalidNotification,
        Notification.Name("NSURLCredentialStorageChangedNotification"), FileHandle.readCompletionNotification,
        .NSFileHandleReadToEndOfFileCompletion, .NSFileHandleConnectionAccepted, .NSFileHandleDataAvailable,
    ]

    /// Joins this center to a center of Foundation's: each hears what is posted under this name in the other, once.
    ///
    /// Libraries that were built without the alias, XCTest's `expectation(forNotification:)` and Foundation itself use
    /// Foundation's center. There is no joint for all names: on Linux, a center of Foundation's that has an observer of
    /// every name ends the process when a typed message is posted to it.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - foundation: The other center.
    ///   - outward: Whether the other center hears what is posted here.
    /// - Returns: The joint, which lasts as long as a reference to it, and keeps both centers. Several joints of a name
    ///   between the same centers are one: a post crosses it once.
    public func join(
        _ name: Notification.Name, with foundation: Foundation.NotificationCenter = .default, outward: Bool = true
    ) -> Joint {
        Joint(outward ? [.inward, .outward] : [.inward], name, herald, foundation)
    }

    /// Joins two centers for one name. See ``join(_:with:outward:)``.
    public final class Joint: Sendable {
        private let ways: [Way]

        fileprivate init(
            _ directions: [Way.Direction], _ name: Notification.Name, _ herald: HeraldCenter,
            _ foundation: Foundation.NotificationCenter
        ) {
            ways = directions.map { Way(direction: $0, name: name.rawValue, herald: herald, foundation: foundation) }
            for way in ways { way.open() }
        }

        deinit { for way in ways { way.close() } }
    }
}

/// One direction of a joint: posts the notifications of a name in one center to the other.
private struct Way: Hashable, @unchecked Sendable {
    enum Direction { case inward, outward }

    let direction: Direction, name: String, herald: HeraldCenter, foundation: Foundation.NotificationCenter

    /// How many joints need the way, and how to end it.
    private struct Opened: @unchecked Sendable {
        var joints = 1
        let end: () -> Void
    }
    private struct Ways: @unchecked Sendable {
        var opened: [Way: Opened] = [:]

        /// Returns false if the way is not open.
        mutating func join(_ way: Way) -> Bool {
            opened[way]?.joints += 1
            return opened[way] != nil
        }
    }
    private static let ways = Guarded(Ways())

    /// The centers are called outside the lock, because they may run code of the user's. Two threads that open a way at
    /// once may let a post cross twice meanwhile.
    func open() {
        if Way.ways.withLock({ $0.join(self) }) { return }
        let end = direction == .inward ? leadIn() : leadOut()
        let isOpen = Way.ways.withLock { ways in
            if ways.join(self) { return true }
            ways.opened[self] = Opened(end: end)
            return false
        }
        if isOpen { end() }
    }

    func close() {
        let ended: Opened? = Way.ways.withLock { ways in
            ways.opened[self]?.joints -= 1
            return ways.opened[self]?.joints == 0 ? ways.opened.removeValue(forKey: self) : nil
        }
        ended?.end()
    }

    private func leadIn() -> () -> Void {
        let center = HeraldCenterGetNumber(herald.native)
        let observer = foundation.addObserver(forName: Notification.Name(name), object: nil, queue: nil) {
            [herald, here = ObjectIdentifier(foundation)] notification in
            if !Trail(of: notification).centers.contains(center) { herald.send(notification, from: here) }
        }
        return { [foundation] in foundation.removeObserver(observer) }
    }

    private func leadOut() -> () -> Void {
        let observer = HearingObserver { [herald, foundation] heard in
            let there = ObjectIdentifier(foundation)
            guard var notification = heard.notification, heard.sent?.pointee.origin != there else { return }
            var trail = Trail(of: notification)
            if trail.foundations.contains(there) { return }
            trail.centers.insert(HeraldCenterGetNumber(herald.native))
            if let origin = heard.sent?.pointee.origin { trail.foundations.insert(origin) }
            notification.userInfo = (notification.userInfo ?? [:]).merging([Trail.key: trail]) { $1 }
            foundation.post(notification)
        }
        observer.add(to: herald, name, nil)
        return { [herald] in observer.remove(from: herald) }
    }

    static func == (one: Way, other: Way) -> Bool {
        one.direction == other.direction && one.name == other.name && one.herald == other.herald
            && one.foundation === other.foundation
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(direction)
        hasher.combine(name)
        hasher.combine(herald)
        hasher.combine(ObjectIdentifier(foundation))
    }
}

/// The centers in which a notification has been under its name, so that none gets it twice.
private struct Trail {
    static let key = "HeraldFoundation.joined"

    private var name: Notification.Name
    var centers: Set<UInt64> = []
    var foundations: Set<ObjectIdentifier> = []

    init(of notification: Notification) {
        name = notification.name
        // An observer may post what it has got under another name: then the notification is a new one.
        if let trail = notification.userInfo?[Trail.key] as? Trail, trail.name == name { self = trail }
    }
}
#endif
