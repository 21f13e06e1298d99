#if os(Linux)
// Written by Scripts/forms: change the table there, and run `make forms`.

import CHeraldRuntime

extension HeraldCenter {
    /// Observes the posts of a name on the posting thread, while the token lives.
    ///
    /// Observers are called in the order of registration (R2), before the post returns (R3), unless the center is
    /// suspended. After the registration has ended, no new call of the body starts (R6). The body is released when the
    /// last running call has returned (R10).
    ///
    /// - Parameters:
    ///   - name: The name to observe.
    ///   - whileSuspended: What the observer gets while the center is suspended (R16).
    ///   - body: Called with the post, which is lent for the call. The body may post, observe and cancel (R7). The body
    ///     retains everything that it captures, even the subject.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    /// - Returns: The token that owns the registration. ``ObservationToken/cancel()`` waits for running calls (R11).
    public func observe(
        _ name: Name, whileSuspended: SuspensionBehavior = .deliverImmediately,
        _ body: @escaping @Sendable (Notice) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) -> ObservationToken {
        observe(
            HERALD_SWIFT_NOTICES, HERALD_SWIFT_PLAIN, name.native, Filter(file, line), whileSuspended: whileSuspended,
            herald_swift_closure(notice: body))
    }

    /// Observes the posts of a name about one subject on the posting thread, while the token lives.
    ///
    /// Observers are called in the order of registration (R2), before the post returns (R3), unless the center is
    /// suspended. After the registration has ended, no new call of the body starts (R6). The body is released when the
    /// last running call has returned (R10).
    ///
    /// - Parameters:
    ///   - name: The name to observe.
    ///   - subject: Only posts about this instance, which is not retained. A later instance at the same address is
    ///     never mistaken for it (R12).
    ///   - whileSuspended: What the observer gets while the center is suspended (R16).
    ///   - body: Called with the post, which is lent for the call. The body may post, observe and cancel (R7). The body
    ///     retains everything that it captures, even the subject.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    /// - Returns: The token that owns the registration. ``ObservationToken/cancel()`` waits for running calls (R11).
    public func observe(
        _ name: Name, subject: AnyObject, whileSuspended: SuspensionBehavior = .deliverImmediately,
        _ body: @escaping @Sendable (Notice) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) -> ObservationToken {
        observe(
            HERALD_SWIFT_NOTICES, HERALD_SWIFT_PLAIN, name.native, Filter(.only(subject), file, line),
            whileSuspended: whileSuspended, herald_swift_closure(notice: body))
    }

    /// Observes the posts of a name on the posting thread, while an owner lives.
    ///
    /// **In a class of the main actor, write `async:`**. Otherwise the body is called on whichever thread posts, and
    /// the compiler reports "main actor-isolated property ... can not be mutated from a Sendable closure", or "call to
    /// main actor-isolated instance method ... in a synchronous nonisolated context". In an actor, write `on: self`.
    ///
    /// No observer is called after its owner is gone (R6). When the owner is gone, the next post that reaches the
    /// registration releases the body (R10). Adding another observer with an owner may release the body earlier.
    ///
    /// If the same owner observes the same name and subject again, in the same source file, the new registration
    /// replaces the old one, and is the last in order. Until the old registration has been removed, a post on another
    /// thread may call both.
    ///
    /// - Parameters:
    ///   - name: The name to observe.
    ///   - owner: Referenced weakly, but retained during a call. So the owner's `deinit` may run after a call, on the
    ///     calling thread.
    ///   - whileSuspended: What the observer gets while the center is suspended (R16).
    ///   - body: Called with the owner and the post, which is lent for the call. The body may post, observe and cancel
    ///     (R7).
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    public func observe<O: AnyObject & Sendable>(
        _ name: Name, by owner: O, whileSuspended: SuspensionBehavior = .deliverImmediately,
        _ body: @escaping @Sendable (O, Notice) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        observe(
            HERALD_SWIFT_NOTICES, HERALD_SWIFT_OWNED, name.native, Filter(file, line), by: owner,
            whileSuspended: whileSuspended, herald_swift_closure(owner: owner, notice: body))
    }

    /// Observes the posts of a name about one subject on the posting thread, while an owner lives.
    ///
    /// **In a class of the main actor, write `async:`**. Otherwise the body is called on whichever thread posts, and
    /// the compiler reports "main actor-isolated property ... can not be mutated from a Sendable closure", or "call to
    /// main actor-isolated instance method ... in a synchronous nonisolated context". In an actor, write `on: self`.
    ///
    /// No observer is called after its owner is gone (R6). When the owner is gone, the next post that reaches the
    /// registration releases the body (R10). Adding another observer with an owner may release the body earlier.
    ///
    /// If the same owner observes the same name and subject again, in the same source file, the new registration
    /// replaces the old one, and is the last in order. Until the old registration has been removed, a post on another
    /// thread may call both.
    ///
    /// - Parameters:
    ///   - name: The name to observe.
    ///   - subject: Only posts about this instance, which is not retained. A later instance at the same address is
    ///     never mistaken for it (R12).
    ///   - owner: Referenced weakly, but retained during a call. So the owner's `deinit` may run after a call, on the
    ///     calling thread.
    ///   - whileSuspended: What the observer gets while the center is suspended (R16).
    ///   - body: Called with the owner and the post, which is lent for the call. The body may post, observe and cancel
    ///     (R7).
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    public func observe<O: AnyObject & Sendable>(
        _ name: Name, subject: AnyObject, by owner: O, whileSuspended: SuspensionBehavior = .deliverImmediately,
        _ body: @escaping @Sendable (O, Notice) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        observe(
            HERALD_SWIFT_NOTICES, HERALD_SWIFT_OWNED, name.native, Filter(.only(subject), file, line), by: owner,
            whileSuspended: whileSuspended, herald_swift_closure(owner: owner, notice: body))
    }

    /// Observes the posts of a name through a queue, while the token lives.
    ///
    /// A post copies what the body gets, and waits for the body only if a scheduler waits. Suppose that the scheduler
    /// uses a serial queue. If a thread posts, and then puts a block on this queue, the body runs before the block.
    /// Posts that still wait when the registration ends are dropped (R6). The body gets posts even while the center is
    /// suspended (R16).
    ///
    /// - Parameters:
    ///   - name: The name to observe.
    ///   - scheduler: A `DispatchQueue`, or another ``WorkScheduler``, that runs the body.
    ///   - buffer: How many posts may wait for the body.
    ///   - body: Called where the scheduler runs it, with one post at a time, in posting order.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    /// - Returns: The token that owns the registration. Ending the registration does not wait for a running body.
    @_alwaysEmitIntoClient
    public func observe(
        _ name: Name, via scheduler: some WorkScheduler, buffer: Buffer = .unbounded,
        _ body: @escaping @Sendable (Posted) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) -> ObservationToken {
        Source(self, name, Filter(file, line)).observe(HeraldCenter.mailbox(buffer, via: scheduler._run, body))
    }

    /// Observes the posts of a name about one subject through a queue, while the token lives.
    ///
    /// A post copies what the body gets, and waits for the body only if a scheduler waits. Suppose that the scheduler
    /// uses a serial queue. If a thread posts, and then puts a block on this queue, the body runs before the block.
    /// Posts that still wait when the registration ends are dropped (R6). The body gets posts even while the center is
    /// suspended (R16).
    ///
    /// - Parameters:
    ///   - name: The name to observe.
    ///   - subject: Only posts about this instance, which is not retained. A later instance at the same address is
    ///     never mistaken for it (R12).
    ///   - scheduler: A `DispatchQueue`, or another ``WorkScheduler``, that runs the body.
    ///   - buffer: How many posts may wait for the body.
    ///   - body: Called where the scheduler runs it, with one post at a time, in posting order.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    /// - Returns: The token that owns the registration. Ending the registration does not wait for a running body.
    @_alwaysEmitIntoClient
    public func observe(
        _ name: Name, subject: AnyObject, via scheduler: some WorkScheduler, buffer: Buffer = .unbounded,
        _ body: @escaping @Sendable (Posted) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) -> ObservationToken {
        Source(self, name, Filter(.only(subject), file, line)).observe(
            HeraldCenter.mailbox(buffer, via: scheduler._run, body))
    }

    /// Observes the posts of a name through a scheduler that is a closure, while the token lives.
    ///
    /// A post copies what the body gets, and waits for the body only if a scheduler waits. Suppose that the scheduler
    /// uses a serial queue. If a thread posts, and then puts a block on this queue, the body runs before the block.
    /// Posts that still wait when the registration ends are dropped (R6). The body gets posts even while the center is
    /// suspended (R16).
    ///
    /// - Parameters:
    ///   - name: The name to observe.
    ///   - schedule: Runs the work that it gets, later or at once, as ``WorkScheduler/schedule(_:)`` does.
    ///   - buffer: How many posts may wait for the body.
    ///   - body: Called where the scheduler runs it, with one post at a time, in posting order.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    /// - Returns: The token that owns the registration. Ending the registration does not wait for a running body.
    @_alwaysEmitIntoClient
    public func observe(
        _ name: Name, via schedule: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void,
        buffer: Buffer = .unbounded, _ body: @escaping @Sendable (Posted) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) -> ObservationToken {
        Source(self, name, Filter(file, line)).observe(HeraldCenter.mailbox(buffer, via: schedule, body))
    }

    /// Observes the posts of a name about one subject through a scheduler that is a closure, while the token lives.
    ///
    /// A post copies what the body gets, and waits for the body only if a scheduler waits. Suppose that the scheduler
    /// uses a serial queue. If a thread posts, and then puts a block on this queue, the body runs before the block.
    /// Posts that still wait when the registration ends are dropped (R6). The body gets posts even while the center is
    /// suspended (R16).
    ///
    /// - Parameters:
    ///   - name: The name to observe.
    ///   - subject: Only posts about this instance, which is not retained. A later instance at the same address is
    ///     never mistaken for it (R12).
    ///   - schedule: Runs the work that it gets, later or at once, as ``WorkScheduler/schedule(_:)`` does.
    ///   - buffer: How many posts may wait for the body.
    ///   - body: Called where the scheduler runs it, with one post at a time, in posting order.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    /// - Returns: The token that owns the registration. Ending the registration does not wait for a running body.
    @_alwaysEmitIntoClient
    public func observe(
        _ name: Name, subject: AnyObject, via schedule: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void,
        buffer: Buffer = .unbounded, _ body: @escaping @Sendable (Posted) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) -> ObservationToken {
        Source(self, name, Filter(.only(subject), file, line)).observe(
            HeraldCenter.mailbox(buffer, via: schedule, body))
    }

    /// Observes the posts of a name through a queue, while an owner lives.
    ///
    /// A post copies what the body gets, and waits for the body only if a scheduler waits. Posts that still wait when
    /// the registration ends are dropped (R6). The body gets posts even while the center is suspended (R16).
    ///
    /// If the same owner observes the same name and subject again, in the same source file, the new registration
    /// replaces the old one, and is the last in order. Until the old registration has been removed, a post on another
    /// thread may call both.
    ///
    /// - Parameters:
    ///   - name: The name to observe.
    ///   - owner: Referenced weakly, but retained during a call. So the owner's `deinit` may run after a call, on the
    ///     calling thread.
    ///   - scheduler: A `DispatchQueue`, or another ``WorkScheduler``, that runs the body.
    ///   - buffer: How many posts may wait for the body.
    ///   - body: Called where the scheduler runs it, with the owner and one post at a time, in posting order.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    @_alwaysEmitIntoClient
    public func observe<O: AnyObject & Sendable>(
        _ name: Name, by owner: O, via scheduler: some WorkScheduler, buffer: Buffer = .unbounded,
        _ body: @escaping @Sendable (O, Posted) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        Source(self, name, Filter(file, line)).observe(
            by: owner, HeraldCenter.mailbox(buffer, for: owner, via: scheduler._run, body))
    }

    /// Observes the posts of a name about one subject through a queue, while an owner lives.
    ///
    /// A post copies what the body gets, and waits for the body only if a scheduler waits. Posts that still wait when
    /// the registration ends are dropped (R6). The body gets posts even while the center is suspended (R16).
    ///
    /// If the same owner observes the same name and subject again, in the same source file, the new registration
    /// replaces the old one, and is the last in order. Until the old registration has been removed, a post on another
    /// thread may call both.
    ///
    /// - Parameters:
    ///   - name: The name to observe.
    ///   - subject: Only posts about this instance, which is not retained. A later instance at the same address is
    ///     never mistaken for it (R12).
    ///   - owner: Referenced weakly, but retained during a call. So the owner's `deinit` may run after a call, on the
    ///     calling thread.
    ///   - scheduler: A `DispatchQueue`, or another ``WorkScheduler``, that runs the body.
    ///   - buffer: How many posts may wait for the body.
    ///   - body: Called where the scheduler runs it, with the owner and one post at a time, in posting order.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    @_alwaysEmitIntoClient
    public func observe<O: AnyObject & Sendable>(
        _ name: Name, subject: AnyObject, by owner: O, via scheduler: some WorkScheduler, buffer: Buffer = .unbounded,
        _ body: @escaping @Sendable (O, Posted) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        Source(self, name, Filter(.only(subject), file, line)).observe(
            by: owner, HeraldCenter.mailbox(buffer, for: owner, via: scheduler._run, body))
    }

    /// Observes the posts of a name through a scheduler that is a closure, while an owner lives.
    ///
    /// A post copies what the body gets, and waits for the body only if a scheduler waits. Posts that still wait when
    /// the registration ends are dropped (R6). The body gets posts even while the center is suspended (R16).
    ///
    /// If the same owner observes the same name and subject again, in the same source file, the new registration
    /// replaces the old one, and is the last in order. Until the old registration has been removed, a post on another
    /// thread may call both.
    ///
    /// - Parameters:
    ///   - name: The name to observe.
    ///   - owner: Referenced weakly, but retained during a call. So the owner's `deinit` may run after a call, on the
    ///     calling thread.
    ///   - schedule: Runs the work that it gets, later or at once, as ``WorkScheduler/schedule(_:)`` does.
    ///   - buffer: How many posts may wait for the body.
    ///   - body: Called where the scheduler runs it, with the owner and one post at a time, in posting order.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    @_alwaysEmitIntoClient
    public func observe<O: AnyObject & Sendable>(
        _ name: Name, by owner: O, via schedule: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void,
        buffer: Buffer = .unbounded, _ body: @escaping @Sendable (O, Posted) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        Source(self, name, Filter(file, line)).observe(
            by: owner, HeraldCenter.mailbox(buffer, for: owner, via: schedule, body))
    }

    /// Observes the posts of a name about one subject through a scheduler that is a closure, while an owner lives.
    ///
    /// A post copies what the body gets, and waits for the body only if a scheduler waits. Posts that still wait when
    /// the registration ends are dropped (R6). The body gets posts even while the center is suspended (R16).
    ///
    /// If the same owner observes the same name and subject again, in the same source file, the new registration
    /// replaces the old one, and is the last in order. Until the old registration has been removed, a post on another
    /// thread may call both.
    ///
    /// - Parameters:
    ///   - name: The name to observe.
    ///   - subject: Only posts about this instance, which is not retained. A later instance at the same address is
    ///     never mistaken for it (R12).
    ///   - owner: Referenced weakly, but retained during a call. So the owner's `deinit` may run after a call, on the
    ///     calling thread.
    ///   - schedule: Runs the work that it gets, later or at once, as ``WorkScheduler/schedule(_:)`` does.
    ///   - buffer: How many posts may wait for the body.
    ///   - body: Called where the scheduler runs it, with the owner and one post at a time, in posting order.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    @_alwaysEmitIntoClient
    public func observe<O: AnyObject & Sendable>(
        _ name: Name, subject: AnyObject, by owner: O,
        via schedule: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void, buffer: Buffer = .unbounded,
        _ body: @escaping @Sendable (O, Posted) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        Source(self, name, Filter(.only(subject), file, line)).observe(
            by: owner, HeraldCenter.mailbox(buffer, for: owner, via: schedule, body))
    }

    /// Observes the posts of a name on the body's own actor, while the token lives.
    ///
    /// A post copies what the body gets, and waits for the body only if a scheduler waits. A body that is written in an
    /// actor runs on that actor, and a body that is written in a main-actor class on the main actor. Posts that still
    /// wait when the registration ends are dropped (R6). The body gets posts even while the center is suspended (R16).
    ///
    /// - Parameters:
    ///   - name: The name to observe.
    ///   - buffer: How many posts may wait for the body.
    ///   - body: Called on the actor to which the body is isolated, with one post at a time, in posting order.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    /// - Returns: The token that owns the registration. Ending the registration does not wait for a running body.
    @_alwaysEmitIntoClient
    public func observe(
        _ name: Name, buffer: Buffer = .unbounded,
        @_inheritActorContext async body: @escaping @isolated(any) @Sendable (Posted) async -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) -> ObservationToken {
        Source(self, name, Filter(file, line)).observe(HeraldCenter.mailbox(buffer, body))
    }

    /// Observes the posts of a name about one subject on the body's own actor, while the token lives.
    ///
    /// A post copies what the body gets, and waits for the body only if a scheduler waits. A body that is written in an
    /// actor runs on that actor, and a body that is written in a main-actor class on the main actor. Posts that still
    /// wait when the registration ends are dropped (R6). The body gets posts even while the center is suspended (R16).
    ///
    /// - Parameters:
    ///   - name: The name to observe.
    ///   - subject: Only posts about this instance, which is not retained. A later instance at the same address is
    ///     never mistaken for it (R12).
    ///   - buffer: How many posts may wait for the body.
    ///   - body: Called on the actor to which the body is isolated, with one post at a time, in posting order.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    /// - Returns: The token that owns the registration. Ending the registration does not wait for a running body.
    @_alwaysEmitIntoClient
    public func observe(
        _ name: Name, subject: AnyObject, buffer: Buffer = .unbounded,
        @_inheritActorContext async body: @escaping @isolated(any) @Sendable (Posted) async -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) -> ObservationToken {
        Source(self, name, Filter(.only(subject), file, line)).observe(HeraldCenter.mailbox(buffer, body))
    }

    /// Observes the posts of a name on the body's own actor, while an owner lives.
    ///
    /// A post copies what the body gets, and waits for the body only if a scheduler waits. Posts that still wait when
    /// the registration ends are dropped (R6). The body gets posts even while the center is suspended (R16).
    ///
    /// If the same owner observes the same name and subject again, in the same source file, the new registration
    /// replaces the old one, and is the last in order. Until the old registration has been removed, a post on another
    /// thread may call both.
    ///
    /// - Parameters:
    ///   - name: The name to observe.
    ///   - owner: Referenced weakly, but retained during a call. So the owner's `deinit` may run after a call, on the
    ///     calling thread.
    ///   - buffer: How many posts may wait for the body.
    ///   - body: Called on the actor to which the body is isolated, with the owner and one post at a time, in posting
    ///     order.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    @_alwaysEmitIntoClient
    public func observe<O: AnyObject & Sendable>(
        _ name: Name, by owner: O, buffer: Buffer = .unbounded,
        @_inheritActorContext async body: @escaping @isolated(any) @Sendable (O, Posted) async -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        Source(self, name, Filter(file, line)).observe(by: owner, HeraldCenter.mailbox(buffer, for: owner, body))
    }

    /// Observes the posts of a name about one subject on the body's own actor, while an owner lives.
    ///
    /// A post copies what the body gets, and waits for the body only if a scheduler waits. Posts that still wait when
    /// the registration ends are dropped (R6). The body gets posts even while the center is suspended (R16).
    ///
    /// If the same owner observes the same name and subject again, in the same source file, the new registration
    /// replaces the old one, and is the last in order. Until the old registration has been removed, a post on another
    /// thread may call both.
    ///
    /// - Parameters:
    ///   - name: The name to observe.
    ///   - subject: Only posts about this instance, which is not retained. A later instance at the same address is
    ///     never mistaken for it (R12).
    ///   - owner: Referenced weakly, but retained during a call. So the owner's `deinit` may run after a call, on the
    ///     calling thread.
    ///   - buffer: How many posts may wait for the body.
    ///   - body: Called on the actor to which the body is isolated, with the owner and one post at a time, in posting
    ///     order.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    @_alwaysEmitIntoClient
    public func observe<O: AnyObject & Sendable>(
        _ name: Name, subject: AnyObject, by owner: O, buffer: Buffer = .unbounded,
        @_inheritActorContext async body: @escaping @isolated(any) @Sendable (O, Posted) async -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        Source(self, name, Filter(.only(subject), file, line)).observe(
            by: owner, HeraldCenter.mailbox(buffer, for: owner, body))
    }

    /// Observes the posts of a name on the body's own actor with a body that may throw, while the token lives.
    ///
    /// A post copies what the body gets, and waits for the body only if a scheduler waits. A body that is written in an
    /// actor runs on that actor, and a body that is written in a main-actor class on the main actor. Posts that still
    /// wait when the registration ends are dropped (R6). The body gets posts even while the center is suspended (R16).
    ///
    /// - Parameters:
    ///   - name: The name to observe.
    ///   - buffer: How many posts may wait for the body.
    ///   - body: Called on the actor to which the body is isolated, with one post at a time, in posting order.
    ///   - failed: Gets the error that the body has thrown and the post, before the next call of the body. If the
    ///     closure is written beside the body and no attribute names another actor, the closure runs on the body's
    ///     actor.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    /// - Returns: The token that owns the registration. Ending the registration does not wait for a running body.
    @_alwaysEmitIntoClient
    public func observe(
        _ name: Name, buffer: Buffer = .unbounded,
        @_inheritActorContext async body: @escaping @isolated(any) @Sendable (Posted) async throws -> Void,
        @_inheritActorContext failed: @escaping @isolated(any) @Sendable (any Error, Posted) async -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) -> ObservationToken {
        Source(self, name, Filter(file, line)).observe(HeraldCenter.mailbox(buffer, body, failed: failed))
    }

    /// Observes the posts of a name about one subject on the body's own actor with a body that may throw, while the
    /// token lives.
    ///
    /// A post copies what the body gets, and waits for the body only if a scheduler waits. A body that is written in an
    /// actor runs on that actor, and a body that is written in a main-actor class on the main actor. Posts that still
    /// wait when the registration ends are dropped (R6). The body gets posts even while the center is suspended (R16).
    ///
    /// - Parameters:
    ///   - name: The name to observe.
    ///   - subject: Only posts about this instance, which is not retained. A later instance at the same address is
    ///     never mistaken for it (R12).
    ///   - buffer: How many posts may wait for the body.
    ///   - body: Called on the actor to which the body is isolated, with one post at a time, in posting order.
    ///   - failed: Gets the error that the body has thrown and the post, before the next call of the body. If the
    ///     closure is written beside the body and no attribute names another actor, the closure runs on the body's
    ///     actor.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    /// - Returns: The token that owns the registration. Ending the registration does not wait for a running body.
    @_alwaysEmitIntoClient
    public func observe(
        _ name: Name, subject: AnyObject, buffer: Buffer = .unbounded,
        @_inheritActorContext async body: @escaping @isolated(any) @Sendable (Posted) async throws -> Void,
        @_inheritActorContext failed: @escaping @isolated(any) @Sendable (any Error, Posted) async -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) -> ObservationToken {
        Source(self, name, Filter(.only(subject), file, line)).observe(
            HeraldCenter.mailbox(buffer, body, failed: failed))
    }

    /// Observes the posts of a name on the body's own actor with a body that may throw, while an owner lives.
    ///
    /// A post copies what the body gets, and waits for the body only if a scheduler waits. Posts that still wait when
    /// the registration ends are dropped (R6). The body gets posts even while the center is suspended (R16).
    ///
    /// If the same owner observes the same name and subject again, in the same source file, the new registration
    /// replaces the old one, and is the last in order. Until the old registration has been removed, a post on another
    /// thread may call both.
    ///
    /// - Parameters:
    ///   - name: The name to observe.
    ///   - owner: Referenced weakly, but retained during a call. So the owner's `deinit` may run after a call, on the
    ///     calling thread.
    ///   - buffer: How many posts may wait for the body.
    ///   - body: Called on the actor to which the body is isolated, with the owner and one post at a time, in posting
    ///     order.
    ///   - failed: Gets the owner, the error that the body has thrown and the post, before the next call of the body.
    ///     If the closure is written beside the body and no attribute names another actor, the closure runs on the
    ///     body's actor.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    @_alwaysEmitIntoClient
    public func observe<O: AnyObject & Sendable>(
        _ name: Name, by owner: O, buffer: Buffer = .unbounded,
        @_inheritActorContext async body: @escaping @isolated(any) @Sendable (O, Posted) async throws -> Void,
        @_inheritActorContext failed: @escaping @isolated(any) @Sendable (O, any Error, Posted) async -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        Source(self, name, Filter(file, line)).observe(
            by: owner, HeraldCenter.mailbox(buffer, for: owner, body, failed: failed))
    }

    /// Observes the posts of a name about one subject on the body's own actor with a body that may throw, while an
    /// owner lives.
    ///
    /// A post copies what the body gets, and waits for the body only if a scheduler waits. Posts that still wait when
    /// the registration ends are dropped (R6). The body gets posts even while the center is suspended (R16).
    ///
    /// If the same owner observes the same name and subject again, in the same source file, the new registration
    /// replaces the old one, and is the last in order. Until the old registration has been removed, a post on another
    /// thread may call both.
    ///
    /// - Parameters:
    ///   - name: The name to observe.
    ///   - subject: Only posts about this instance, which is not retained. A later instance at the same address is
    ///     never mistaken for it (R12).
    ///   - owner: Referenced weakly, but retained during a call. So the owner's `deinit` may run after a call, on the
    ///     calling thread.
    ///   - buffer: How many posts may wait for the body.
    ///   - body: Called on the actor to which the body is isolated, with the owner and one post at a time, in posting
    ///     order.
    ///   - failed: Gets the owner, the error that the body has thrown and the post, before the next call of the body.
    ///     If the closure is written beside the body and no attribute names another actor, the closure runs on the
    ///     body's actor.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    @_alwaysEmitIntoClient
    public func observe<O: AnyObject & Sendable>(
        _ name: Name, subject: AnyObject, by owner: O, buffer: Buffer = .unbounded,
        @_inheritActorContext async body: @escaping @isolated(any) @Sendable (O, Posted) async throws -> Void,
        @_inheritActorContext failed: @escaping @isolated(any) @Sendable (O, any Error, Posted) async -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        Source(self, name, Filter(.only(subject), file, line)).observe(
            by: owner, HeraldCenter.mailbox(buffer, for: owner, body, failed: failed))
    }

    /// Observes the posts of a name on an actor, while the actor lives.
    ///
    /// A post copies what the body gets, and waits for the body only if a scheduler waits. Posts that still wait when
    /// the registration ends are dropped (R6). The body gets posts even while the center is suspended (R16).
    ///
    /// If the same actor observes the same name and subject again, in the same source file, the new registration
    /// replaces the old one, and is the last in order. Until the old registration has been removed, a post on another
    /// thread may call both.
    ///
    /// - Parameters:
    ///   - name: The name to observe.
    ///   - actor: The owner of the registration. Referenced weakly, but retained during a call.
    ///   - buffer: How many posts may wait for the body.
    ///   - body: Called on the actor, with one post at a time, in posting order.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    @_alwaysEmitIntoClient
    public func observe<A: Actor>(
        _ name: Name, on actor: A, buffer: Buffer = .unbounded,
        _ body: @escaping @Sendable (isolated A, Posted) async -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        Source(self, name, Filter(file, line)).observe(by: actor, HeraldCenter.mailbox(buffer, on: actor, body))
    }

    /// Observes the posts of a name about one subject on an actor, while the actor lives.
    ///
    /// A post copies what the body gets, and waits for the body only if a scheduler waits. Posts that still wait when
    /// the registration ends are dropped (R6). The body gets posts even while the center is suspended (R16).
    ///
    /// If the same actor observes the same name and subject again, in the same source file, the new registration
    /// replaces the old one, and is the last in order. Until the old registration has been removed, a post on another
    /// thread may call both.
    ///
    /// - Parameters:
    ///   - name: The name to observe.
    ///   - subject: Only posts about this instance, which is not retained. A later instance at the same address is
    ///     never mistaken for it (R12).
    ///   - actor: The owner of the registration. Referenced weakly, but retained during a call.
    ///   - buffer: How many posts may wait for the body.
    ///   - body: Called on the actor, with one post at a time, in posting order.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    @_alwaysEmitIntoClient
    public func observe<A: Actor>(
        _ name: Name, subject: AnyObject, on actor: A, buffer: Buffer = .unbounded,
        _ body: @escaping @Sendable (isolated A, Posted) async -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        Source(self, name, Filter(.only(subject), file, line)).observe(
            by: actor, HeraldCenter.mailbox(buffer, on: actor, body))
    }

    /// The posts of a name from now on, as a sequence.
    ///
    /// This call registers the observer, so the sequence also gets posts that come before a loop begins. They come in
    /// posting order. The sequence gets posts even while the center is suspended (R16).
    ///
    /// - Parameters:
    ///   - name: The name to observe.
    ///   - buffer: How many posts may wait to be taken. ``Messages/dropped`` counts those that were dropped.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    /// - Returns: The sequence. The registration ends when the sequence and its iterators are gone.
    @_alwaysEmitIntoClient
    public func messages(
        named name: Name, buffer: Buffer = .newest(256),
        file: StaticString = #fileID, line: UInt = #line
    ) -> Messages<Posted> {
        Source(self, name, Filter(file, line)).messages(buffer)
    }

    /// The posts of a name about one subject from now on, as a sequence.
    ///
    /// This call registers the observer, so the sequence also gets posts that come before a loop begins. They come in
    /// posting order. The sequence gets posts even while the center is suspended (R16).
    ///
    /// - Parameters:
    ///   - name: The name to observe.
    ///   - subject: Only posts about this instance, which is not retained. A later instance at the same address is
    ///     never mistaken for it (R12).
    ///   - buffer: How many posts may wait to be taken. ``Messages/dropped`` counts those that were dropped.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    /// - Returns: The sequence. The registration ends when the sequence and its iterators are gone.
    @_alwaysEmitIntoClient
    public func messages(
        named name: Name, subject: AnyObject, buffer: Buffer = .newest(256),
        file: StaticString = #fileID, line: UInt = #line
    ) -> Messages<Posted> {
        Source(self, name, Filter(.only(subject), file, line)).messages(buffer)
    }

    /// Gives a closure the posts of a name from now on, as a sequence that ends with the closure.
    ///
    /// The registration ends when the closure returns or throws. Posts that wait then are dropped, and another task
    /// that still iterates gets `nil`. The sequence gets posts even while the center is suspended (R16).
    ///
    /// - Parameters:
    ///   - name: The name to observe.
    ///   - buffer: How many posts may wait to be taken. ``Messages/dropped`` counts those that were dropped.
    ///   - isolation: The caller's actor.
    ///   - body: Called with the sequence, on the caller's actor.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    /// - Returns: What the closure returns.
    @_alwaysEmitIntoClient
    public func withMessages<Result>(
        named name: Name, buffer: Buffer = .newest(256), isolation: isolated (any Actor)? = #isolation,
        _ body: (Messages<Posted>) async throws -> Result,
        file: StaticString = #fileID, line: UInt = #line
    ) async rethrows -> Result {
        try await Source(self, name, Filter(file, line)).messages(buffer).during(isolation: isolation, body)
    }

    /// Gives a closure the posts of a name about one subject from now on, as a sequence that ends with the closure.
    ///
    /// The registration ends when the closure returns or throws. Posts that wait then are dropped, and another task
    /// that still iterates gets `nil`. The sequence gets posts even while the center is suspended (R16).
    ///
    /// - Parameters:
    ///   - name: The name to observe.
    ///   - subject: Only posts about this instance, which is not retained. A later instance at the same address is
    ///     never mistaken for it (R12).
    ///   - buffer: How many posts may wait to be taken. ``Messages/dropped`` counts those that were dropped.
    ///   - isolation: The caller's actor.
    ///   - body: Called with the sequence, on the caller's actor.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    /// - Returns: What the closure returns.
    @_alwaysEmitIntoClient
    public func withMessages<Result>(
        named name: Name, subject: AnyObject, buffer: Buffer = .newest(256),
        isolation: isolated (any Actor)? = #isolation, _ body: (Messages<Posted>) async throws -> Result,
        file: StaticString = #fileID, line: UInt = #line
    ) async rethrows -> Result {
        try await Source(self, name, Filter(.only(subject), file, line)).messages(buffer).during(
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
        _ name: Name, within limit: Duration? = nil, isolation: isolated (any Actor)? = #isolation,
        where isWanted: (@Sendable (Posted) -> Bool)? = nil,
        file: StaticString = #fileID, line: UInt = #line
    ) async -> Posted? {
        await Source(self, name, Filter(file, line)).next(within: limit, where: isWanted, isolation: isolation)
    }

    /// Waits for the next of the posts of a name about one subject.
    ///
    /// The observer is registered before the call waits. `next` in a loop would miss what is posted between two calls:
    /// use `messages` there. The call gets posts even while the center is suspended (R16).
    ///
    /// - Parameters:
    ///   - name: The name to observe.
    ///   - subject: Only posts about this instance, which is not retained. A later instance at the same address is
    ///     never mistaken for it (R12).
    ///   - limit: How long to wait at most. `nil`, or more than a hundred years: there is no limit.
    ///   - isolation: The caller's actor.
    ///   - isWanted: Returns whether a post counts. Called on the posting thread, and no more once one has counted.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    /// - Returns: The post; `nil` when the time is over, or the task is cancelled.
    @_alwaysEmitIntoClient
    public func next(
        _ name: Name, subject: AnyObject, within limit: Duration? = nil, isolation: isolated (any Actor)? = #isolation,
        where isWanted: (@Sendable (Posted) -> Bool)? = nil,
        file: StaticString = #fileID, line: UInt = #line
    ) async -> Posted? {
        await Source(self, name, Filter(.only(subject), file, line)).next(
            within: limit, where: isWanted, isolation: isolation)
    }

    /// Observes the posts of a name on the posting thread until the body has been called once.
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
        _ name: Name, _ body: @escaping @Sendable (Posted) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) -> ObservationToken {
        Source(self, name, Filter(file, line)).once(body)
    }

    /// Observes the posts of a name about one subject on the posting thread until the body has been called once.
    ///
    /// The registration ends with the first call, even if several threads post at once (R6).
    ///
    /// - Parameters:
    ///   - name: The name to observe.
    ///   - subject: Only posts about this instance, which is not retained. A later instance at the same address is
    ///     never mistaken for it (R12).
    ///   - body: Called with the post.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    /// - Returns: The token that owns the registration.
    public func observeOnce(
        _ name: Name, subject: AnyObject, _ body: @escaping @Sendable (Posted) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) -> ObservationToken {
        Source(self, name, Filter(.only(subject), file, line)).once(body)
    }

    /// Observes the posts of a name on the posting thread, as long as a condition holds.
    ///
    /// The registration ends with the first post for which the condition does not hold. The body does not get this
    /// post, and no later one. If several threads post at once, a call of the body that has begun or been decided on
    /// for another post goes on. The registration also ends with the token.
    ///
    /// - Parameters:
    ///   - name: The name to observe.
    ///   - whileSuspended: What the observer gets while the center is suspended (R16).
    ///   - goesOn: Returns whether the observer gets the post, and stays registered. Called before the body, on the
    ///     posting thread.
    ///   - body: Called with the post.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    /// - Returns: The token that owns the registration.
    public func observe(
        _ name: Name, whileSuspended: SuspensionBehavior = .deliverImmediately,
        while goesOn: @escaping @Sendable (Posted) -> Bool, _ body: @escaping @Sendable (Posted) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) -> ObservationToken {
        Source(self, name, Filter(file, line)).observe(whileSuspended: whileSuspended, while: goesOn, body)
    }

    /// Observes the posts of a name about one subject on the posting thread, as long as a condition holds.
    ///
    /// The registration ends with the first post for which the condition does not hold. The body does not get this
    /// post, and no later one. If several threads post at once, a call of the body that has begun or been decided on
    /// for another post goes on. The registration also ends with the token.
    ///
    /// - Parameters:
    ///   - name: The name to observe.
    ///   - subject: Only posts about this instance, which is not retained. A later instance at the same address is
    ///     never mistaken for it (R12).
    ///   - whileSuspended: What the observer gets while the center is suspended (R16).
    ///   - goesOn: Returns whether the observer gets the post, and stays registered. Called before the body, on the
    ///     posting thread.
    ///   - body: Called with the post.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    /// - Returns: The token that owns the registration.
    public func observe(
        _ name: Name, subject: AnyObject, whileSuspended: SuspensionBehavior = .deliverImmediately,
        while goesOn: @escaping @Sendable (Posted) -> Bool, _ body: @escaping @Sendable (Posted) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) -> ObservationToken {
        Source(self, name, Filter(.only(subject), file, line)).observe(
            whileSuspended: whileSuspended, while: goesOn, body)
    }
}
#endif
