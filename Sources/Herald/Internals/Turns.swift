public import CHerald
import Glibc

/// The work of a mailbox in a queue that other work shares.
///
/// What a thread has posted before it puts a block on a serial queue is heard before that block runs: a post asks the
/// scheduler for a turn unless the scheduler has one that has not begun, and a turn takes all that waited when it
/// began. (A turn that another thread is still asking for does not count: it may come behind the block.) Then other
/// work has its turn.
///
/// A scheduler may run the turn inside the call that asks for it, or wait for it (`queue.sync`). Then nobody can ask
/// for another from inside the turn: it would stand on the stack of this one, or wait for it. So a post from the body
/// of such a turn is heard in this turn, and for what is left over the asking thread asks again.
///
/// *Threads.* A mailbox's lock guards its turn. Bodies run one after the other, whatever the scheduler does: a turn
/// that begins while another is running leaves its elements to that one.
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

    /// Asks the scheduler for a turn, and for another as long as it runs them inside this call and there is work.
    @inlinable func ask() {
        var asksAgain = true
        while asksAgain {
            let turn = Turn()
            scheduler { run(turn) }
            asksAgain = close(turn)
        }
    }

    /// The call of the scheduler has returned. Returns true when it is to be called again.
    @inlinable func close(_ turn: Turn) -> Bool {
        mailbox.state.withLock { state in
            if !turn.hasBegun { state.isCertain = true }
            return turn.closeQuestion()
        }
    }

    /// One turn.
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

    /// Returns false when another turn is running, which takes what there is.
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

    /// Returns true when this thread is to ask for the next turn.
    @inlinable func end(_ turn: Turn) -> Bool {
        mailbox.state.withLock { state in
            state.turn = nil
            guard state.waiting.count > 0, !state.isCertain, state.wake != nil else { return false }
            state.isAwake = true
            return !turn.isLeftToAsker()
        }
    }
}

/// One turn, and the question that has been put to the scheduler for it. All of it under the mailbox's lock.
@usableFromInline final class Turn: @unchecked Sendable {
    /// How many elements it still takes.
    @usableFromInline var left = 0
    @usableFromInline var hasBegun = false
    /// How many more it may take of those that its own bodies post. Then the others in the queue have waited long
    /// enough.
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

    /// Whether this turn, which is running, takes the element that has just been sent.
    @usableFromInline func takesOneMore() -> Bool {
        guard isAsking, thread == pthread_self() else { return false }
        if extra > 0 {
            extra -= 1
            left += 1
        }
        return true  // without a rest it is left to the asker, who cannot be asked from here
    }

    /// Whether the asker asks for the next turn, when its call of the scheduler returns.
    @usableFromInline func isLeftToAsker() -> Bool {
        asksAgain = isAsking
        return isAsking
    }

    /// Returns true when the scheduler is to be called again.
    @usableFromInline func closeQuestion() -> Bool {
        isAsking = false
        return asksAgain
    }
}
