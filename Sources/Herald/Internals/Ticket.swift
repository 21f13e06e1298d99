#if os(Linux)
import CHeraldRuntime

/// Stands for a post that somebody waits for. Each element of the post that waits in a mailbox, or is being heard, holds
/// the ticket. When the last of them lets go of it, the wait is over. So no post waits for an element that was dropped
/// or whose registration has ended: nothing has to report the end of an element.
///
/// *Threads.* The `deinit` runs on the thread that lets go last. It may run code of the user's, an executor's `enqueue`,
/// so no thread lets go of a ticket while it has a lock.
@usableFromInline final class Ticket: Sendable {
    private let wait: Wait

    init(_ wait: Wait) {
        self.wait = wait
        herald_swift_ticket_made()
    }

    deinit {
        herald_swift_ticket_gone()
        wait.end()
    }

    /// The ticket of the post that is filling a mailbox on this thread.
    static var current: Ticket? {
        herald_swift_ticket().map { withInstance(of: Ticket.self, at: $0) { $0 } }
    }
}

/// The tickets of a mailbox's elements, by the numbers of the elements. All functions are called under the mailbox's
/// lock. They return the tickets that were taken out, which the caller releases outside the lock. An element may have
/// several tickets.
@usableFromInline final class Tickets: @unchecked Sendable {
    /// In the order of the numbers.
    private var held = Queue<(number: UInt64, ticket: Ticket)>()

    /// If the current post has a ticket, the element with this number holds it.
    @usableFromInline static func hold(in tickets: inout Tickets?, for number: UInt64, borrower: UInt) {
        if let ticket = Ticket.current { hold(ticket, in: &tickets, for: number, borrower: borrower) }
    }

    /// - Parameter borrower: The task that is calling the mailbox's body; 0: none.
    static func hold(_ ticket: Ticket, in tickets: inout Tickets?, for number: UInt64, borrower: UInt) {
        precondition(
            borrower == 0 || borrower != herald_swift_task(),
            """
            Herald: this body waits for a message that only the same observer can hear, after the body has returned. \
            Use post, or let a task of its own wait: Task { await center.postAndWait(message) }
            """)
        let all = tickets ?? Tickets()
        tickets = all
        all.held.append((number, ticket))
    }

    /// Takes the tickets with these numbers.
    @usableFromInline static func take(from tickets: inout Tickets?, _ numbers: ClosedRange<UInt64>) -> Tickets? {
        guard let all = tickets, let first = all.held.first, first.number <= numbers.upperBound else { return nil }
        let taken = Tickets()
        var kept = Queue<(number: UInt64, ticket: Ticket)>()
        while let (number, ticket) = all.held.popFirst() {
            if numbers.contains(number) {
                taken.held.append((number, ticket))
            } else {
                kept.append((number, ticket))
            }
            // Mostly the first tickets are taken. Then the others stay where they are.
            if kept.count == 0, let next = all.held.first, next.number > numbers.upperBound { return taken }
        }
        all.held = kept
        if kept.count == 0 { tickets = nil }
        return taken
    }
}
#endif
