import CHerald
import CHeraldRuntime

/// Observers of a protocol. Notifying them calls one of its methods.
extension HeraldCenter {
    /// Adds an observer of a protocol: ``notify(_:_:)`` calls it while it lives.
    ///
    /// ```swift
    /// protocol UserObserver: AnyObject, Sendable { func userNameChanged(to name: String) }
    /// center.addObserver(self, as: UserObserver.self)
    /// center.notify(UserObserver.self) { $0.userNameChanged(to: "Ada") }
    /// ```
    ///
    /// Observers are called in the order in which they were added (R2). Adding an observer a second time has no effect:
    /// it stays at its place and is called once. It is not called after it is gone or removed (R6).
    ///
    /// - Parameters:
    ///   - observer: An instance of a class, referenced weakly; any other value is a precondition failure.
    ///   - protocol: The protocol, as `notify` names it; it is the key.
    ///   - file: The source file of the call; inspection tools show it with `line`.
    ///   - line: See `file`.
    public func addObserver<P: Sendable>(
        _ observer: P, as protocol: P.Type, file: StaticString = #fileID, line: UInt = #line
    ) {
        let owner = Self.owner(observer)
        // The bits of the value: the reference to the instance and its conformance to the protocol, which a cast would
        // have to look up in each call. The bits retain nothing; the owner is retained while it is called.
        withUnsafeBytes(of: observer) { bits in
            precondition(
                bits.load(as: UnsafeRawPointer.self) == address(of: owner),
                "Herald: this type does not refer to its instances directly")
            observe(
                HERALD_SWIFT_CALLS, HERALD_SWIFT_OWNED, Herald.name(of: P.self), Filter(file, line), by: owner,
                herald_swift_closure(),
                observer: bits)
        }
    }

    /// Removes an observer of a protocol. It does not wait for a call that is running on another thread.
    ///
    /// - Parameters:
    ///   - observer: The instance that was added; its `deinit` may make this call.
    ///   - protocol: The protocol for which it was added.
    public func removeObserver<P: Sendable>(_ observer: P, as protocol: P.Type) {
        remove(of: Self.owner(observer), HERALD_SWIFT_CALLS, Herald.name(of: P.self))
    }

    /// Calls the observers of a protocol on this thread, in the order in which they were added (R2), before it returns
    /// (R3).
    ///
    /// - Parameters:
    ///   - protocol: The protocol for which the observers were added.
    ///   - call: Called once with each observer.
    @inlinable @inline(__always)
    public func notify<P: Sendable>(_ protocol: P.Type, _ call: (P) -> Void) {
        postCall(native, Herald.name(of: P.self)) { call($0.assumingMemoryBound(to: P.self).pointee) }
    }

    private static func owner<P>(_ observer: P) -> AnyObject {
        precondition(
            type(of: observer as Any) is AnyClass, "Herald: an observer of a protocol must be an instance of a class")
        // An existential of `Error` puts even an instance into a box, which nothing else would retain.
        precondition(P.self as Any.Type != (any Error).self, "Herald: `any Error` cannot be observed")
        return (observer as Any) as AnyObject
    }
}
