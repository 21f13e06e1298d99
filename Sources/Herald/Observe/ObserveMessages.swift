#if os(Linux)
// Written by Scripts/forms: change the table there, and run `make forms`.

import CHeraldRuntime

extension HeraldCenter {
    /// Observes the messages of a type on the posting thread, while the token lives.
    ///
    /// Observers are called in the order of registration (R2), before the post returns (R3). After the registration has
    /// ended, no new call of the body starts (R6). The body is released when the last running call has returned (R10).
    ///
    /// If a trailing closure contains `await`, the compiler chooses the form that queues messages.
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - body: Called with a borrow of the poster's own message. The body may post, observe and cancel (R7). The body
    ///     retains everything that it captures, even the subject.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    /// - Returns: The token that owns the registration. ``ObservationToken/cancel()`` waits for running calls (R11).
    public func observe<M: Message & ~Copyable>(
        _: M.Type, _ body: @escaping @Sendable (borrowing M) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) -> ObservationToken {
        observe(
            HERALD_SWIFT_MESSAGES, HERALD_SWIFT_PLAIN, Herald.name(of: M.self), Filter(file, line),
            herald_swift_closure(message: body))
    }

    /// Observes the messages of a type about one subject on the posting thread, while the token lives.
    ///
    /// Observers are called in the order of registration (R2), before the post returns (R3). After the registration has
    /// ended, no new call of the body starts (R6). The body is released when the last running call has returned (R10).
    ///
    /// If a trailing closure contains `await`, the compiler chooses the form that queues messages.
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - subject: Only messages about this instance, which is not retained. A later instance at the same address is
    ///     never mistaken for it (R12).
    ///   - body: Called with a borrow of the poster's own message. The body may post, observe and cancel (R7). The body
    ///     retains everything that it captures, even the subject.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    /// - Returns: The token that owns the registration. ``ObservationToken/cancel()`` waits for running calls (R11).
    public func observe<M: Message & ~Copyable>(
        _: M.Type, subject: M.Subject, _ body: @escaping @Sendable (borrowing M) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) -> ObservationToken {
        observe(
            HERALD_SWIFT_MESSAGES, HERALD_SWIFT_PLAIN, Herald.name(of: M.self), Filter(.only(subject), file, line),
            herald_swift_closure(message: body))
    }

    /// Observes the messages of a type on the posting thread, while an owner lives.
    ///
    /// **In a class of the main actor, write `async:`**, or make the message a ``MainActorMessage``. Otherwise the body
    /// is called on whichever thread posts, and the compiler reports "main actor-isolated property ... can not be
    /// mutated from a Sendable closure", or "call to main actor-isolated instance method ... in a synchronous
    /// nonisolated context". In an actor, write `on: self`.
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
    ///   - body: Called with the owner and a borrow of the poster's own message. The body may post, observe and cancel
    ///     (R7).
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    public func observe<O: AnyObject & Sendable, M: Message & ~Copyable>(
        _: M.Type, by owner: O, _ body: @escaping @Sendable (O, borrowing M) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        observe(
            HERALD_SWIFT_MESSAGES, HERALD_SWIFT_OWNED, Herald.name(of: M.self), Filter(file, line), by: owner,
            herald_swift_closure(owner: owner, message: body))
    }

    /// Observes the messages of a type about one subject on the posting thread, while an owner lives.
    ///
    /// **In a class of the main actor, write `async:`**, or make the message a ``MainActorMessage``. Otherwise the body
    /// is called on whichever thread posts, and the compiler reports "main actor-isolated property ... can not be
    /// mutated from a Sendable closure", or "call to main actor-isolated instance method ... in a synchronous
    /// nonisolated context". In an actor, write `on: self`.
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
    ///   - subject: Only messages about this instance, which is not retained. A later instance at the same address is
    ///     never mistaken for it (R12).
    ///   - owner: Referenced weakly, but retained during a call. So the owner's `deinit` may run after a call, on the
    ///     calling thread.
    ///   - body: Called with the owner and a borrow of the poster's own message. The body may post, observe and cancel
    ///     (R7).
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    public func observe<O: AnyObject & Sendable, M: Message & ~Copyable>(
        _: M.Type, subject: M.Subject, by owner: O, _ body: @escaping @Sendable (O, borrowing M) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        observe(
            HERALD_SWIFT_MESSAGES, HERALD_SWIFT_OWNED, Herald.name(of: M.self), Filter(.only(subject), file, line),
            by: owner, herald_swift_closure(owner: owner, message: body))
    }

    /// Observes the messages of a type through a queue, while the token lives.
    ///
    /// A post copies what the body gets, and waits for the body only if a scheduler waits. Suppose that the scheduler
    /// uses a serial queue. If a thread posts, and then puts a block on this queue, the body runs before the block.
    /// Messages that still wait when the registration ends are dropped (R6).
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - scheduler: A `DispatchQueue`, or another ``WorkScheduler``, that runs the body.
    ///   - buffer: How many messages may wait for the body.
    ///   - body: Called where the scheduler runs it, with one message at a time, in posting order.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    /// - Returns: The token that owns the registration. Ending the registration does not wait for a running body.
    @_alwaysEmitIntoClient
    public func observe<M: AnyMessage & Sendable>(
        _: M.Type, via scheduler: some WorkScheduler, buffer: Buffer = .unbounded,
        _ body: @escaping @Sendable (M) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) -> ObservationToken {
        Source<M>(self, Filter(file, line)).observe(HeraldCenter.mailbox(buffer, via: scheduler._run, body))
    }

    /// Observes the messages of a type about one subject through a queue, while the token lives.
    ///
    /// A post copies what the body gets, and waits for the body only if a scheduler waits. Suppose that the scheduler
    /// uses a serial queue. If a thread posts, and then puts a block on this queue, the body runs before the block.
    /// Messages that still wait when the registration ends are dropped (R6).
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - subject: Only messages about this instance, which is not retained. A later instance at the same address is
    ///     never mistaken for it (R12).
    ///   - scheduler: A `DispatchQueue`, or another ``WorkScheduler``, that runs the body.
    ///   - buffer: How many messages may wait for the body.
    ///   - body: Called where the scheduler runs it, with one message at a time, in posting order.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    /// - Returns: The token that owns the registration. Ending the registration does not wait for a running body.
    @_alwaysEmitIntoClient
    public func observe<M: AnyMessage & Sendable>(
        _: M.Type, subject: M.Subject, via scheduler: some WorkScheduler, buffer: Buffer = .unbounded,
        _ body: @escaping @Sendable (M) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) -> ObservationToken {
        Source<M>(self, Filter(.only(subject), file, line)).observe(
            HeraldCenter.mailbox(buffer, via: scheduler._run, body))
    }

    /// Observes the messages of a type through a scheduler that is a closure, while the token lives.
    ///
    /// A post copies what the body gets, and waits for the body only if a scheduler waits. Suppose that the scheduler
    /// uses a serial queue. If a thread posts, and then puts a block on this queue, the body runs before the block.
    /// Messages that still wait when the registration ends are dropped (R6).
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - schedule: Runs the work that it gets, later or at once, as ``WorkScheduler/schedule(_:)`` does.
    ///   - buffer: How many messages may wait for the body.
    ///   - body: Called where the scheduler runs it, with one message at a time, in posting order.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    /// - Returns: The token that owns the registration. Ending the registration does not wait for a running body.
    @_alwaysEmitIntoClient
    public func observe<M: AnyMessage & Sendable>(
        _: M.Type, via schedule: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void,
        buffer: Buffer = .unbounded, _ body: @escaping @Sendable (M) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) -> ObservationToken {
        Source<M>(self, Filter(file, line)).observe(HeraldCenter.mailbox(buffer, via: schedule, body))
    }

    /// Observes the messages of a type about one subject through a scheduler that is a closure, while the token lives.
    ///
    /// A post copies what the body gets, and waits for the body only if a scheduler waits. Suppose that the scheduler
    /// uses a serial queue. If a thread posts, and then puts a block on this queue, the body runs before the block.
    /// Messages that still wait when the registration ends are dropped (R6).
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - subject: Only messages about this instance, which is not retained. A later instance at the same address is
    ///     never mistaken for it (R12).
    ///   - schedule: Runs the work that it gets, later or at once, as ``WorkScheduler/schedule(_:)`` does.
    ///   - buffer: How many messages may wait for the body.
    ///   - body: Called where the scheduler runs it, with one message at a time, in posting order.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    /// - Returns: The token that owns the registration. Ending the registration does not wait for a running body.
    @_alwaysEmitIntoClient
    public func observe<M: AnyMessage & Sendable>(
        _: M.Type, subject: M.Subject, via schedule: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void,
        buffer: Buffer = .unbounded, _ body: @escaping @Sendable (M) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) -> ObservationToken {
        Source<M>(self, Filter(.only(subject), file, line)).observe(HeraldCenter.mailbox(buffer, via: schedule, body))
    }

    /// Observes the messages of a type through a queue, while an owner lives.
    ///
    /// A post copies what the body gets, and waits for the body only if a scheduler waits. Messages that still wait
    /// when the registration ends are dropped (R6).
    ///
    /// If the same owner observes the same type and subject again, in the same source file, the new registration
    /// replaces the old one, and is the last in order. Until the old registration has been removed, a post on another
    /// thread may call both.
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - owner: Referenced weakly, but retained during a call. So the owner's `deinit` may run after a call, on the
    ///     calling thread.
    ///   - scheduler: A `DispatchQueue`, or another ``WorkScheduler``, that runs the body.
    ///   - buffer: How many messages may wait for the body.
    ///   - body: Called where the scheduler runs it, with the owner and one message at a time, in posting order.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    @_alwaysEmitIntoClient
    public func observe<O: AnyObject & Sendable, M: AnyMessage & Sendable>(
        _: M.Type, by owner: O, via scheduler: some WorkScheduler, buffer: Buffer = .unbounded,
        _ body: @escaping @Sendable (O, M) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        Source<M>(self, Filter(file, line)).observe(
            by: owner, HeraldCenter.mailbox(buffer, for: owner, via: scheduler._run, body))
    }

    /// Observes the messages of a type about one subject through a queue, while an owner lives.
    ///
    /// A post copies what the body gets, and waits for the body only if a scheduler waits. Messages that still wait
    /// when the registration ends are dropped (R6).
    ///
    /// If the same owner observes the same type and subject again, in the same source file, the new registration
    /// replaces the old one, and is the last in order. Until the old registration has been removed, a post on another
    /// thread may call both.
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - subject: Only messages about this instance, which is not retained. A later instance at the same address is
    ///     never mistaken for it (R12).
    ///   - owner: Referenced weakly, but retained during a call. So the owner's `deinit` may run after a call, on the
    ///     calling thread.
    ///   - scheduler: A `DispatchQueue`, or another ``WorkScheduler``, that runs the body.
    ///   - buffer: How many messages may wait for the body.
    ///   - body: Called where the scheduler runs it, with the owner and one message at a time, in posting order.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    @_alwaysEmitIntoClient
    public func observe<O: AnyObject & Sendable, M: AnyMessage & Sendable>(
        _: M.Type, subject: M.Subject, by owner: O, via scheduler: some WorkScheduler, buffer: Buffer = .unbounded,
        _ body: @escaping @Sendable (O, M) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        Source<M>(self, Filter(.only(subject), file, line)).observe(
            by: owner, HeraldCenter.mailbox(buffer, for: owner, via: scheduler._run, body))
    }

    /// Observes the messages of a type through a scheduler that is a closure, while an owner lives.
    ///
    /// A post copies what the body gets, and waits for the body only if a scheduler waits. Messages that still wait
    /// when the registration ends are dropped (R6).
    ///
    /// If the same owner observes the same type and subject again, in the same source file, the new registration
    /// replaces the old one, and is the last in order. Until the old registration has been removed, a post on another
    /// thread may call both.
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - owner: Referenced weakly, but retained during a call. So the owner's `deinit` may run after a call, on the
    ///     calling thread.
    ///   - schedule: Runs the work that it gets, later or at once, as ``WorkScheduler/schedule(_:)`` does.
    ///   - buffer: How many messages may wait for the body.
    ///   - body: Called where the scheduler runs it, with the owner and one message at a time, in posting order.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    @_alwaysEmitIntoClient
    public func observe<O: AnyObject & Sendable, M: AnyMessage & Sendable>(
        _: M.Type, by owner: O, via schedule: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void,
        buffer: Buffer = .unbounded, _ body: @escaping @Sendable (O, M) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        Source<M>(self, Filter(file, line)).observe(
            by: owner, HeraldCenter.mailbox(buffer, for: owner, via: schedule, body))
    }

    /// Observes the messages of a type about one subject through a scheduler that is a closure, while an owner lives.
    ///
    /// A post copies what the body gets, and waits for the body only if a scheduler waits. Messages that still wait
    /// when the registration ends are dropped (R6).
    ///
    /// If the same owner observes the same type and subject again, in the same source file, the new registration
    /// replaces the old one, and is the last in order. Until the old registration has been removed, a post on another
    /// thread may call both.
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - subject: Only messages about this instance, which is not retained. A later instance at the same address is
    ///     never mistaken for it (R12).
    ///   - owner: Referenced weakly, but retained during a call. So the owner's `deinit` may run after a call, on the
    ///     calling thread.
    ///   - schedule: Runs the work that it gets, later or at once, as ``WorkScheduler/schedule(_:)`` does.
    ///   - buffer: How many messages may wait for the body.
    ///   - body: Called where the scheduler runs it, with the owner and one message at a time, in posting order.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    @_alwaysEmitIntoClient
    public func observe<O: AnyObject & Sendable, M: AnyMessage & Sendable>(
        _: M.Type, subject: M.Subject, by owner: O,
        via schedule: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void, buffer: Buffer = .unbounded,
        _ body: @escaping @Sendable (O, M) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        Source<M>(self, Filter(.only(subject), file, line)).observe(
            by: owner, HeraldCenter.mailbox(buffer, for: owner, via: schedule, body))
    }

    /// Observes the messages of a type on the body's own actor, while the token lives.
    ///
    /// A post copies what the body gets, and waits for the body only if a scheduler waits. A body that is written in an
    /// actor runs on that actor, and a body that is written in a main-actor class on the main actor. Messages that
    /// still wait when the registration ends are dropped (R6).
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - buffer: How many messages may wait for the body.
    ///   - body: Called on the actor to which the body is isolated, with one message at a time, in posting order.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    /// - Returns: The token that owns the registration. Ending the registration does not wait for a running body.
    @_alwaysEmitIntoClient
    public func observe<M: AnyMessage & Sendable>(
        _: M.Type, buffer: Buffer = .unbounded,
        @_inheritActorContext async body: @escaping @isolated(any) @Sendable (M) async -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) -> ObservationToken {
        Source<M>(self, Filter(file, line)).observe(HeraldCenter.mailbox(buffer, body))
    }

    /// Observes the messages of a type about one subject on the body's own actor, while the token lives.
    ///
    /// A post copies what the body gets, and waits for the body only if a scheduler waits. A body that is written in an
    /// actor runs on that actor, and a body that is written in a main-actor class on the main actor. Messages that
    /// still wait when the registration ends are dropped (R6).
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - subject: Only messages about this instance, which is not retained. A later instance at the same address is
    ///     never mistaken for it (R12).
    ///   - buffer: How many messages may wait for the body.
    ///   - body: Called on the actor to which the body is isolated, with one message at a time, in posting order.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    /// - Returns: The token that owns the registration. Ending the registration does not wait for a running body.
    @_alwaysEmitIntoClient
    public func observe<M: AnyMessage & Sendable>(
        _: M.Type, subject: M.Subject, buffer: Buffer = .unbounded,
        @_inheritActorContext async body: @escaping @isolated(any) @Sendable (M) async -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) -> ObservationToken {
        Source<M>(self, Filter(.only(subject), file, line)).observe(HeraldCenter.mailbox(buffer, body))
    }

    /// Observes the messages of a type on the body's own actor, while an owner lives.
    ///
    /// A post copies what the body gets, and waits for the body only if a scheduler waits. Messages that still wait
    /// when the registration ends are dropped (R6).
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
    public func observe<O: AnyObject & Sendable, M: AnyMessage & Sendable>(
        _: M.Type, by owner: O, buffer: Buffer = .unbounded,
        @_inheritActorContext async body: @escaping @isolated(any) @Sendable (O, M) async -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        Source<M>(self, Filter(file, line)).observe(by: owner, HeraldCenter.mailbox(buffer, for: owner, body))
    }

    /// Observes the messages of a type about one subject on the body's own actor, while an owner lives.
    ///
    /// A post copies what the body gets, and waits for the body only if a scheduler waits. Messages that still wait
    /// when the registration ends are dropped (R6).
    ///
    /// If the same owner observes the same type and subject again, in the same source file, the new registration
    /// replaces the old one, and is the last in order. Until the old registration has been removed, a post on another
    /// thread may call both.
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - subject: Only messages about this instance, which is not retained. A later instance at the same address is
    ///     never mistaken for it (R12).
    ///   - owner: Referenced weakly, but retained during a call. So the owner's `deinit` may run after a call, on the
    ///     calling thread.
    ///   - buffer: How many messages may wait for the body.
    ///   - body: Called on the actor to which the body is isolated, with the owner and one message at a time, in
    ///     posting order.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    @_alwaysEmitIntoClient
    public func observe<O: AnyObject & Sendable, M: AnyMessage & Sendable>(
        _: M.Type, subject: M.Subject, by owner: O, buffer: Buffer = .unbounded,
        @_inheritActorContext async body: @escaping @isolated(any) @Sendable (O, M) async -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        Source<M>(self, Filter(.only(subject), file, line)).observe(
            by: owner, HeraldCenter.mailbox(buffer, for: owner, body))
    }

    /// Observes the messages of a type on the body's own actor with a body that may throw, while the token lives.
    ///
    /// A post copies what the body gets, and waits for the body only if a scheduler waits. A body that is written in an
    /// actor runs on that actor, and a body that is written in a main-actor class on the main actor. Messages that
    /// still wait when the registration ends are dropped (R6).
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
    public func observe<M: AnyMessage & Sendable>(
        _: M.Type, buffer: Buffer = .unbounded,
        @_inheritActorContext async body: @escaping @isolated(any) @Sendable (M) async throws -> Void,
        @_inheritActorContext failed: @escaping @isolated(any) @Sendable (any Error, M) async -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) -> ObservationToken {
        Source<M>(self, Filter(file, line)).observe(HeraldCenter.mailbox(buffer, body, failed: failed))
    }

    /// Observes the messages of a type about one subject on the body's own actor with a body that may throw, while the
    /// token lives.
    ///
    /// A post copies what the body gets, and waits for the body only if a scheduler waits. A body that is written in an
    /// actor runs on that actor, and a body that is written in a main-actor class on the main actor. Messages that
    /// still wait when the registration ends are dropped (R6).
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - subject: Only messages about this instance, which is not retained. A later instance at the same address is
    ///     never mistaken for it (R12).
    ///   - buffer: How many messages may wait for the body.
    ///   - body: Called on the actor to which the body is isolated, with one message at a time, in posting order.
    ///   - failed: Gets the error that the body has thrown and the message, before the next call of the body. If the
    ///     closure is written beside the body and no attribute names another actor, the closure runs on the body's
    ///     actor.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    /// - Returns: The token that owns the registration. Ending the registration does not wait for a running body.
    @_alwaysEmitIntoClient
    public func observe<M: AnyMessage & Sendable>(
        _: M.Type, subject: M.Subject, buffer: Buffer = .unbounded,
        @_inheritActorContext async body: @escaping @isolated(any) @Sendable (M) async throws -> Void,
        @_inheritActorContext failed: @escaping @isolated(any) @Sendable (any Error, M) async -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) -> ObservationToken {
        Source<M>(self, Filter(.only(subject), file, line)).observe(HeraldCenter.mailbox(buffer, body, failed: failed))
    }

    /// Observes the messages of a type on the body's own actor with a body that may throw, while an owner lives.
    ///
    /// A post copies what the body gets, and waits for the body only if a scheduler waits. Messages that still wait
    /// when the registration ends are dropped (R6).
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
    public func observe<O: AnyObject & Sendable, M: AnyMessage & Sendable>(
        _: M.Type, by owner: O, buffer: Buffer = .unbounded,
        @_inheritActorContext async body: @escaping @isolated(any) @Sendable (O, M) async throws -> Void,
        @_inheritActorContext failed: @escaping @isolated(any) @Sendable (O, any Error, M) async -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        Source<M>(self, Filter(file, line)).observe(
            by: owner, HeraldCenter.mailbox(buffer, for: owner, body, failed: failed))
    }

    /// Observes the messages of a type about one subject on the body's own actor with a body that may throw, while an
    /// owner lives.
    ///
    /// A post copies what the body gets, and waits for the body only if a scheduler waits. Messages that still wait
    /// when the registration ends are dropped (R6).
    ///
    /// If the same owner observes the same type and subject again, in the same source file, the new registration
    /// replaces the old one, and is the last in order. Until the old registration has been removed, a post on another
    /// thread may call both.
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - subject: Only messages about this instance, which is not retained. A later instance at the same address is
    ///     never mistaken for it (R12).
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
    public func observe<O: AnyObject & Sendable, M: AnyMessage & Sendable>(
        _: M.Type, subject: M.Subject, by owner: O, buffer: Buffer = .unbounded,
        @_inheritActorContext async body: @escaping @isolated(any) @Sendable (O, M) async throws -> Void,
        @_inheritActorContext failed: @escaping @isolated(any) @Sendable (O, any Error, M) async -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        Source<M>(self, Filter(.only(subject), file, line)).observe(
            by: owner, HeraldCenter.mailbox(buffer, for: owner, body, failed: failed))
    }

    /// Observes the messages of a type on an actor, while the actor lives.
    ///
    /// A post copies what the body gets, and waits for the body only if a scheduler waits. Messages that still wait
    /// when the registration ends are dropped (R6).
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
    public func observe<A: Actor, M: AnyMessage & Sendable>(
        _: M.Type, on actor: A, buffer: Buffer = .unbounded, _ body: @escaping @Sendable (isolated A, M) async -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        Source<M>(self, Filter(file, line)).observe(by: actor, HeraldCenter.mailbox(buffer, on: actor, body))
    }

    /// Observes the messages of a type about one subject on an actor, while the actor lives.
    ///
    /// A post copies what the body gets, and waits for the body only if a scheduler waits. Messages that still wait
    /// when the registration ends are dropped (R6).
    ///
    /// If the same actor observes the same type and subject again, in the same source file, the new registration
    /// replaces the old one, and is the last in order. Until the old registration has been removed, a post on another
    /// thread may call both.
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - subject: Only messages about this instance, which is not retained. A later instance at the same address is
    ///     never mistaken for it (R12).
    ///   - actor: The owner of the registration. Referenced weakly, but retained during a call.
    ///   - buffer: How many messages may wait for the body.
    ///   - body: Called on the actor, with one message at a time, in posting order.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    @_alwaysEmitIntoClient
    public func observe<A: Actor, M: AnyMessage & Sendable>(
        _: M.Type, subject: M.Subject, on actor: A, buffer: Buffer = .unbounded,
        _ body: @escaping @Sendable (isolated A, M) async -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        Source<M>(self, Filter(.only(subject), file, line)).observe(
            by: actor, HeraldCenter.mailbox(buffer, on: actor, body))
    }

    /// The messages of a type from now on, as a sequence.
    ///
    /// This call registers the observer, so the sequence also gets messages that come before a loop begins. They come
    /// in posting order.
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - buffer: How many messages may wait to be taken. ``Messages/dropped`` counts those that were dropped.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    /// - Returns: The sequence. The registration ends when the sequence and its iterators are gone.
    @_alwaysEmitIntoClient
    public func messages<M: AnyMessage & Sendable>(
        _: M.Type, buffer: Buffer = .newest(256),
        file: StaticString = #fileID, line: UInt = #line
    ) -> Messages<M> {
        Source<M>(self, Filter(file, line)).messages(buffer)
    }

    /// The messages of a type about one subject from now on, as a sequence.
    ///
    /// This call registers the observer, so the sequence also gets messages that come before a loop begins. They come
    /// in posting order.
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - subject: Only messages about this instance, which is not retained. A later instance at the same address is
    ///     never mistaken for it (R12).
    ///   - buffer: How many messages may wait to be taken. ``Messages/dropped`` counts those that were dropped.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    /// - Returns: The sequence. The registration ends when the sequence and its iterators are gone.
    @_alwaysEmitIntoClient
    public func messages<M: AnyMessage & Sendable>(
        _: M.Type, subject: M.Subject, buffer: Buffer = .newest(256),
        file: StaticString = #fileID, line: UInt = #line
    ) -> Messages<M> {
        Source<M>(self, Filter(.only(subject), file, line)).messages(buffer)
    }

    /// Gives a closure the messages of a type from now on, as a sequence that ends with the closure.
    ///
    /// The registration ends when the closure returns or throws. Messages that wait then are dropped, and another task
    /// that still iterates gets `nil`.
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
    public func withMessages<M: AnyMessage & Sendable, Result>(
        _: M.Type, buffer: Buffer = .newest(256), isolation: isolated (any Actor)? = #isolation,
        _ body: (Messages<M>) async throws -> Result,
        file: StaticString = #fileID, line: UInt = #line
    ) async rethrows -> Result {
        try await Source<M>(self, Filter(file, line)).messages(buffer).during(isolation: isolation, body)
    }

    /// Gives a closure the messages of a type about one subject from now on, as a sequence that ends with the closure.
    ///
    /// The registration ends when the closure returns or throws. Messages that wait then are dropped, and another task
    /// that still iterates gets `nil`.
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - subject: Only messages about this instance, which is not retained. A later instance at the same address is
    ///     never mistaken for it (R12).
    ///   - buffer: How many messages may wait to be taken. ``Messages/dropped`` counts those that were dropped.
    ///   - isolation: The caller's actor.
    ///   - body: Called with the sequence, on the caller's actor.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    /// - Returns: What the closure returns.
    @_alwaysEmitIntoClient
    public func withMessages<M: AnyMessage & Sendable, Result>(
        _: M.Type, subject: M.Subject, buffer: Buffer = .newest(256), isolation: isolated (any Actor)? = #isolation,
        _ body: (Messages<M>) async throws -> Result,
        file: StaticString = #fileID, line: UInt = #line
    ) async rethrows -> Result {
        try await Source<M>(self, Filter(.only(subject), file, line)).messages(buffer).during(
            isolation: isolation, body)
    }

    /// Waits for the next of the messages of a type.
    ///
    /// The observer is registered before the call waits. `next` in a loop would miss what is posted between two calls:
    /// use `messages` there.
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
    public func next<M: AnyMessage & Sendable>(
        _: M.Type, within limit: Duration? = nil, isolation: isolated (any Actor)? = #isolation,
        where isWanted: (@Sendable (M) -> Bool)? = nil,
        file: StaticString = #fileID, line: UInt = #line
    ) async -> M? {
        await Source<M>(self, Filter(file, line)).next(within: limit, where: isWanted, isolation: isolation)
    }

    /// Waits for the next of the messages of a type about one subject.
    ///
    /// The observer is registered before the call waits. `next` in a loop would miss what is posted between two calls:
    /// use `messages` there.
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - subject: Only messages about this instance, which is not retained. A later instance at the same address is
    ///     never mistaken for it (R12).
    ///   - limit: How long to wait at most. `nil`, or more than a hundred years: there is no limit.
    ///   - isolation: The caller's actor.
    ///   - isWanted: Returns whether a message counts. Called on the posting thread, and no more once one has counted.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    /// - Returns: The message; `nil` when the time is over, or the task is cancelled.
    @_alwaysEmitIntoClient
    public func next<M: AnyMessage & Sendable>(
        _: M.Type, subject: M.Subject, within limit: Duration? = nil, isolation: isolated (any Actor)? = #isolation,
        where isWanted: (@Sendable (M) -> Bool)? = nil,
        file: StaticString = #fileID, line: UInt = #line
    ) async -> M? {
        await Source<M>(self, Filter(.only(subject), file, line)).next(
            within: limit, where: isWanted, isolation: isolation)
    }

    /// Observes the messages of a type on the posting thread until the body has been called once.
    ///
    /// The registration ends with the first call, even if several threads post at once (R6).
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - body: Called with a borrow of the poster's own message.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    /// - Returns: The token that owns the registration.
    public func observeOnce<M: Message & ~Copyable>(
        _: M.Type, _ body: @escaping @Sendable (borrowing M) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) -> ObservationToken {
        Source<M>(self, Filter(file, line)).once(body)
    }

    /// Observes the messages of a type about one subject on the posting thread until the body has been called once.
    ///
    /// The registration ends with the first call, even if several threads post at once (R6).
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - subject: Only messages about this instance, which is not retained. A later instance at the same address is
    ///     never mistaken for it (R12).
    ///   - body: Called with a borrow of the poster's own message.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    /// - Returns: The token that owns the registration.
    public func observeOnce<M: Message & ~Copyable>(
        _: M.Type, subject: M.Subject, _ body: @escaping @Sendable (borrowing M) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) -> ObservationToken {
        Source<M>(self, Filter(.only(subject), file, line)).once(body)
    }

    /// Observes the messages of a type on the posting thread, as long as a condition holds.
    ///
    /// The registration ends with the first message for which the condition does not hold. The body does not get this
    /// message, and no later one. If several threads post at once, a call of the body that has begun or been decided on
    /// for another message goes on. The registration also ends with the token.
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - goesOn: Returns whether the observer gets the message, and stays registered. Called before the body, on the
    ///     posting thread.
    ///   - body: Called with a borrow of the poster's own message.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    /// - Returns: The token that owns the registration.
    public func observe<M: Message & ~Copyable>(
        _: M.Type, while goesOn: @escaping @Sendable (borrowing M) -> Bool,
        _ body: @escaping @Sendable (borrowing M) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) -> ObservationToken {
        Source<M>(self, Filter(file, line)).observe(while: goesOn, body)
    }

    /// Observes the messages of a type about one subject on the posting thread, as long as a condition holds.
    ///
    /// The registration ends with the first message for which the condition does not hold. The body does not get this
    /// message, and no later one. If several threads post at once, a call of the body that has begun or been decided on
    /// for another message goes on. The registration also ends with the token.
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - subject: Only messages about this instance, which is not retained. A later instance at the same address is
    ///     never mistaken for it (R12).
    ///   - goesOn: Returns whether the observer gets the message, and stays registered. Called before the body, on the
    ///     posting thread.
    ///   - body: Called with a borrow of the poster's own message.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    /// - Returns: The token that owns the registration.
    public func observe<M: Message & ~Copyable>(
        _: M.Type, subject: M.Subject, while goesOn: @escaping @Sendable (borrowing M) -> Bool,
        _ body: @escaping @Sendable (borrowing M) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) -> ObservationToken {
        Source<M>(self, Filter(.only(subject), file, line)).observe(while: goesOn, body)
    }
}
#endif
