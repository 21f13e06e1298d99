extension HeraldCenter {
    /// The messages of a type from now on, as a sequence. This call registers the observer, so the sequence also gets
    /// messages that are posted before a loop begins.
    ///
    /// ```swift
    /// for await saved in center.messages(DocumentSaved.self) { ... }
    /// ```
    ///
    /// A post copies the message, and does not wait until a loop takes it. Messages come in posting order.
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - subject: The sequence gets only messages about this instance. If the argument is left out or is a literal
    ///     `nil`, the sequence gets all messages. If the argument is a variable that is `nil`, the sequence stays
    ///     empty.
    ///   - buffer: How many messages may wait to be taken. ``Messages/dropped`` counts the dropped messages.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    /// - Returns: The sequence. The registration ends when the sequence and its iterators are gone.
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
    /// - Parameter subject: The sequence gets only messages about this instance, which is not retained (R12). If
    ///   `subject` is `nil`, the sequence stays empty.
    @inlinable @_disfavoredOverload @_documentation(visibility: internal)
    public func messages<M: Message & Sendable>(
        _: M.Type, subject: M.Subject?, buffer: Buffer = .newest(256),
        file: StaticString = #fileID, line: UInt = #line
    ) -> Messages<M> {
        let mailbox = Mailbox<M>(buffer)
        return Messages(mailbox, observe(M.self, Filter(subject, file, line), mailbox))
    }

    /// The main-actor messages of a type from now on, as a sequence. This call registers the observer.
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - subject: The sequence gets only messages about this instance. If the argument is left out or is a literal
    ///     `nil`, the sequence gets all messages. If the argument is a variable that is `nil`, the sequence stays
    ///     empty.
    ///   - buffer: How many messages may wait to be taken. ``Messages/dropped`` counts the dropped messages.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    /// - Returns: The sequence. The registration ends when the sequence and its iterators are gone.
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
    /// - Parameter subject: The sequence gets only messages about this instance, which is not retained (R12). If
    ///   `subject` is `nil`, the sequence stays empty.
    @inlinable @_disfavoredOverload @_documentation(visibility: internal)
    public func messages<M: MainActorMessage & Sendable>(
        _: M.Type, subject: M.Subject?, buffer: Buffer = .newest(256),
        file: StaticString = #fileID, line: UInt = #line
    ) -> Messages<M> {
        let mailbox = Mailbox<M>(buffer)
        return Messages(mailbox, observe(M.self, Filter(subject, file, line), mailbox))
    }

    /// The posts of a name from now on, as a sequence. This call registers the observer.
    ///
    /// The sequence gets posts even while the center is suspended (R16).
    ///
    /// - Parameters:
    ///   - name: The name to observe.
    ///   - subject: The sequence gets only posts about this instance. If the argument is left out or is a literal
    ///     `nil`, the sequence gets all posts. If the argument is a variable that is `nil`, the sequence stays empty.
    ///   - buffer: How many posts may wait to be taken. ``Messages/dropped`` counts the dropped posts.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    /// - Returns: The sequence. The registration ends when the sequence and its iterators are gone.
    public func messages(
        named name: Name, subject: AnySubject = nil, buffer: Buffer = .newest(256),
        file: StaticString = #fileID, line: UInt = #line
    ) -> Messages<Posted> {
        let mailbox = Mailbox<Posted>(buffer)
        return Messages(mailbox, observe(name, Filter(file, line), mailbox))
    }

    /// The posts of a name about one instance from now on, as a sequence.
    ///
    /// - Parameter subject: The sequence gets only posts about this instance, which is not retained (R12). If `subject`
    ///   is `nil`, the sequence stays empty.
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
/// All iterators of a sequence share one buffer, so each element goes to only one iterator. If a task is cancelled, the
/// sequence ends in that task. After ``finish()``, the sequence ends in all tasks when no element is left.
///
/// If an element waits, an iterator takes the element without leaving the caller's actor. Even if a loop always finds a
/// waiting element, other tasks on the actor get their turns. They wait at most 10 ms plus the time of one pass through
/// the loop.
public struct Messages<Element: Sendable>: AsyncSequence, Sendable {
    public typealias Failure = Never

    @usableFromInline let source: Source

    @usableFromInline init(_ mailbox: Mailbox<Element>, _ token: consuming HeraldCenter.ObservationToken) {
        source = Source(mailbox, token)
    }

    /// How many elements were dropped because the buffer was full.
    public var dropped: Int { source.mailbox.dropped }

    /// Ends the registration. The waiting elements can still be taken. After the last of them, the sequence ends in
    /// every task that iterates over it.
    public func finish() {
        source.mailbox.finish()
        source.token.end()
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
        /// - Returns: The element. Returns `nil` if the task is cancelled, or if no element is left after
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
