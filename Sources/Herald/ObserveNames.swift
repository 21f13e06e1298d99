import CHerald
import CHeraldRuntime

extension HeraldCenter {
    /// How a suspended center treats the posts that match an observer of a name (R16).
    ///
    /// The corresponding C type is `HeraldSuspensionBehavior`.
    public enum SuspensionBehavior: Sendable {
        /// The observer is not called for these posts.
        case drop
        /// The center holds the last post of each name and subject, at most 1024 posts. If there are more, it drops the
        /// oldest. It delivers the held posts on resume. If, before the resume, a post of a name matches an observer
        /// with ``deliverImmediately``, the center delivers the held posts first, and then that post.
        case coalesce
        /// The center holds every post, at most 1024 posts. If there are more, it drops the oldest. It delivers the
        /// held posts as with ``coalesce``.
        case hold
        /// The observer is called at once, after the posts that the center holds have been delivered.
        case deliverImmediately

        var native: HeraldSuspensionBehavior {
            switch self {
            case .drop: HeraldSuspensionDrop
            case .coalesce: HeraldSuspensionCoalesce
            case .hold: HeraldSuspensionHold
            case .deliverImmediately: HeraldSuspensionDeliverImmediately
            }
        }
    }

    /// Observes the posts of a name, from Swift and from C, on the posting thread, while the token lives.
    ///
    /// Observers are called in the order of registration (R2), before the post returns (R3). When the registration
    /// ends, no new call starts (R6), and the body is released after its last call (R10).
    ///
    /// - Parameters:
    ///   - name: The name to observe.
    ///   - subject: The body is called only for posts about this instance. Without a subject, or with a literal `nil`,
    ///     it is called for all posts. With a variable that is `nil`, it is never called.
    ///   - whileSuspended: How posts are treated while the center is suspended (R16). Held posts are delivered on the
    ///     thread that resumes the center, or on a thread whose post matches an observer with
    ///     ``SuspensionBehavior/deliverImmediately``. The thread matters if a subject is not `Sendable`.
    ///   - body: Called with the post, borrowed. The body may post, observe and cancel (R7).
    ///   - file: The source file of the call; inspection tools show it with `line`.
    ///   - line: See `file`.
    /// - Returns: The token that owns the registration; ``ObservationToken/cancel()`` waits for running calls (R11).
    public func observe(
        _ name: Name, subject: AnySubject = nil, whileSuspended: SuspensionBehavior = .deliverImmediately,
        _ body: @escaping @Sendable (Notice) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) -> ObservationToken {
        observe(
            HERALD_SWIFT_NOTICES, HERALD_SWIFT_PLAIN, name.native, Filter(file, line), whileSuspended: whileSuspended,
            herald_swift_closure(notice: body))
    }

    /// Observes the posts of a name about one instance, while the token lives.
    ///
    /// - Parameter subject: Only posts about this instance, which is not retained (R12). `nil`: the body is never
    ///   called.
    @_disfavoredOverload @_documentation(visibility: internal)
    public func observe(
        _ name: Name, subject: AnyObject?, whileSuspended: SuspensionBehavior = .deliverImmediately,
        _ body: @escaping @Sendable (Notice) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) -> ObservationToken {
        observe(
            HERALD_SWIFT_NOTICES, HERALD_SWIFT_PLAIN, name.native, Filter(subject, file, line),
            whileSuspended: whileSuspended,
            herald_swift_closure(notice: body))
    }

    /// Observes every post of the center on the posting thread, while the token lives: names, messages and calls of
    /// protocols, from Swift and from C.
    ///
    /// The order (R2) and the end (R6, R10) are as for an observer of one name.
    ///
    /// - Parameters:
    ///   - subject: The body is called only for posts about this instance. Without a subject, or with a literal `nil`,
    ///     it is called for all posts. With a variable that is `nil`, it is never called.
    ///   - whileSuspended: How posts are treated while the center is suspended (R16). A message is held without its
    ///     value.
    ///   - body: Called with the post, borrowed, before the post returns (R3).
    ///   - file: The source file of the call; inspection tools show it with `line`.
    ///   - line: See `file`.
    /// - Returns: The token that owns the registration; ``ObservationToken/cancel()`` waits for running calls (R11).
    public func observeAll(
        subject: AnySubject = nil, whileSuspended: SuspensionBehavior = .deliverImmediately,
        _ body: @escaping @Sendable (Notice) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) -> ObservationToken {
        observe(
            HERALD_SWIFT_NOTICES, HERALD_SWIFT_PLAIN, nil, Filter(file, line), whileSuspended: whileSuspended,
            herald_swift_closure(notice: body))
    }

    /// Observes every post about one instance, while the token lives.
    ///
    /// - Parameter subject: Only posts about this instance, which is not retained (R12). `nil`: the body is never
    ///   called.
    @_disfavoredOverload @_documentation(visibility: internal)
    public func observeAll(
        subject: AnyObject?, whileSuspended: SuspensionBehavior = .deliverImmediately,
        _ body: @escaping @Sendable (Notice) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) -> ObservationToken {
        observe(
            HERALD_SWIFT_NOTICES, HERALD_SWIFT_PLAIN, nil, Filter(subject, file, line), whileSuspended: whileSuspended,
            herald_swift_closure(notice: body))
    }

    /// Observes the posts of a name on the posting thread, while an owner lives. In a class of the main actor, write
    /// `async:`.
    ///
    /// Observers are called in the order of registration (R2), before the post returns (R3). No observer is called
    /// after its owner is gone (R6). Observing the same name and subject again with the same owner replaces the
    /// registration.
    ///
    /// - Parameters:
    ///   - name: The name to observe.
    ///   - subject: The body is called only for posts about this instance. Without a subject, or with a literal `nil`,
    ///     it is called for all posts. With a variable that is `nil`, it is never called.
    ///   - owner: Referenced weakly; retained during a call.
    ///   - whileSuspended: How posts are treated while the center is suspended (R16).
    ///   - body: Called with the owner and the post, borrowed. The body may post, observe and remove (R7).
    ///   - file: The source file of the call; inspection tools show it with `line`.
    ///   - line: See `file`.
    public func observe<O: AnyObject & Sendable>(
        _ name: Name, subject: AnySubject = nil, by owner: O,
        whileSuspended: SuspensionBehavior = .deliverImmediately,
        _ body: @escaping @Sendable (O, Notice) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        observe(
            HERALD_SWIFT_NOTICES, HERALD_SWIFT_OWNED, name.native, Filter(file, line), by: owner,
            whileSuspended: whileSuspended,
            herald_swift_closure(owner: owner, notice: body))
    }

    /// Observes the posts of a name about one instance, while an owner lives.
    ///
    /// - Parameter subject: Only posts about this instance, which is not retained (R12). `nil`: the body is never
    ///   called.
    @_disfavoredOverload @_documentation(visibility: internal)
    public func observe<O: AnyObject & Sendable>(
        _ name: Name, subject: AnyObject?, by owner: O,
        whileSuspended: SuspensionBehavior = .deliverImmediately,
        _ body: @escaping @Sendable (O, Notice) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        observe(
            HERALD_SWIFT_NOTICES, HERALD_SWIFT_OWNED, name.native, Filter(subject, file, line), by: owner,
            whileSuspended: whileSuspended,
            herald_swift_closure(owner: owner, notice: body))
    }

    /// Observes every post of the center on the posting thread, while an owner lives.
    ///
    /// The order (R2), the replacement and the end (R6, R10) of a registration are as for an observer of one name.
    ///
    /// - Parameters:
    ///   - subject: The body is called only for posts about this instance. Without a subject, or with a literal `nil`,
    ///     it is called for all posts. With a variable that is `nil`, it is never called.
    ///   - owner: Referenced weakly; retained during a call.
    ///   - whileSuspended: How posts are treated while the center is suspended (R16). A message is held without its
    ///     value.
    ///   - body: Called with the owner and the post, borrowed, before the post returns (R3).
    ///   - file: The source file of the call; inspection tools show it with `line`.
    ///   - line: See `file`.
    public func observeAll<O: AnyObject & Sendable>(
        subject: AnySubject = nil, by owner: O, whileSuspended: SuspensionBehavior = .deliverImmediately,
        _ body: @escaping @Sendable (O, Notice) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        observe(
            HERALD_SWIFT_NOTICES, HERALD_SWIFT_OWNED, nil, Filter(file, line), by: owner,
            whileSuspended: whileSuspended,
            herald_swift_closure(owner: owner, notice: body))
    }

    /// Observes every post about one instance, while an owner lives.
    ///
    /// - Parameter subject: Only posts about this instance, which is not retained (R12). `nil`: the body is never
    ///   called.
    @_disfavoredOverload @_documentation(visibility: internal)
    public func observeAll<O: AnyObject & Sendable>(
        subject: AnyObject?, by owner: O, whileSuspended: SuspensionBehavior = .deliverImmediately,
        _ body: @escaping @Sendable (O, Notice) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        observe(
            HERALD_SWIFT_NOTICES, HERALD_SWIFT_OWNED, nil, Filter(subject, file, line), by: owner,
            whileSuspended: whileSuspended,
            herald_swift_closure(owner: owner, notice: body))
    }

    /// Ends the registrations of this owner for a name, regardless of the subject. This call does not wait.
    ///
    /// - Parameters:
    ///   - owner: The owner that was given to `observe`; its `deinit` may make this call.
    ///   - name: The name that the owner observes.
    public func removeObserver<O: AnyObject>(_ owner: O, of name: Name) {
        remove(of: owner, HERALD_SWIFT_NOTICES, name.native)
    }

    /// Ends the registration of this owner for a name about one instance. This call does not wait.
    ///
    /// - Parameters:
    ///   - owner: The owner that was given to `observe`; its `deinit` may make this call.
    ///   - name: The name that the owner observes.
    ///   - subject: The instance that was given to `observe`. A registration without a subject stays.
    public func removeObserver<O: AnyObject>(_ owner: O, of name: Name, subject: AnyObject) {
        remove(of: owner, HERALD_SWIFT_NOTICES, name.native, subject: subject)
    }
}
