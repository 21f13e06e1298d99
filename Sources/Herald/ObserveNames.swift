import CHerald
import CHeraldRuntime

extension HeraldCenter {
    /// How a suspended center treats the posts that match an observer of a name (R16).
    ///
    /// The corresponding C type is `HeraldSuspensionBehavior`.
    public enum SuspensionBehavior: Sendable {
        /// The observer is not called for these posts.
        case drop
        /// For each name and subject, the center holds the last post for the observer. It holds at most 1024 posts for
        /// one observer, and drops the oldest if there are more. The held posts are delivered when the center resumes.
        /// They are delivered earlier if a post of a name matches an observer with ``deliverImmediately``. In this case
        /// the center delivers the held posts first, and then the new post.
        case coalesce
        /// The center holds every post for the observer. It holds at most 1024 posts for one observer, and drops the
        /// oldest if there are more. The held posts are delivered at the same times as with ``coalesce``.
        case hold
        /// The observer is called during the post. Before this call, the center delivers all posts that it holds.
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

    /// Observes the posts of a name on the posting thread, while the token lives. The observer gets posts from Swift
    /// and from C.
    ///
    /// Observers are called in the order of registration (R2), before the posting call returns (R3). After the
    /// registration has ended, no new call starts (R6). The body is released after its last call (R10).
    ///
    /// - Parameters:
    ///   - name: The name to observe.
    ///   - subject: If you pass an instance, the body is called only for posts about this instance. If you pass no
    ///     subject, or a literal `nil`, the body is called for all posts. If you pass a variable that is `nil`, the
    ///     body is never called.
    ///   - whileSuspended: How posts are treated while the center is suspended (R16). Held posts may be delivered on
    ///     another thread than the posting thread. This matters if a subject is not `Sendable`. The delivering thread
    ///     is the thread that resumes the center, or a thread that posts to an observer with
    ///     ``SuspensionBehavior/deliverImmediately``.
    ///   - body: Called with the borrowed post (see ``Notice``). The body may post, observe and cancel (R7).
    ///   - file: The source file of the call; inspection tools show it with `line`.
    ///   - line: See `file`.
    /// - Returns: The token that owns the registration. ``ObservationToken/cancel()`` waits for running calls (R11).
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
    /// - Parameter subject: Only posts about this instance. The registration does not retain the instance (R12). `nil`:
    ///   the body is never called.
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

    /// Observes every post of the center on the posting thread, while the token lives. The observer gets posts of
    /// names, messages and calls of protocols, from Swift and from C.
    ///
    /// The order of calls (R2) and the end of the registration (R6, R10) are the same as for an observer of one name.
    ///
    /// - Parameters:
    ///   - subject: If you pass an instance, the body is called only for posts about this instance. If you pass no
    ///     subject, or a literal `nil`, the body is called for all posts. If you pass a variable that is `nil`, the
    ///     body is never called.
    ///   - whileSuspended: How posts are treated while the center is suspended (R16). If a message is held, it loses
    ///     its value (``Notice/message``).
    ///   - body: Called with the borrowed post (see ``Notice``), before the posting call returns (R3).
    ///   - file: The source file of the call; inspection tools show it with `line`.
    ///   - line: See `file`.
    /// - Returns: The token that owns the registration. ``ObservationToken/cancel()`` waits for running calls (R11).
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
    /// - Parameter subject: Only posts about this instance. The registration does not retain the instance (R12). `nil`:
    ///   the body is never called.
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

    /// Observes the posts of a name on the posting thread, while an owner lives. In a class that is isolated to the
    /// main actor, pass the body as `async:` instead.
    ///
    /// Observers are called in the order of registration (R2), before the posting call returns (R3). After an owner is
    /// gone, its observers are not called (R6). Observing the same name and subject again with the same owner replaces
    /// the registration.
    ///
    /// - Parameters:
    ///   - name: The name to observe.
    ///   - subject: If you pass an instance, the body is called only for posts about this instance. If you pass no
    ///     subject, or a literal `nil`, the body is called for all posts. If you pass a variable that is `nil`, the
    ///     body is never called.
    ///   - owner: Referenced weakly; retained during a call.
    ///   - whileSuspended: How posts are treated while the center is suspended (R16).
    ///   - body: Called with the owner and the borrowed post (see ``Notice``). The body may post, observe and remove
    ///     (R7).
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
    /// - Parameter subject: Only posts about this instance. The registration does not retain the instance (R12). `nil`:
    ///   the body is never called.
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
    /// The order of calls (R2), and the replacement and the end of the registration (R6, R10), are the same as for an
    /// observer of one name.
    ///
    /// - Parameters:
    ///   - subject: If you pass an instance, the body is called only for posts about this instance. If you pass no
    ///     subject, or a literal `nil`, the body is called for all posts. If you pass a variable that is `nil`, the
    ///     body is never called.
    ///   - owner: Referenced weakly; retained during a call.
    ///   - whileSuspended: How posts are treated while the center is suspended (R16). If a message is held, it loses
    ///     its value (``Notice/message``).
    ///   - body: Called with the owner and the borrowed post (see ``Notice``), before the posting call returns (R3).
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
    /// - Parameter subject: Only posts about this instance. The registration does not retain the instance (R12). `nil`:
    ///   the body is never called.
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

    /// Ends the registrations of this owner for a name, whatever their subjects are. This call does not wait for
    /// running bodies.
    ///
    /// - Parameters:
    ///   - owner: The owner that was passed to `observe`. The owner's `deinit` may make this call.
    ///   - name: The name that the owner observes.
    public func removeObserver<O: AnyObject>(_ owner: O, of name: Name) {
        remove(of: owner, HERALD_SWIFT_NOTICES, name.native)
    }

    /// Ends the registration of this owner for a name and one subject. This call does not wait for running bodies.
    ///
    /// - Parameters:
    ///   - owner: The owner that was passed to `observe`. The owner's `deinit` may make this call.
    ///   - name: The name that the owner observes.
    ///   - subject: The instance that was passed to `observe`. A registration without a subject is not ended by this
    ///     call.
    public func removeObserver<O: AnyObject>(_ owner: O, of name: Name, subject: AnyObject) {
        remove(of: owner, HERALD_SWIFT_NOTICES, name.native, subject: subject)
    }
}
