#if os(Linux)
extension HeraldCenter {
    /// The common part of ``Message`` and ``MainActorMessage``. Conform to one of these two protocols: no call posts an
    /// `AnyMessage`.
    public protocol AnyMessage: ~Copyable, SendableMetatype {
        /// The class of the instances that a message can be about. Observers may choose the messages about one
        /// instance.
        associatedtype Subject: AnyObject = AnyObject

        /// Where observers are called. The two protocols differ in this type, so no type can conform to both.
        associatedtype _Heard

        /// The message at an address, for observers of every post. Do not implement this function.
        static func _message(at address: UnsafeRawPointer) -> Any?

        /// Whether posts of the type are kept (``KeptMessage``). Do not implement this property.
        static var _isKept: Bool { get }

        /// A copy of the message in a box of its own, for a post that is kept; nil for a type that is not. Do not
        /// implement this function.
        static func _boxed(_ message: borrowing Self) -> AnyObject?
    }

    /// A message. Observers choose it by its type, and get its value.
    ///
    /// Structs, enums, classes, actors and types that cannot be copied can conform. A post calls the observers on the
    /// posting thread before the post returns (R3), and allocates nothing (R14). The type needs to be `Sendable` only
    /// for observers that run elsewhere: through a queue, on an actor, or in a sequence.
    ///
    /// ```swift
    /// struct DocumentSaved: HeraldCenter.Message { var path: String }
    /// ```
    ///
    /// The static type of the posted value is the type of the message. For example, if an instance of a subclass is
    /// posted as its base class, the observers of the base class are called, not those of the subclass.
    public protocol Message: AnyMessage, ~Copyable where _Heard == _Anywhere {}

    /// A message that is posted on the main actor. Its observers are called on the main actor before the post returns
    /// (R3).
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

    // These are constants at the call site, so that a post of a type that is not kept does not look for a box.
    @inlinable @inline(__always) public static var _isKept: Bool { false }
    @inlinable @inline(__always) public static func _boxed(_ message: borrowing Self) -> AnyObject? { nil }
}
#endif
