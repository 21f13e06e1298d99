#if os(Linux)
import CHerald
import CHeraldRuntime
import Foundation
import Herald

/// What a post of a ``HeraldNotificationCenter`` carries: on the stack of the poster, or a copy that a suspended center
/// holds.
struct Sent {
    /// A notification or a message.
    let value: UnsafeRawPointer
    /// The kind of the message, or nil for a notification.
    let kind: (any MessageKind.Type)?
    /// The subject of the message.
    let subject: AnyObject?
    /// The center of Foundation from which a joint has brought the notification.
    let origin: ObjectIdentifier?
    /// Where the poster's thread keeps what a message has made. Nil: a notification.
    private let made: UnsafeMutablePointer<Notification?>?

    init(
        _ value: UnsafeRawPointer, _ kind: (any MessageKind.Type)? = nil, _ subject: AnyObject? = nil,
        from origin: ObjectIdentifier? = nil, made: UnsafeMutablePointer<Notification?>? = nil
    ) {
        (self.value, self.kind, self.subject, self.origin, self.made) = (value, kind, subject, origin, made)
    }

    /// The tag of the posts (R21): the address of a type's metadata.
    static var tag: UnsafeRawPointer { unsafeBitCast(Sent.self as Any.Type, to: UnsafeRawPointer.self) }

    /// The notification, or the one that the message makes, once.
    var notification: Notification {
        guard let kind, let made else { return value.assumingMemoryBound(to: Notification.self).pointee }
        let notification = made.pointee ?? kind.notification(of: value, subject)
        made.pointee = notification
        return notification
    }
}

/// A type of messages in Foundation's sense.
protocol MessageKind {
    static func notification(of message: UnsafeRawPointer, _ subject: AnyObject?) -> Notification
}

extension HeraldCenter {
    func send(_ notification: Notification, from origin: ObjectIdentifier? = nil) {
        withUnsafePointer(to: notification) {
            let sent = Sent(UnsafeRawPointer($0), from: origin)
            send(sent, notification.name.rawValue, notification.object.map { Subject.posted($0) } ?? .none)
        }
    }

    func send<M>(_ message: M, _ kind: any MessageKind.Type, _ name: String, _ subject: AnyObject?) {
        var made: Notification?
        withUnsafeMutablePointer(to: &made) { made in
            withAddress(of: message) {
                let sent = Sent($0, kind, subject, made: made)
                send(sent, name, subject.map { .instance(address(of: $0)) } ?? .none)
            }
        }
        withExtendedLifetime(subject) {}
    }

    /// A post makes no name, so that names that are only posted do not live for ever. A suspended center may hold the
    /// post for observers of Herald, who want to know its name.
    private func send(_ sent: Sent, _ text: String, _ subject: Subject) {
        let name =
            NotificationName.find(text) ?? (isSuspended ? NotificationName.make(text) : NotificationName.unmade)
        withUnsafePointer(to: sent) { _ = HeraldCenterPostTagged(native, name, subject.address, $0, Sent.tag, 0) }
        withExtendedLifetime(subject) {}
    }
}

extension Notification {
    /// The notification, to be kept: without its object, if that is being deinitialized.
    var toKeep: Notification {
        guard let object, let instance = Subject.instance(object), Pin(instance).isGone else { return self }
        var kept = self
        kept.object = nil
        return kept
    }
}

// How suspended centers hold these posts (R16), and what Herald's own observers get of them.
extension Sent {
    /// Called before the first post; only the first call does anything.
    static func describe() { described }

    /// A held post. Its payload is the address of `sent`, whose value is `notification`.
    private struct Held {
        let sent: Sent
        let notification: Notification
    }

    private static func at(_ payload: UnsafeRawPointer?) -> UnsafePointer<Sent> {
        payload.unsafelyUnwrapped.assumingMemoryBound(to: Sent.self)
    }

    private static let described: Void = {
        var options = HeraldTagOptions()
        options.size = MemoryLayout<HeraldTagOptions>.size
        options.retainObject = { Herald.retained($0) }
        options.releaseObject = { Herald.release($0) }
        options.retainUserInfo = {
            let sent = Sent.at($0), held = UnsafeMutablePointer<Held>.allocate(capacity: 1)
            let value = held.pointer(to: \.notification).unsafelyUnwrapped
            held.initialize(
                to: Held(
                    sent: Sent(UnsafeRawPointer(value), from: sent.pointee.origin),
                    notification: sent.pointee.notification.toKeep))
            return UnsafeRawPointer(held)
        }
        options.releaseUserInfo = {
            let held = UnsafeMutableRawPointer(mutating: $0.unsafelyUnwrapped).assumingMemoryBound(to: Held.self)
            held.deinitialize(count: 1)
            held.deallocate()
        }
        check(HeraldTagSetOptions(tag, &options))
        herald_swift_lender_is(lender)
    }()

    nonisolated(unsafe) private static let lender: UnsafePointer<herald_swift_lender> = {
        let lender = UnsafeMutablePointer<herald_swift_lender>.allocate(capacity: 1)
        lender.initialize(
            to: herald_swift_lender(
                tag: tag,
                lend: { payload, subject, userInfo in
                    let notification = Sent.at(payload).pointee.notification
                    // The poster keeps the object.
                    subject.unsafelyUnwrapped.pointee = notification.object.flatMap { Subject.instance($0) }.map {
                        address(of: $0)
                    }
                    userInfo.unsafelyUnwrapped.assumingMemoryBound(to: (any Sendable)?.self).pointee =
                        notification.userInfo.map(payload(of:))
                },
                give_back: {
                    $0.unsafelyUnwrapped.assumingMemoryBound(to: (any Sendable)?.self).pointee = nil
                }))
        return UnsafePointer(lender)
    }()
}

/// A userInfo as a payload of Herald: with texts as keys, if all keys are texts. As in Foundation, the poster answers for
/// what other threads do with the values.
private func payload(of userInfo: [AnyHashable: Any]) -> any Sendable {
    var entries: [String: any Sendable] = [:]
    for (key, value) in userInfo {
        guard let key = key.base as? String else { return unsafeBitCast(userInfo as Any, to: (any Sendable).self) }
        entries[key] = unsafeBitCast(value as Any, to: (any Sendable).self)
    }
    return entries
}
#endif
