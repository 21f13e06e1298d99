#if os(Linux)
// Written by Scripts/forms: change the table there, and run `make forms`.

import CHeraldRuntime

extension HeraldCenter {
    /// Observes main-actor messages on the main actor, while the token lives.
    ///
    /// Observers are called in the order of registration (R2), before the post returns (R3). After the registration has
    /// ended, no new call of the body starts (R6). Any thread may release the body. The body is released when the last
    /// running call has returned (R10).
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - body: Called on the main actor with the message. The body need not be `Sendable`. The body retains
    ///     everything that it captures, even the subject.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    /// - Returns: The token that owns the registration. ``ObservationToken/cancel()`` waits for running calls (R11).
    public func observe<M: MainActorMessage>(
        _: M.Type, _ body: @escaping @MainActor (M) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) -> ObservationToken {
        observe(
            HERALD_SWIFT_MESSAGES, HERALD_SWIFT_PLAIN, Herald.name(of: M.self), Filter(file, line),
            herald_swift_closure(mainActorMessage: body))
    }

    /// Observes main-actor messages about one subject on the main actor, while the token lives.
    ///
    /// Observers are called in the order of registration (R2), before the post returns (R3). After the registration has
    /// ended, no new call of the body starts (R6). Any thread may release the body. The body is released when the last
    /// running call has returned (R10).
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - subject: Only messages about this instance, which is not retained. A later instance at the same address is
    ///     never mistaken for it (R12).
    ///   - body: Called on the main actor with the message. The body need not be `Sendable`. The body retains
    ///     everything that it captures, even the subject.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    /// - Returns: The token that owns the registration. ``ObservationToken/cancel()`` waits for running calls (R11).
    public func observe<M: MainActorMessage>(
        _: M.Type, subject: M.Subject, _ body: @escaping @MainActor (M) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) -> ObservationToken {
        observe(
            HERALD_SWIFT_MESSAGES, HERALD_SWIFT_PLAIN, Herald.name(of: M.self), Filter(.only(subject), file, line),
            herald_swift_closure(mainActorMessage: body))
    }

    /// Observes main-actor messages on the main actor, while an owner lives.
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
    ///   - body: Called on the main actor with the owner and the message. The body need not be `Sendable`.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    @MainActor
    public func observe<O: AnyObject, M: MainActorMessage>(
        _: M.Type, by owner: O, _ body: @escaping @MainActor (O, M) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        observe(
            HERALD_SWIFT_MESSAGES, HERALD_SWIFT_OWNED, Herald.name(of: M.self), Filter(file, line), by: owner,
            herald_swift_closure(owner: owner, mainActorMessage: body))
    }

    /// Observes main-actor messages about one subject on the main actor, while an owner lives.
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
    ///   - body: Called on the main actor with the owner and the message. The body need not be `Sendable`.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    @MainActor
    public func observe<O: AnyObject, M: MainActorMessage>(
        _: M.Type, subject: M.Subject, by owner: O, _ body: @escaping @MainActor (O, M) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        observe(
            HERALD_SWIFT_MESSAGES, HERALD_SWIFT_OWNED, Herald.name(of: M.self), Filter(.only(subject), file, line),
            by: owner, herald_swift_closure(owner: owner, mainActorMessage: body))
    }

    /// Observes main-actor messages on the main actor, while an owner lives. Any thread or actor may call this
    /// function.
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
    ///   - body: Called on the main actor with the owner and the message. The body need not be `Sendable`.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    public func observe<O: AnyObject & Sendable, M: MainActorMessage>(
        _: M.Type, by owner: O, _ body: @escaping @MainActor (O, M) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        observe(
            HERALD_SWIFT_MESSAGES, HERALD_SWIFT_OWNED, Herald.name(of: M.self), Filter(file, line), by: owner,
            herald_swift_closure(owner: owner, mainActorMessage: body))
    }

    /// Observes main-actor messages about one subject on the main actor, while an owner lives. Any thread or actor may
    /// call this function.
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
    ///   - body: Called on the main actor with the owner and the message. The body need not be `Sendable`.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    public func observe<O: AnyObject & Sendable, M: MainActorMessage>(
        _: M.Type, subject: M.Subject, by owner: O, _ body: @escaping @MainActor (O, M) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        observe(
            HERALD_SWIFT_MESSAGES, HERALD_SWIFT_OWNED, Herald.name(of: M.self), Filter(.only(subject), file, line),
            by: owner, herald_swift_closure(owner: owner, mainActorMessage: body))
    }

    /// Observes main-actor messages on the main actor until the body has been called once.
    ///
    /// The registration ends with the first call, even if several threads post at once (R6).
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - body: Called with the message, on the main actor.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    /// - Returns: The token that owns the registration.
    public func observeOnce<M: MainActorMessage>(
        _: M.Type, _ body: @escaping @MainActor (M) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) -> ObservationToken {
        Source<M>(self, Filter(file, line)).once(unsafeBitCast(body, to: ((M) -> Void).self))
    }

    /// Observes main-actor messages about one subject on the main actor until the body has been called once.
    ///
    /// The registration ends with the first call, even if several threads post at once (R6).
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - subject: Only messages about this instance, which is not retained. A later instance at the same address is
    ///     never mistaken for it (R12).
    ///   - body: Called with the message, on the main actor.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    /// - Returns: The token that owns the registration.
    public func observeOnce<M: MainActorMessage>(
        _: M.Type, subject: M.Subject, _ body: @escaping @MainActor (M) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) -> ObservationToken {
        Source<M>(self, Filter(.only(subject), file, line)).once(unsafeBitCast(body, to: ((M) -> Void).self))
    }

    /// Observes main-actor messages on the main actor, as long as a condition holds.
    ///
    /// The registration ends with the first message for which the condition does not hold. The body does not get this
    /// message, and no later one. If several threads post at once, a call of the body that has begun or been decided on
    /// for another message goes on. The registration also ends with the token.
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - goesOn: Returns whether the observer gets the message, and stays registered. Called before the body, on the
    ///     main actor.
    ///   - body: Called with the message, on the main actor.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    /// - Returns: The token that owns the registration.
    public func observe<M: MainActorMessage>(
        _: M.Type, while goesOn: @escaping @MainActor (M) -> Bool, _ body: @escaping @MainActor (M) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) -> ObservationToken {
        Source<M>(self, Filter(file, line)).observe(
            while: unsafeBitCast(goesOn, to: ((M) -> Bool).self), unsafeBitCast(body, to: ((M) -> Void).self))
    }

    /// Observes main-actor messages about one subject on the main actor, as long as a condition holds.
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
    ///     main actor.
    ///   - body: Called with the message, on the main actor.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    /// - Returns: The token that owns the registration.
    public func observe<M: MainActorMessage>(
        _: M.Type, subject: M.Subject, while goesOn: @escaping @MainActor (M) -> Bool,
        _ body: @escaping @MainActor (M) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) -> ObservationToken {
        Source<M>(self, Filter(.only(subject), file, line)).observe(
            while: unsafeBitCast(goesOn, to: ((M) -> Bool).self), unsafeBitCast(body, to: ((M) -> Void).self))
    }
}
#endif
