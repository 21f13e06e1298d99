import Foundation
import Harness
import HeraldFoundation

/// The interface of Foundation's center, which that of HeraldFoundation has, too: names, objects, blocks.
protocol NotificationPoster: AnyObject {
    func addObserver(
        forName name: Notification.Name?, object: Any?, queue: OperationQueue?,
        using block: @escaping @Sendable (Notification) -> Void
    ) -> any NSObjectProtocol
    func removeObserver(_ observer: Any)
    func post(name: Notification.Name, object: Any?, userInfo: [AnyHashable: Any]?)
}

final class NotificationPlace<Center: NotificationPoster>: Place {
    private let center: Center
    private let name: Notification.Name?
    private let subject: AnyObject?

    init(_ center: Center, _ name: UnsafePointer<CChar>?, _ subject: AnyObject?) {
        self.center = center
        self.name = name.map { Notification.Name(String(cString: $0)) }
        self.subject = subject
    }

    private func added(_ body: @escaping @Sendable (Notification) -> Void) -> AnyObject {
        center.addObserver(forName: name, object: subject, queue: nil, using: body)
    }

    override func add(_ word: Word?) -> AnyObject {
        guard let word else { return added { _ in count_here() } }
        nonisolated(unsafe) let sum = word
        return added { _ in sum.pointee &+= 1 }
    }

    override func observe(_ owned: Owned) -> AnyObject { added { _ in owned.call() } }
    override func remove(_ registration: AnyObject) { center.removeObserver(registration) }

    override func post(_ count: Int) {
        guard let name else { return }
        let (center, subject) = (center, subject)
        for _ in 0..<count { center.post(name: name, object: subject, userInfo: nil) }
    }
}

// ---- Messages

/// What messages are about.
final class Emitter {}

/// A message of both centers.
struct NotificationTick: NotificationCenter.MainActorMessage, HeraldNotificationCenter.MainActorMessage {
    typealias Subject = Emitter
    static var name: Notification.Name { Notification.Name("tick") }
    var value = 1
}

/// The typed part of the interface. Both centers have it as generic functions.
protocol MessagePoster: NotificationPoster {
    associatedtype ObservationToken: Sendable

    func addObserver(
        of subject: Emitter?, for messageType: NotificationTick.Type,
        using observer: @escaping @MainActor @Sendable (NotificationTick) -> Void
    ) -> ObservationToken
    func removeObserver(_ token: ObservationToken)
    @MainActor func post(_ message: NotificationTick, subject: Emitter)
}

/// The messages belong to the main actor; the harness runs there.
final class MessagePlace<Center: MessagePoster>: Place {
    private let center: Center
    private let emitter = Emitter()

    init(_ center: Center) { self.center = center }

    private final class Registration {
        let token: Center.ObservationToken
        init(_ token: Center.ObservationToken) { self.token = token }
    }

    private func added(_ body: @escaping @MainActor @Sendable (NotificationTick) -> Void) -> AnyObject {
        nonisolated(unsafe) let center = center
        nonisolated(unsafe) let emitter = emitter
        return Registration(
            MainActor.assumeIsolated { center.addObserver(of: emitter, for: NotificationTick.self, using: body) })
    }

    override func add(_ word: Word?) -> AnyObject {
        guard let word else { return added { _ in count_here() } }
        nonisolated(unsafe) let sum = word
        return added { tick in sum.pointee &+= UInt64(tick.value) }
    }

    override func observe(_ owned: Owned) -> AnyObject { added { _ in owned.call() } }
    override func remove(_ registration: AnyObject) { center.removeObserver((registration as! Registration).token) }

    override func post(_ count: Int) {
        nonisolated(unsafe) let center = center
        nonisolated(unsafe) let emitter = emitter
        MainActor.assumeIsolated {
            for _ in 0..<count { center.post(NotificationTick(), subject: emitter) }
        }
    }
}

/// A center with a place for messages, and places by name.
final class MessageCenter<Center: MessagePoster>: TypedCenter {
    private let center: Center

    init(_ center: Center) { self.center = center }

    func place(_ name: UnsafePointer<CChar>?) -> Place {
        if isOfType(name) { MessagePlace(center) } else { NotificationPlace(center, name, nil) }
    }
}
