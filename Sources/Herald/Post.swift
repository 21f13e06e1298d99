public import CHerald

extension HeraldCenter {
    /// Posts a message: calls everybody who observes its type, in the order of registration, before it returns.
    ///
    /// Takes no lock, allocates nothing, and costs one call for each observer (R14). Observers of a particular subject
    /// do not hear it (R1).
    ///
    /// The corresponding C function is `HeraldCenterPostTagged`.
    @inlinable @inline(__always)
    public func post<M: Message & ~Copyable>(_ message: borrowing M) {
        post(message, about: nil)
    }

    /// Posts a message about a subject: to its observers, and to those of any subject.
    @inlinable @inline(__always)
    public func post<M: Message & ~Copyable>(_ message: borrowing M, subject: M.Subject?) {
        post(message, about: subject)
    }

    /// Posts a message on the main actor.
    @MainActor @inlinable @inline(__always)
    public func post<M: MainActorMessage>(_ message: M) {
        post(message, about: nil)
    }

    /// Posts a message about a subject on the main actor.
    @MainActor @inlinable @inline(__always)
    public func post<M: MainActorMessage>(_ message: M, subject: M.Subject?) {
        post(message, about: subject)
    }

    /// Posts a name, to the observers of the name and of any name, in Swift and in C. Those in C get a payload that
    /// they cannot read, tagged as Swift's; for one they can, use the C function with ``native``.
    ///
    /// The corresponding C function is `HeraldCenterPostTagged`.
    public func post(_ name: Name, subject: AnyObject? = nil, userInfo: (any Sendable)? = nil) {
        let object = subject.map { address(of: $0) }
        if let userInfo {
            withUnsafePointer(to: userInfo) {
                _ = HeraldCenterPostTagged(native, name.native, object, $0, Tag.userInfo, 0)
            }
        } else {
            HeraldCenterPostTagged(native, name.native, object, nil, Tag.userInfo, 0)
        }
        withExtendedLifetime(subject) {}
    }

    @inlinable @inline(__always)
    func post<M: AnyMessage & ~Copyable>(_ message: borrowing M, about subject: M.Subject?) {
        let object = subject.map { address(of: $0) }
        withAddress(of: message) {
            _ = HeraldCenterPostTagged(native, Herald.name(of: M.self), object, $0, Tag.message, 0)
        }
        withExtendedLifetime(subject) {}
    }
}
