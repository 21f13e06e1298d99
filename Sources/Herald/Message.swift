extension HeraldCenter {
    /// What ``Message`` and ``MainActorMessage`` have in common. Nothing is posted through it: conform to one of those.
    public protocol AnyMessage: ~Copyable, SendableMetatype {
        /// What a message can be about; observers may ask for the messages about one instance.
        associatedtype Subject: AnyObject = AnyObject

        /// Where it is heard: decided by which of the two it is. No type can be both.
        associatedtype _Heard

        /// The message at an address, for observers of any name. Leave it as it is.
        static func _message(at address: UnsafeRawPointer) -> Any?
    }

    /// A message: the type is the key, its values are what observers get.
    ///
    /// Any type will do: structs, enums, classes, actors, and types that cannot be copied. It is delivered
    /// synchronously on the posting thread, without an allocation. It need not be `Sendable` unless an
    /// observer hears it elsewhere: through a queue, on an actor, or in a sequence.
    ///
    /// ```swift
    /// struct DocumentSaved: HeraldCenter.Message { var path: String }
    /// ```
    ///
    /// The key is the static type of what is posted: a subclass posted as its base class is a message of the base
    /// class.
    public protocol Message: AnyMessage, ~Copyable where _Heard == _Anywhere {}

    /// A message that is posted on the main actor, and heard there before the post returns.
    public protocol MainActorMessage: AnyMessage where _Heard == MainActor {}

    /// Where a ``Message`` is heard: where it is posted.
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
