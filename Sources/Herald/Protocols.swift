import CHerald

/// Observers of a protocol: to notify them is to call one of its methods.
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
    public func addObserver<P: Sendable>(_ observer: P, as protocol: P.Type) {
        let owner = Self.owner(observer)
        let name = Herald.name(of: P.self)
        guard !owners.has(owner, Owners.Key(kind: .call, name: name, subject: nil)) else { return }
        let borrowed = Borrowed(observer, of: owner)
        weak let weakly = owner
        observe(.call, name, .any, by: owner) { _, _, payload in
            guard let owner = weakly else { return false }
            payload.unsafelyUnwrapped.assumingMemoryBound(to: Call<P>.self).pointee.body(borrowed.value)
            withExtendedLifetime(owner) {}
            return true
        }
    }

    /// Removes an observer of a protocol. It does not wait for a call that is running on another thread.
    ///
    /// - Parameters:
    ///   - observer: The instance that was added; its `deinit` may make this call.
    ///   - protocol: The protocol for which it was added.
    public func removeObserver<P: Sendable>(_ observer: P, as protocol: P.Type) {
        owners.remove(Self.owner(observer), in: native) { $0.kind == .call && $0.name == Herald.name(of: P.self) }
    }

    /// Calls the observers of a protocol on this thread, in the order in which they were added (R2), before it returns
    /// (R3).
    ///
    /// It allocates once, because a closure that does not escape has no address of its own.
    ///
    /// - Parameters:
    ///   - protocol: The protocol for which the observers were added.
    ///   - call: Called once with each observer.
    public func notify<P: Sendable>(_ protocol: P.Type, _ call: (P) -> Void) {
        withoutActuallyEscaping(call) { call in
            withUnsafePointer(to: Call(body: call)) {
                _ = HeraldCenterPostTagged(native, Herald.name(of: P.self), nil, $0, Tag.call, 0)
            }
        }
    }

    private static func owner<P>(_ observer: P) -> AnyObject {
        precondition(
            type(of: observer as Any) is AnyClass, "Herald: an observer of a protocol must be an instance of a class")
        // An existential of `Error` puts even an instance into a box, to which there would be no other reference.
        precondition(P.self as Any.Type != (any Error).self, "Herald: `any Error` cannot be observed")
        return (observer as Any) as AnyObject
    }
}

/// The payload of a post by `notify`. A struct, because a bare closure that is stored as a generic value is wrapped in
/// another closure.
private struct Call<P> {
    let body: (P) -> Void
}

/// A copy of a value that counts no reference: valid while its user retains the instance that it refers to. For an
/// instance as a protocol it has the reference and the conformance, which a cast would have to look up in each call.
private final class Borrowed<Value>: @unchecked Sendable {
    private let bits: UnsafeMutablePointer<Value>

    init(_ value: Value, of owner: AnyObject) {
        bits = .allocate(capacity: 1)
        withUnsafePointer(to: value) {
            UnsafeMutableRawPointer(bits).copyMemory(from: $0, byteCount: MemoryLayout<Value>.size)
        }
        precondition(
            UnsafeRawPointer(bits).load(as: UnsafeRawPointer.self) == address(of: owner),
            "Herald: this type does not refer to its instances directly")
    }

    var value: Value { bits.pointee }

    deinit { bits.deallocate() }  // not deinitialized: it counts no reference
}
