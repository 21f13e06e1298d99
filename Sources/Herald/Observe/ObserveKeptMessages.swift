#if os(Linux)
// Written by Scripts/forms: change the table there, and run `make forms`.

import CHeraldRuntime

extension HeraldCenter {
    /// Observes the messages of a type, beginning with what is kept, on the posting thread, while the token lives.
    ///
    /// From ``Start/kept``, the observer hears the newest kept message of each subject, the oldest of them first, and
    /// then every later one, in posting order (R25). This thread calls the body with what is kept, before the function
    /// returns. If another thread posts while the body runs, the body hears that message after the running call, and
    /// the post may return before.
    ///
    /// Observers are called in the order of registration (R2), before the post returns (R3). After the registration has
    /// ended, no new call of the body starts (R6). The body is released when the last running call has returned (R10).
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - start: What the observer hears first.
    ///   - began: From ``Start/kept``: called once on this thread with the number of messages that were kept, after
    ///     they were heard and before any later one. Not called if there is no registration by then, or if the subject
    ///     is being deinitialised.
    ///   - body: Called with a borrow of the poster's own message. The body may post, observe and cancel (R7). The body
    ///     retains everything that it captures, even the subject.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    /// - Returns: The token that owns the registration. ``ObservationToken/cancel()`` waits for running calls (R11).
    public func observe<M: KeptMessage>(
        _: M.Type, from start: Start, began: (Int) -> Void = { _ in },
        _ body: @escaping @Sendable (borrowing M) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) -> ObservationToken {
        observe(
            HERALD_SWIFT_MESSAGES, HERALD_SWIFT_PLAIN, Herald.name(of: M.self), Filter(file, line),
            from: start.of(M.self), began: began, herald_swift_closure(message: body))
    }

    /// Observes the messages of a type about one subject, beginning with what is kept, on the posting thread, while the
    /// token lives.
    ///
    /// From ``Start/kept``, the observer hears the kept message, and then every later one, in posting order (R25). This
    /// thread calls the body with what is kept, before the function returns. If another thread posts while the body
    /// runs, the body hears that message after the running call, and the post may return before.
    ///
    /// Observers are called in the order of registration (R2), before the post returns (R3). After the registration has
    /// ended, no new call of the body starts (R6). The body is released when the last running call has returned (R10).
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - subject: Only messages about this instance, which is not retained. A later instance at the same address is
    ///     never mistaken for it (R12).
    ///   - start: What the observer hears first.
    ///   - began: From ``Start/kept``: called once on this thread with the number of messages that were kept, after
    ///     they were heard and before any later one. Not called if there is no registration by then, or if the subject
    ///     is being deinitialised.
    ///   - body: Called with a borrow of the poster's own message. The body may post, observe and cancel (R7). The body
    ///     retains everything that it captures, even the subject.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    /// - Returns: The token that owns the registration. ``ObservationToken/cancel()`` waits for running calls (R11).
    public func observe<M: KeptMessage>(
        _: M.Type, subject: M.Subject, from start: Start, began: (Int) -> Void = { _ in },
        _ body: @escaping @Sendable (borrowing M) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) -> ObservationToken {
        observe(
            HERALD_SWIFT_MESSAGES, HERALD_SWIFT_PLAIN, Herald.name(of: M.self), Filter(.only(subject), file, line),
            from: start.of(M.self), began: began, herald_swift_closure(message: body))
    }

    /// Observes the messages of a type, beginning with what is kept, on the posting thread, while an owner lives.
    ///
    /// From ``Start/kept``, the observer hears the newest kept message of each subject, the oldest of them first, and
    /// then every later one, in posting order (R25). This thread calls the body with what is kept, before the function
    /// returns. If another thread posts while the body runs, the body hears that message after the running call, and
    /// the post may return before.
    ///
    /// **In a class of the main actor, write `async:`**. Otherwise the body is called on whichever thread posts, and
    /// the compiler reports "main actor-isolated property ... can not be mutated from a Sendable closure", or "call to
    /// main actor-isolated instance method ... in a synchronous nonisolated context". In an actor, write `on: self`.
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
    ///   - start: What the observer hears first.
    ///   - owner: Referenced weakly, but retained during a call. So the owner's `deinit` may run after a call, on the
    ///     calling thread.
    ///   - began: From ``Start/kept``: called once on this thread with the number of messages that were kept, after
    ///     they were heard and before any later one. Not called if there is no registration by then, or if the subject
    ///     is being deinitialised.
    ///   - body: Called with the owner and a borrow of the poster's own message. The body may post, observe and cancel
    ///     (R7).
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    public func observe<O: AnyObject & Sendable, M: KeptMessage>(
        _: M.Type, from start: Start, by owner: O, began: (Int) -> Void = { _ in },
        _ body: @escaping @Sendable (O, borrowing M) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        observe(
            HERALD_SWIFT_MESSAGES, HERALD_SWIFT_OWNED, Herald.name(of: M.self), Filter(file, line), by: owner,
            from: start.of(M.self), began: began, herald_swift_closure(owner: owner, message: body))
    }

    /// Observes the messages of a type about one subject, beginning with what is kept, on the posting thread, while an
    /// owner lives.
    ///
    /// From ``Start/kept``, the observer hears the kept message, and then every later one, in posting order (R25). This
    /// thread calls the body with what is kept, before the function returns. If another thread posts while the body
    /// runs, the body hears that message after the running call, and the post may return before.
    ///
    /// **In a class of the main actor, write `async:`**. Otherwise the body is called on whichever thread posts, and
    /// the compiler reports "main actor-isolated property ... can not be mutated from a Sendable closure", or "call to
    /// main actor-isolated instance method ... in a synchronous nonisolated context". In an actor, write `on: self`.
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
    ///   - start: What the observer hears first.
    ///   - owner: Referenced weakly, but retained during a call. So the owner's `deinit` may run after a call, on the
    ///     calling thread.
    ///   - began: From ``Start/kept``: called once on this thread with the number of messages that were kept, after
    ///     they were heard and before any later one. Not called if there is no registration by then, or if the subject
    ///     is being deinitialised.
    ///   - body: Called with the owner and a borrow of the poster's own message. The body may post, observe and cancel
    ///     (R7).
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    public func observe<O: AnyObject & Sendable, M: KeptMessage>(
        _: M.Type, subject: M.Subject, from start: Start, by owner: O, began: (Int) -> Void = { _ in },
        _ body: @escaping @Sendable (O, borrowing M) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        observe(
            HERALD_SWIFT_MESSAGES, HERALD_SWIFT_OWNED, Herald.name(of: M.self), Filter(.only(subject), file, line),
            by: owner, from: start.of(M.self), began: began, herald_swift_closure(owner: owner, message: body))
    }

    /// Observes the messages of a type, beginning with what is kept, through a queue, while the token lives.
    ///
    /// From ``Start/kept``, the observer hears the newest kept message of each subject, the oldest of them first, and
    /// then every later one, in posting order (R25). What is kept is handed over before the function returns, and
    /// counts in the buffer, which has room for it.
    ///
    /// A post copies what the body gets, and waits for the body only if a scheduler waits. Suppose that the scheduler
    /// uses a serial queue. If a thread posts, and then puts a block on this queue, the body runs before the block.
    /// Messages that still wait when the registration ends are dropped (R6).
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - start: What the observer hears first.
    ///   - scheduler: A `DispatchQueue`, or another ``WorkScheduler``, that runs the body.
    ///   - buffer: How many messages may wait for the body.
    ///   - began: From ``Start/kept``: called once on this thread with the number of messages that were kept, after
    ///     they were handed over and before any later one. Not called if there is no registration by then, or if the
    ///     subject is being deinitialised.
    ///   - body: Called where the scheduler runs it, with one message at a time, in posting order.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    /// - Returns: The token that owns the registration. Ending the registration does not wait for a running body.
    @_alwaysEmitIntoClient
    public func observe<M: KeptMessage>(
        _: M.Type, from start: Start, via scheduler: some WorkScheduler, buffer: Buffer = .unbounded,
        began: (Int) -> Void = { _ in }, _ body: @escaping @Sendable (M) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) -> ObservationToken {
        Source<M>(self, Filter(file, line)).observe(
            from: start.of(M.self), began: began, HeraldCenter.mailbox(buffer, via: scheduler._run, body))
    }

    /// Observes the messages of a type about one subject, beginning with what is kept, through a queue, while the token
    /// lives.
    ///
    /// From ``Start/kept``, the observer hears the kept message, and then every later one, in posting order (R25). What
    /// is kept is handed over before the function returns, and counts in the buffer, which has room for it.
    ///
    /// A post copies what the body gets, and waits for the body only if a scheduler waits. Suppose that the scheduler
    /// uses a serial queue. If a thread posts, and then puts a block on this queue, the body runs before the block.
    /// Messages that still wait when the registration ends are dropped (R6).
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - subject: Only messages about this instance, which is not retained. A later instance at the same address is
    ///     never mistaken for it (R12).
    ///   - start: What the observer hears first.
    ///   - scheduler: A `DispatchQueue`, or another ``WorkScheduler``, that runs the body.
    ///   - buffer: How many messages may wait for the body.
    ///   - began: From ``Start/kept``: called once on this thread with the number of messages that were kept, after
    ///     they were handed over and before any later one. Not called if there is no registration by then, or if the
    ///     subject is being deinitialised.
    ///   - body: Called where the scheduler runs it, with one message at a time, in posting order.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    /// - Returns: The token that owns the registration. Ending the registration does not wait for a running body.
    @_alwaysEmitIntoClient
    public func observe<M: KeptMessage>(
        _: M.Type, subject: M.Subject, from start: Start, via scheduler: some WorkScheduler,
        buffer: Buffer = .unbounded, began: (Int) -> Void = { _ in }, _ body: @escaping @Sendable (M) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) -> ObservationToken {
        Source<M>(self, Filter(.only(subject), file, line)).observe(
            from: start.of(M.self), began: began, HeraldCenter.mailbox(buffer, via: scheduler._run, body))
    }

    /// Observes the messages of a type, beginning with what is kept, through a scheduler that is a closure, while the
    /// token lives.
    ///
    /// From ``Start/kept``, the observer hears the newest kept message of each subject, the oldest of them first, and
    /// then every later one, in posting order (R25). What is kept is handed over before the function returns, and
    /// counts in the buffer, which has room for it.
    ///
    /// A post copies what the body gets, and waits for the body only if a scheduler waits. Suppose that the scheduler
    /// uses a serial queue. If a thread posts, and then puts a block on this queue, the body runs before the block.
    /// Messages that still wait when the registration ends are dropped (R6).
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - start: What the observer hears first.
    ///   - schedule: Runs the work that it gets, later or at once, as ``WorkScheduler/schedule(_:)`` does.
    ///   - buffer: How many messages may wait for the body.
    ///   - began: From ``Start/kept``: called once on this thread with the number of messages that were kept, after
    ///     they were handed over and before any later one. Not called if there is no registration by then, or if the
    ///     subject is being deinitialised.
    ///   - body: Called where the scheduler runs it, with one message at a time, in posting order.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    /// - Returns: The token that owns the registration. Ending the registration does not wait for a running body.
    @_alwaysEmitIntoClient
    public func observe<M: KeptMessage>(
        _: M.Type, from start: Start, via schedule: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void,
        buffer: Buffer = .unbounded, began: (Int) -> Void = { _ in }, _ body: @escaping @Sendable (M) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) -> ObservationToken {
        Source<M>(self, Filter(file, line)).observe(
            from: start.of(M.self), began: began, HeraldCenter.mailbox(buffer, via: schedule, body))
    }

    /// Observes the messages of a type about one subject, beginning with what is kept, through a scheduler that is a
    /// closure, while the token lives.
    ///
    /// From ``Start/kept``, the observer hears the kept message, and then every later one, in posting order (R25). What
    /// is kept is handed over before the function returns, and counts in the buffer, which has room for it.
    ///
    /// A post copies what the body gets, and waits for the body only if a scheduler waits. Suppose that the scheduler
    /// uses a serial queue. If a thread posts, and then puts a block on this queue, the body runs before the block.
    /// Messages that still wait when the registration ends are dropped (R6).
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - subject: Only messages about this instance, which is not retained. A later instance at the same address is
    ///     never mistaken for it (R12).
    ///   - start: What the observer hears first.
    ///   - schedule: Runs the work that it gets, later or at once, as ``WorkScheduler/schedule(_:)`` does.
    ///   - buffer: How many messages may wait for the body.
    ///   - began: From ``Start/kept``: called once on this thread with the number of messages that were kept, after
    ///     they were handed over and before any later one. Not called if there is no registration by then, or if the
    ///     subject is being deinitialised.
    ///   - body: Called where the scheduler runs it, with one message at a time, in posting order.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    /// - Returns: The token that owns the registration. Ending the registration does not wait for a running body.
    @_alwaysEmitIntoClient
    public func observe<M: KeptMessage>(
        _: M.Type, subject: M.Subject, from start: Start,
        via schedule: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void, buffer: Buffer = .unbounded,
        began: (Int) -> Void = { _ in }, _ body: @escaping @Sendable (M) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) -> ObservationToken {
        Source<M>(self, Filter(.only(subject), file, line)).observe(
            from: start.of(M.self), began: began, HeraldCenter.mailbox(buffer, via: schedule, body))
    }

    /// Observes the messages of a type, beginning with what is kept, through a queue, while an owner lives.
    ///
    /// From ``Start/kept``, the observer hears the newest kept message of each subject, the oldest of them first, and
    /// then every later one, in posting order (R25). What is kept is handed over before the function returns, and
    /// counts in the buffer, which has room for it.
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
    ///   - start: What the observer hears first.
    ///   - owner: Referenced weakly, but retained during a call. So the owner's `deinit` may run after a call, on the
    ///     calling thread.
    ///   - scheduler: A `DispatchQueue`, or another ``WorkScheduler``, that runs the body.
    ///   - buffer: How many messages may wait for the body.
    ///   - began: From ``Start/kept``: called once on this thread with the number of messages that were kept, after
    ///     they were handed over and before any later one. Not called if there is no registration by then, or if the
    ///     subject is being deinitialised.
    ///   - body: Called where the scheduler runs it, with the owner and one message at a time, in posting order.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    @_alwaysEmitIntoClient
    public func observe<O: AnyObject & Sendable, M: KeptMessage>(
        _: M.Type, from start: Start, by owner: O, via scheduler: some WorkScheduler, buffer: Buffer = .unbounded,
        began: (Int) -> Void = { _ in }, _ body: @escaping @Sendable (O, M) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        Source<M>(self, Filter(file, line)).observe(
            by: owner, from: start.of(M.self), began: began,
            HeraldCenter.mailbox(buffer, for: owner, via: scheduler._run, body))
    }

    /// Observes the messages of a type about one subject, beginning with what is kept, through a queue, while an owner
    /// lives.
    ///
    /// From ``Start/kept``, the observer hears the kept message, and then every later one, in posting order (R25). What
    /// is kept is handed over before the function returns, and counts in the buffer, which has room for it.
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
    ///   - start: What the observer hears first.
    ///   - owner: Referenced weakly, but retained during a call. So the owner's `deinit` may run after a call, on the
    ///     calling thread.
    ///   - scheduler: A `DispatchQueue`, or another ``WorkScheduler``, that runs the body.
    ///   - buffer: How many messages may wait for the body.
    ///   - began: From ``Start/kept``: called once on this thread with the number of messages that were kept, after
    ///     they were handed over and before any later one. Not called if there is no registration by then, or if the
    ///     subject is being deinitialised.
    ///   - body: Called where the scheduler runs it, with the owner and one message at a time, in posting order.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    @_alwaysEmitIntoClient
    public func observe<O: AnyObject & Sendable, M: KeptMessage>(
        _: M.Type, subject: M.Subject, from start: Start, by owner: O, via scheduler: some WorkScheduler,
        buffer: Buffer = .unbounded, began: (Int) -> Void = { _ in }, _ body: @escaping @Sendable (O, M) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        Source<M>(self, Filter(.only(subject), file, line)).observe(
            by: owner, from: start.of(M.self), began: began,
            HeraldCenter.mailbox(buffer, for: owner, via: scheduler._run, body))
    }

    /// Observes the messages of a type, beginning with what is kept, through a scheduler that is a closure, while an
    /// owner lives.
    ///
    /// From ``Start/kept``, the observer hears the newest kept message of each subject, the oldest of them first, and
    /// then every later one, in posting order (R25). What is kept is handed over before the function returns, and
    /// counts in the buffer, which has room for it.
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
    ///   - start: What the observer hears first.
    ///   - owner: Referenced weakly, but retained during a call. So the owner's `deinit` may run after a call, on the
    ///     calling thread.
    ///   - schedule: Runs the work that it gets, later or at once, as ``WorkScheduler/schedule(_:)`` does.
    ///   - buffer: How many messages may wait for the body.
    ///   - began: From ``Start/kept``: called once on this thread with the number of messages that were kept, after
    ///     they were handed over and before any later one. Not called if there is no registration by then, or if the
    ///     subject is being deinitialised.
    ///   - body: Called where the scheduler runs it, with the owner and one message at a time, in posting order.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    @_alwaysEmitIntoClient
    public func observe<O: AnyObject & Sendable, M: KeptMessage>(
        _: M.Type, from start: Start, by owner: O,
        via schedule: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void, buffer: Buffer = .unbounded,
        began: (Int) -> Void = { _ in }, _ body: @escaping @Sendable (O, M) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        Source<M>(self, Filter(file, line)).observe(
            by: owner, from: start.of(M.self), began: began,
            HeraldCenter.mailbox(buffer, for: owner, via: schedule, body))
    }

    /// Observes the messages of a type about one subject, beginning with what is kept, through a scheduler that is a
    /// closure, while an owner lives.
    ///
    /// From ``Start/kept``, the observer hears the kept message, and then every later one, in posting order (R25). What
    /// is kept is handed over before the function returns, and counts in the buffer, which has room for it.
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
    ///   - start: What the observer hears first.
    ///   - owner: Referenced weakly, but retained during a call. So the owner's `deinit` may run after a call, on the
    ///     calling thread.
    ///   - schedule: Runs the work that it gets, later or at once, as ``WorkScheduler/schedule(_:)`` does.
    ///   - buffer: How many messages may wait for the body.
    ///   - began: From ``Start/kept``: called once on this thread with the number of messages that were kept, after
    ///     they were handed over and before any later one. Not called if there is no registration by then, or if the
    ///     subject is being deinitialised.
    ///   - body: Called where the scheduler runs it, with the owner and one message at a time, in posting order.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    @_alwaysEmitIntoClient
    public func observe<O: AnyObject & Sendable, M: KeptMessage>(
        _: M.Type, subject: M.Subject, from start: Start, by owner: O,
        via schedule: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void, buffer: Buffer = .unbounded,
        began: (Int) -> Void = { _ in }, _ body: @escaping @Sendable (O, M) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        Source<M>(self, Filter(.only(subject), file, line)).observe(
            by: owner, from: start.of(M.self), began: began,
            HeraldCenter.mailbox(buffer, for: owner, via: schedule, body))
    }

    /// Observes the messages of a type, beginning with what is kept, on the body's own actor, while the token lives.
    ///
    /// From ``Start/kept``, the observer hears the newest kept message of each subject, the oldest of them first, and
    /// then every later one, in posting order (R25). What is kept is handed over before the function returns, and
    /// counts in the buffer, which has room for it.
    ///
    /// A post copies what the body gets, and waits for the body only if a scheduler waits. A body that is written in an
    /// actor runs on that actor, and a body that is written in a main-actor class on the main actor. Messages that
    /// still wait when the registration ends are dropped (R6).
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - start: What the observer hears first.
    ///   - buffer: How many messages may wait for the body.
    ///   - began: From ``Start/kept``: called once on this thread with the number of messages that were kept, after
    ///     they were handed over and before any later one. Not called if there is no registration by then, or if the
    ///     subject is being deinitialised.
    ///   - body: Called on the actor to which the body is isolated, with one message at a time, in posting order.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    /// - Returns: The token that owns the registration. Ending the registration does not wait for a running body.
    @_alwaysEmitIntoClient
    public func observe<M: KeptMessage>(
        _: M.Type, from start: Start, buffer: Buffer = .unbounded, began: (Int) -> Void = { _ in },
        @_inheritActorContext async body: @escaping @isolated(any) @Sendable (M) async -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) -> ObservationToken {
        Source<M>(self, Filter(file, line)).observe(
            from: start.of(M.self), began: began, HeraldCenter.mailbox(buffer, body))
    }

    /// Observes the messages of a type about one subject, beginning with what is kept, on the body's own actor, while
    /// the token lives.
    ///
    /// From ``Start/kept``, the observer hears the kept message, and then every later one, in posting order (R25). What
    /// is kept is handed over before the function returns, and counts in the buffer, which has room for it.
    ///
    /// A post copies what the body gets, and waits for the body only if a scheduler waits. A body that is written in an
    /// actor runs on that actor, and a body that is written in a main-actor class on the main actor. Messages that
    /// still wait when the registration ends are dropped (R6).
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - subject: Only messages about this instance, which is not retained. A later instance at the same address is
    ///     never mistaken for it (R12).
    ///   - start: What the observer hears first.
    ///   - buffer: How many messages may wait for the body.
    ///   - began: From ``Start/kept``: called once on this thread with the number of messages that were kept, after
    ///     they were handed over and before any later one. Not called if there is no registration by then, or if the
    ///     subject is being deinitialised.
    ///   - body: Called on the actor to which the body is isolated, with one message at a time, in posting order.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    /// - Returns: The token that owns the registration. Ending the registration does not wait for a running body.
    @_alwaysEmitIntoClient
    public func observe<M: KeptMessage>(
        _: M.Type, subject: M.Subject, from start: Start, buffer: Buffer = .unbounded, began: (Int) -> Void = { _ in },
        @_inheritActorContext async body: @escaping @isolated(any) @Sendable (M) async -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) -> ObservationToken {
        Source<M>(self, Filter(.only(subject), file, line)).observe(
            from: start.of(M.self), began: began, HeraldCenter.mailbox(buffer, body))
    }

    /// Observes the messages of a type, beginning with what is kept, on the body's own actor, while an owner lives.
    ///
    /// From ``Start/kept``, the observer hears the newest kept message of each subject, the oldest of them first, and
    /// then every later one, in posting order (R25). What is kept is handed over before the function returns, and
    /// counts in the buffer, which has room for it.
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
    ///   - start: What the observer hears first.
    ///   - owner: Referenced weakly, but retained during a call. So the owner's `deinit` may run after a call, on the
    ///     calling thread.
    ///   - buffer: How many messages may wait for the body.
    ///   - began: From ``Start/kept``: called once on this thread with the number of messages that were kept, after
    ///     they were handed over and before any later one. Not called if there is no registration by then, or if the
    ///     subject is being deinitialised.
    ///   - body: Called on the actor to which the body is isolated, with the owner and one message at a time, in
    ///     posting order.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    @_alwaysEmitIntoClient
    public func observe<O: AnyObject & Sendable, M: KeptMessage>(
        _: M.Type, from start: Start, by owner: O, buffer: Buffer = .unbounded, began: (Int) -> Void = { _ in },
        @_inheritActorContext async body: @escaping @isolated(any) @Sendable (O, M) async -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        Source<M>(self, Filter(file, line)).observe(
            by: owner, from: start.of(M.self), began: began, HeraldCenter.mailbox(buffer, for: owner, body))
    }

    /// Observes the messages of a type about one subject, beginning with what is kept, on the body's own actor, while
    /// an owner lives.
    ///
    /// From ``Start/kept``, the observer hears the kept message, and then every later one, in posting order (R25). What
    /// is kept is handed over before the function returns, and counts in the buffer, which has room for it.
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
    ///   - start: What the observer hears first.
    ///   - owner: Referenced weakly, but retained during a call. So the owner's `deinit` may run after a call, on the
    ///     calling thread.
    ///   - buffer: How many messages may wait for the body.
    ///   - began: From ``Start/kept``: called once on this thread with the number of messages that were kept, after
    ///     they were handed over and before any later one. Not called if there is no registration by then, or if the
    ///     subject is being deinitialised.
    ///   - body: Called on the actor to which the body is isolated, with the owner and one message at a time, in
    ///     posting order.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    @_alwaysEmitIntoClient
    public func observe<O: AnyObject & Sendable, M: KeptMessage>(
        _: M.Type, subject: M.Subject, from start: Start, by owner: O, buffer: Buffer = .unbounded,
        began: (Int) -> Void = { _ in },
        @_inheritActorContext async body: @escaping @isolated(any) @Sendable (O, M) async -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        Source<M>(self, Filter(.only(subject), file, line)).observe(
            by: owner, from: start.of(M.self), began: began, HeraldCenter.mailbox(buffer, for: owner, body))
    }

    /// Observes the messages of a type, beginning with what is kept, on the body's own actor with a body that may
    /// throw, while the token lives.
    ///
    /// From ``Start/kept``, the observer hears the newest kept message of each subject, the oldest of them first, and
    /// then every later one, in posting order (R25). What is kept is handed over before the function returns, and
    /// counts in the buffer, which has room for it.
    ///
    /// A post copies what the body gets, and waits for the body only if a scheduler waits. A body that is written in an
    /// actor runs on that actor, and a body that is written in a main-actor class on the main actor. Messages that
    /// still wait when the registration ends are dropped (R6).
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - start: What the observer hears first.
    ///   - buffer: How many messages may wait for the body.
    ///   - began: From ``Start/kept``: called once on this thread with the number of messages that were kept, after
    ///     they were handed over and before any later one. Not called if there is no registration by then, or if the
    ///     subject is being deinitialised.
    ///   - body: Called on the actor to which the body is isolated, with one message at a time, in posting order.
    ///   - failed: Gets the error that the body has thrown and the message, before the next call of the body. If the
    ///     closure is written beside the body and no attribute names another actor, the closure runs on the body's
    ///     actor.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    /// - Returns: The token that owns the registration. Ending the registration does not wait for a running body.
    @_alwaysEmitIntoClient
    public func observe<M: KeptMessage>(
        _: M.Type, from start: Start, buffer: Buffer = .unbounded, began: (Int) -> Void = { _ in },
        @_inheritActorContext async body: @escaping @isolated(any) @Sendable (M) async throws -> Void,
        @_inheritActorContext failed: @escaping @isolated(any) @Sendable (any Error, M) async -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) -> ObservationToken {
        Source<M>(self, Filter(file, line)).observe(
            from: start.of(M.self), began: began, HeraldCenter.mailbox(buffer, body, failed: failed))
    }

    /// Observes the messages of a type about one subject, beginning with what is kept, on the body's own actor with a
    /// body that may throw, while the token lives.
    ///
    /// From ``Start/kept``, the observer hears the kept message, and then every later one, in posting order (R25). What
    /// is kept is handed over before the function returns, and counts in the buffer, which has room for it.
    ///
    /// A post copies what the body gets, and waits for the body only if a scheduler waits. A body that is written in an
    /// actor runs on that actor, and a body that is written in a main-actor class on the main actor. Messages that
    /// still wait when the registration ends are dropped (R6).
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - subject: Only messages about this instance, which is not retained. A later instance at the same address is
    ///     never mistaken for it (R12).
    ///   - start: What the observer hears first.
    ///   - buffer: How many messages may wait for the body.
    ///   - began: From ``Start/kept``: called once on this thread with the number of messages that were kept, after
    ///     they were handed over and before any later one. Not called if there is no registration by then, or if the
    ///     subject is being deinitialised.
    ///   - body: Called on the actor to which the body is isolated, with one message at a time, in posting order.
    ///   - failed: Gets the error that the body has thrown and the message, before the next call of the body. If the
    ///     closure is written beside the body and no attribute names another actor, the closure runs on the body's
    ///     actor.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    /// - Returns: The token that owns the registration. Ending the registration does not wait for a running body.
    @_alwaysEmitIntoClient
    public func observe<M: KeptMessage>(
        _: M.Type, subject: M.Subject, from start: Start, buffer: Buffer = .unbounded, began: (Int) -> Void = { _ in },
        @_inheritActorContext async body: @escaping @isolated(any) @Sendable (M) async throws -> Void,
        @_inheritActorContext failed: @escaping @isolated(any) @Sendable (any Error, M) async -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) -> ObservationToken {
        Source<M>(self, Filter(.only(subject), file, line)).observe(
            from: start.of(M.self), began: began, HeraldCenter.mailbox(buffer, body, failed: failed))
    }

    /// Observes the messages of a type, beginning with what is kept, on the body's own actor with a body that may
    /// throw, while an owner lives.
    ///
    /// From ``Start/kept``, the observer hears the newest kept message of each subject, the oldest of them first, and
    /// then every later one, in posting order (R25). What is kept is handed over before the function returns, and
    /// counts in the buffer, which has room for it.
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
    ///   - start: What the observer hears first.
    ///   - owner: Referenced weakly, but retained during a call. So the owner's `deinit` may run after a call, on the
    ///     calling thread.
    ///   - buffer: How many messages may wait for the body.
    ///   - began: From ``Start/kept``: called once on this thread with the number of messages that were kept, after
    ///     they were handed over and before any later one. Not called if there is no registration by then, or if the
    ///     subject is being deinitialised.
    ///   - body: Called on the actor to which the body is isolated, with the owner and one message at a time, in
    ///     posting order.
    ///   - failed: Gets the owner, the error that the body has thrown and the message, before the next call of the
    ///     body. If the closure is written beside the body and no attribute names another actor, the closure runs on
    ///     the body's actor.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    @_alwaysEmitIntoClient
    public func observe<O: AnyObject & Sendable, M: KeptMessage>(
        _: M.Type, from start: Start, by owner: O, buffer: Buffer = .unbounded, began: (Int) -> Void = { _ in },
        @_inheritActorContext async body: @escaping @isolated(any) @Sendable (O, M) async throws -> Void,
        @_inheritActorContext failed: @escaping @isolated(any) @Sendable (O, any Error, M) async -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        Source<M>(self, Filter(file, line)).observe(
            by: owner, from: start.of(M.self), began: began,
            HeraldCenter.mailbox(buffer, for: owner, body, failed: failed))
    }

    /// Observes the messages of a type about one subject, beginning with what is kept, on the body's own actor with a
    /// body that may throw, while an owner lives.
    ///
    /// From ``Start/kept``, the observer hears the kept message, and then every later one, in posting order (R25). What
    /// is kept is handed over before the function returns, and counts in the buffer, which has room for it.
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
    ///   - start: What the observer hears first.
    ///   - owner: Referenced weakly, but retained during a call. So the owner's `deinit` may run after a call, on the
    ///     calling thread.
    ///   - buffer: How many messages may wait for the body.
    ///   - began: From ``Start/kept``: called once on this thread with the number of messages that were kept, after
    ///     they were handed over and before any later one. Not called if there is no registration by then, or if the
    ///     subject is being deinitialised.
    ///   - body: Called on the actor to which the body is isolated, with the owner and one message at a time, in
    ///     posting order.
    ///   - failed: Gets the owner, the error that the body has thrown and the message, before the next call of the
    ///     body. If the closure is written beside the body and no attribute names another actor, the closure runs on
    ///     the body's actor.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    @_alwaysEmitIntoClient
    public func observe<O: AnyObject & Sendable, M: KeptMessage>(
        _: M.Type, subject: M.Subject, from start: Start, by owner: O, buffer: Buffer = .unbounded,
        began: (Int) -> Void = { _ in },
        @_inheritActorContext async body: @escaping @isolated(any) @Sendable (O, M) async throws -> Void,
        @_inheritActorContext failed: @escaping @isolated(any) @Sendable (O, any Error, M) async -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        Source<M>(self, Filter(.only(subject), file, line)).observe(
            by: owner, from: start.of(M.self), began: began,
            HeraldCenter.mailbox(buffer, for: owner, body, failed: failed))
    }

    /// Observes the messages of a type, beginning with what is kept, on an actor, while the actor lives.
    ///
    /// From ``Start/kept``, the observer hears the newest kept message of each subject, the oldest of them first, and
    /// then every later one, in posting order (R25). What is kept is handed over before the function returns, and
    /// counts in the buffer, which has room for it.
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
    ///   - start: What the observer hears first.
    ///   - actor: The owner of the registration. Referenced weakly, but retained during a call.
    ///   - buffer: How many messages may wait for the body.
    ///   - began: From ``Start/kept``: called once on this thread with the number of messages that were kept, after
    ///     they were handed over and before any later one. Not called if there is no registration by then, or if the
    ///     subject is being deinitialised.
    ///   - body: Called on the actor, with one message at a time, in posting order.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    @_alwaysEmitIntoClient
    public func observe<A: Actor, M: KeptMessage>(
        _: M.Type, from start: Start, on actor: A, buffer: Buffer = .unbounded, began: (Int) -> Void = { _ in },
        _ body: @escaping @Sendable (isolated A, M) async -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        Source<M>(self, Filter(file, line)).observe(
            by: actor, from: start.of(M.self), began: began, HeraldCenter.mailbox(buffer, on: actor, body))
    }

    /// Observes the messages of a type about one subject, beginning with what is kept, on an actor, while the actor
    /// lives.
    ///
    /// From ``Start/kept``, the observer hears the kept message, and then every later one, in posting order (R25). What
    /// is kept is handed over before the function returns, and counts in the buffer, which has room for it.
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
    ///   - start: What the observer hears first.
    ///   - actor: The owner of the registration. Referenced weakly, but retained during a call.
    ///   - buffer: How many messages may wait for the body.
    ///   - began: From ``Start/kept``: called once on this thread with the number of messages that were kept, after
    ///     they were handed over and before any later one. Not called if there is no registration by then, or if the
    ///     subject is being deinitialised.
    ///   - body: Called on the actor, with one message at a time, in posting order.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    @_alwaysEmitIntoClient
    public func observe<A: Actor, M: KeptMessage>(
        _: M.Type, subject: M.Subject, from start: Start, on actor: A, buffer: Buffer = .unbounded,
        began: (Int) -> Void = { _ in }, _ body: @escaping @Sendable (isolated A, M) async -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        Source<M>(self, Filter(.only(subject), file, line)).observe(
            by: actor, from: start.of(M.self), began: began, HeraldCenter.mailbox(buffer, on: actor, body))
    }

    /// The messages of a type, beginning with what is kept, from now on, as a sequence.
    ///
    /// From ``Start/kept``, the sequence gets the newest kept message of each subject, the oldest of them first, and
    /// then every later one, in posting order (R25). What is kept is handed over before the function returns, and
    /// counts in the buffer, which has room for it.
    ///
    /// This call registers the observer, so the sequence also gets messages that come before a loop begins. They come
    /// in posting order.
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - start: What the sequence gets first.
    ///   - buffer: How many messages may wait to be taken. ``Messages/dropped`` counts those that were dropped.
    ///   - began: From ``Start/kept``: called once on this thread with the number of messages that were kept, after
    ///     they were handed over and before any later one. Not called if there is no registration by then, or if the
    ///     subject is being deinitialised.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    /// - Returns: The sequence. The registration ends when the sequence and its iterators are gone.
    @_alwaysEmitIntoClient
    public func messages<M: KeptMessage>(
        _: M.Type, from start: Start, buffer: Buffer = .newest(256), began: (Int) -> Void = { _ in },
        file: StaticString = #fileID, line: UInt = #line
    ) -> Messages<M> {
        Source<M>(self, Filter(file, line)).messages(buffer, from: start.of(M.self), began: began)
    }

    /// The messages of a type about one subject, beginning with what is kept, from now on, as a sequence.
    ///
    /// From ``Start/kept``, the sequence gets the kept message, and then every later one, in posting order (R25). What
    /// is kept is handed over before the function returns, and counts in the buffer, which has room for it.
    ///
    /// This call registers the observer, so the sequence also gets messages that come before a loop begins. They come
    /// in posting order.
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - subject: Only messages about this instance, which is not retained. A later instance at the same address is
    ///     never mistaken for it (R12).
    ///   - start: What the sequence gets first.
    ///   - buffer: How many messages may wait to be taken. ``Messages/dropped`` counts those that were dropped.
    ///   - began: From ``Start/kept``: called once on this thread with the number of messages that were kept, after
    ///     they were handed over and before any later one. Not called if there is no registration by then, or if the
    ///     subject is being deinitialised.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    /// - Returns: The sequence. The registration ends when the sequence and its iterators are gone.
    @_alwaysEmitIntoClient
    public func messages<M: KeptMessage>(
        _: M.Type, subject: M.Subject, from start: Start, buffer: Buffer = .newest(256),
        began: (Int) -> Void = { _ in },
        file: StaticString = #fileID, line: UInt = #line
    ) -> Messages<M> {
        Source<M>(self, Filter(.only(subject), file, line)).messages(buffer, from: start.of(M.self), began: began)
    }

    /// Gives a closure the messages of a type, beginning with what is kept, from now on, as a sequence that ends with
    /// the closure.
    ///
    /// From ``Start/kept``, the sequence gets the newest kept message of each subject, the oldest of them first, and
    /// then every later one, in posting order (R25). What is kept is handed over before the closure is called, and
    /// counts in the buffer, which has room for it.
    ///
    /// The registration ends when the closure returns or throws. Messages that wait then are dropped, and another task
    /// that still iterates gets `nil`.
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - start: What the sequence gets first.
    ///   - buffer: How many messages may wait to be taken. ``Messages/dropped`` counts those that were dropped.
    ///   - began: From ``Start/kept``: called once on this thread with the number of messages that were kept, after
    ///     they were handed over and before any later one. Not called if there is no registration by then, or if the
    ///     subject is being deinitialised.
    ///   - isolation: The caller's actor.
    ///   - body: Called with the sequence, on the caller's actor.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    /// - Returns: What the closure returns.
    @_alwaysEmitIntoClient
    public func withMessages<M: KeptMessage, Result>(
        _: M.Type, from start: Start, buffer: Buffer = .newest(256), began: (Int) -> Void = { _ in },
        isolation: isolated (any Actor)? = #isolation, _ body: (Messages<M>) async throws -> Result,
        file: StaticString = #fileID, line: UInt = #line
    ) async rethrows -> Result {
        try await Source<M>(self, Filter(file, line)).messages(buffer, from: start.of(M.self), began: began).during(
            isolation: isolation, body)
    }

    /// Gives a closure the messages of a type about one subject, beginning with what is kept, from now on, as a
    /// sequence that ends with the closure.
    ///
    /// From ``Start/kept``, the sequence gets the kept message, and then every later one, in posting order (R25). What
    /// is kept is handed over before the closure is called, and counts in the buffer, which has room for it.
    ///
    /// The registration ends when the closure returns or throws. Messages that wait then are dropped, and another task
    /// that still iterates gets `nil`.
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - subject: Only messages about this instance, which is not retained. A later instance at the same address is
    ///     never mistaken for it (R12).
    ///   - start: What the sequence gets first.
    ///   - buffer: How many messages may wait to be taken. ``Messages/dropped`` counts those that were dropped.
    ///   - began: From ``Start/kept``: called once on this thread with the number of messages that were kept, after
    ///     they were handed over and before any later one. Not called if there is no registration by then, or if the
    ///     subject is being deinitialised.
    ///   - isolation: The caller's actor.
    ///   - body: Called with the sequence, on the caller's actor.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    /// - Returns: What the closure returns.
    @_alwaysEmitIntoClient
    public func withMessages<M: KeptMessage, Result>(
        _: M.Type, subject: M.Subject, from start: Start, buffer: Buffer = .newest(256),
        began: (Int) -> Void = { _ in }, isolation: isolated (any Actor)? = #isolation,
        _ body: (Messages<M>) async throws -> Result,
        file: StaticString = #fileID, line: UInt = #line
    ) async rethrows -> Result {
        try await Source<M>(self, Filter(.only(subject), file, line)).messages(
            buffer, from: start.of(M.self), began: began
        ).during(isolation: isolation, body)
    }

    /// Observes the messages of a type, beginning with what is kept, on the posting thread until the body has been
    /// called once.
    ///
    /// From ``Start/kept``, the observer hears the newest kept message of each subject, the oldest of them first, and
    /// then every later one, in posting order (R25). This thread calls the body with what is kept, before the function
    /// returns. If another thread posts while the body runs, the body hears that message after the running call, and
    /// the post may return before.
    ///
    /// The registration ends with the first call, even if several threads post at once (R6).
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - start: What the observer hears first.
    ///   - began: From ``Start/kept``: called once on this thread with the number of messages that were kept, after
    ///     they were heard and before any later one. Not called if there is no registration by then, or if the subject
    ///     is being deinitialised.
    ///   - body: Called with a borrow of the poster's own message.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    /// - Returns: The token that owns the registration.
    public func observeOnce<M: KeptMessage>(
        _: M.Type, from start: Start, began: (Int) -> Void = { _ in },
        _ body: @escaping @Sendable (borrowing M) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) -> ObservationToken {
        Source<M>(self, Filter(file, line)).once(from: start.of(M.self), began: began, body)
    }

    /// Observes the messages of a type about one subject, beginning with what is kept, on the posting thread until the
    /// body has been called once.
    ///
    /// From ``Start/kept``, the observer hears the kept message, and then every later one, in posting order (R25). This
    /// thread calls the body with what is kept, before the function returns. If another thread posts while the body
    /// runs, the body hears that message after the running call, and the post may return before.
    ///
    /// The registration ends with the first call, even if several threads post at once (R6).
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - subject: Only messages about this instance, which is not retained. A later instance at the same address is
    ///     never mistaken for it (R12).
    ///   - start: What the observer hears first.
    ///   - began: From ``Start/kept``: called once on this thread with the number of messages that were kept, after
    ///     they were heard and before any later one. Not called if there is no registration by then, or if the subject
    ///     is being deinitialised.
    ///   - body: Called with a borrow of the poster's own message.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    /// - Returns: The token that owns the registration.
    public func observeOnce<M: KeptMessage>(
        _: M.Type, subject: M.Subject, from start: Start, began: (Int) -> Void = { _ in },
        _ body: @escaping @Sendable (borrowing M) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) -> ObservationToken {
        Source<M>(self, Filter(.only(subject), file, line)).once(from: start.of(M.self), began: began, body)
    }

    /// Observes the messages of a type, beginning with what is kept, on the posting thread, as long as a condition
    /// holds.
    ///
    /// From ``Start/kept``, the observer hears the newest kept message of each subject, the oldest of them first, and
    /// then every later one, in posting order (R25). This thread calls the body with what is kept, before the function
    /// returns. If another thread posts while the body runs, the body hears that message after the running call, and
    /// the post may return before.
    ///
    /// The registration ends with the first message for which the condition does not hold. The body does not get this
    /// message, and no later one. If several threads post at once, a call of the body that has begun or been decided on
    /// for another message goes on. The registration also ends with the token.
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - start: What the observer hears first.
    ///   - began: From ``Start/kept``: called once on this thread with the number of messages that were kept, after
    ///     they were heard and before any later one. Not called if there is no registration by then, or if the subject
    ///     is being deinitialised.
    ///   - goesOn: Returns whether the observer gets the message, and stays registered. Called before the body, on the
    ///     posting thread.
    ///   - body: Called with a borrow of the poster's own message.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    /// - Returns: The token that owns the registration.
    public func observe<M: KeptMessage>(
        _: M.Type, from start: Start, began: (Int) -> Void = { _ in },
        while goesOn: @escaping @Sendable (borrowing M) -> Bool, _ body: @escaping @Sendable (borrowing M) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) -> ObservationToken {
        Source<M>(self, Filter(file, line)).observe(from: start.of(M.self), began: began, while: goesOn, body)
    }

    /// Observes the messages of a type about one subject, beginning with what is kept, on the posting thread, as long
    /// as a condition holds.
    ///
    /// From ``Start/kept``, the observer hears the kept message, and then every later one, in posting order (R25). This
    /// thread calls the body with what is kept, before the function returns. If another thread posts while the body
    /// runs, the body hears that message after the running call, and the post may return before.
    ///
    /// The registration ends with the first message for which the condition does not hold. The body does not get this
    /// message, and no later one. If several threads post at once, a call of the body that has begun or been decided on
    /// for another message goes on. The registration also ends with the token.
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - subject: Only messages about this instance, which is not retained. A later instance at the same address is
    ///     never mistaken for it (R12).
    ///   - start: What the observer hears first.
    ///   - began: From ``Start/kept``: called once on this thread with the number of messages that were kept, after
    ///     they were heard and before any later one. Not called if there is no registration by then, or if the subject
    ///     is being deinitialised.
    ///   - goesOn: Returns whether the observer gets the message, and stays registered. Called before the body, on the
    ///     posting thread.
    ///   - body: Called with a borrow of the poster's own message.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    /// - Returns: The token that owns the registration.
    public func observe<M: KeptMessage>(
        _: M.Type, subject: M.Subject, from start: Start, began: (Int) -> Void = { _ in },
        while goesOn: @escaping @Sendable (borrowing M) -> Bool, _ body: @escaping @Sendable (borrowing M) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) -> ObservationToken {
        Source<M>(self, Filter(.only(subject), file, line)).observe(
            from: start.of(M.self), began: began, while: goesOn, body)
    }
}
#endif
