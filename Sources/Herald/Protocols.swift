import CHerald

/// Observers of a protocol: a post is a call of one of its methods.
extension HeraldCenter {
    /// Lets an instance hear the calls of a protocol that it conforms to, while it lives. It is held weakly; added
    /// twice it hears once, in the place of the first time.
    ///
    /// ```swift
    /// protocol UserObserver: AnyObject, Sendable { func userNameChanged(to name: String) }
    /// center.addObserver(self, as: UserObserver.self)
    /// center.notify(UserObserver.self) { $0.userNameChanged(to: "Ada") }
    /// ```
    ///
    /// The observer is an instance of a class. A value of another kind has no life to hold on to and is refused.
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

    /// Ends what was added for this protocol. A `deinit` may call it.
    public func removeObserver<P: Sendable>(_ observer: P, as protocol: P.Type) {
        owners.remove(Self.owner(observer), in: native) { $0.kind == .call && $0.name == Herald.name(of: P.self) }
    }

    /// Calls each observer of a protocol, on this thread, in the order in which they were added.
    ///
    /// It allocates once, for a closure that does not escape has no address of its own.
    public func notify<P: Sendable>(_ protocol: P.Type, _ call: (P) -> Void) {
        withoutActuallyEscaping(call) { call in
            withUnsafePointer(to: Call(body: call)) {
                _ = HeraldCenterPostTagged(native, Herald.name(of: P.self), nil, $0, Tag.call, 0)
            }
        }
    }

    private static func owner<P>(_ observer: P) -> AnyObject {
        precondition(
            type(of: observer as Any) is AnyClass, "Herald: an observer of a protocol is an instance of a class")
        // It keeps even an instance in a box of its own, which nobody would keep alive.
        precondition(P.self as Any.Type != (any Error).self, "Herald: `any Error` cannot be observed")
        return (observer as Any) as AnyObject
    }
}

/// What `notify` posts. In a struct of its own: a bare closure would be wrapped in another for being stored
/// generically.
private struct Call<P> {
    let body: (P) -> Void
}

/// A value of which no reference is counted: valid while somebody else keeps alive what it refers to. For an instance
/// seen through a protocol that is its reference and the conformance, which a cast would have to find at each call.
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

    deinit { bits.deallocate() }  // not deinitialized: nothing was counted
}
