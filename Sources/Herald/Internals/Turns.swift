public import CHerald

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
    @usableFromInline let scheduler: HeraldCenter.Run
    @usableFromInline let body: @Sendable (Element) -> Void

    @usableFromInline init(
        _ mailbox: Mailbox<Element>, _ scheduler: @escaping HeraldCenter.Run,
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
            asksAgain = mailbox.state.withLock { $0.work?.accept(turn) ?? false }
        }
    }

    /// Runs one turn.
    @inlinable func run(_ turn: Turn) {
        let begins = mailbox.state.withLock { state in
            let waiting = state.waiting.count
            return state.work?.begin(turn, waiting: waiting) ?? false
        }
        guard begins else { return }
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
        let asks = mailbox.state.withLock { state in
            let waiting = state.waiting.count
            return state.work?.end(turn, waiting: waiting) ?? false
        }
        if asks { ask() }
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
}
