import CHeraldRuntime

/// Observers whose registration ends with the first message or post that they hear.
extension HeraldCenter {
    /// Observes the next message of a type, on the posting thread. Then the registration ends. The body is called only
    /// once, even if several threads post at the same time.
    ///
    /// - Parameters:
    ///   - type: The type of the message.
    ///   - subject: The body is called only for a message about this instance. Without a subject, or with a literal
    ///     `nil`, it is called for any message. With a variable that is `nil`, it is never called.
    ///   - body: Called with the poster's own message, borrowed. The body is released after the call (R10).
    ///   - file: The source file of the call; inspection tools show it with `line`.
    ///   - line: See `file`.
    /// - Returns: The token that owns the registration. The registration also ends when the token ends.
    public func observeOnce<M: Message & ~Copyable>(
        _: M.Type, subject: AnySubject = nil, _ body: @escaping @Sendable (borrowing M) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) -> ObservationToken {
        observeOnce(Filter(file, line), body)
    }

    /// Observes the next message of a type about one instance.
    ///
    /// - Parameter subject: Only messages about this instance, which is not retained (R12). `nil`: the body is never
    ///   called.
    @_disfavoredOverload @_documentation(visibility: internal)
    public func observeOnce<M: Message & ~Copyable>(
        _: M.Type, subject: M.Subject?, _ body: @escaping @Sendable (borrowing M) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) -> ObservationToken {
        observeOnce(Filter(subject, file, line), body)
    }

    /// Observes the next main-actor message of a type, on the main actor. Then the registration ends.
    ///
    /// - Parameters:
    ///   - type: The type of the message.
    ///   - subject: The body is called only for a message about this instance. Without a subject, or with a literal
    ///     `nil`, it is called for any message. With a variable that is `nil`, it is never called.
    ///   - body: Called on the main actor.
    ///   - file: The source file of the call; inspection tools show it with `line`.
    ///   - line: See `file`.
    /// - Returns: The token that owns the registration. The registration also ends when the token ends.
    public func observeOnce<M: MainActorMessage>(
        _: M.Type, subject: AnySubject = nil, _ body: @escaping @MainActor (M) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) -> ObservationToken {
        observeOnce(Filter(file, line), unsafeBitCast(body, to: ((M) -> Void).self))
    }

    /// Observes the next main-actor message of a type about one instance. Then the registration ends.
    ///
    /// - Parameter subject: Only messages about this instance, which is not retained (R12). `nil`: the body is never
    ///   called.
    @_disfavoredOverload @_documentation(visibility: internal)
    public func observeOnce<M: MainActorMessage>(
        _: M.Type, subject: M.Subject?, _ body: @escaping @MainActor (M) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) -> ObservationToken {
        observeOnce(Filter(subject, file, line), unsafeBitCast(body, to: ((M) -> Void).self))
    }

    /// Observes the next post of a name, on the posting thread. Then the registration ends.
    ///
    /// - Parameters:
    ///   - name: The name to observe.
    ///   - subject: The body is called only for a post about this instance. Without a subject, or with a literal `nil`,
    ///     it is called for any post. With a variable that is `nil`, it is never called.
    ///   - body: Called with the post. The body is released after the call (R10).
    ///   - file: The source file of the call; inspection tools show it with `line`.
    ///   - line: See `file`.
    /// - Returns: The token that owns the registration. The registration also ends when the token ends.
    public func observeOnce(
        _ name: Name, subject: AnySubject = nil, _ body: @escaping @Sendable (Posted) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) -> ObservationToken {
        observeOnce(name, Filter(file, line), body)
    }

    /// Observes the next post of a name about one instance. Then the registration ends.
    ///
    /// - Parameter subject: Only posts about this instance, which is not retained (R12). `nil`: the body is never
    ///   called.
    @_disfavoredOverload @_documentation(visibility: internal)
    public func observeOnce(
        _ name: Name, subject: AnyObject?, _ body: @escaping @Sendable (Posted) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) -> ObservationToken {
        observeOnce(name, Filter(subject, file, line), body)
    }

    private func observeOnce<M: AnyMessage & ~Copyable>(
        _ filter: Filter, _ body: @escaping (borrowing M) -> Void
    ) -> ObservationToken {
        let first = First()
        return observe(
            HERALD_SWIFT_MESSAGES, HERALD_SWIFT_WHILE, Herald.name(of: M.self), filter,
            herald_swift_closure(while: { _, _, payload, _ in
                if first.take() { body(payload.unsafelyUnwrapped.assumingMemoryBound(to: M.self).pointee) }
                return 0
            }))
    }

    private func observeOnce(
        _ name: Name, _ filter: Filter, _ body: @escaping (Posted) -> Void
    ) -> ObservationToken {
        let first = First()
        return observe(
            HERALD_SWIFT_NOTICES, HERALD_SWIFT_WHILE, name.native, filter,
            herald_swift_closure(while: {
                if first.take() { body(Posted($0, $1, $2, $3)) }
                return 0
            }))
    }
}
