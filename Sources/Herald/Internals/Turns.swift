public import CHerald
import Glibc

/// Takes the elements of a mailbox (see `Mailbox`) and calls the body, on a queue that other work uses too. The
/// elements are taken in *turns*. The scheduler runs each turn as one piece of the queue's work.
///
/// If a thread posts and then puts a block on the same serial queue, the post is heard before the block runs. There are
/// two reasons. A turn takes all elements that waited when the turn began. And a post asks the scheduler for a turn,
/// unless the scheduler has accepted a turn that has not begun. (A turn that another thread is still asking for does
/// not count, because that turn may come behind the block.) After a turn, other work of the queue runs.
///
/// A scheduler may run a turn inside the call that asks for the turn, or may wait in this call until the turn has run
/// (`queue.sync`). A body in such a turn cannot ask for a second turn: the second turn would run on the stack of the
/// first, or each would wait for the other. So if a body in such a turn posts an element to its own mailbox, the
/// running turn takes that element too. If elements are left over, the thread that asked for the turn asks again.
///
/// *Threads.* A `Turn` is used under its mailbox's lock. Bodies run one after the other, even if the scheduler runs
/// turns at the same time: a turn that begins while another turn is running takes no elements. When the running turn
/// ends, it asks for a turn for the elements that are left.
@usableFromInline struct Turns<Element: Sendable>: Sendable {
    @usableFromInline let mailbox: Mailbox<Element>
    @usableFromInline let scheduler: HeraldCenter.Scheduler
    @usableFromInline let body: @Sendable (Element) -> Void

    @usableFromInline init(
        _ mailbox: Mailbox<Element>, _ scheduler: @escaping HeraldCenter.Scheduler,
        _ body: @escaping @Sendable (Element) -> Void
    ) {
        self.mailbox = mailbox
        self.scheduler = scheduler
        self.body = body
    }

    /// Asks the scheduler for a turn. If the turn ends before the scheduler returns, and leaves elements over, this
    /// function asks again.
    @inlinable func ask() {
        var asksAgain = true
        while asksAgain {
            let turn = Turn()
            scheduler { run(turn) }
            asksAgain = close(turn)
        }
    }

    /// Called when the scheduler has returned. Returns true if the scheduler must be called again.
    @inlinable func close(_ turn: Turn) -> Bool {
        mailbox.state.withLock { state in
            if !turn.hasBegun { state.isCertain = true }
            return turn.closeQuestion()
        }
    }

    /// Runs one turn.
    @inlinable func run(_ turn: Turn) {
        guard begin(turn) else { return }
        var batch: [Element] = []
        var number: UInt64 = 0
        while take(into: &batch, turn, &number) {
            var left = batch.count
            for element in batch where !mailbox.isOver {
                let begin = HeraldTraceIsOn() ? HeraldTraceNow() : 0
                body(element)
                if begin != 0 { mailbox.heard(number, begin) }
                number &+= 1
                left -= 1
            }
            if left > 0 && HeraldTraceIsOn() { mailbox.lose(number, left) }
            batch.removeAll(keepingCapacity: true)
        }
        if end(turn) { ask() }
    }

    /// Returns false if another turn is running. Then that turn takes care of the waiting elements.
    @inlinable func begin(_ turn: Turn) -> Bool {
        mailbox.state.withLock { state in
            state.isAwake = false
            state.isCertain = false
            turn.hasBegun = true
            guard state.turn == nil else { return false }
            state.turn = turn
            turn.begin(with: state.waiting.count)
            return true
        }
    }

    @inlinable func take(into batch: inout [Element], _ turn: Turn, _ number: inout UInt64) -> Bool {
        mailbox.state.withLock { state in
            number = state.firstNumber
            for _ in 0..<min(mailbox.batchLimit, turn.left, state.waiting.count) {
                batch.append(state.waiting.popFirst().unsafelyUnwrapped)
                turn.left -= 1
            }
        }
        return !batch.isEmpty
    }

    /// Returns true if this thread must ask for the next turn.
    @inlinable func end(_ turn: Turn) -> Bool {
        mailbox.state.withLock { state in
            state.turn = nil
            guard state.waiting.count > 0, !state.isCertain, state.wake != nil else { return false }
            state.isAwake = true
            return !turn.isLeftToAsker()
        }
    }
}

/// One turn, and the call by which a thread asks the scheduler for the turn. All fields and functions are used under
/// the mailbox's lock.
@usableFromInline final class Turn: @unchecked Sendable {
    /// How many more elements the turn takes.
    @usableFromInline var left = 0
    @usableFromInline var hasBegun = false
    /// The turn's own bodies may send elements to the mailbox. The turn may take this many more of these elements. The
    /// limit lets other work of the queue run.
    private var extra = 1024
    private var thread: pthread_t?
    /// The call of the scheduler has not returned.
    private var isAsking = true
    private var asksAgain = false

    @usableFromInline init() {}

    @usableFromInline func begin(with count: Int) {
        left = count
        thread = pthread_self()
    }

    /// Called on the running turn when an element has been sent. Returns true if one of the turn's own bodies has sent
    /// the element, and the call that asked for the turn has not returned. Then the body must not ask for a second
    /// turn.
    @usableFromInline func takesOneMore() -> Bool {
        guard isAsking, thread == pthread_self() else { return false }
        if extra > 0 {
            extra -= 1
            left += 1
        }
        return true  // if `extra` is used up, the element is left over, and the asking thread asks again
    }

    /// Whether the asking thread is still in its call of the scheduler. If so, that thread asks for the next turn when
    /// the call returns.
    @usableFromInline func isLeftToAsker() -> Bool {
        asksAgain = isAsking
        return isAsking
    }

    /// The call of the scheduler has returned. Returns true if the scheduler must be called again.
    @usableFromInline func closeQuestion() -> Bool {
        isAsking = false
        return asksAgain
    }
}
