extension HeraldCenter {
    /// The messages of a type from now on, as a sequence. The observer is registered when this call returns, not when a
    /// loop begins.
    ///
    /// ```swift
    /// for await saved in center.messages(DocumentSaved.self) { ... }
    /// ```
    ///
    /// A post copies the message and does not wait for a loop. Messages come in posting order.
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - subject: The sequence gets only messages about this instance. Without a subject, or with a literal `nil`, it
    ///     gets all messages. With a variable that is `nil`, it stays empty.
    ///   - buffer: How many messages may wait to be taken; ``Messages/dropped`` counts the messages that were dropped.
    ///   - file: The source file of the call; inspection tools show it with `line`.
    ///   - line: See `file`.
    /// - Returns: The sequence. The sequence and its iterators own the registration.
    @inlinable
    public func messages<M: Message & Sendable>(
        _: M.Type, subject: AnySubject = nil, buffer: Buffer = .newest(256),
        file: StaticString = #fileID, line: UInt = #line
    ) -> Messages<M> {
        let mailbox = Mailbox<M>(buffer)
        return Messages(mailbox, observe(M.self, Filter(file, line), mailbox))
    }

    /// The messages of a type about one instance from now on, as a sequence.
    ///
    /// - Parameter subject: Only messages about this instance, which is not retained (R12). `nil`: the sequence stays
    ///   empty.
    @inlinable @_disfavoredOverload @_documentation(visibility: internal)
    public func messages<M: Message & Sendable>(
        _: M.Type, subject: M.Subject?, buffer: Buffer = .newest(256),
        file: StaticString = #fileID, line: UInt = #line
    ) -> Messages<M> {
        let mailbox = Mailbox<M>(buffer)
        return Messages(mailbox, observe(M.self, Filter(subject, file, line), mailbox))
    }

    /// The main-actor messages of a type from now on, as a sequence. The observer is registered when this call returns.
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - subject: The sequence gets only messages about this instance. Without a subject, or with a literal `nil`, it
    ///     gets all messages. With a variable that is `nil`, it stays empty.
    ///   - buffer: How many messages may wait to be taken; ``Messages/dropped`` counts the messages that were dropped.
    ///   - file: The source file of the call; inspection tools show it with `line`.
    ///   - line: See `file`.
    /// - Returns: The sequence. The sequence and its iterators own the registration.
    @inlinable
    public func messages<M: MainActorMessage & Sendable>(
        _: M.Type, subject: AnySubject = nil, buffer: Buffer = .newest(256),
        file: StaticString = #fileID, line: UInt = #line
    ) -> Messages<M> {
        let mailbox = Mailbox<M>(buffer)
        return Messages(mailbox, observe(M.self, Filter(file, line), mailbox))
    }

    /// The main-actor messages of a type about one instance from now on, as a sequence.
    ///
    /// - Parameter subject: Only messages about this instance, which is not retained (R12). `nil`: the sequence stays
    ///   empty.
    @inlinable @_disfavoredOverload @_documentation(visibility: internal)
    public func messages<M: MainActorMessage & Sendable>(
        _: M.Type, subject: M.Subject?, buffer: Buffer = .newest(256),
        file: StaticString = #fileID, line: UInt = #line
    ) -> Messages<M> {
        let mailbox = Mailbox<M>(buffer)
        return Messages(mailbox, observe(M.self, Filter(subject, file, line), mailbox))
    }

    /// The posts of a name from now on, as a sequence. The observer is registered when this call returns.
    ///
    /// The sequence gets posts even while the center is suspended (R16).
    ///
    /// - Parameters:
    ///   - name: The name to observe.
    ///   - subject: The sequence gets only posts about this instance. Without a subject, or with a literal `nil`, it
    ///     gets all posts. With a variable that is `nil`, it stays empty.
    ///   - buffer: How many posts may wait to be taken; ``Messages/dropped`` counts the posts that were dropped.
    ///   - file: The source file of the call; inspection tools show it with `line`.
    ///   - line: See `file`.
    /// - Returns: The sequence. The sequence and its iterators own the registration.
    public func messages(
        named name: Name, subject: AnySubject = nil, buffer: Buffer = .newest(256),
        file: StaticString = #fileID, line: UInt = #line
    ) -> Messages<Posted> {
        let mailbox = Mailbox<Posted>(buffer)
        return Messages(mailbox, observe(name, Filter(file, line), mailbox))
    }

    /// The posts of a name about one instance from now on, as a sequence.
    ///
    /// - Parameter subject: Only posts about this instance, which is not retained (R12). `nil`: the sequence stays
    ///   empty.
    @_disfavoredOverload @_documentation(visibility: internal)
    public func messages(
        named name: Name, subject: AnyObject?, buffer: Buffer = .newest(256),
        file: StaticString = #fileID, line: UInt = #line
    ) -> Messages<Posted> {
        let mailbox = Mailbox<Posted>(buffer)
        return Messages(mailbox, observe(name, Filter(subject, file, line), mailbox))
    }
}

/// A sequence of messages or posts, in posting order. The registration ends when the sequence and its iterators are
/// gone.
///
/// All iterators of a sequence share one buffer: each element goes to one iterator. The sequence ends for a task that
/// is cancelled, and for all tasks after ``finish()``. An iterator takes a waiting element without leaving the caller's
/// actor. A loop that always finds a waiting element still lets other tasks use the actor: they wait at most 10 ms plus
/// the time of one loop body.
public struct Messages<Element: Sendable>: AsyncSequence, Sendable {
    public typealias Failure = Never

    @usableFromInline let source: Source

    @usableFromInline init(_ mailbox: Mailbox<Element>, _ token: consuming HeraldCenter.ObservationToken) {
        source = Source(mailbox, token)
    }

    /// How many elements were dropped because the buffer was full.
    public var dropped: Int { source.mailbox.dropped }

    /// Ends the registration. The waiting elements can still be taken. After them, the sequence ends in every task that
    /// iterates it.
    public func finish() {
        source.mailbox.finish()
        source.token.end(wait: false)
    }

    @inlinable public func makeAsyncIterator() -> Iterator { Iterator(source) }

    /// Takes elements from the sequence's buffer.
    public struct Iterator: AsyncIteratorProtocol {
        @usableFromInline let source: Source
        @usableFromInline let pace = SharedPace()

        @usableFromInline init(_ source: Source) { self.source = source }

        /// Takes the next element, or waits for it. The call resumes on the caller's actor.
        ///
        /// - Parameter isolation: The caller's actor.
        /// - Returns: The element; `nil` when the task is cancelled, and when no element is left after
        ///   ``Messages/finish()``.
        @inlinable public func next(isolation: isolated (any Actor)? = #isolation) async -> Element? {
            if pace.isOver() { await Task.yield() }
            return await source.mailbox.next(isolation: isolation)
        }
    }

    @usableFromInline final class Source: Sendable {
        @usableFromInline let mailbox: Mailbox<Element>
        @usableFromInline let token: HeraldCenter.ObservationToken

        @usableFromInline init(_ mailbox: Mailbox<Element>, _ token: consuming HeraldCenter.ObservationToken) {
            self.mailbox = mailbox
            self.token = token
        }
    }
}
