extension HeraldCenter {
    /// The messages of a type from now on, as a sequence: registered when this returns, not when a loop begins.
    ///
    /// ```swift
    /// for await saved in center.messages(DocumentSaved.self) { ... }
    /// ```
    ///
    /// The buffer is what waits while nobody asks. ``Messages/dropped`` counts what has been lost to it.
    @inlinable
    public func messages<M: Message & Sendable>(
        _: M.Type, subject: AnySubject = nil, buffer: Buffer = .newest(256)
    ) -> Messages<M> {
        let mailbox = Mailbox<M>(buffer)
        return Messages(mailbox, observe(M.self, .any, mailbox))
    }

    /// The messages of a type about one instance from now on, as a sequence.
    @inlinable @_disfavoredOverload @_documentation(visibility: internal)
    public func messages<M: Message & Sendable>(
        _: M.Type, subject: M.Subject?, buffer: Buffer = .newest(256)
    ) -> Messages<M> {
        let mailbox = Mailbox<M>(buffer)
        return Messages(mailbox, observe(M.self, Filter(subject), mailbox))
    }

    /// The posts of a name from now on, as a sequence.
    public func messages(
        named name: Name, subject: AnySubject = nil, buffer: Buffer = .newest(256)
    ) -> Messages<Posted> {
        let mailbox = Mailbox<Posted>(buffer)
        return Messages(mailbox, observe(name, .any, mailbox))
    }

    /// The posts of a name about one instance from now on, as a sequence.
    @_disfavoredOverload @_documentation(visibility: internal)
    public func messages(
        named name: Name, subject: AnyObject?, buffer: Buffer = .newest(256)
    ) -> Messages<Posted> {
        let mailbox = Mailbox<Posted>(buffer)
        return Messages(mailbox, observe(name, Filter(subject), mailbox))
    }

    /// The next message of a type; `nil` when the task is cancelled. Registered when the call begins: a message posted
    /// after it has been suspended is not missed.
    @inlinable
    public func next<M: Message & Sendable>(
        _ type: M.Type, subject: AnySubject = nil, isolation: isolated (any Actor)? = #isolation
    ) async -> M? {
        let messages = messages(type, buffer: .oldest(1)).makeAsyncIterator()
        return await messages.next(isolation: isolation)
    }

    /// The next message of a type about one instance; `nil` when the task is cancelled.
    @inlinable @_disfavoredOverload @_documentation(visibility: internal)
    public func next<M: Message & Sendable>(
        _ type: M.Type, subject: M.Subject?, isolation: isolated (any Actor)? = #isolation
    ) async -> M? {
        let messages = messages(type, subject: subject, buffer: .oldest(1)).makeAsyncIterator()
        return await messages.next(isolation: isolation)
    }
}

/// Messages as they come. The observation ends when the sequence and its iterators are gone.
///
/// Several iterators share one buffer: each message goes to one of them. In a cancelled task the sequence is at its
/// end. An element that is waiting is handed over on the caller's own actor, without a hop.
public struct Messages<Element: Sendable>: AsyncSequence, Sendable {
    public typealias Failure = Never

    @usableFromInline let source: Source

    @inlinable init(_ mailbox: Mailbox<Element>, _ token: consuming HeraldCenter.ObservationToken) {
        source = Source(mailbox, token)
    }

    /// How many messages the buffer has not been able to keep.
    public var dropped: Int { source.mailbox.dropped }

    @inlinable public func makeAsyncIterator() -> Iterator { Iterator(source) }

    public struct Iterator: AsyncIteratorProtocol {
        @usableFromInline let source: Source

        @inlinable init(_ source: Source) { self.source = source }

        @inlinable public func next(isolation: isolated (any Actor)? = #isolation) async -> Element? {
            await source.mailbox.next(isolation: isolation)
        }
    }

    @usableFromInline final class Source: Sendable {
        @usableFromInline let mailbox: Mailbox<Element>
        @usableFromInline let token: HeraldCenter.ObservationToken

        @inlinable init(_ mailbox: Mailbox<Element>, _ token: consuming HeraldCenter.ObservationToken) {
            self.mailbox = mailbox
            self.token = token
        }
    }
}
