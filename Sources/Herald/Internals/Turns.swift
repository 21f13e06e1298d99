#if os(Linux)
public import CHerald
public import CHeraldRuntime

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
/// A scheduler may release a turn without running it, for example when its operations are cancelled. The elements that
/// waited for this turn are dropped, unless another turn comes for them. The next element asks for a turn again.
///
/// *Threads.* A `Turn` is used under its mailbox's lock. Bodies run one after the other, even if the scheduler runs
/// turns at the same time: a turn that begins while another turn is running takes no elements. When the running turn
/// ends, it asks for a turn for the elements that are left.
/// *Ownership.* The piece of work has the turn, and the turn has the mailbox. A running turn borrows the body.
extension Mailbox {
    /// Asks the scheduler for a turn. If the turn ends before the scheduler returns, and leaves elements over, this
    /// function asks again.
    @inlinable func ask(_ scheduler: HeraldCenter.Run) {
        var asksAgain = true
        while asksAgain {
            let turn = Turn(of: self)
            scheduler { unsafeDowncast(turn.delivery.unsafelyUnwrapped, to: Mailbox<Element>.self).run(turn) }
            asksAgain = state.withLock { $0.work?.accept(turn) ?? false }
        }
    }

    /// Runs one turn.
    @inlinable func run(_ turn: Turn) {
        guard hear(turn) else { return }
        var asks = false
        let isLast = state.withLock { state in
            let waiting = state.waiting.count
            asks = state.work?.end(turn, waiting: waiting) ?? false
            return state.giveBack()
        }
        if isLast { settle() }
        if asks { state.withLock { $0.wake }?(self) }
    }

    /// Calls the body for the turn's elements. Returns false if another turn is running, or the mailbox has ended.
    /// After the result true the caller must end the turn, and give back the body.
    @inlinable func hear(_ turn: Turn) -> Bool {
        let borrowed: AnyObject? = state.withLock { state in
            let waiting = state.waiting.count
            guard state.body != nil, state.work?.begin(turn, waiting: waiting) == true else { return nil }
            return state.borrow()
        }
        guard let borrowed else { return false }
        let body = unsafeDowncast(borrowed, to: Body<Element>.self)
        var batch: [Element] = []
        var number: UInt64 = 0
        while take(into: &batch, turn, &number) {
            var left = batch.count
            for element in batch where !isOver {
                let begin = HeraldTraceIsOn() ? HeraldTraceNow() : 0
                guard body.call(element) else {
                    end()
                    break
                }
                if begin != 0 { heard(number, begin) }
                if herald_swift_has_tickets() { free(number) }
                number &+= 1
                left -= 1
            }
            if left > 0 && HeraldTraceIsOn() { lose(number, left) }
            batch.removeAll(keepingCapacity: true)
        }
        return true
    }

    @inlinable func take(into batch: inout [Element], _ turn: Turn, _ number: inout UInt64) -> Bool {
        state.withLock { state in
            number = state.firstNumber
            for _ in 0..<min(batchLimit, turn.left, state.waiting.count) {
                batch.append(state.waiting.popFirst().unsafelyUnwrapped)
                turn.left -= 1
            }
        }
        return !batch.isEmpty
    }
}

/// A body that is called in turns.
@usableFromInline final class Body<Element: Sendable>: Sendable {
    /// Returns false if the owner is gone. Then the mailbox ends.
    @usableFromInline let call: @Sendable (Element) -> Bool

    @usableFromInline init(_ call: @escaping @Sendable (Element) -> Bool) { self.call = call }
}
#endif
