#if os(Linux)
// Written by Scripts/forms: change the table there, and run `make forms`.

extension WireCenter {
    /// Observes the posts of a name on Herald's thread, while the token lives.
    ///
    /// A call may stand for several posts: ``NamePost/count``. All observers without a queue or an actor share one
    /// thread, so a slow body delays the others. After the registration has ended, no new call of the body starts (R6).
    /// The body is released when the last running call has returned (R10).
    ///
    /// - Parameters:
    ///   - name: The name to observe.
    ///   - whileSuspended: What the observer gets while the center is suspended in this process (R16).
    ///   - body: Called with the post. The body may post, observe and cancel (R7). The body retains everything that it
    ///     captures, even the subject.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    /// - Returns: The token that owns the registration. ``HeraldCenter/ObservationToken/cancel()`` waits for running
    ///   calls (R11).
    public func observe(
        _ name: HeraldCenter.Name, whileSuspended: HeraldCenter.SuspensionBehavior = .deliverImmediately,
        _ body: @escaping @Sendable (NamePost) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) -> HeraldCenter.ObservationToken {
        Source(wire, name, Filter(file, line)).observe(whileSuspended: whileSuspended, body)
    }

    /// Observes the posts of a name on Herald's thread, while an owner lives.
    ///
    /// No observer is called after its owner is gone (R6). When the owner is gone, the next post that reaches the
    /// registration releases the body (R10). Adding another observer with an owner may release the body earlier.
    ///
    /// If the same owner observes the same name again, in the same source file, the new registration replaces the old
    /// one, and is the last in order. Until the old registration has been removed, a post on another thread may call
    /// both.
    ///
    /// - Parameters:
    ///   - name: The name to observe.
    ///   - owner: Referenced weakly, but retained during a call. So the owner's `deinit` may run after a call, on the
    ///     calling thread.
    ///   - whileSuspended: What the observer gets while the center is suspended in this process (R16).
    ///   - body: Called with the owner and the post. The body may post, observe and cancel (R7).
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    public func observe<O: AnyObject & Sendable>(
        _ name: HeraldCenter.Name, by owner: O, whileSuspended: HeraldCenter.SuspensionBehavior = .deliverImmediately,
        _ body: @escaping @Sendable (O, NamePost) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        Source(wire, name, Filter(file, line)).observe(by: owner, whileSuspended: whileSuspended, body)
    }

    /// Observes the posts of a name through a queue, while the token lives.
    ///
    /// At most one post waits for the body: later posts are added to its ``NamePost/count``. Suppose that the scheduler
    /// uses a serial queue. If a thread posts, and then puts a block on this queue, the body runs before the block.
    /// Posts that still wait when the registration ends are dropped (R6). The body gets posts even while the center is
    /// suspended (R16).
    ///
    /// - Parameters:
    ///   - name: The name to observe.
    ///   - scheduler: A `DispatchQueue`, or another ``HeraldCenter/WorkScheduler``, that runs the body.
    ///   - body: Called where the scheduler runs it, with one post at a time, in posting order.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    /// - Returns: The token that owns the registration. Ending the registration does not wait for a running body.
    @_alwaysEmitIntoClient
    public func observe(
        _ name: HeraldCenter.Name, via scheduler: some HeraldCenter.WorkScheduler,
        _ body: @escaping @Sendable (NamePost) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) -> HeraldCenter.ObservationToken {
        Source(wire, name, Filter(file, line)).observe(
            HeraldCenter.mailbox(.newest(1), merge: NamePost.merge, via: scheduler._run, body))
    }

    /// Observes the posts of a name through a scheduler that is a closure, while the token lives.
    ///
    /// At most one post waits for the body: later posts are added to its ``NamePost/count``. Suppose that the scheduler
    /// uses a serial queue. If a thread posts, and then puts a block on this queue, the body runs before the block.
    /// Posts that still wait when the registration ends are dropped (R6). The body gets posts even while the center is
    /// suspended (R16).
    ///
    /// - Parameters:
    ///   - name: The name to observe.
    ///   - schedule: Runs the work that it gets, later or at once, as ``HeraldCenter/WorkScheduler/schedule(_:)`` does.
    ///   - body: Called where the scheduler runs it, with one post at a time, in posting order.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    /// - Returns: The token that owns the registration. Ending the registration does not wait for a running body.
    @_alwaysEmitIntoClient
    public func observe(
        _ name: HeraldCenter.Name, via schedule: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void,
        _ body: @escaping @Sendable (NamePost) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) -> HeraldCenter.ObservationToken {
        Source(wire, name, Filter(file, line)).observe(
            HeraldCenter.mailbox(.newest(1), merge: NamePost.merge, via: schedule, body))
    }

    /// Observes the posts of a name through a queue, while an owner lives.
    ///
    /// At most one post waits for the body: later posts are added to its ``NamePost/count``. Posts that still wait when
    /// the registration ends are dropped (R6). The body gets posts even while the center is suspended (R16).
    ///
    /// If the same owner observes the same name again, in the same source file, the new registration replaces the old
    /// one, and is the last in order. Until the old registration has been removed, a post on another thread may call
    /// both.
    ///
    /// - Parameters:
    ///   - name: The name to observe.
    ///   - owner: Referenced weakly, but retained during a call. So the owner's `deinit` may run after a call, on the
    ///     calling thread.
    ///   - scheduler: A `DispatchQueue`, or another ``HeraldCenter/WorkScheduler``, that runs the body.
    ///   - body: Called where the scheduler runs it, with the owner and one post at a time, in posting order.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    @_alwaysEmitIntoClient
    public func observe<O: AnyObject & Sendable>(
        _ name: HeraldCenter.Name, by owner: O, via scheduler: some HeraldCenter.WorkScheduler,
        _ body: @escaping @Sendable (O, NamePost) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        Source(wire, name, Filter(file, line)).observe(
            by: owner, HeraldCenter.mailbox(.newest(1), merge: NamePost.merge, for: owner, via: scheduler._run, body))
    }

    /// Observes the posts of a name through a scheduler that is a closure, while an owner lives.
    ///
    /// At most one post waits for the body: later posts are added to its ``NamePost/count``. Posts that still wait when
    /// the registration ends are dropped (R6). The body gets posts even while the center is suspended (R16).
    ///
    /// If the same owner observes the same name again, in the same source file, the new registration replaces the old
    /// one, and is the last in order. Until the old registration has been removed, a post on another thread may call
    /// both.
    ///
    /// - Parameters:
    ///   - name: The name to observe.
    ///   - owner: Referenced weakly, but retained during a call. So the owner's `deinit` may run after a call, on the
    ///     calling thread.
    ///   - schedule: Runs the work that it gets, later or at once, as ``HeraldCenter/WorkScheduler/schedule(_:)`` does.
    ///   - body: Called where the scheduler runs it, with the owner and one post at a time, in posting order.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    @_alwaysEmitIntoClient
    public func observe<O: AnyObject & Sendable>(
        _ name: HeraldCenter.Name, by owner: O,
        via schedule: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void,
        _ body: @escaping @Sendable (O, NamePost) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        Source(wire, name, Filter(file, line)).observe(
            by: owner, HeraldCenter.mailbox(.newest(1), merge: NamePost.merge, for: owner, via: schedule, body))
    }

    /// Observes the posts of a name on the body's own actor, while the token lives.
    ///
    /// At most one post waits for the body: later posts are added to its ``NamePost/count``. A body that is written in
    /// an actor runs on that actor, and a body that is written in a main-actor class on the main actor. Posts that
    /// still wait when the registration ends are dropped (R6). The body gets posts even while the center is suspended
    /// (R16).
    ///
    /// - Parameters:
    ///   - name: The name to observe.
    ///   - body: Called on the actor to which the body is isolated, with one post at a time, in posting order.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    /// - Returns: The token that owns the registration. Ending the registration does not wait for a running body.
    @_alwaysEmitIntoClient
    public func observe(
        _ name: HeraldCenter.Name,
        @_inheritActorContext async body: @escaping @isolated(any) @Sendable (NamePost) async -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) -> HeraldCenter.ObservationToken {
        Source(wire, name, Filter(file, line)).observe(HeraldCenter.mailbox(.newest(1), merge: NamePost.merge, body))
    }

    /// Observes the posts of a name on the body's own actor, while an owner lives.
    ///
    /// At most one post waits for the body: later posts are added to its ``NamePost/count``. Posts that still wait when
    /// the registration ends are dropped (R6). The body gets posts even while the center is suspended (R16).
    ///
    /// If the same owner observes the same name again, in the same source file, the new registration replaces the old
    /// one, and is the last in order. Until the old registration has been removed, a post on another thread may call
    /// both.
    ///
    /// - Parameters:
    ///   - name: The name to observe.
    ///   - owner: Referenced weakly, but retained during a call. So the owner's `deinit` may run after a call, on the
    ///     calling thread.
    ///   - body: Called on the actor to which the body is isolated, with the owner and one post at a time, in posting
    ///     order.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    @_alwaysEmitIntoClient
    public func observe<O: AnyObject & Sendable>(
        _ name: HeraldCenter.Name, by owner: O,
        @_inheritActorContext async body: @escaping @isolated(any) @Sendable (O, NamePost) async -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        Source(wire, name, Filter(file, line)).observe(
            by: owner, HeraldCenter.mailbox(.newest(1), merge: NamePost.merge, for: owner, body))
    }

    /// Observes the posts of a name on the body's own actor with a body that may throw, while the token lives.
    ///
    /// At most one post waits for the body: later posts are added to its ``NamePost/count``. A body that is written in
    /// an actor runs on that actor, and a body that is written in a main-actor class on the main actor. Posts that
    /// still wait when the registration ends are dropped (R6). The body gets posts even while the center is suspended
    /// (R16).
    ///
    /// - Parameters:
    ///   - name: The name to observe.
    ///   - body: Called on the actor to which the body is isolated, with one post at a time, in posting order.
    ///   - failed: Gets the error that the body has thrown and the post, before the next call of the body. If the
    ///     closure is written beside the body and no attribute names another actor, the closure runs on the body's
    ///     actor.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    /// - Returns: The token that owns the registration. Ending the registration does not wait for a running body.
    @_alwaysEmitIntoClient
    public func observe(
        _ name: HeraldCenter.Name,
        @_inheritActorContext async body: @escaping @isolated(any) @Sendable (NamePost) async throws -> Void,
        @_inheritActorContext failed: @escaping @isolated(any) @Sendable (any Error, NamePost) async -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) -> HeraldCenter.ObservationToken {
        Source(wire, name, Filter(file, line)).observe(
            HeraldCenter.mailbox(.newest(1), merge: NamePost.merge, body, failed: failed))
    }

    /// Observes the posts of a name on the body's own actor with a body that may throw, while an owner lives.
    ///
    /// At most one post waits for the body: later posts are added to its ``NamePost/count``. Posts that still wait when
    /// the registration ends are dropped (R6). The body gets posts even while the center is suspended (R16).
    ///
    /// If the same owner observes the same name again, in the same source file, the new registration replaces the old
    /// one, and is the last in order. Until the old registration has been removed, a post on another thread may call
    /// both.
    ///
    /// - Parameters:
    ///   - name: The name to observe.
    ///   - owner: Referenced weakly, but retained during a call. So the owner's `deinit` may run after a call, on the
    ///     calling thread.
    ///   - body: Called on the actor to which the body is isolated, with the owner and one post at a time, in posting
    ///     order.
    ///   - failed: Gets the owner, the error that the body has thrown and the post, before the next call of the body.
    ///     If the closure is written beside the body and no attribute names another actor, the closure runs on the
    ///     body's actor.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    @_alwaysEmitIntoClient
    public func observe<O: AnyObject & Sendable>(
        _ name: HeraldCenter.Name, by owner: O,
        @_inheritActorContext async body: @escaping @isolated(any) @Sendable (O, NamePost) async throws -> Void,
        @_inheritActorContext failed: @escaping @isolated(any) @Sendable (O, any Error, NamePost) async -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        Source(wire, name, Filter(file, line)).observe(
            by: owner, HeraldCenter.mailbox(.newest(1), merge: NamePost.merge, for: owner, body, failed: failed))
    }

    /// Observes the posts of a name on an actor, while the actor lives.
    ///
    /// At most one post waits for the body: later posts are added to its ``NamePost/count``. Posts that still wait when
    /// the registration ends are dropped (R6). The body gets posts even while the center is suspended (R16).
    ///
    /// If the same actor observes the same name again, in the same source file, the new registration replaces the old
    /// one, and is the last in order. Until the old registration has been removed, a post on another thread may call
    /// both.
    ///
    /// - Parameters:
    ///   - name: The name to observe.
    ///   - actor: The owner of the registration. Referenced weakly, but retained during a call.
    ///   - body: Called on the actor, with one post at a time, in posting order.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    @_alwaysEmitIntoClient
    public func observe<A: Actor>(
        _ name: HeraldCenter.Name, on actor: A, _ body: @escaping @Sendable (isolated A, NamePost) async -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        Source(wire, name, Filter(file, line)).observe(
            by: actor, HeraldCenter.mailbox(.newest(1), merge: NamePost.merge, on: actor, body))
    }

    /// The posts of a name from now on, as a sequence.
    ///
    /// This call registers the observer, so the sequence also gets posts that come before a loop begins. At most one
    /// post waits for the body: later posts are added to its ``NamePost/count``. The sequence gets posts even while the
    /// center is suspended (R16).
    ///
    /// - Parameters:
    ///   - name: The name to observe.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    /// - Returns: The sequence. The registration ends when the sequence and its iterators are gone.
    @_alwaysEmitIntoClient
    public func messages(
        named name: HeraldCenter.Name,
        file: StaticString = #fileID, line: UInt = #line
    ) -> Messages<NamePost> {
        Source(wire, name, Filter(file, line)).messages(.newest(1), merge: NamePost.merge)
    }

    /// Gives a closure the posts of a name from now on, as a sequence that ends with the closure.
    ///
    /// The registration ends when the closure returns or throws. Posts that wait then are dropped, and another task
    /// that still iterates gets `nil`. At most one post waits for the body: later posts are added to its
    /// ``NamePost/count``. The sequence gets posts even while the center is suspended (R16).
    ///
    /// - Parameters:
    ///   - name: The name to observe.
    ///   - isolation: The caller's actor.
    ///   - body: Called with the sequence, on the caller's actor.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    /// - Returns: What the closure returns.
    @_alwaysEmitIntoClient
    public func withMessages<Result>(
        named name: HeraldCenter.Name, isolation: isolated (any Actor)? = #isolation,
        _ body: (Messages<NamePost>) async throws -> Result,
        file: StaticString = #fileID, line: UInt = #line
    ) async rethrows -> Result {
        try await Source(wire, name, Filter(file, line)).messages(.newest(1), merge: NamePost.merge).during(
            isolation: isolation, body)
    }

    /// Waits for the next of the posts of a name.
    ///
    /// The observer is registered before the call waits. `next` in a loop would miss what is posted between two calls:
    /// use `messages` there. The call gets posts even while the center is suspended (R16).
    ///
    /// - Parameters:
    ///   - name: The name to observe.
    ///   - limit: How long to wait at most. `nil`, or more than a hundred years: there is no limit.
    ///   - isolation: The caller's actor.
    ///   - isWanted: Returns whether a post counts. Called on the posting thread, and no more once one has counted.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    /// - Returns: The post; `nil` when the time is over, or the task is cancelled.
    @_alwaysEmitIntoClient
    public func next(
        _ name: HeraldCenter.Name, within limit: Duration? = nil, isolation: isolated (any Actor)? = #isolation,
        where isWanted: (@Sendable (NamePost) -> Bool)? = nil,
        file: StaticString = #fileID, line: UInt = #line
    ) async -> NamePost? {
        await Source(wire, name, Filter(file, line)).next(within: limit, where: isWanted, isolation: isolation)
    }

    /// Observes the posts of a name on Herald's thread until the body has been called once.
    ///
    /// The registration ends with the first call, even if several threads post at once (R6).
    ///
    /// - Parameters:
    ///   - name: The name to observe.
    ///   - body: Called with the post.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    /// - Returns: The token that owns the registration.
    public func observeOnce(
        _ name: HeraldCenter.Name, _ body: @escaping @Sendable (NamePost) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) -> HeraldCenter.ObservationToken {
        Source(wire, name, Filter(file, line)).once(body)
    }

    /// Observes the posts of a name on Herald's thread, as long as a condition holds.
    ///
    /// The registration ends with the first post for which the condition does not hold. The body does not get this
    /// post, and no later one. If several threads post at once, a call of the body that has begun or been decided on
    /// for another post goes on. The registration also ends with the token.
    ///
    /// - Parameters:
    ///   - name: The name to observe.
    ///   - whileSuspended: What the observer gets while the center is suspended in this process (R16).
    ///   - goesOn: Returns whether the observer gets the post, and stays registered. Called before the body, on
    ///     Herald's thread.
    ///   - body: Called with the post.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    /// - Returns: The token that owns the registration.
    public func observe(
        _ name: HeraldCenter.Name, whileSuspended: HeraldCenter.SuspensionBehavior = .deliverImmediately,
        while goesOn: @escaping @Sendable (NamePost) -> Bool, _ body: @escaping @Sendable (NamePost) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) -> HeraldCenter.ObservationToken {
        Source(wire, name, Filter(file, line)).observe(whileSuspended: whileSuspended, while: goesOn, body)
    }
}
#endif
