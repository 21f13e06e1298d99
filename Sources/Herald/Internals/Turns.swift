import Glibc

/// The work of a mailbox in a queue that other work shares: each turn takes a batch of elements, and then goes to the
/// end of the queue.
///
/// Only a turn that finds nothing is the last, so that posts which follow each other need not call the scheduler, which
/// costs as much as twenty posts. If the scheduler runs a turn at once, inside the call of `ask`, that call asks for
/// the next turn: if the turn itself asked, each turn would stand on the stack of the one before.
@usableFromInline struct Turns<Element: Sendable>: Sendable {
    @usableFromInline let mailbox: Mailbox<Element>
    @usableFromInline let scheduler: HeraldCenter.Scheduler
    @usableFromInline let body: @Sendable (Element) -> Void

    @inlinable init(
        _ mailbox: Mailbox<Element>, _ scheduler: @escaping HeraldCenter.Scheduler,
        _ body: @escaping @Sendable (Element) -> Void
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

    /// One turn. Returns false when it has found nothing, and the work ends.
    @inlinable func take() -> Bool {
        var batch: [Element] = []
        if !mailbox.take(into: &batch), mailbox.rest() { return false }
        for element in batch where !mailbox.isOver { body(element) }
        return true
    }
}

/// Whether a turn runs inside the very call that asks for it. Only the asking thread reads and writes `isOpen`: any
/// other finds that it is not that thread, and reads no further.
@usableFromInline final class Question: @unchecked Sendable {
    private let thread = pthread_self()
    private var isOpen = true
    @usableFromInline var asksAgain = false

    @usableFromInline init() {}

    @usableFromInline var isBeingAsked: Bool { thread == pthread_self() && isOpen }

    @usableFromInline func close() { isOpen = false }
}
