extension HeraldCenter {
    /// The common part of ``Message`` and ``MainActorMessage``. Conform to one of those: no call posts an `AnyMessage`.
    public protocol AnyMessage: ~Copyable, SendableMetatype {
        /// The class of instances that a message can be about; observers may choose the messages about one instance.
        associatedtype Subject: AnyObject = AnyObject

        /// Where observers are called; this is the difference between the two protocols. No type can conform to both.
        associatedtype _Heard

        /// The message at an address, for observers of every post. Do not implement it.
        static func _message(at address: UnsafeRawPointer) -> Any?
    }

    /// A message: its type is the key, and its value is what observers get.
    ///
    /// Structs, enums, classes, actors and types that cannot be copied can conform. A post delivers the message on the
    /// posting thread before it returns (R3), and allocates nothing (R14). The type needs to be `Sendable` only for
    /// observers that run elsewhere: through a queue, on an actor, or in a sequence.
    ///
    /// ```swift
    /// struct DocumentSaved: HeraldCenter.Message { var path: String }
    /// ```
    ///
    /// The key is the static type of the posted value: a subclass posted as its base class is a message of the base
    /// class.
    public protocol Message: AnyMessage, ~Copyable where _Heard == _Anywhere {}

    /// A message that is posted on the main actor; its observers are called there before the post returns.
    public protocol MainActorMessage: AnyMessage where _Heard == MainActor {}

    /// Where observers of a ``Message`` are called: on the posting thread.
    public enum _Anywhere {}
}

extension HeraldCenter.AnyMessage {
    public static func _message(at address: UnsafeRawPointer) -> Any? {
        address.assumingMemoryBound(to: Self.self).pointee
    }
}

extension HeraldCenter.AnyMessage where Self: ~Copyable {
    public static func _message(at address: UnsafeRawPointer) -> Any? { nil }
}
