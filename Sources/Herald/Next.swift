/// Waiting for one message.
extension HeraldCenter {
    /// Waits for the next message of a type. The call registers an observer, and then suspends the caller's task. So no
    /// message that is posted after the suspension is missed.
    ///
    /// - Parameters:
    ///   - type: The type of the message.
    ///   - subject: Only a message about this instance counts. If the argument is left out or is a literal `nil`, any
    ///     message counts. If the argument is a variable that is `nil`, no message counts.
    ///   - limit: How long to wait. `nil`, or more than a hundred years: there is no limit. A message that came in time
    ///     is returned, even if the task resumes later.
    ///   - isolation: The caller's actor, where the call resumes.
    ///   - isWanted: Returns whether a message counts. If `isWanted` is `nil`, every message counts. Posting threads
    ///     call this function, and several may call it at once.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    /// - Returns: The message, or `nil` if the time is over or the task is cancelled.
    public func next<M: Message & Sendable>(
        _ type: M.Type, subject: AnySubject = nil, within limit: Duration? = nil,
        isolation: isolated (any Actor)? = #isolation, where isWanted: (@Sendable (M) -> Bool)? = nil,
        file: StaticString = #fileID, line: UInt = #line
    ) async -> M? {
        await next(within: limit, where: isWanted) { observe(M.self, Filter(file, line), $0) }
    }

    /// Waits for the next message of a type about one instance. Returns `nil` if the time is over or the task is
    /// cancelled.
    ///
    /// - Parameter subject: Only a message about this instance counts. The instance is not retained (R12). If `subject`
    ///   is `nil`, no message counts.
    @_disfavoredOverload @_documentation(visibility: internal)
    public func next<M: Message & Sendable>(
        _ type: M.Type, subject: M.Subject?, within limit: Duration? = nil,
        isolation: isolated (any Actor)? = #isolation, where isWanted: (@Sendable (M) -> Bool)? = nil,
        file: StaticString = #fileID, line: UInt = #line
    ) async -> M? {
        await next(within: limit, where: isWanted) { observe(M.self, Filter(subject, file, line), $0) }
    }

    /// Waits for the next main-actor message of a type. The call registers an observer, and then suspends the caller's
    /// task. So no message that is posted after the suspension is missed.
    ///
    /// - Parameters:
    ///   - type: The type of the message.
    ///   - subject: Only a message about this instance counts. If the argument is left out or is a literal `nil`, any
    ///     message counts. If the argument is a variable that is `nil`, no message counts.
    ///   - limit: How long to wait. `nil`, or more than a hundred years: there is no limit. A message that came in time
    ///     is returned, even if the task resumes later.
    ///   - isolation: The caller's actor, where the call resumes.
    ///   - isWanted: Returns whether a message counts. If `isWanted` is `nil`, every message counts. Posting threads
    ///     call this function, and several may call it at once.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    /// - Returns: The message, or `nil` if the time is over or the task is cancelled.
    public func next<M: MainActorMessage & Sendable>(
        _ type: M.Type, subject: AnySubject = nil, within limit: Duration? = nil,
        isolation: isolated (any Actor)? = #isolation, where isWanted: (@Sendable (M) -> Bool)? = nil,
        file: StaticString = #fileID, line: UInt = #line
    ) async -> M? {
        await next(within: limit, where: isWanted) { observe(M.self, Filter(file, line), $0) }
    }

    /// Waits for the next main-actor message of a type about one instance. Returns `nil` if the time is over or the
    /// task is cancelled.
    ///
    /// - Parameter subject: Only a message about this instance counts. The instance is not retained (R12). If `subject`
    ///   is `nil`, no message counts.
    @_disfavoredOverload @_documentation(visibility: internal)
    public func next<M: MainActorMessage & Sendable>(
        _ type: M.Type, subject: M.Subject?, within limit: Duration? = nil,
        isolation: isolated (any Actor)? = #isolation, where isWanted: (@Sendable (M) -> Bool)? = nil,
        file: StaticString = #fileID, line: UInt = #line
    ) async -> M? {
        await next(within: limit, where: isWanted) { observe(M.self, Filter(subject, file, line), $0) }
    }

    /// Waits for the next post of a name. The call registers an observer, and then suspends the caller's task. So no
    /// post that is made after the suspension is missed.
    ///
    /// - Parameters:
    ///   - name: The name to observe.
    ///   - subject: Only a post about this instance counts. If the argument is left out or is a literal `nil`, any post
    ///     counts. If the argument is a variable that is `nil`, no post counts.
    ///   - limit: How long to wait. `nil`, or more than a hundred years: there is no limit. A post that came in time
    ///     is returned, even if the task resumes later.
    ///   - isolation: The caller's actor, where the call resumes.
    ///   - isWanted: Returns whether a post counts. If `isWanted` is `nil`, every post counts. Posting threads call
    ///     this function, and several may call it at once.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    /// - Returns: The post, or `nil` if the time is over or the task is cancelled.
    public func next(
        _ name: Name, subject: AnySubject = nil, within limit: Duration? = nil,
        isolation: isolated (any Actor)? = #isolation, where isWanted: (@Sendable (Posted) -> Bool)? = nil,
        file: StaticString = #fileID, line: UInt = #line
    ) async -> Posted? {
        await next(within: limit, where: isWanted) { observe(name, Filter(file, line), $0) }
    }

    /// Waits for the next post of a name about one instance. Returns `nil` if the time is over or the task is
    /// cancelled.
    ///
    /// - Parameter subject: Only a post about this instance counts. The instance is not retained (R12). If `subject` is
    ///   `nil`, no post counts.
    @_disfavoredOverload @_documentation(visibility: internal)
    public func next(
        _ name: Name, subject: AnyObject?, within limit: Duration? = nil,
        isolation: isolated (any Actor)? = #isolation, where isWanted: (@Sendable (Posted) -> Bool)? = nil,
        file: StaticString = #fileID, line: UInt = #line
    ) async -> Posted? {
        await next(within: limit, where: isWanted) { observe(name, Filter(subject, file, line), $0) }
    }

    func next<Element>(
        within limit: Duration?, where isWanted: (@Sendable (Element) -> Bool)?,
        isolation: isolated (any Actor)? = #isolation, _ observe: (Mailbox<Element>) -> ObservationToken
    ) async -> Element? {
        let mailbox = Mailbox<Element>(.oldest(1), where: isWanted.map(Self.once))
        let token = observe(mailbox)
        let timer = limit?.asLimit.map { limit in
            Task.detached {
                try await Task.sleep(for: limit)
                mailbox.finish()
            }
        }
        defer { timer?.cancel() }
        let next = await mailbox.next(isolation: isolation)
        token.end()
        return next
    }

    /// A condition that only one element meets: the first element for which `isWanted` returns true.
    private static func once<Element>(
        _ isWanted: @escaping @Sendable (Element) -> Bool
    ) -> @Sendable (Element) -> Bool {
        let first = First()
        return { !first.isTaken && isWanted($0) && first.take() }
    }
}
