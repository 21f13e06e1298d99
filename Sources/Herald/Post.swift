public import CHerald

extension HeraldCenter {
    /// Posts a message: calls the observers of its type in the order of registration (R2), before it returns (R3).
    ///
    /// It takes no lock, allocates nothing, and costs one call for each observer (R14). It never fails (R15). Observers
    /// of a particular subject are not called (R1).
    ///
    /// The corresponding C function is `HeraldCenterPostTagged`.
    @inlinable @inline(__always)
    public func post<M: Message & ~Copyable>(_ message: borrowing M) {
        post(message, about: nil)
    }

    /// Posts a message about a subject: calls the observers of that subject and those without a subject (R1).
    ///
    /// - Parameters:
    ///   - message: Borrowed until the post returns.
    ///   - subject: The instance that the message is about, retained until the post returns. `nil`: nothing in
    ///     particular.
    @inlinable @inline(__always)
    public func post<M: Message & ~Copyable>(_ message: borrowing M, subject: M.Subject?) {
        post(message, about: subject)
    }

    /// Posts a message on the main actor: calls its observers there in the order of registration (R2), before it
    /// returns (R3).
    @MainActor @inlinable @inline(__always)
    public func post<M: MainActorMessage>(_ message: M) {
        post(message, about: nil)
    }

    /// Posts a message about a subject on the main actor: calls the observers of that subject and those without a
    /// subject (R1).
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - subject: The instance that the message is about, retained until the post returns. `nil`: nothing in
    ///     particular.
    @MainActor @inlinable @inline(__always)
    public func post<M: MainActorMessage>(_ message: M, subject: M.Subject?) {
        post(message, about: subject)
    }

    /// Posts a name: calls the observers of the name and those of every post, in Swift and in C, in the order of
    /// registration (R2), before it returns (R3).
    ///
    /// The corresponding C function is `HeraldCenterPostTagged`.
    ///
    /// - Parameters:
    ///   - name: The name to post.
    ///   - subject: The instance that the post is about. A suspended center that holds the post retains it (R16).
    @inlinable @inline(__always)
    public func post(_ name: Name, subject: AnyObject? = nil) {
        HeraldCenterPostTagged(native, name.native, subject.map { address(of: $0) }, nil, Tag.userInfo, 0)
        withExtendedLifetime(subject) {}
    }

    /// Posts a name with a payload: calls the observers of the name and those of every post, in Swift and in C, in the
    /// order of registration (R2), before it returns (R3).
    ///
    /// Observers in C get a payload that they cannot read, tagged as Swift's. To give them one that they can read, call
    /// the C function with ``native``.
    ///
    /// The corresponding C function is `HeraldCenterPostTagged`.
    ///
    /// - Parameters:
    ///   - name: The name to post.
    ///   - subject: The instance that the post is about. A suspended center that holds the post retains it (R16).
    ///   - userInfo: The payload, for ``Notice/userInfo``. A suspended center that holds the post copies it (R16).
    @inlinable @inline(__always)
    public func post(_ name: Name, subject: AnyObject? = nil, userInfo: (any Sendable)?) {
        // An optional that is not nil is laid out as the value in it.
        withUnsafePointer(to: userInfo) {
            let payload = $0.pointee == nil ? nil : UnsafeRawPointer($0)
            HeraldCenterPostTagged(native, name.native, subject.map { address(of: $0) }, payload, Tag.userInfo, 0)
        }
        withExtendedLifetime(subject) {}
    }

    /// Posts a name with a payload of several types: `userInfo: ["title": "Notes", "length": 12]`.
    ///
    /// - Parameters:
    ///   - name: The name to post.
    ///   - subject: The instance that the post is about.
    ///   - userInfo: The payload, for ``Notice/userInfo``: a dictionary.
    public func post(_ name: Name, subject: AnyObject? = nil, userInfo: [String: any Sendable]) {
        post(name, subject: subject, userInfo: userInfo as any Sendable)
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
