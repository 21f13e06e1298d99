#if os(Linux)
public import Foundation
import Herald

// The typed messages of Foundation (SF-0011), with the conversions from and to notifications that Foundation itself has
// on Apple's systems only.
extension HeraldNotificationCenter {
    /// A message that is posted on the main actor, and whose observers are called there before the post returns.
    public protocol MainActorMessage: SendableMetatype {
        /// What messages of this type are about.
        associatedtype Subject
        /// The name under which observers of notifications hear the message. By default the name of the type.
        static var name: Notification.Name { get }
        /// Makes a message of a notification that was posted under the name. By default nil: observers of the message do
        /// not hear notifications.
        @MainActor static func makeMessage(_ notification: Notification) -> Self?
        /// Makes a notification for observers of the name. The center sets its name and object.
        @MainActor static func makeNotification(_ message: Self) -> Notification
    }

    /// A message that any thread may post, and whose observers run in tasks.
    public protocol AsyncMessage: Sendable {
        /// What messages of this type are about.
        associatedtype Subject
        /// The name under which observers of notifications hear the message. By default the name of the type.
        static var name: Notification.Name { get }
        /// Makes a message of a notification that was posted under the name. By default nil: observers of the message do
        /// not hear notifications.
        static func makeMessage(_ notification: Notification) -> Self?
        /// Makes a notification for observers of the name. The center sets its name and object.
        static func makeNotification(_ message: Self) -> Notification
    }

    /// Stands for a type of messages where an observer is added: `addObserver(of: disk, for: .didFill)`.
    public protocol MessageIdentifier {
        associatedtype MessageType
    }

    /// An identifier of a type of messages.
    ///
    /// ```swift
    /// extension HeraldNotificationCenter.MessageIdentifier
    /// where Self == HeraldNotificationCenter.BaseMessageIdentifier<DidFill> {
    ///     static var didFill: Self { .init() }
    /// }
    /// ```
    public struct BaseMessageIdentifier<MessageType>: MessageIdentifier, Sendable {
        public init() where MessageType: MainActorMessage {}
        public init() where MessageType: AsyncMessage {}
    }
}

extension HeraldNotificationCenter.MainActorMessage {
    public static var name: Notification.Name { Notification.Name(_typeName(Self.self)) }
    @MainActor public static func makeMessage(_ notification: Notification) -> Self? { nil }
    @MainActor public static func makeNotification(_ message: Self) -> Notification { Notification(name: name) }
}

extension HeraldNotificationCenter.AsyncMessage {
    public static var name: Notification.Name { Notification.Name(_typeName(Self.self)) }
    public static func makeMessage(_ notification: Notification) -> Self? { nil }
    public static func makeNotification(_ message: Self) -> Notification { Notification(name: name) }
}

/// The key under which a notification that a message has made has the message itself. A text, so that Herald's observers
/// can read the other entries by their keys.
private let messageKey = "HeraldFoundation.message"

/// Makes complete what a message has made.
private func complete(
    _ made: Notification, _ name: Notification.Name, _ subject: AnyObject?, _ message: Any
) -> Notification {
    var notification = made
    notification.name = name
    notification.object = subject
    notification.userInfo = (made.userInfo ?? [:]).merging([messageKey: message]) { $1 }
    return notification
}

enum OnMainActor<M: HeraldNotificationCenter.MainActorMessage>: MessageKind {
    /// Called during a post of the message, so on the main actor.
    static func notification(of message: UnsafeRawPointer, _ subject: AnyObject?) -> Notification {
        nonisolated(unsafe) let message = message, subject = subject
        nonisolated(unsafe) var made: Notification?
        MainActor.assumeIsolated {
            let message = message.assumingMemoryBound(to: M.self).pointee
            made = complete(M.makeNotification(message), M.name, subject, message)
        }
        return made.unsafelyUnwrapped
    }

    /// The message that was posted, or that a notification makes.
    @MainActor static func message(_ notification: Notification) -> M? {
        notification.userInfo?[messageKey] as? M ?? M.makeMessage(notification)
    }
}

enum Anywhere<M: HeraldNotificationCenter.AsyncMessage>: MessageKind {
    static func notification(of message: UnsafeRawPointer, _ subject: AnyObject?) -> Notification {
        let message = message.assumingMemoryBound(to: M.self).pointee
        return complete(M.makeNotification(message), M.name, subject, message)
    }

    /// The message that was posted, or that a notification makes.
    static func message(_ heard: borrowing Heard) -> M? {
        if let message = heard.message(of: Self.self, as: M.self) { return message.pointee }
        guard let notification = heard.notification else { return nil }
        return notification.userInfo?[messageKey] as? M ?? M.makeMessage(notification)
    }
}
#endif
