#if os(Linux)
// Written by Scripts/forms: change the table there, and run `make forms`.

extension WireCenter {
    /// Observes the messages of a type on Herald's thread, while the token lives.
    ///
    /// The body gets no message that cannot be decoded as the type (R23). All observers without a queue or an actor
    /// share one thread, so a slow body delays the others. After the registration has ended, no new call of the body
    /// starts (R6). The body is released when the last running call has returned (R10).
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - whileSuspended: What the observer gets while the center is suspended in this process (R16).
    ///   - body: Called with the message. The body may post, observe and cancel (R7). The body retains everything that
    ///     it captures, even the subject.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    /// - Returns: The token that owns the registration. ``HeraldCenter/ObservationToken/cancel()`` waits for running
    ///   calls (R11).
    public func observe<M: HeraldCenter.WireMessage>(
        _: M.Type, whileSuspended: HeraldCenter.SuspensionBehavior = .deliverImmediately,
        _ body: @escaping @Sendable (M) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) -> HeraldCenter.ObservationToken {
        Source<M>(wire, Filter(file, line)).observe(whileSuspended: whileSuspended, body)
    }

    /// Observes the messages of a type about one subject on Herald's thread, while the token lives.
    ///
    /// The body gets no message that cannot be decoded as the type (R23). All observers without a queue or an actor
    /// share one thread, so a slow body delays the others. After the registration has ended, no new call of the body
    /// starts (R6). The body is released when the last running call has returned (R10).
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - subject: Only messages with this subject. The text stays in memory until the process ends.
    ///   - whileSuspended: What the observer gets while the center is suspended in this process (R16).
    ///   - body: Called with the message. The body may post, observe and cancel (R7). The body retains everything that
    ///     it captures, even the subject.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    /// - Returns: The token that owns the registration. ``HeraldCenter/ObservationToken/cancel()`` waits for running
    ///   calls (R11).
    public func observe<M: HeraldCenter.WireMessage>(
        _: M.Type, subject: String, whileSuspended: HeraldCenter.SuspensionBehavior = .deliverImmediately,
        _ body: @escaping @Sendable (M) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) -> HeraldCenter.ObservationToken {
        Source<M>(wire, Filter(text: subject, file, line)).observe(whileSuspended: whileSuspended, body)
    }

    /// Observes the messages of a type on Herald's thread, while an owner lives.
    ///
    /// No observer is called after its owner is gone (R6). When the owner is gone, the next post that reaches the
    /// registration releases the body (R10). Adding another observer with an owner may release the body earlier.
    ///
    /// If the same owner observes the same type and subject again, in the same source file, the new registration
    /// replaces the old one, and is the last in order. Until the old registration has been removed, a post on another
    /// thread may call both.
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - owner: Referenced weakly, but retained during a call. So the owner's `deinit` may run after a call, on the
    ///     calling thread.
    ///   - whileSuspended: What the observer gets while the center is suspended in this process (R16).
    ///   - body: Called with the owner and the message. The body may post, observe and cancel (R7).
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    public func observe<O: AnyObject & Sendable, M: HeraldCenter.WireMessage>(
        _: M.Type, by owner: O, whileSuspended: HeraldCenter.SuspensionBehavior = .deliverImmediately,
        _ body: @escaping @Sendable (O, M) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        Source<M>(wire, Filter(file, line)).observe(by: owner, whileSuspended: whileSuspended, body)
    }

    /// Observes the messages of a type about one subject on Herald's thread, while an owner lives.
    ///
    /// No observer is called after its owner is gone (R6). When the owner is gone, the next post that reaches the
    /// registration releases the body (R10). Adding another observer with an owner may release the body earlier.
    ///
    /// If the same owner observes the same type and subject again, in the same source file, the new registration
    /// replaces the old one, and is the last in order. Until the old registration has been removed, a post on another
    /// thread may call both.
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - subject: Only messages with this subject. The text stays in memory until the process ends.
    ///   - owner: Referenced weakly, but retained during a call. So the owner's `deinit` may run after a call, on the
    ///     calling thread.
    ///   - whileSuspended: What the observer gets while the center is suspended in this process (R16).
    ///   - body: Called with the owner and the message. The body may post, observe and cancel (R7).
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    public func observe<O: AnyObject & Sendable, M: HeraldCenter.WireMessage>(
        _: M.Type, subject: String, by owner: O, whileSuspended: HeraldCenter.SuspensionBehavior = .deliverImmediately,
        _ body: @escaping @Sendable (O, M) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        Source<M>(wire, Filter(text: subject, file, line)).observe(by: owner, whileSuspended: whileSuspended, body)
    }

    /// Observes the messages of a type through a queue, while the token lives.
    ///
    /// Suppose that the scheduler uses a serial queue. If a thread posts, and then puts a block on this queue, the body
    /// runs before the block. Messages that still wait when the registration ends are dropped (R6). The body gets
    /// messages even while the center is suspended (R16).
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - scheduler: A `DispatchQueue`, or another ``HeraldCenter/WorkScheduler``, that runs the body.
    ///   - buffer: How many messages may wait for the body.
    ///   - body: Called where the scheduler runs it, with one message at a time, in posting order.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    /// - Returns: The token that owns the registration. Ending the registration does not wait for a running body.
    @_alwaysEmitIntoClient
    public func observe<M: HeraldCenter.WireMessage>(
        _: M.Type, via scheduler: some HeraldCenter.WorkScheduler, buffer: HeraldCenter.Buffer = .unbounded,
        _ body: @escaping @Sendable (M) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) -> HeraldCenter.ObservationToken {
        Source<M>(wire, Filter(file, line)).observe(HeraldCenter.mailbox(buffer, via: scheduler._run, body))
    }

    /// Observes the messages of a type about one subject through a queue, while the token lives.
    ///
    /// Suppose that the scheduler uses a serial queue. If a thread posts, and then puts a block on this queue, the body
    /// runs before the block. Messages that still wait when the registration ends are dropped (R6). The body gets
    /// messages even while the center is suspended (R16).
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - subject: Only messages with this subject. The text stays in memory until the process ends.
    ///   - scheduler: A `DispatchQueue`, or another ``HeraldCenter/WorkScheduler``, that runs the body.
    ///   - buffer: How many messages may wait for the body.
    ///   - body: Called where the scheduler runs it, with one message at a time, in posting order.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    /// - Returns: The token that owns the registration. Ending the registration does not wait for a running body.
    @_alwaysEmitIntoClient
    public func observe<M: HeraldCenter.WireMessage>(
        _: M.Type, subject: String, via scheduler: some HeraldCenter.WorkScheduler,
        buffer: HeraldCenter.Buffer = .unbounded, _ body: @escaping @Sendable (M) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) -> HeraldCenter.ObservationToken {
        Source<M>(wire, Filter(text: subject, file, line)).observe(
            HeraldCenter.mailbox(buffer, via: scheduler._run, body))
    }

    /// Observes the messages of a type through a scheduler that is a closure, while the token lives.
    ///
    /// Suppose that the scheduler uses a serial queue. If a thread posts, and then puts a block on this queue, the body
    /// runs before the block. Messages that still wait when the registration ends are dropped (R6). The body gets
    /// messages even while the center is suspended (R16).
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - schedule: Runs the work that it gets, later or at once, as ``HeraldCenter/WorkScheduler/schedule(_:)`` does.
    ///   - buffer: How many messages may wait for the body.
    ///   - body: Called where the scheduler runs it, with one message at a time, in posting order.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    /// - Returns: The token that owns the registration. Ending the registration does not wait for a running body.
    @_alwaysEmitIntoClient
    public func observe<M: HeraldCenter.WireMessage>(
        _: M.Type, via schedule: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void,
        buffer: HeraldCenter.Buffer = .unbounded, _ body: @escaping @Sendable (M) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) -> HeraldCenter.ObservationToken {
        Source<M>(wire, Filter(file, line)).observe(HeraldCenter.mailbox(buffer, via: schedule, body))
    }

    /// Observes the messages of a type about one subject through a scheduler that is a closure, while the token lives.
    ///
    /// Suppose that the scheduler uses a serial queue. If a thread posts, and then puts a block on this queue, the body
    /// runs before the block. Messages that still wait when the registration ends are dropped (R6). The body gets
    /// messages even while the center is suspended (R16).
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - subject: Only messages with this subject. The text stays in memory until the process ends.
    ///   - schedule: Runs the work that it gets, later or at once, as ``HeraldCenter/WorkScheduler/schedule(_:)`` does.
    ///   - buffer: How many messages may wait for the body.
    ///   - body: Called where the scheduler runs it, with one message at a time, in posting order.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    /// - Returns: The token that owns the registration. Ending the registration does not wait for a running body.
    @_alwaysEmitIntoClient
    public func observe<M: HeraldCenter.WireMessage>(
        _: M.Type, subject: String, via schedule: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void,
        buffer: HeraldCenter.Buffer = .unbounded, _ body: @escaping @Sendable (M) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) -> HeraldCenter.ObservationToken {
        Source<M>(wire, Filter(text: subject, file, line)).observe(HeraldCenter.mailbox(buffer, via: schedule, body))
    }

    /// Observes the messages of a type through a queue, while an owner lives.
    ///
    /// Messages that still wait when the registration ends are dropped (R6). The body gets messages even while the
    /// center is suspended (R16).
    ///
    /// If the same owner observes the same type and subject again, in the same source file, the new registration
    /// replaces the old one, and is the last in order. Until the old registration has been removed, a post on another
    /// thread may call both.
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - owner: Referenced weakly, but retained during a call. So the owner's `deinit` may run after a call, on the
    ///     calling thread.
    ///   - scheduler: A `DispatchQueue`, or another ``HeraldCenter/WorkScheduler``, that runs the body.
    ///   - buffer: How many messages may wait for the body.
    ///   - body: Called where the scheduler runs it, with the owner and one message at a time, in posting order.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    @_alwaysEmitIntoClient
    public func observe<O: AnyObject & Sendable, M: HeraldCenter.WireMessage>(
        _: M.Type, by owner: O, via scheduler: some HeraldCenter.WorkScheduler,
        buffer: HeraldCenter.Buffer = .unbounded, _ body: @escaping @Sendable (O, M) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        Source<M>(wire, Filter(file, line)).observe(
            by: owner, HeraldCenter.mailbox(buffer, for: owner, via: scheduler._run, body))
    }

    /// Observes the messages of a type about one subject through a queue, while an owner lives.
    ///
    /// Messages that still wait when the registration ends are dropped (R6). The body gets messages even while the
    /// center is suspended (R16).
    ///
    /// If the same owner observes the same type and subject again, in the same source file, the new registration
    /// replaces the old one, and is the last in order. Until the old registration has been removed, a post on another
    /// thread may call both.
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - subject: Only messages with this subject. The text stays in memory until the process ends.
    ///   - owner: Referenced weakly, but retained during a call. So the owner's `deinit` may run after a call, on the
    ///     calling thread.
    ///   - scheduler: A `DispatchQueue`, or another ``HeraldCenter/WorkScheduler``, that runs the body.
    ///   - buffer: How many messages may wait for the body.
    ///   - body: Called where the scheduler runs it, with the owner and one message at a time, in posting order.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    @_alwaysEmitIntoClient
    public func observe<O: AnyObject & Sendable, M: HeraldCenter.WireMessage>(
        _: M.Type, subject: String, by owner: O, via scheduler: some HeraldCenter.WorkScheduler,
        buffer: HeraldCenter.Buffer = .unbounded, _ body: @escaping @Sendable (O, M) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        Source<M>(wire, Filter(text: subject, file, line)).observe(
            by: owner, HeraldCenter.mailbox(buffer, for: owner, via: scheduler._run, body))
    }

    /// Observes the messages of a type through a scheduler that is a closure, while an owner lives.
    ///
    /// Messages that still wait when the registration ends are dropped (R6). The body gets messages even while the
    /// center is suspended (R16).
    ///
    /// If the same owner observes the same type and subject again, in the same source file, the new registration
    /// replaces the old one, and is the last in order. Until the old registration has been removed, a post on another
    /// thread may call both.
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - owner: Referenced weakly, but retained during a call. So the owner's `deinit` may run after a call, on the
    ///     calling thread.
    ///   - schedule: Runs the work that it gets, later or at once, as ``HeraldCenter/WorkScheduler/schedule(_:)`` does.
    ///   - buffer: How many messages may wait for the body.
    ///   - body: Called where the scheduler runs it, with the owner and one message at a time, in posting order.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    @_alwaysEmitIntoClient
    public func observe<O: AnyObject & Sendable, M: HeraldCenter.WireMessage>(
        _: M.Type, by owner: O, via schedule: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void,
        buffer: HeraldCenter.Buffer = .unbounded, _ body: @escaping @Sendable (O, M) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        Source<M>(wire, Filter(file, line)).observe(
            by: owner, HeraldCenter.mailbox(buffer, for: owner, via: schedule, body))
    }

    /// Observes the messages of a type about one subject through a scheduler that is a closure, while an owner lives.
    ///
    /// Messages that still wait when the registration ends are dropped (R6). The body gets messages even while the
    /// center is suspended (R16).
    ///
    /// If the same owner observes the same type and subject again, in the same source file, the new registration
    /// replaces the old one, and is the last in order. Until the old registration has been removed, a post on another
    /// thread may call both.
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - subject: Only messages with this subject. The text stays in memory until the process ends.
    ///   - owner: Referenced weakly, but retained during a call. So the owner's `deinit` may run after a call, on the
    ///     calling thread.
    ///   - schedule: Runs the work that it gets, later or at once, as ``HeraldCenter/WorkScheduler/schedule(_:)`` does.
    ///   - buffer: How many messages may wait for the body.
    ///   - body: Called where the scheduler runs it, with the owner and one message at a time, in posting order.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    @_alwaysEmitIntoClient
    public func observe<O: AnyObject & Sendable, M: HeraldCenter.WireMessage>(
        _: M.Type, subject: String, by owner: O,
        via schedule: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void,
        buffer: HeraldCenter.Buffer = .unbounded, _ body: @escaping @Sendable (O, M) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        Source<M>(wire, Filter(text: subject, file, line)).observe(
            by: owner, HeraldCenter.mailbox(buffer, for: owner, via: schedule, body))
    }

    /// Observes the messages of a type on the body's own actor, while the token lives.
    ///
    /// A body that is written in an actor runs on that actor, and a body that is written in a main-actor class on the
    /// main actor. Messages that still wait when the registration ends are dropped (R6). The body gets messages even
    /// while the center is suspended (R16).
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - buffer: How many messages may wait for the body.
    ///   - body: Called on the actor to which the body is isolated, with one message at a time, in posting order.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    /// - Returns: The token that owns the registration. Ending the registration does not wait for a running body.
    @_alwaysEmitIntoClient
    public func observe<M: HeraldCenter.WireMessage>(
        _: M.Type, buffer: HeraldCenter.Buffer = .unbounded,
        @_inheritActorContext async body: @escaping @isolated(any) @Sendable (M) async -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) -> HeraldCenter.ObservationToken {
        Source<M>(wire, Filter(file, line)).observe(HeraldCenter.mailbox(buffer, body))
    }

    /// Observes the messages of a type about one subject on the body's own actor, while the token lives.
    ///
    /// A body that is written in an actor runs on that actor, and a body that is written in a main-actor class on the
    /// main actor. Messages that still wait when the registration ends are dropped (R6). The body gets messages even
    /// while the center is suspended (R16).
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - subject: Only messages with this subject. The text stays in memory until the process ends.
    ///   - buffer: How many messages may wait for the body.
    ///   - body: Called on the actor to which the body is isolated, with one message at a time, in posting order.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    /// - Returns: The token that owns the registration. Ending the registration does not wait for a running body.
    @_alwaysEmitIntoClient
    public func observe<M: HeraldCenter.WireMessage>(
        _: M.Type, subject: String, buffer: HeraldCenter.Buffer = .unbounded,
        @_inheritActorContext async body: @escaping @isolated(any) @Sendable (M) async -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) -> HeraldCenter.ObservationToken {
        Source<M>(wire, Filter(text: subject, file, line)).observe(HeraldCenter.mailbox(buffer, body))
    }

    /// Observes the messages of a type on the body's own actor, while an owner lives.
    ///
    /// Messages that still wait when the registration ends are dropped (R6). The body gets messages even while the
    /// center is suspended (R16).
    ///
    /// If the same owner observes the same type and subject again, in the same source file, the new registration
    /// replaces the old one, and is the last in order. Until the old registration has been removed, a post on another
    /// thread may call both.
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - owner: Referenced weakly, but retained during a call. So the owner's `deinit` may run after a call, on the
    ///     calling thread.
    ///   - buffer: How many messages may wait for the body.
    ///   - body: Called on the actor to which the body is isolated, with the owner and one message at a time, in
    ///     posting order.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    @_alwaysEmitIntoClient
    public func observe<O: AnyObject & Sendable, M: HeraldCenter.WireMessage>(
        _: M.Type, by owner: O, buffer: HeraldCenter.Buffer = .unbounded,
        @_inheritActorContext async body: @escaping @isolated(any) @Sendable (O, M) async -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        Source<M>(wire, Filter(file, line)).observe(by: owner, HeraldCenter.mailbox(buffer, for: owner, body))
    }

    /// Observes the messages of a type about one subject on the body's own actor, while an owner lives.
    ///
    /// Messages that still wait when the registration ends are dropped (R6). The body gets messages even while the
    /// center is suspended (R16).
    ///
    /// If the same owner observes the same type and subject again, in the same source file, the new registration
    /// replaces the old one, and is the last in order. Until the old registration has been removed, a post on another
    /// thread may call both.
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - subject: Only messages with this subject. The text stays in memory until the process ends.
    ///   - owner: Referenced weakly, but retained during a call. So the owner's `deinit` may run after a call, on the
    ///     calling thread.
    ///   - buffer: How many messages may wait for the body.
    ///   - body: Called on the actor to which the body is isolated, with the owner and one message at a time, in
    ///     posting order.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    @_alwaysEmitIntoClient
    public func observe<O: AnyObject & Sendable, M: HeraldCenter.WireMessage>(
        _: M.Type, subject: String, by owner: O, buffer: HeraldCenter.Buffer = .unbounded,
        @_inheritActorContext async body: @escaping @isolated(any) @Sendable (O, M) async -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        Source<M>(wire, Filter(text: subject, file, line)).observe(
            by: owner, HeraldCenter.mailbox(buffer, for: owner, body))
    }

    /// Observes the messages of a type on the body's own actor with a body that may throw, while the token lives.
    ///
    /// A body that is written in an actor runs on that actor, and a body that is written in a main-actor class on the
    /// main actor. Messages that still wait when the registration ends are dropped (R6). The body gets messages even
    /// while the center is suspended (R16).
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - buffer: How many messages may wait for the body.
    ///   - body: Called on the actor to which the body is isolated, with one message at a time, in posting order.
    ///   - failed: Gets the error that the body has thrown and the message, before the next call of the body. If the
    ///     closure is written beside the body and no attribute names another actor, the closure runs on the body's
    ///     actor.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    /// - Returns: The token that owns the registration. Ending the registration does not wait for a running body.
    @_alwaysEmitIntoClient
    public func observe<M: HeraldCenter.WireMessage>(
        _: M.Type, buffer: HeraldCenter.Buffer = .unbounded,
        @_inheritActorContext async body: @escaping @isolated(any) @Sendable (M) async throws -> Void,
        @_inheritActorContext failed: @escaping @isolated(any) @Sendable (any Error, M) async -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) -> HeraldCenter.ObservationToken {
        Source<M>(wire, Filter(file, line)).observe(HeraldCenter.mailbox(buffer, body, failed: failed))
    }

    /// Observes the messages of a type about one subject on the body's own actor with a body that may throw, while the
    /// token lives.
    ///
    /// A body that is written in an actor runs on that actor, and a body that is written in a main-actor class on the
    /// main actor. Messages that still wait when the registration ends are dropped (R6). The body gets messages even
    /// while the center is suspended (R16).
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - subject: Only messages with this subject. The text stays in memory until the process ends.
    ///   - buffer: How many messages may wait for the body.
    ///   - body: Called on the actor to which the body is isolated, with one message at a time, in posting order.
    ///   - failed: Gets the error that the body has thrown and the message, before the next call of the body. If the
    ///     closure is written beside the body and no attribute names another actor, the closure runs on the body's
    ///     actor.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    /// - Returns: The token that owns the registration. Ending the registration does not wait for a running body.
    @_alwaysEmitIntoClient
    public func observe<M: HeraldCenter.WireMessage>(
        _: M.Type, subject: String, buffer: HeraldCenter.Buffer = .unbounded,
        @_inheritActorContext async body: @escaping @isolated(any) @Sendable (M) async throws -> Void,
        @_inheritActorContext failed: @escaping @isolated(any) @Sendable (any Error, M) async -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) -> HeraldCenter.ObservationToken {
        Source<M>(wire, Filter(text: subject, file, line)).observe(HeraldCenter.mailbox(buffer, body, failed: failed))
    }

    /// Observes the messages of a type on the body's own actor with a body that may throw, while an owner lives.
    ///
    /// Messages that still wait when the registration ends are dropped (R6). The body gets messages even while the
    /// center is suspended (R16).
    ///
    /// If the same owner observes the same type and subject again, in the same source file, the new registration
    /// replaces the old one, and is the last in order. Until the old registration has been removed, a post on another
    /// thread may call both.
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - owner: Referenced weakly, but retained during a call. So the owner's `deinit` may run after a call, on the
    ///     calling thread.
    ///   - buffer: How many messages may wait for the body.
    ///   - body: Called on the actor to which the body is isolated, with the owner and one message at a time, in
    ///     posting order.
    ///   - failed: Gets the owner, the error that the body has thrown and the message, before the next call of the
    ///     body. If the closure is written beside the body and no attribute names another actor, the closure runs on
    ///     the body's actor.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    @_alwaysEmitIntoClient
    public func observe<O: AnyObject & Sendable, M: HeraldCenter.WireMessage>(
        _: M.Type, by owner: O, buffer: HeraldCenter.Buffer = .unbounded,
        @_inheritActorContext async body: @escaping @isolated(any) @Sendable (O, M) async throws -> Void,
        @_inheritActorContext failed: @escaping @isolated(any) @Sendable (O, any Error, M) async -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        Source<M>(wire, Filter(file, line)).observe(
            by: owner, HeraldCenter.mailbox(buffer, for: owner, body, failed: failed))
    }

    /// Observes the messages of a type about one subject on the body's own actor with a body that may throw, while an
    /// owner lives.
    ///
    /// Messages that still wait when the registration ends are dropped (R6). The body gets messages even while the
    /// center is suspended (R16).
    ///
    /// If the same owner observes the same type and subject again, in the same source file, the new registration
    /// replaces the old one, and is the last in order. Until the old registration has been removed, a post on another
    /// thread may call both.
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - subject: Only messages with this subject. The text stays in memory until the process ends.
    ///   - owner: Referenced weakly, but retained during a call. So the owner's `deinit` may run after a call, on the
    ///     calling thread.
    ///   - buffer: How many messages may wait for the body.
    ///   - body: Called on the actor to which the body is isolated, with the owner and one message at a time, in
    ///     posting order.
    ///   - failed: Gets the owner, the error that the body has thrown and the message, before the next call of the
    ///     body. If the closure is written beside the body and no attribute names another actor, the closure runs on
    ///     the body's actor.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    @_alwaysEmitIntoClient
    public func observe<O: AnyObject & Sendable, M: HeraldCenter.WireMessage>(
        _: M.Type, subject: String, by owner: O, buffer: HeraldCenter.Buffer = .unbounded,
        @_inheritActorContext async body: @escaping @isolated(any) @Sendable (O, M) async throws -> Void,
        @_inheritActorContext failed: @escaping @isolated(any) @Sendable (O, any Error, M) async -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        Source<M>(wire, Filter(text: subject, file, line)).observe(
            by: owner, HeraldCenter.mailbox(buffer, for: owner, body, failed: failed))
    }

    /// Observes the messages of a type on an actor, while the actor lives.
    ///
    /// Messages that still wait when the registration ends are dropped (R6). The body gets messages even while the
    /// center is suspended (R16).
    ///
    /// If the same actor observes the same type and subject again, in the same source file, the new registration
    /// replaces the old one, and is the last in order. Until the old registration has been removed, a post on another
    /// thread may call both.
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - actor: The owner of the registration. Referenced weakly, but retained during a call.
    ///   - buffer: How many messages may wait for the body.
    ///   - body: Called on the actor, with one message at a time, in posting order.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    @_alwaysEmitIntoClient
    public func observe<A: Actor, M: HeraldCenter.WireMessage>(
        _: M.Type, on actor: A, buffer: HeraldCenter.Buffer = .unbounded,
        _ body: @escaping @Sendable (isolated A, M) async -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        Source<M>(wire, Filter(file, line)).observe(by: actor, HeraldCenter.mailbox(buffer, on: actor, body))
    }

    /// Observes the messages of a type about one subject on an actor, while the actor lives.
    ///
    /// Messages that still wait when the registration ends are dropped (R6). The body gets messages even while the
    /// center is suspended (R16).
    ///
    /// If the same actor observes the same type and subject again, in the same source file, the new registration
    /// replaces the old one, and is the last in order. Until the old registration has been removed, a post on another
    /// thread may call both.
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - subject: Only messages with this subject. The text stays in memory until the process ends.
    ///   - actor: The owner of the registration. Referenced weakly, but retained during a call.
    ///   - buffer: How many messages may wait for the body.
    ///   - body: Called on the actor, with one message at a time, in posting order.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    @_alwaysEmitIntoClient
    public func observe<A: Actor, M: HeraldCenter.WireMessage>(
        _: M.Type, subject: String, on actor: A, buffer: HeraldCenter.Buffer = .unbounded,
        _ body: @escaping @Sendable (isolated A, M) async -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        Source<M>(wire, Filter(text: subject, file, line)).observe(
            by: actor, HeraldCenter.mailbox(buffer, on: actor, body))
    }

    /// The messages of a type from now on, as a sequence.
    ///
    /// This call registers the observer, so the sequence also gets messages that come before a loop begins. They come
    /// in posting order. The sequence gets messages even while the center is suspended (R16).
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - buffer: How many messages may wait to be taken. ``Messages/dropped`` counts those that were dropped.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    /// - Returns: The sequence. The registration ends when the sequence and its iterators are gone.
    @_alwaysEmitIntoClient
    public func messages<M: HeraldCenter.WireMessage>(
        _: M.Type, buffer: HeraldCenter.Buffer = .newest(256),
        file: StaticString = #fileID, line: UInt = #line
    ) -> Messages<M> {
        Source<M>(wire, Filter(file, line)).messages(buffer)
    }

    /// The messages of a type about one subject from now on, as a sequence.
    ///
    /// This call registers the observer, so the sequence also gets messages that come before a loop begins. They come
    /// in posting order. The sequence gets messages even while the center is suspended (R16).
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - subject: Only messages with this subject. The text stays in memory until the process ends.
    ///   - buffer: How many messages may wait to be taken. ``Messages/dropped`` counts those that were dropped.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    /// - Returns: The sequence. The registration ends when the sequence and its iterators are gone.
    @_alwaysEmitIntoClient
    public func messages<M: HeraldCenter.WireMessage>(
        _: M.Type, subject: String, buffer: HeraldCenter.Buffer = .newest(256),
        file: StaticString = #fileID, line: UInt = #line
    ) -> Messages<M> {
        Source<M>(wire, Filter(text: subject, file, line)).messages(buffer)
    }

    /// Gives a closure the messages of a type from now on, as a sequence that ends with the closure.
    ///
    /// The registration ends when the closure returns or throws. Messages that wait then are dropped, and another task
    /// that still iterates gets `nil`. The sequence gets messages even while the center is suspended (R16).
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - buffer: How many messages may wait to be taken. ``Messages/dropped`` counts those that were dropped.
    ///   - isolation: The caller's actor.
    ///   - body: Called with the sequence, on the caller's actor.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    /// - Returns: What the closure returns.
    @_alwaysEmitIntoClient
    public func withMessages<M: HeraldCenter.WireMessage, Result>(
        _: M.Type, buffer: HeraldCenter.Buffer = .newest(256), isolation: isolated (any Actor)? = #isolation,
        _ body: (Messages<M>) async throws -> Result,
        file: StaticString = #fileID, line: UInt = #line
    ) async rethrows -> Result {
        try await Source<M>(wire, Filter(file, line)).messages(buffer).during(isolation: isolation, body)
    }

    /// Gives a closure the messages of a type about one subject from now on, as a sequence that ends with the closure.
    ///
    /// The registration ends when the closure returns or throws. Messages that wait then are dropped, and another task
    /// that still iterates gets `nil`. The sequence gets messages even while the center is suspended (R16).
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - subject: Only messages with this subject. The text stays in memory until the process ends.
    ///   - buffer: How many messages may wait to be taken. ``Messages/dropped`` counts those that were dropped.
    ///   - isolation: The caller's actor.
    ///   - body: Called with the sequence, on the caller's actor.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    /// - Returns: What the closure returns.
    @_alwaysEmitIntoClient
    public func withMessages<M: HeraldCenter.WireMessage, Result>(
        _: M.Type, subject: String, buffer: HeraldCenter.Buffer = .newest(256),
        isolation: isolated (any Actor)? = #isolation, _ body: (Messages<M>) async throws -> Result,
        file: StaticString = #fileID, line: UInt = #line
    ) async rethrows -> Result {
        try await Source<M>(wire, Filter(text: subject, file, line)).messages(buffer).during(isolation: isolation, body)
    }

    /// Waits for the next of the messages of a type.
    ///
    /// The observer is registered before the call waits. `next` in a loop would miss what is posted between two calls:
    /// use `messages` there. The call gets messages even while the center is suspended (R16).
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - limit: How long to wait at most. `nil`, or more than a hundred years: there is no limit.
    ///   - isolation: The caller's actor.
    ///   - isWanted: Returns whether a message counts. Called on the posting thread, and no more once one has counted.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    /// - Returns: The message; `nil` when the time is over, or the task is cancelled.
    @_alwaysEmitIntoClient
    public func next<M: HeraldCenter.WireMessage>(
        _: M.Type, within limit: Duration? = nil, isolation: isolated (any Actor)? = #isolation,
        where isWanted: (@Sendable (M) -> Bool)? = nil,
        file: StaticString = #fileID, line: UInt = #line
    ) async -> M? {
        await Source<M>(wire, Filter(file, line)).next(within: limit, where: isWanted, isolation: isolation)
    }

    /// Waits for the next of the messages of a type about one subject.
    ///
    /// The observer is registered before the call waits. `next` in a loop would miss what is posted between two calls:
    /// use `messages` there. The call gets messages even while the center is suspended (R16).
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - subject: Only messages with this subject. The text stays in memory until the process ends.
    ///   - limit: How long to wait at most. `nil`, or more than a hundred years: there is no limit.
    ///   - isolation: The caller's actor.
    ///   - isWanted: Returns whether a message counts. Called on the posting thread, and no more once one has counted.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    /// - Returns: The message; `nil` when the time is over, or the task is cancelled.
    @_alwaysEmitIntoClient
    public func next<M: HeraldCenter.WireMessage>(
        _: M.Type, subject: String, within limit: Duration? = nil, isolation: isolated (any Actor)? = #isolation,
        where isWanted: (@Sendable (M) -> Bool)? = nil,
        file: StaticString = #fileID, line: UInt = #line
    ) async -> M? {
        await Source<M>(wire, Filter(text: subject, file, line)).next(
            within: limit, where: isWanted, isolation: isolation)
    }

    /// Observes the messages of a type on Herald's thread until the body has been called once.
    ///
    /// The registration ends with the first call, even if several threads post at once (R6).
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - body: Called with the message.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    /// - Returns: The token that owns the registration.
    public func observeOnce<M: HeraldCenter.WireMessage>(
        _: M.Type, _ body: @escaping @Sendable (M) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) -> HeraldCenter.ObservationToken {
        Source<M>(wire, Filter(file, line)).once(body)
    }

    /// Observes the messages of a type about one subject on Herald's thread until the body has been called once.
    ///
    /// The registration ends with the first call, even if several threads post at once (R6).
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - subject: Only messages with this subject. The text stays in memory until the process ends.
    ///   - body: Called with the message.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    /// - Returns: The token that owns the registration.
    public func observeOnce<M: HeraldCenter.WireMessage>(
        _: M.Type, subject: String, _ body: @escaping @Sendable (M) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) -> HeraldCenter.ObservationToken {
        Source<M>(wire, Filter(text: subject, file, line)).once(body)
    }

    /// Observes the messages of a type on Herald's thread, as long as a condition holds.
    ///
    /// The registration ends with the first message for which the condition does not hold. The body does not get this
    /// message, and no later one. If several threads post at once, a call of the body that has begun or been decided on
    /// for another message goes on. The registration also ends with the token.
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - whileSuspended: What the observer gets while the center is suspended in this process (R16).
    ///   - goesOn: Returns whether the observer gets the message, and stays registered. Called before the body, on
    ///     Herald's thread.
    ///   - body: Called with the message.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    /// - Returns: The token that owns the registration.
    public func observe<M: HeraldCenter.WireMessage>(
        _: M.Type, whileSuspended: HeraldCenter.SuspensionBehavior = .deliverImmediately,
        while goesOn: @escaping @Sendable (M) -> Bool, _ body: @escaping @Sendable (M) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) -> HeraldCenter.ObservationToken {
        Source<M>(wire, Filter(file, line)).observe(whileSuspended: whileSuspended, while: goesOn, body)
    }

    /// Observes the messages of a type about one subject on Herald's thread, as long as a condition holds.
    ///
    /// The registration ends with the first message for which the condition does not hold. The body does not get this
    /// message, and no later one. If several threads post at once, a call of the body that has begun or been decided on
    /// for another message goes on. The registration also ends with the token.
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - subject: Only messages with this subject. The text stays in memory until the process ends.
    ///   - whileSuspended: What the observer gets while the center is suspended in this process (R16).
    ///   - goesOn: Returns whether the observer gets the message, and stays registered. Called before the body, on
    ///     Herald's thread.
    ///   - body: Called with the message.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    /// - Returns: The token that owns the registration.
    public func observe<M: HeraldCenter.WireMessage>(
        _: M.Type, subject: String, whileSuspended: HeraldCenter.SuspensionBehavior = .deliverImmediately,
        while goesOn: @escaping @Sendable (M) -> Bool, _ body: @escaping @Sendable (M) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) -> HeraldCenter.ObservationToken {
        Source<M>(wire, Filter(text: subject, file, line)).observe(whileSuspended: whileSuspended, while: goesOn, body)
    }
}
#endif
