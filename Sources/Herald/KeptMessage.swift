#if os(Linux)
import CHerald

extension HeraldCenter {
    /// A message whose last value a center keeps for observers that come later.
    ///
    /// ```swift
    /// struct Settings: HeraldCenter.KeptMessage { var theme: String }
    ///
    /// center.post(Settings(theme: "dark"))
    /// let token = center.observe(Settings.self, from: .kept) { settings in ... }  // hears "dark" at once
    /// ```
    ///
    /// **State is kept, events are not.** Make a type a `KeptMessage` if its last value is still true when somebody comes
    /// late: settings, the state of a connection. See <doc:StateForLatecomers>.
    ///
    /// Every post of the type is kept, also one by generic code, through `any Message`, and by a topic. A center keeps
    /// one value for each subject, and one that is about none. A newer post takes the place of the older one, and
    /// ``HeraldCenter/forget(_:)`` forgets it. Meanwhile the center retains the subject: forget what is about an instance
    /// that nobody needs any more. Observers that do not ask for what is kept hear the posts as any posts.
    ///
    /// A kept post allocates memory for the message, and takes the center's lock (R14). A center keeps at most 65,536
    /// messages. A message that is too much is posted and not kept, and a line on stderr reports the first one. A message
    /// about an instance in its `deinit` is not kept either.
    ///
    /// Conform where the type is declared. A `WireMessage` may conform, too. Then a ``WireCenter`` keeps it as well, for
    /// all processes; a `WireMessage` that is no `KeptMessage` is kept nowhere.
    public protocol KeptMessage: Message, Sendable {}

    /// What an observer hears first.
    public enum Start: Sendable {
        /// The next post, as without `from:`.
        case next
        /// What is kept now, then the next post.
        case kept
    }

    /// The message that the center keeps for observers that come later, and that is about no subject.
    ///
    /// ```swift
    /// let theme = center.kept(Settings.self)?.theme ?? "light"
    /// ```
    ///
    /// When a post has returned, this function returns its message, or a newer one.
    ///
    /// The corresponding C function is `HeraldCenterTakeKept`.
    ///
    /// - Parameter type: The type of the message.
    /// - Returns: The message; `nil` if none was posted, or it was forgotten.
    public func kept<M: KeptMessage>(_: M.Type) -> M? { kept(M.self, about: nil) }

    /// The message about a subject that the center keeps for observers that come later.
    ///
    /// - Parameters:
    ///   - type: The type of the message.
    ///   - subject: The instance that the message is about.
    /// - Returns: The message; `nil` if none was posted about the subject, or it was forgotten.
    public func kept<M: KeptMessage>(_: M.Type, subject: M.Subject) -> M? { kept(M.self, about: subject) }

    private func kept<M: KeptMessage>(_: M.Type, about subject: AnyObject?) -> M? {
        M.mustBeKept()
        var found: UnsafeRawPointer?
        HeraldCenterTakeKept(
            native, Herald.name(of: M.self), subject.map { address(of: $0) },
            { found, userInfo, tag in
                guard tag == Tag.kept, let userInfo else { return }
                found?.assumingMemoryBound(to: UnsafeRawPointer?.self).pointee = retained(box(of: userInfo))
            }, &found)
        withExtendedLifetime(subject) {}
        return found.map { taken(KeptBox<M>.self, at: $0).value }
    }

    /// Forgets the message that the center keeps and that is about no subject. Observers that come later begin without
    /// it. No observer is called.
    ///
    /// The corresponding C function is `HeraldCenterForget`.
    ///
    /// - Parameter type: The type of the message.
    /// - Returns: Whether a message was kept.
    @discardableResult public func forget<M: KeptMessage>(_: M.Type) -> Bool { forget(M.self, about: nil) }

    /// Forgets the message about a subject that the center keeps, and releases the subject. No observer is called.
    ///
    /// - Parameters:
    ///   - type: The type of the message.
    ///   - subject: The instance that the message is about.
    /// - Returns: Whether a message was kept.
    @discardableResult public func forget<M: KeptMessage>(_: M.Type, subject: M.Subject) -> Bool {
        forget(M.self, about: subject)
    }

    private func forget<M: KeptMessage>(_: M.Type, about subject: AnyObject?) -> Bool {
        M.mustBeKept()
        defer { withExtendedLifetime(subject) {} }
        return HeraldCenterForget(native, Herald.name(of: M.self), subject.map { address(of: $0) })
    }

    /// Inside an observer, on the thread that calls it: whether the observer is being given what was kept when it began.
    /// `false` in every other call, also for kept posts that were made later, and everywhere else.
    ///
    /// A body in a queue, on an actor or in a sequence runs elsewhere, where this is `false`. There, `began:` of the call
    /// that observes says how many messages were kept.
    ///
    /// The corresponding C function is `HeraldPostIsKept`.
    public static var currentPostIsKept: Bool { HeraldPostIsKept() }
}

extension HeraldCenter.KeptMessage {
    @inlinable @inline(__always) public static var _isKept: Bool { true }
    @inlinable @inline(__always) public static func _boxed(_ message: borrowing Self) -> AnyObject? {
        KeptBox(copy message)
    }

    /// A post finds by the type's conformance to `AnyMessage` that it is kept. An extension in another module makes a
    /// `KeptMessage` of a `Message`, and leaves this conformance as it was.
    @usableFromInline package static func mustBeKept() {
        precondition(
            _isKept, "Herald: \(Self.self) is posted as a Message: declare it as a KeptMessage in its own module")
    }
}

extension HeraldCenter.Start {
    /// The start for messages of a type.
    @usableFromInline func of<M: HeraldCenter.KeptMessage>(_: M.Type) -> Self {
        M.mustBeKept()
        return self
    }
}
#endif
