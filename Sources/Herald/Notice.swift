#if os(Linux)
import CHerald
import CHeraldRuntime

extension HeraldCenter {
    /// A post, in the form in which an observer of a name gets it.
    ///
    /// A notice costs nothing until an observer keeps it. An observer that captures or stores the notice makes a copy,
    /// which retains the ``subject`` and the ``userInfo``. A ``message`` and a payload from C belong to the poster, and
    /// are gone when the call returns.
    ///
    /// ```swift
    /// let token = center.observe("saved") { notice in Task { print(notice.name) } }
    /// ```
    ///
    /// A post's tag shows whether the post came from Swift or from C, and what its payload is. So a payload is never
    /// read as a type that it does not have (R21).
    public struct Notice: @unchecked Sendable {
        // C lends the notice to the observer. The notice is laid out as `herald_swift_notice`; see `checkLayouts`.
        let nativeName: HeraldNameRef?
        let tag: UnsafeRawPointer?
        let object: UnsafeRawPointer?
        let payload: UnsafeRawPointer?
        /// The number of the call during which the payload may be read as a message, or 0.
        let call: UInt64

        /// The subject of a post from Swift, if the post has one.
        ///
        /// The subject may be an instance of any class. On another thread than the posting thread, use the subject only
        /// if its class is `Sendable`. An instance may post about itself in its `deinit`. Do not keep the notice of
        /// such a post: as everywhere in Swift, an instance must not be kept in its `deinit`.
        public let subject: AnyObject?

        /// The payload of an untyped post from Swift. ``subscript(_:as:)`` reads a value of a dictionary.
        public let userInfo: (any Sendable)?

        /// A value of the payload, if the payload is a dictionary with texts as keys.
        ///
        /// ```swift
        /// let token = center.observe("saved") { notice in print(notice["path", as: String.self] ?? "no path") }
        /// center.post("saved", userInfo: ["path": "notes.txt", "length": 12])
        /// ```
        ///
        /// - Parameters:
        ///   - key: The key of the value.
        ///   - type: The type of the value. Numbers are not converted: an `Int` is no `Double`.
        /// - Returns: The value. `nil` if the key is missing, if its value has another type, and for every payload that
        ///   is no dictionary from Swift.
        public subscript<Value>(key: String, as type: Value.Type) -> Value? { entry(key, of: userInfo) }

        /// The payload, if it is a value of this type. Faster than a cast of ``userInfo``.
        ///
        /// ```swift
        /// let token = center.observe("moved") { notice in print(notice.userInfo(as: Int.self) ?? 0) }
        /// center.post("moved", userInfo: 12)
        /// ```
        ///
        /// - Parameter type: The type of the payload. As in a cast, it may be a protocol or a superclass.
        /// - Returns: The payload. `nil` if it has another type, and for every post without a payload from Swift.
        @inlinable public func userInfo<Payload>(as type: Payload.Type) -> Payload? { value(of: userInfo, as: type) }

        /// The name that was posted. For a message, the name stands for the type of the message.
        public var name: Name {
            Name(native: nativeName.unsafelyUnwrapped, isType: Tag.isOfType(tag))
        }

        /// The message, if the post is a message of a copyable type. `nil` after the call, because a message is borrowed
        /// from its post, and for a held post (R16), except for that of a ``KeptMessage``.
        public var message: Any? {
            guard Tag.isMessage(tag), let payload, let nativeName, herald_swift_call_is_running(call) else {
                return nil
            }
            let type: (any (AnyMessage & ~Copyable).Type)? = cast(type(named: nativeName))
            return type?._message(at: payload)
        }

        /// The address of the subject, for posts from Swift and from C. Only compare the address: only the poster knows
        /// what is there.
        public var rawSubject: UnsafeRawPointer? { object }

        /// The payload of a post from C, during the call. Only the poster knows what the payload points to; see
        /// ``rawTag``.
        public var rawUserInfo: UnsafeRawPointer? { Tag.isSwift(tag) ? nil : payload }

        /// The tag of a post from C, if the post has one.
        public var rawTag: UnsafeRawPointer? { Tag.isSwift(tag) ? nil : tag }
    }

    /// The part of a ``Notice`` that outlives the call, for queues and sequences.
    public struct Posted: @unchecked Sendable {
        /// The name that was posted.
        public let name: Name
        /// The subject of a post from Swift, if the post has one. The subject is retained.
        ///
        /// The subject may be an instance of any class. On another thread than the posting thread, use the subject only
        /// if its class is `Sendable`.
        public let subject: AnyObject?
        /// The payload of an untyped post from Swift. `nil` for messages and for posts from C, because their payloads
        /// are borrowed.
        public let userInfo: (any Sendable)?

        /// A value of the payload, if the payload is a dictionary with texts as keys, as
        /// ``HeraldCenter/Notice/subscript(_:as:)``.
        ///
        /// - Parameters:
        ///   - key: The key of the value.
        ///   - type: The type of the value.
        public subscript<Value>(key: String, as type: Value.Type) -> Value? { entry(key, of: userInfo) }

        /// The payload, if it is a value of this type, as ``HeraldCenter/Notice/userInfo(as:)``.
        ///
        /// - Parameter type: The type of the payload.
        @inlinable public func userInfo<Payload>(as type: Payload.Type) -> Payload? { value(of: userInfo, as: type) }

        /// Keeps a post, and retains its subject. An instance in its `deinit` cannot be retained for later: then
        /// `subject` is nil.
        package init(
            _ name: NativeName?, _ object: UnsafeRawPointer?, _ payload: UnsafeRawPointer?, _ tag: UnsafeRawPointer?
        ) {
            self.name = Name(native: name.unsafelyUnwrapped, isType: Tag.isOfType(tag))
            if herald_swift_is_lent(tag), let payload {
                var object: UnsafeRawPointer?
                var lent: (any Sendable)?
                withUnsafeMutablePointer(to: &lent) { herald_swift_lend(payload, &object, $0) }
                (subject, userInfo) = (instance(at: object), lent)
                return
            }
            subject = Tag.isSwift(tag) ? instance(at: object) : nil
            userInfo = tag == Tag.userInfo ? payload?.assumingMemoryBound(to: (any Sendable).self).pointee : nil
        }
    }
}

/// The value of a key, if a payload is a dictionary with texts as keys. A literal is posted as `[String: any Sendable]`;
/// a dictionary of another value type is converted.
private func entry<Value>(_ key: String, of payload: (any Sendable)?) -> Value? {
    guard let entries = payload as? [String: any Sendable], let value = entries[key] else { return nil }
    return value as? Value
}

/// A payload as a value of a type. If the payload is of exactly this type, no cast is needed: a cast looks for other ways
/// to convert a value, even where the types are the same.
@inlinable func value<Payload>(of payload: (any Sendable)?, as type: Payload.Type) -> Payload? {
    guard let payload else { return nil }
    func read<Value>(_ value: Value) -> Payload? {
        Value.self == Payload.self ? _identityCast(value, to: Payload.self) : value as? Payload
    }
    return _openExistential(payload, do: read)
}
#endif
