#if os(Linux)
import CHerald
import CHeraldRuntime

/// Observers that conform to a protocol. `notify` calls a closure with each of them, and the closure calls a method of
/// the protocol.
extension HeraldCenter {
    /// Adds an observer that conforms to a protocol. ``notify(_:_:)`` calls the observer as long as the observer lives.
    ///
    /// ```swift
    /// protocol UserObserver: AnyObject, Sendable { func userNameChanged(to name: String) }
    /// center.addObserver(self, as: UserObserver.self)
    /// center.notify(UserObserver.self) { $0.userNameChanged(to: "Ada") }
    /// ```
    ///
    /// Observers are called in the order in which they were added (R2). Adding an observer a second time has no effect:
    /// the observer keeps its place and is called once. No observer is called after it is gone or removed (R6).
    ///
    /// - Parameters:
    ///   - observer: An instance of a class, referenced weakly; any other value is a precondition failure.
    ///   - protocol: The protocol. `notify` finds its observers by this type, so pass the same type there.
    ///   - file: The source file of the call; inspection tools show it with `line`.
    ///   - line: See `file`.
    public func addObserver<P: Sendable>(
        _ observer: P, as protocol: P.Type, file: StaticString = #fileID, line: UInt = #line
    ) {
        let owner = Self.owner(observer)
        // The center keeps a copy of the bits of `observer`: the reference to the instance, and its conformance to the
        // protocol. With only the reference, each call would have to look up the conformance. The bits retain nothing.
        // The owner is retained during each call.
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

    /// Removes an observer that was added for a protocol, without waiting for a call that is running on another thread.
    ///
    /// - Parameters:
    ///   - observer: The instance that was added; its `deinit` may make this call.
    ///   - protocol: The protocol for which it was added.
    public func removeObserver<P: Sendable>(_ observer: P, as protocol: P.Type) {
        remove(of: Self.owner(observer), HERALD_SWIFT_CALLS, Herald.name(of: P.self))
    }

    /// Calls a closure with each observer that was added for a protocol. The calls run on this thread, in the order in
    /// which the observers were added (R2), before `notify` returns (R3).
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
        // `any Error` puts even an instance of a class into a box. The bits would refer to the box, and nothing would
        // retain the box.
        precondition(P.self as Any.Type != (any Error).self, "Herald: `any Error` cannot be observed")
        return (observer as Any) as AnyObject
    }
}
#endif
