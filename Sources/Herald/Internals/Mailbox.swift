public import Synchronization

/// Carries messages from posts, which do not wait, to the observer, in posting order. (Its elements are messages, or
/// posts of a name.)
///
/// The observer either waits in `next`, or is woken: a post calls `wake` when it has sent an element and it is not
/// certain that work will come for it. A task (`Stay`) is certain until it finds nothing; a turn in a queue (`Turns`)
/// from when the scheduler has it until it begins, so that a post at any other time asks for another, which comes
/// before whatever the posting thread puts into the queue afterwards.
///
/// *Threads.* One lock, taken for a few instructions. No user code runs under it (but `merge`, which is Herald's own),
/// and no user's value is released. *Ownership.* A mailbox owns an element until it is taken, is dropped to make room,
/// or the mailbox ends.
@usableFromInline final class Mailbox<Element: Sendable>: Delivery {
    @usableFromInline typealias Wake = @Sendable (Mailbox<Element>) -> Void
    /// Makes one element of two that follow each other.
    @usableFromInline typealias Merge = @Sendable (Element, Element) -> Element

    @usableFromInline struct State: Sendable {
        @usableFromInline var waiting = Queue<Element>()
        @usableFromInline var wake: Wake?
        /// Work has been asked for.
        @usableFromInline var isAwake = false
        /// Work will come that finds all that waits now, and before anything that is put behind it from now on.
        @usableFromInline var isCertain = false
        /// The turn that runs, for observers in a queue.
        @usableFromInline var turn: Turn?
        @usableFromInline var waiters = Waiters<Element>()
        /// What waits is still delivered, and nothing more is taken in.
        @usableFromInline var isFinished = false
        @usableFromInline var dropped = 0

        @usableFromInline init(wake: Wake?) { self.wake = wake }
    }

    @usableFromInline let state: Guarded<State>
    /// Set by `end`, before it drops what is in `state` under the lock: a thread that takes the lock later sees this,
    /// and `end` drops what a thread added that took the lock earlier.
    @usableFromInline let ended = Atomic(false)
    @usableFromInline let limit: Int
    /// What is dropped when there is no room: the oldest element that waits, or the new one.
    @usableFromInline let dropsOldest: Bool
    /// Called with the last element and a new one for which there is no room, so that none is dropped.
    @usableFromInline let merge: Merge?
    /// Whether the work is a task, which is certain to come once it is asked for.
    @usableFromInline let isForTask: Bool
    /// Whether an element counts at all. Called by the post, without the lock.
    @usableFromInline let isWanted: (@Sendable (Element) -> Bool)?
    /// How many elements are taken at a time. Where there is a limit it is one, because elements that have been taken
    /// do not count against the limit, and cannot be dropped for newer ones.
    @inlinable var batchLimit: Int { limit == .max ? 64 : 1 }

    /// - Parameters:
    ///   - buffer: How many elements may wait.
    ///   - merge: Joins an element for which there is no room to the last one; nil drops one of them.
    ///   - isWanted: Whether an element counts; nil: all do.
    ///   - isForTask: Whether `wake` starts a task.
    ///   - wake: Asks for work; nil if the observer waits in `next`.
    @usableFromInline init(
        _ buffer: HeraldCenter.Buffer, merge: Merge? = nil, where isWanted: (@Sendable (Element) -> Bool)? = nil,
        isForTask: Bool = false, wake: Wake? = nil
    ) {
        self.isForTask = isForTask
        self.merge = merge
        self.isWanted = isWanted
        (limit, dropsOldest) =
            switch buffer {
            case .newest(let count): (max(0, count), true)
            case .oldest(let count): (max(0, count), false)
            case .unbounded: (.max, true)
            }
        state = Guarded(State(wake: wake))
    }

    // ---- Called by posts

    @usableFromInline enum Outcome {
        case queued, ended
        case resume(Waiters<Element>.Continuation)
        case wake(Wake)
    }

    /// Sends an element to the observer. Returns false when the mailbox has ended.
    @inlinable func send(_ element: Element) -> Bool {
        if let isWanted, !isWanted(element) { return true }
        var surplus: Element?  // released outside the lock
        let outcome: Outcome = state.withLock { state in
            if isOver || state.isFinished { return .ended }
            if let waiter = state.waiters.popFirst() { return .resume(waiter) }
            let isIdle = state.wake != nil && !state.isAwake && state.turn == nil
            if isIdle || state.waiting.count < limit {  // an idle observer takes one, whatever the limit
                state.waiting.append(element)
            } else if let merge, state.waiting.count > 0 {
                state.waiting.replaceLast { merge($0, element) }
            } else {
                state.dropped += 1
                if dropsOldest && limit > 0 {
                    surplus = state.waiting.popFirst()
                    state.waiting.append(element)
                }
            }
            guard let wake = state.wake, !state.isCertain, state.waiting.count > 0 else { return .queued }
            if let turn = state.turn, turn.takesOneMore() { return .queued }
            state.isAwake = true
            state.isCertain = isForTask
            return .wake(wake)
        }
        withExtendedLifetime(surplus) {}
        switch outcome {
        case .queued: return true
        case .ended: return false
        case .resume(let waiter): waiter.resume(returning: element)
        case .wake(let wake): wake(self)
        }
        return true
    }

    /// Drops the elements that wait, and `wake`. Waiters get nil.
    @usableFromInline func end() {
        // After `finish` what waits is left to those who ask for it, and goes with the last of them.
        if state.withLock({ $0.isFinished }) { return }
        ended.store(true, ordering: .releasing)  // partner: `isOver`; a call that begins after this sees it
        let (left, waiters) = state.withLock { state in
            let left = (state.waiting, state.wake)
            state.waiting = Queue()
            state.wake = nil
            return (left, state.waiters.removeAll())
        }
        withExtendedLifetime(left) {}
        for waiter in waiters { waiter.resume(returning: nil) }
    }

    /// Takes no more elements in; those that wait can still be taken. Waiters get nil.
    func finish() {
        let waiters = state.withLock { state in
            state.isFinished = true
            return state.waiters.removeAll()
        }
        for waiter in waiters { waiter.resume(returning: nil) }
    }

    // ---- Called by the observer's work

    /// Whether the body must not be called any more, not even with elements that have been taken.
    @inlinable var isOver: Bool { ended.load(ordering: .acquiring) }

    @usableFromInline var dropped: Int { state.withLock { $0.dropped } }

    /// Takes the oldest elements into an empty batch. Returns false when there are none.
    @inlinable func take(into batch: inout [Element]) -> Bool {
        state.withLock { state in
            for _ in 0..<min(batchLimit, state.waiting.count) {
                batch.append(state.waiting.popFirst().unsafelyUnwrapped)
            }
        }
        return !batch.isEmpty
    }

    /// The task has found nothing and wants to end. Returns false when an element has been sent meanwhile.
    @inlinable func rest() -> Bool {
        state.withLock { state in
            state.isAwake = state.waiting.count > 0
            state.isCertain = state.isAwake
            return !state.isAwake
        }
    }

    /// The next element, without leaving the caller's actor; nil when the mailbox has ended or the task is cancelled.
    @inlinable func next(isolation: isolated (any Actor)?) async -> Element? {
        if Task.isCancelled { return nil }
        if let element = state.withLock({ $0.waiting.popFirst() }) { return element }
        return await nextToCome(isolation: isolation)
    }

    @usableFromInline func nextToCome(isolation: isolated (any Actor)?) async -> Element? {
        let number = state.withLock { $0.waiters.makeNumber() }
        return await withTaskCancellationHandler(
            operation: {
                await withUnsafeContinuation(isolation: isolation) { wait(number, $0) }
            },
            onCancel: { cancel(number) },
            isolation: isolation)
    }

    private func wait(_ number: Int, _ continuation: Waiters<Element>.Continuation) {
        let (ready, element): (Bool, Element?) = state.withLock { state in
            // Under the lock: a task is marked as cancelled before its handler takes the lock. So either this reads the
            // mark, or the handler finds the waiter.
            if isOver || Task.isCancelled { return (true, nil) }
            if let element = state.waiting.popFirst() { return (true, element) }
            if state.isFinished { return (true, nil) }
            state.waiters.append(number, continuation)
            return (false, nil)
        }
        if ready { continuation.resume(returning: element) }
    }

    private func cancel(_ number: Int) {
        state.withLock { $0.waiters.remove(number) }?.resume(returning: nil)
    }
}
