/// Waiting for one message.
extension HeraldCenter {
    /// The next message of a type. The observer is registered when the call begins, so a message that is posted after
    /// the caller's task has been suspended is not missed.
    ///
    /// - Parameters:
    ///   - type: The type of the message.
    ///   - subject: Only a message about this instance counts. Without a subject, or with a literal `nil`, any message
    ///     counts. With a variable that is `nil`, none does.
    ///   - limit: How long to wait; `nil`: without limit. A message that came in time is returned, even if the task
    ///     resumes later.
    ///   - isolation: The caller's actor, where the call resumes.
    ///   - isWanted: Whether a message counts; `nil`: every message does. Posting threads call it, several at once if
    ///     several threads post.
    ///   - file: The source file of the call; inspection tools show it with `line`.
    ///   - line: See `file`.
    /// - Returns: The message. `nil` when the time is over, and when the task is cancelled.
    public func next<M: Message & Sendable>(
        _ type: M.Type, subject: AnySubject = nil, within limit: Duration? = nil,
        isolation: isolated (any Actor)? = #isolation, where isWanted: (@Sendable (M) -> Bool)? = nil,
        file: StaticString = #fileID, line: UInt = #line
    ) async -> M? {
        await next(within: limit, where: isWanted) { observe(M.self, Filter(file, line), $0) }
    }

    /// The next message of a type about one instance; `nil` when the time is over, and when the task is cancelled.
    ///
    /// - Parameter subject: Only messages about this instance, which is not retained (R12). If `subject` is `nil`, no
    ///   message counts.
    @_disfavoredOverload @_documentation(visibility: internal)
    public func next<M: Message & Sendable>(
        _ type: M.Type, subject: M.Subject?, within limit: Duration? = nil,
        isolation: isolated (any Actor)? = #isolation, where isWanted: (@Sendable (M) -> Bool)? = nil,
        file: StaticString = #fileID, line: UInt = #line
    ) async -> M? {
        await next(within: limit, where: isWanted) { observe(M.self, Filter(subject, file, line), $0) }
    }

    /// The next main-actor message of a type. The observer is registered when the call begins, so a message that is
    /// posted after the caller's task has been suspended is not missed.
    ///
    /// - Parameters:
    ///   - type: The type of the message.
    ///   - subject: Only a message about this instance counts. Without a subject, or with a literal `nil`, any message
    ///     counts. With a variable that is `nil`, none does.
    ///   - limit: How long to wait; `nil`: without limit. A message that came in time is returned, even if the task
    ///     resumes later.
    ///   - isolation: The caller's actor, where the call resumes.
    ///   - isWanted: Whether a message counts; `nil`: every message does. Posting threads call it, several at once if
    ///     several threads post.
    ///   - file: The source file of the call; inspection tools show it with `line`.
    ///   - line: See `file`.
    /// - Returns: The message. `nil` when the time is over, and when the task is cancelled.
    public func next<M: MainActorMessage & Sendable>(
        _ type: M.Type, subject: AnySubject = nil, within limit: Duration? = nil,
        isolation: isolated (any Actor)? = #isolation, where isWanted: (@Sendable (M) -> Bool)? = nil,
        file: StaticString = #fileID, line: UInt = #line
    ) async -> M? {
        await next(within: limit, where: isWanted) { observe(M.self, Filter(file, line), $0) }
    }

    /// The next main-actor message of a type about one instance; `nil` when the time is over, and when the task is
    /// cancelled.
    ///
    /// - Parameter subject: Only messages about this instance, which is not retained (R12). If `subject` is `nil`, no
    ///   message counts.
    @_disfavoredOverload @_documentation(visibility: internal)
    public func next<M: MainActorMessage & Sendable>(
        _ type: M.Type, subject: M.Subject?, within limit: Duration? = nil,
        isolation: isolated (any Actor)? = #isolation, where isWanted: (@Sendable (M) -> Bool)? = nil,
        file: StaticString = #fileID, line: UInt = #line
    ) async -> M? {
        await next(within: limit, where: isWanted) { observe(M.self, Filter(subject, file, line), $0) }
    }

    /// The next post of a name. The observer is registered when the call begins, so a post that is made after the
    /// caller's task has been suspended is not missed.
    ///
    /// - Parameters:
    ///   - name: The name to observe.
    ///   - subject: Only a post about this instance counts. Without a subject, or with a literal `nil`, any post
    ///     counts. With a variable that is `nil`, none does.
    ///   - limit: How long to wait; `nil`: without limit. A post that came in time is returned, even if the task
    ///     resumes later.
    ///   - isolation: The caller's actor, where the call resumes.
    ///   - isWanted: Whether a post counts; `nil`: every post does. Posting threads call it, several at once if several
    ///     threads post.
    ///   - file: The source file of the call; inspection tools show it with `line`.
    ///   - line: See `file`.
    /// - Returns: The post. `nil` when the time is over, and when the task is cancelled.
    public func next(
        _ name: Name, subject: AnySubject = nil, within limit: Duration? = nil,
        isolation: isolated (any Actor)? = #isolation, where isWanted: (@Sendable (Posted) -> Bool)? = nil,
        file: StaticString = #fileID, line: UInt = #line
    ) async -> Posted? {
        await next(within: limit, where: isWanted) { observe(name, Filter(file, line), $0) }
    }

    /// The next post of a name about one instance; `nil` when the time is over, and when the task is cancelled.
    ///
    /// - Parameter subject: Only posts about this instance, which is not retained (R12). If `subject` is `nil`, no post
    ///   counts.
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
        let timer = limit.map { limit in
            Task.detached {
                try await Task.sleep(for: limit.asSleep)
                mailbox.finish()
            }
        }
        defer { timer?.cancel() }
        let next = await mailbox.next(isolation: isolation)
        token.end(wait: false)
        return next
    }

    /// A condition that only one element meets: the first for which `isWanted` returns true.
    private static func once<Element>(
        _ isWanted: @escaping @Sendable (Element) -> Bool
    ) -> @Sendable (Element) -> Bool {
        let first = First()
        return { !first.isTaken && isWanted($0) && first.take() }
    }
}

extension Duration {
    /// The duration, or 2^31 seconds if that is shorter. `Task.sleep` ends the process if the time is more than 2^63
    /// seconds from now.
    package var asSleep: Duration { min(self, .seconds(1 << 31)) }
}
