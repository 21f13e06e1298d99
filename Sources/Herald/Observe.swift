import CHeraldRuntime

extension HeraldCenter {
    /// Observes the messages of a type on the posting thread, while the token lives.
    ///
    /// Observers are called in the order of registration (R2), before the post returns (R3). After the registration has
    /// ended, no new call of the body starts (R6). The body is released when the last running call has returned (R10).
    ///
    /// If a trailing closure contains `await`, the compiler chooses the form that queues messages:
    /// ``observe(_:subject:buffer:async:file:line:)-(M.Type,_,_,_,_,_)``.
    ///
    /// The corresponding C function is `HeraldCenterAddObserverWithOptions`.
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - subject: The body is called only for messages about this instance. If the argument is left out or is a
    ///     literal `nil`, the body is called for all messages. If the argument is a variable that is `nil`, the body is
    ///     never called. The instance is not retained. A later instance at the same address is never mistaken for this
    ///     instance (R12).
    ///   - body: Called with a borrow of the poster's own message. The body may post, observe and cancel (R7). The body
    ///     retains everything that it captures, even the subject.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    /// - Returns: The token that owns the registration. ``ObservationToken/cancel()`` waits for running calls (R11).
    public func observe<M: Message & ~Copyable>(
        _: M.Type, subject: AnySubject = nil, _ body: @escaping @Sendable (borrowing M) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) -> ObservationToken {
        observe(
            HERALD_SWIFT_MESSAGES, HERALD_SWIFT_PLAIN, Herald.name(of: M.self), Filter(file, line),
            herald_swift_closure(message: body))
    }

    /// Observes the messages of a type about one instance, while the token lives.
    ///
    /// - Parameter subject: The body is called only for messages about this instance, which is not retained (R12). If
    ///   `subject` is `nil`, the body is never called.
    @_disfavoredOverload @_documentation(visibility: internal)
    public func observe<M: Message & ~Copyable>(
        _: M.Type, subject: M.Subject?, _ body: @escaping @Sendable (borrowing M) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) -> ObservationToken {
        observe(
            HERALD_SWIFT_MESSAGES, HERALD_SWIFT_PLAIN, Herald.name(of: M.self), Filter(subject, file, line),
            herald_swift_closure(message: body))
    }

    /// Observes main-actor messages on the main actor, while the token lives.
    ///
    /// Observers are called in the order of registration (R2), before the post returns (R3). After the registration has
    /// ended, no new call of the body starts (R6). The body is released when the last running call has returned (R10).
    /// Any thread may release the body.
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - subject: The body is called only for messages about this instance. If the argument is left out or is a
    ///     literal `nil`, the body is called for all messages. If the argument is a variable that is `nil`, the body is
    ///     never called.
    ///   - body: Called on the main actor. The body need not be `Sendable`.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    /// - Returns: The token that owns the registration.
    public func observe<M: MainActorMessage>(
        _: M.Type, subject: AnySubject = nil, _ body: @escaping @MainActor (M) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) -> ObservationToken {
        observe(
            HERALD_SWIFT_MESSAGES, HERALD_SWIFT_PLAIN, Herald.name(of: M.self), Filter(file, line),
            herald_swift_closure(mainActorMessage: body))
    }

    /// Observes main-actor messages about one instance on the main actor, while the token lives.
    ///
    /// - Parameter subject: The body is called only for messages about this instance, which is not retained (R12). If
    ///   `subject` is `nil`, the body is never called.
    @_disfavoredOverload @_documentation(visibility: internal)
    public func observe<M: MainActorMessage>(
        _: M.Type, subject: M.Subject?, _ body: @escaping @MainActor (M) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) -> ObservationToken {
        observe(
            HERALD_SWIFT_MESSAGES, HERALD_SWIFT_PLAIN, Herald.name(of: M.self), Filter(subject, file, line),
            herald_swift_closure(mainActorMessage: body))
    }

    /// Observes the messages of a type on the posting thread, while an owner lives.
    ///
    /// **In a class of the main actor, write `async:`**, or make the message a ``MainActorMessage``. Otherwise the body
    /// is called on whichever thread posts, and the compiler reports "main actor-isolated property ... can not be
    /// mutated from a Sendable closure", or "call to main actor-isolated instance method ... in a synchronous
    /// nonisolated context":
    ///
    /// ```swift
    /// center.observe(DocumentSaved.self, by: self, async: { me, saved in me.title = saved.path })
    /// ```
    ///
    /// Observers are called in the order of registration (R2), before the post returns (R3). No observer is called
    /// after its owner is gone (R6). When the owner is gone, the next post that reaches the registration releases the
    /// body (R10). Adding another observer with an owner may release the body earlier.
    ///
    /// A second registration of an owner for the same type and subject replaces the first. The new registration is the
    /// last in order. Until the old registration has been removed, a post on another thread may call both. A class and
    /// its subclass share `self`. So a registration by the subclass replaces a registration by the base class for the
    /// same type and subject. If both classes need a registration, one class can use a token. Or it can keep an object
    /// in a property, and pass that object as the owner.
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - subject: The body is called only for messages about this instance. If the argument is left out or is a
    ///     literal `nil`, the body is called for all messages. If the argument is a variable that is `nil`, the body is
    ///     never called.
    ///   - owner: Referenced weakly, but retained during a call. So the owner's `deinit` may run on the posting thread.
    ///   - body: Called with the owner and a borrow of the poster's own message. The body may post, observe and remove
    ///     (R7).
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    public func observe<O: AnyObject & Sendable, M: Message & ~Copyable>(
        _: M.Type, subject: AnySubject = nil, by owner: O, _ body: @escaping @Sendable (O, borrowing M) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        observe(
            HERALD_SWIFT_MESSAGES, HERALD_SWIFT_OWNED, Herald.name(of: M.self), Filter(file, line), by: owner,
            herald_swift_closure(owner: owner, message: body))
    }

    /// Observes the messages of a type about one instance, while an owner lives.
    ///
    /// - Parameter subject: The body is called only for messages about this instance, which is not retained (R12). If
    ///   `subject` is `nil`, the body is never called.
    @_disfavoredOverload @_documentation(visibility: internal)
    public func observe<O: AnyObject & Sendable, M: Message & ~Copyable>(
        _: M.Type, subject: M.Subject?, by owner: O, _ body: @escaping @Sendable (O, borrowing M) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        observe(
            HERALD_SWIFT_MESSAGES, HERALD_SWIFT_OWNED, Herald.name(of: M.self), Filter(subject, file, line), by: owner,
            herald_swift_closure(owner: owner, message: body))
    }

    /// Observes main-actor messages on the main actor, while an owner lives.
    ///
    /// The rules for the order of calls (R2), for replacement, and for the end of the registration (R6, R10) are those
    /// for a ``Message``.
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - subject: The body is called only for messages about this instance. If the argument is left out or is a
    ///     literal `nil`, the body is called for all messages. If the argument is a variable that is `nil`, the body is
    ///     never called.
    ///   - owner: Referenced weakly, but retained during a call.
    ///   - body: Called on the main actor with the owner, before the post returns (R3). The body need not be
    ///     `Sendable`.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    @MainActor
    public func observe<O: AnyObject, M: MainActorMessage>(
        _: M.Type, subject: AnySubject = nil, by owner: O, _ body: @escaping @MainActor (O, M) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        observe(
            HERALD_SWIFT_MESSAGES, HERALD_SWIFT_OWNED, Herald.name(of: M.self), Filter(file, line), by: owner,
            herald_swift_closure(owner: owner, mainActorMessage: body))
    }

    /// Observes main-actor messages on the main actor, while an owner lives. Any thread or actor may call this
    /// function.
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - subject: The body is called only for messages about this instance. If the argument is left out or is a
    ///     literal `nil`, the body is called for all messages. If the argument is a variable that is `nil`, the body is
    ///     never called.
    ///   - owner: Referenced weakly, but retained during a call.
    ///   - body: Called on the main actor with the owner, before the post returns (R3).
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    public func observe<O: AnyObject & Sendable, M: MainActorMessage>(
        _: M.Type, subject: AnySubject = nil, by owner: O, _ body: @escaping @MainActor (O, M) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        observe(
            HERALD_SWIFT_MESSAGES, HERALD_SWIFT_OWNED, Herald.name(of: M.self), Filter(file, line), by: owner,
            herald_swift_closure(owner: owner, mainActorMessage: body))
    }

    /// Observes main-actor messages about one instance on the main actor, while an owner lives.
    ///
    /// - Parameter subject: The body is called only for messages about this instance, which is not retained (R12). If
    ///   `subject` is `nil`, the body is never called.
    @_disfavoredOverload @_documentation(visibility: internal)
    @MainActor
    public func observe<O: AnyObject, M: MainActorMessage>(
        _: M.Type, subject: M.Subject?, by owner: O, _ body: @escaping @MainActor (O, M) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        observe(
            HERALD_SWIFT_MESSAGES, HERALD_SWIFT_OWNED, Herald.name(of: M.self), Filter(subject, file, line), by: owner,
            herald_swift_closure(owner: owner, mainActorMessage: body))
    }

    /// Observes main-actor messages about one instance on the main actor, while an owner lives. Any thread or actor may
    /// call this function.
    ///
    /// - Parameter subject: The body is called only for messages about this instance, which is not retained (R12). If
    ///   `subject` is `nil`, the body is never called.
    @_disfavoredOverload @_documentation(visibility: internal)
    public func observe<O: AnyObject & Sendable, M: MainActorMessage>(
        _: M.Type, subject: M.Subject?, by owner: O, _ body: @escaping @MainActor (O, M) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        observe(
            HERALD_SWIFT_MESSAGES, HERALD_SWIFT_OWNED, Herald.name(of: M.self), Filter(subject, file, line), by: owner,
            herald_swift_closure(owner: owner, mainActorMessage: body))
    }

    /// Ends all registrations of this owner with this center, including those made by `addObserver`.
    ///
    /// This function does not wait, and running calls of observers go on. If another thread has already decided to call
    /// an observer, this call may still begin after the function has returned (R6).
    ///
    /// - Parameter owner: The owner that was given to `observe` or `addObserver`. The owner's `deinit` may call this
    ///   function.
    public func removeObserver<O: AnyObject>(_ owner: O) {
        removeAll(of: owner)
    }

    /// Ends the registrations of this owner for a type of message, regardless of the subject. Does not wait.
    ///
    /// - Parameters:
    ///   - owner: The owner that was given to `observe`. The owner's `deinit` may call this function.
    ///   - type: The type of the messages.
    public func removeObserver<O: AnyObject, M: AnyMessage & ~Copyable>(_ owner: O, of _: M.Type) {
        remove(of: owner, HERALD_SWIFT_MESSAGES, Herald.name(of: M.self))
    }

    /// Ends the registration of this owner for a type of message about one instance. Does not wait.
    ///
    /// - Parameters:
    ///   - owner: The owner that was given to `observe`. The owner's `deinit` may call this function.
    ///   - type: The type of the messages.
    ///   - subject: The instance that was given to `observe`. A registration without a subject stays.
    public func removeObserver<O: AnyObject, M: AnyMessage & ~Copyable>(
        _ owner: O, of _: M.Type, subject: M.Subject
    ) {
        remove(of: owner, HERALD_SWIFT_MESSAGES, Herald.name(of: M.self), subject: subject)
    }

    /// How many messages the registrations of this owner have dropped because a buffer was full.
    ///
    /// - Parameter owner: The owner that was given to `observe`.
    /// - Returns: The sum over all registrations that the owner has now.
    public func dropped<O: AnyObject>(by owner: O) -> Int {
        herald_swift_owners_count_dropped(owners.native, address(of: owner))
    }
}
