import Glibc

/// Work in a queue, which others share: a handful of messages, and then to the end of the queue again.
///
/// Only a turn that finds nothing is the last, so that posts which follow each other need not wake anybody, which costs
/// as much as twenty posts. A piece that is run at once, while the scheduler is being asked, leaves asking again to the
/// one who asks: else each turn would stand on the stack of the one before.
@usableFromInline struct Turns<Message: Sendable>: Sendable {
    @usableFromInline let mailbox: Mailbox<Message>
    @usableFromInline let scheduler: HeraldCenter.Scheduler
    @usableFromInline let body: @Sendable (Message) -> Void

    @inlinable init(
        _ mailbox: Mailbox<Message>, _ scheduler: @escaping HeraldCenter.Scheduler,
        _ body: @escaping @Sendable (Message) -> Void
    ) {
        self.mailbox = mailbox
        self.scheduler = scheduler
        self.body = body
    }

    /// Asks the scheduler for a turn, and for another as long as there is work.
    @inlinable func ask() {
        let question = Question()
        repeat {
            question.asksAgain = false
            scheduler {
                let isMore = take()
                if question.isBeingAsked { question.asksAgain = isMore } else if isMore { ask() }
            }
        } while question.asksAgain
        question.close()
    }

    /// One turn; false when it has found nothing, and rests.
    @inlinable func take() -> Bool {
        var hand: [Message] = []
        if !mailbox.take(into: &hand), mailbox.rest() { return false }
        for message in hand where !mailbox.isOver { body(message) }
        return true
    }
}

/// Whether a piece of work runs inside the very call that asks for it. Used by the asking thread alone: another finds
/// that it is not that thread, and looks no further.
@usableFromInline final class Question: @unchecked Sendable {
    private let thread = pthread_self()
    private var isOpen = true
    @usableFromInline var asksAgain = false

    @usableFromInline init() {}

    @usableFromInline var isBeingAsked: Bool { thread == pthread_self() && isOpen }

    @usableFromInline func close() { isOpen = false }
}
