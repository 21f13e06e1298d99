#if os(Linux)
public import CHerald

extension HeraldCenter {
    /// Posts a message: calls the observers of its type, in the order of registration (R2), before the post returns
    /// (R3).
    ///
    /// A post takes no lock, allocates nothing, and costs one call for each observer; R14 names the exceptions. A post
    /// never fails (R15). Observers of a particular subject are not called (R1). A message of a ``KeptMessage`` type is
    /// kept for observers that come later, which takes a lock and memory.
    ///
    /// If an observer in C++ throws through the post (R17), Swift releases nothing that the caller holds: the message,
    /// the subject and the userInfo leak. <doc:Lifetimes> says more.
    ///
    /// The corresponding C function is `HeraldCenterPostTagged`.
    @inlinable @inline(__always)
    public func post<M: Message & ~Copyable>(_ message: borrowing M) {
        post(message, about: nil)
    }

    /// Posts a message about a subject: calls the observers of that subject, and the observers without a subject (R1).
    ///
    /// - Parameters:
    ///   - message: Borrowed until the post returns.
    ///   - subject: The instance that the message is about, retained until the post returns. `nil`: the message is
    ///     about no particular instance.
    @inlinable @inline(__always)
    public func post<M: Message & ~Copyable>(_ message: borrowing M, subject: M.Subject?) {
        post(message, about: subject)
    }

    /// Posts a message on the main actor: calls its observers there, in the order of registration (R2), before the post
    /// returns (R3).
    @MainActor @inlinable @inline(__always)
    public func post<M: MainActorMessage>(_ message: M) {
        post(message, about: nil)
    }

    /// Posts a message about a subject on the main actor: calls the observers of that subject, and the observers
    /// without a subject (R1).
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - subject: The instance that the message is about, retained until the post returns. `nil`: the message is
    ///     about no particular instance.
    @MainActor @inlinable @inline(__always)
    public func post<M: MainActorMessage>(_ message: M, subject: M.Subject?) {
        post(message, about: subject)
    }

    /// Posts a name. The post calls the observers of the name and the observers of all posts, in Swift and in C. It
    /// calls them in the order of registration (R2), before it returns (R3).
    ///
    /// The corresponding C function is `HeraldCenterPostTagged`.
    ///
    /// - Parameters:
    ///   - name: The name to post.
    ///   - subject: The instance that the post is about. A suspended center that holds the post retains the instance
    ///     (R16).
    @inlinable @inline(__always)
    public func post(_ name: Name, subject: AnyObject? = nil) {
        HeraldCenterPostTagged(native, name.native, subject.map { address(of: $0) }, nil, Tag.userInfo, 0)
        withExtendedLifetime(subject) {}
    }

    /// Posts a name with a payload. The post calls the observers of the name and the observers of all posts, in Swift
    /// and in C. It calls them in the order of registration (R2), before it returns (R3).
    ///
    /// Observers in C cannot read this payload. The post's tag (R21) tells them that the payload is a Swift value. To
    /// post a payload for C, pass ``native`` to the C function.
    ///
    /// The corresponding C function is `HeraldCenterPostTagged`.
    ///
    /// - Parameters:
    ///   - name: The name to post.
    ///   - subject: The instance that the post is about. A suspended center that holds the post retains the instance
    ///     (R16).
    ///   - userInfo: The payload; observers find it in ``Notice/userInfo``. A suspended center that holds the post
    ///     copies the payload (R16).
    @inlinable @inline(__always)
    public func post(_ name: Name, subject: AnyObject? = nil, userInfo: (any Sendable)?) {
        // If the optional is not nil, its address is also the address of its value.
        withUnsafePointer(to: userInfo) {
            let payload = $0.pointee == nil ? nil : UnsafeRawPointer($0)
            HeraldCenterPostTagged(native, name.native, subject.map { address(of: $0) }, payload, Tag.userInfo, 0)
        }
        withExtendedLifetime(subject) {}
    }

    /// Posts a name with a dictionary of values of several types: `userInfo: ["title": "Notes", "length": 12]`.
    ///
    /// - Parameters:
    ///   - name: The name to post.
    ///   - subject: The instance that the post is about.
    ///   - userInfo: The dictionary; observers read its values with ``Notice/subscript(_:as:)``.
    public func post(_ name: Name, subject: AnyObject? = nil, userInfo: [String: any Sendable]) {
        post(name, subject: subject, userInfo: userInfo as any Sendable)
    }

    @inlinable @inline(__always)
    func post<M: AnyMessage & ~Copyable>(_ message: borrowing M, about subject: M.Subject?) {
        if let box = M._boxed(message) { return postKept(box, Herald.name(of: M.self), subject) }
        let object = subject.map { address(of: $0) }
        withAddress(of: message) {
            _ = HeraldCenterPostTagged(native, Herald.name(of: M.self), object, $0, Tag.message, 0)
        }
        withExtendedLifetime(subject) {}
    }
}
#endif
