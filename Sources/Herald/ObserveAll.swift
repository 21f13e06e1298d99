#if os(Linux)
extension HeraldCenter {
    /// Observes every post on the posting thread, while the token lives: messages, posts of names, and posts from C.
    ///
    /// The same as `observe(posts: .all)`.
    ///
    /// - Parameters:
    ///   - whileSuspended: What the observer gets while the center is suspended (R16). A message that is held loses its
    ///     value (``Notice/message``).
    ///   - body: Called with the post, which is lent for the call (see ``Notice``), before the post returns (R3).
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    /// - Returns: The token that owns the registration. ``ObservationToken/cancel()`` waits for running calls (R11).
    public func observeAll(
        whileSuspended: SuspensionBehavior = .deliverImmediately, _ body: @escaping @Sendable (Notice) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) -> ObservationToken {
        observe(posts: .all, whileSuspended: whileSuspended, body, file: file, line: line)
    }

    /// Observes every post about one instance on the posting thread, while the token lives.
    ///
    /// The same as `observe(posts: .all, subject: subject)`.
    ///
    /// - Parameters:
    ///   - subject: Only posts about this instance, which is not retained (R12).
    ///   - whileSuspended: What the observer gets while the center is suspended (R16).
    ///   - body: Called with the post, which is lent for the call, before the post returns (R3).
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    /// - Returns: The token that owns the registration.
    public func observeAll(
        subject: AnyObject, whileSuspended: SuspensionBehavior = .deliverImmediately,
        _ body: @escaping @Sendable (Notice) -> Void, file: StaticString = #fileID, line: UInt = #line
    ) -> ObservationToken {
        observe(posts: .all, subject: subject, whileSuspended: whileSuspended, body, file: file, line: line)
    }

    /// Observes every post on the posting thread, while an owner lives.
    ///
    /// The same as `observe(posts: .all, by: owner)`.
    ///
    /// - Parameters:
    ///   - owner: Referenced weakly, but retained during a call.
    ///   - whileSuspended: What the observer gets while the center is suspended (R16).
    ///   - body: Called with the owner and the post, which is lent for the call, before the post returns (R3).
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    public func observeAll<O: AnyObject & Sendable>(
        by owner: O, whileSuspended: SuspensionBehavior = .deliverImmediately,
        _ body: @escaping @Sendable (O, Notice) -> Void, file: StaticString = #fileID, line: UInt = #line
    ) {
        observe(posts: .all, by: owner, whileSuspended: whileSuspended, body, file: file, line: line)
    }

    /// Observes every post about one instance on the posting thread, while an owner lives.
    ///
    /// The same as `observe(posts: .all, subject: subject, by: owner)`.
    ///
    /// - Parameters:
    ///   - subject: Only posts about this instance, which is not retained (R12).
    ///   - owner: Referenced weakly, but retained during a call.
    ///   - whileSuspended: What the observer gets while the center is suspended (R16).
    ///   - body: Called with the owner and the post, which is lent for the call, before the post returns (R3).
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    public func observeAll<O: AnyObject & Sendable>(
        subject: AnyObject, by owner: O, whileSuspended: SuspensionBehavior = .deliverImmediately,
        _ body: @escaping @Sendable (O, Notice) -> Void, file: StaticString = #fileID, line: UInt = #line
    ) {
        observe(posts: .all, subject: subject, by: owner, whileSuspended: whileSuspended, body, file: file, line: line)
    }
}

// What 0.2 called `messages:`.
extension WireCenter {
    @available(*, deprecated, message: "write `observe(messages: .named(name))`")
    @_documentation(visibility: internal)
    public func observe(
        messagesNamed name: HeraldCenter.Name, subject: String? = nil,
        whileSuspended: HeraldCenter.SuspensionBehavior = .deliverImmediately,
        _ body: @escaping @Sendable (WirePost) -> Void, file: StaticString = #fileID, line: UInt = #line
    ) -> HeraldCenter.ObservationToken {
        guard let subject else {
            return observe(messages: .named(name), whileSuspended: whileSuspended, body, file: file, line: line)
        }
        return observe(
            messages: .named(name), subject: subject, whileSuspended: whileSuspended, body, file: file, line: line)
    }

    @available(*, deprecated, message: "write `observe(messages: .under(prefix))`")
    @_documentation(visibility: internal)
    public func observe(
        under prefix: String, whileSuspended: HeraldCenter.SuspensionBehavior = .deliverImmediately,
        _ body: @escaping @Sendable (WirePost) -> Void, file: StaticString = #fileID, line: UInt = #line
    ) -> HeraldCenter.ObservationToken {
        observe(messages: .under(prefix), whileSuspended: whileSuspended, body, file: file, line: line)
    }

    @available(*, deprecated, message: "write `observe(messages: .all)`")
    @_documentation(visibility: internal)
    public func observeAll(
        whileSuspended: HeraldCenter.SuspensionBehavior = .deliverImmediately,
        _ body: @escaping @Sendable (WirePost) -> Void, file: StaticString = #fileID, line: UInt = #line
    ) -> HeraldCenter.ObservationToken {
        observe(messages: .all, whileSuspended: whileSuspended, body, file: file, line: line)
    }

    @available(*, deprecated, message: "write `messages(messages: .named(name))`")
    @_documentation(visibility: internal)
    public func messages(
        messagesNamed name: HeraldCenter.Name, subject: String? = nil, buffer: HeraldCenter.Buffer = .newest(256),
        file: StaticString = #fileID, line: UInt = #line
    ) -> Messages<WirePost> {
        guard let subject else { return messages(messages: .named(name), buffer: buffer, file: file, line: line) }
        return messages(messages: .named(name), subject: subject, buffer: buffer, file: file, line: line)
    }

    @available(*, deprecated, message: "write `messages(messages: .under(prefix))`")
    @_documentation(visibility: internal)
    public func messages(
        under prefix: String, buffer: HeraldCenter.Buffer = .newest(256), file: StaticString = #fileID,
        line: UInt = #line
    ) -> Messages<WirePost> {
        messages(messages: .under(prefix), buffer: buffer, file: file, line: line)
    }
}
#endif
