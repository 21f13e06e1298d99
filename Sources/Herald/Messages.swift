extension HeraldCenter {
    /// The messages of a type from now on, as a sequence. The observer is registered when this returns, not when a loop
    /// begins.
    ///
    /// ```swift
    /// for await saved in center.messages(DocumentSaved.self) { ... }
    /// ```
    ///
    /// The post copies the message and does not wait. Messages come in posting order.
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - subject: Only messages about this instance; all messages if it is left out or a literal `nil`. If a variable
    ///     that is `nil` is passed, the sequence stays empty.
    ///   - buffer: How many messages may wait until the next is taken; ``Messages/dropped`` counts the others.
    ///   - file: The source file of the call; inspection tools show it with `line`.
    ///   - line: See `file`.
    /// - Returns: The sequence, which owns the registration together with its iterators.
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
    /// - Parameter subject: Only messages about this instance, not retained (R12). `nil`: the sequence stays empty.
    @inlinable @_disfavoredOverload @_documentation(visibility: internal)
    public func messages<M: Message & Sendable>(
        _: M.Type, subject: M.Subject?, buffer: Buffer = .newest(256),
        file: StaticString = #fileID, line: UInt = #line
    ) -> Messages<M> {
        let mailbox = Mailbox<M>(buffer)
        return Messages(mailbox, observe(M.self, Filter(subject, file, line), mailbox))
    }

    /// The main-actor messages of a type from now on, as a sequence. The observer is registered when this returns.
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - subject: Only messages about this instance; all messages if it is left out or a literal `nil`. If a variable
    ///     that is `nil` is passed, the sequence stays empty.
    ///   - buffer: How many messages may wait until the next is taken; ``Messages/dropped`` counts the others.
    ///   - file: The source file of the call; inspection tools show it with `line`.
    ///   - line: See `file`.
    /// - Returns: The sequence, which owns the registration together with its iterators.
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
    /// - Parameter subject: Only messages about this instance, not retained (R12). `nil`: the sequence stays empty.
    @inlinable @_disfavoredOverload @_documentation(visibility: internal)
    public func messages<M: MainActorMessage & Sendable>(
        _: M.Type, subject: M.Subject?, buffer: Buffer = .newest(256),
        file: StaticString = #fileID, line: UInt = #line
    ) -> Messages<M> {
        let mailbox = Mailbox<M>(buffer)
        return Messages(mailbox, observe(M.self, Filter(subject, file, line), mailbox))
    }

    /// The posts of a name from now on, as a sequence. The observer is registered when this returns.
    ///
    /// These posts are delivered even while the center is suspended (R16).
    ///
    /// - Parameters:
    ///   - name: The name to observe.
    ///   - subject: Only posts about this instance; all posts if it is left out or a literal `nil`. If a variable that
    ///     is `nil` is passed, the sequence stays empty.
    ///   - buffer: How many posts may wait until the next is taken; ``Messages/dropped`` counts the others.
    ///   - file: The source file of the call; inspection tools show it with `line`.
    ///   - line: See `file`.
    /// - Returns: The sequence, which owns the registration together with its iterators.
    public func messages(
        named name: Name, subject: AnySubject = nil, buffer: Buffer = .newest(256),
        file: StaticString = #fileID, line: UInt = #line
    ) -> Messages<Posted> {
        let mailbox = Mailbox<Posted>(buffer)
        return Messages(mailbox, observe(name, Filter(file, line), mailbox))
    }

    /// The posts of a name about one instance from now on, as a sequence.
    ///
    /// - Parameter subject: Only posts about this instance, not retained (R12). `nil`: the sequence stays empty.
    @_disfavoredOverload @_documentation(visibility: internal)
    public func messages(
        named name: Name, subject: AnyObject?, buffer: Buffer = .newest(256),
        file: StaticString = #fileID, line: UInt = #line
    ) -> Messages<Posted> {
        let mailbox = Mailbox<Posted>(buffer)
        return Messages(mailbox, observe(name, Filter(subject, file, line), mailbox))
    }
}

/// Messages or posts, in posting order. The registration ends when the sequence and its iterators are gone.
///
/// Several iterators share one buffer: each element goes to one of them. The sequence ends in a cancelled task, and
/// after ``finish()``. An iterator takes a waiting element without leaving the caller's actor. A loop that always finds
/// a waiting element lets the actor's other tasks in after at most 10 ms plus the time of the loop's running body.
public struct Messages<Element: Sendable>: AsyncSequence, Sendable {
    public typealias Failure = Never

    @usableFromInline let source: Source

    @usableFromInline init(_ mailbox: Mailbox<Element>, _ token: consuming HeraldCenter.ObservationToken) {
        source = Source(mailbox, token)
    }

    /// How many elements were dropped because the buffer was full.
    public var dropped: Int { source.mailbox.dropped }

    /// Ends the registration. The sequence ends after the waiting elements, in every task that iterates it.
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

        /// The next element. It waits for one, and resumes on the caller's actor.
        ///
        /// - Parameter isolation: The caller's actor.
        /// - Returns: The element; `nil` when the task is cancelled, and after ``Messages/finish()`` when none is left.
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
