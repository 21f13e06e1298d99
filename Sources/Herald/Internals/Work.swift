#if os(Linux)
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif
import Synchronization

/// When a mailbox asks for work (see `Mailbox`): a pure state machine. The mailbox calls it under its lock, asks for
/// work where it says so, and tells it what comes of that. WorkTests has a table of its cases, and tries all orders of
/// calls.
///
/// Work is a task, or turns. A task that was asked for comes. For a turn there are two steps: a thread calls the
/// scheduler, and the scheduler accepts the turn, which is when the call returns. A turn may begin in the call, and may
/// end there. A scheduler may release a turn without running it: then the turn is lost.
@usableFromInline package struct Work: Sendable {
    /// What is to come for the elements that wait.
    @usableFromInline package enum Coming: Sendable, Hashable {
        case nothing
        /// A thread is in the call by which it asks for a turn.
        case asked
        /// A turn that was accepted and has not begun; it runs before all work that is put into the queue from now on.
        /// Or a task that has not found the mailbox empty since it was asked for.
        case certain
    }

    @usableFromInline package let isTask: Bool
    @usableFromInline package var coming = Coming.nothing
    /// The turn that is running.
    @usableFromInline package var running: Turn?
    /// How many turns are to come: some thread must ask for them, asks for them or has asked for them, and they have
    /// neither begun nor been lost.
    @usableFromInline package var pending = 0

    @usableFromInline package init(isTask: Bool) { self.isTask = isTask }

    /// Whether an element that comes now is heard next. Such an element is accepted even if the mailbox has no room.
    @inlinable package func isIdle(waiting: Int) -> Bool {
        isTask ? coming == .nothing : running == nil && waiting == 0
    }

    /// An element was sent, and waits. Returns true if this thread must ask for work.
    @inlinable package mutating func mustAsk(on thread: pthread_t = pthread_self()) -> Bool {
        if coming == .certain { return false }
        if let running, running.takesOneMore(on: thread) { return false }
        coming = isTask ? .certain : .asked
        if !isTask { pending += 1 }
        return true
    }

    // ---- Turns

    /// A turn begins. Returns false if another turn is running. Then that turn takes care of the waiting elements.
    @inlinable package mutating func begin(_ turn: Turn, waiting: Int, on thread: pthread_t = pthread_self()) -> Bool {
        coming = .nothing
        if !turn.hasBegun { pending -= 1 }
        turn.hasBegun = true
        guard running == nil else { return false }
        running = turn
        turn.begin(with: waiting, on: thread)
        return true
    }

    /// The running turn ends. Returns true if this thread must ask for the next turn.
    @inlinable package mutating func end(_ turn: Turn, waiting: Int) -> Bool {
        running = nil
        guard waiting > 0, coming != .certain else { return false }
        coming = .asked
        pending += 1
        return !turn.isLeftToAsker()
    }

    /// The scheduler has released a turn that has not begun. Returns true if the elements that wait are lost, because
    /// no other turn comes for them. Then the next element asks for a turn again.
    package mutating func lose() -> Bool {
        pending -= 1
        // If other turns are pending, it is not known whether one of them was accepted.
        coming = pending > 0 ? .asked : .nothing
        return pending == 0 && running == nil  // the running turn asks for the next turn when it ends
    }

    /// The scheduler has accepted the turn: the call has returned. Returns true if this thread must call it again.
    @inlinable package mutating func accept(_ turn: Turn) -> Bool {
        if !turn.hasBegun { coming = .certain }
        return turn.closeQuestion()
    }

    // ---- A task

    /// The task has found the mailbox empty. Returns true if the task may end, and false if an element has been sent
    /// since.
    @inlinable package mutating func rest(waiting: Int) -> Bool {
        coming = waiting > 0 ? .certain : .nothing
        return waiting == 0
    }
}

/// One turn, and the call by which a thread asks the scheduler for the turn. The piece of work that the scheduler gets
/// has one reference to the turn, and the asking thread has one until the call has returned. If both are gone and the
/// turn has not begun, the turn is lost. All fields and functions are used under the mailbox's lock.
@usableFromInline package final class Turn: @unchecked Sendable {
    /// How many more elements the turn takes.
    @usableFromInline package var left = 0
    private let begun = Atomic(false)
    /// Relaxed: changes under the mailbox's lock. The `deinit` reads it after the last reference is gone.
    @usableFromInline package var hasBegun: Bool {
        get { begun.load(ordering: .relaxed) }
        set { begun.store(newValue, ordering: .relaxed) }
    }
    /// The mailbox. Nil in a test of `Work`.
    @usableFromInline let delivery: Delivery?
    /// The turn's own bodies may send elements to the mailbox. The turn may take this many more of these elements. The
    /// limit lets other work of the queue run.
    package private(set) var extra: Int
    package private(set) var thread: pthread_t?
    /// The call of the scheduler has not returned.
    package private(set) var isAsking = true
    package private(set) var asksAgain = false

    package init(extra: Int) { (self.extra, delivery) = (extra, nil) }

    @usableFromInline init(of delivery: Delivery) { (extra, self.delivery) = (1024, delivery) }

    deinit { if !hasBegun { delivery?.loseTurn() } }

    @usableFromInline package func begin(with count: Int, on thread: pthread_t) {
        left = count
        self.thread = thread
    }

    /// Called on the running turn when an element has been sent. Returns true if one of the turn's own bodies has sent
    /// the element, and the call that asked for the turn has not returned. Then the body must not ask for a second
    /// turn.
    @usableFromInline package func takesOneMore(on thread: pthread_t) -> Bool {
        guard isAsking, self.thread == thread else { return false }
        if extra > 0 {
            extra -= 1
            left += 1
        }
        return true  // if `extra` is used up, the element is left over, and the asking thread asks again
    }

    /// Whether the asking thread is still in its call of the scheduler. If so, that thread asks for the next turn when
    /// the call returns.
    @usableFromInline package func isLeftToAsker() -> Bool {
        asksAgain = isAsking
        return isAsking
    }

    /// The call of the scheduler has returned. Returns true if the scheduler must be called again.
    @usableFromInline package func closeQuestion() -> Bool {
        isAsking = false
        return asksAgain
    }
}
#endif
