#if os(Linux)
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
        source = Source(mailbox, token, nil)
    }

    init(
        _ mailbox: Mailbox<Element>, _ token: consuming HeraldCenter.ObservationToken, _ registrations: ObservationBag
    ) {
        source = Source(mailbox, token, registrations)
    }

    /// How many elements were dropped because the buffer was full.
    public var dropped: Int { source.mailbox.dropped }

    /// Ends the registration. The waiting elements can still be taken. After the last of them, the sequence ends in
    /// every task that iterates over it.
    public func finish() {
        source.mailbox.finish()
        source.end()
    }

    /// Calls a closure with the sequence, which ends with the closure.
    @usableFromInline func during<Result>(
        isolation: isolated (any Actor)?, _ body: (Messages<Element>) async throws -> Result
    ) async rethrows -> Result {
        defer {
            source.mailbox.abandon()
            source.end()
        }
        return try await body(self)
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
        private let token: HeraldCenter.ObservationToken
        /// The registrations of a sequence of several types.
        private let others: ObservationBag?

        init(
            _ mailbox: Mailbox<Element>, _ token: consuming HeraldCenter.ObservationToken, _ others: ObservationBag?
        ) {
            self.mailbox = mailbox
            self.token = token
            self.others = others
        }

        /// Ends the registrations, and does not wait.
        func end() {
            token.end()
            others?.end()
        }
    }
}
#endif
