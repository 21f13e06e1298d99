public import Synchronization

/// Carries messages from posts, which do not wait, to the one who hears them, in posting order.
///
/// Who hears either waits in `next`, or is woken: `wake` is called when a message comes and nobody is at work, and
/// whoever it sets to work takes messages until `rest` says that there are none.
///
/// *Threads.* One lock, held for a few instructions; nothing of the user's runs or dies under it.
/// *Ownership.* A mailbox owns what waits in it until it is taken, makes room, or the mailbox ends.
@usableFromInline final class Mailbox<Message: Sendable>: Delivery {
    @usableFromInline typealias Wake = @Sendable (Mailbox<Message>) -> Void
    /// Puts a message and the next one together.
    @usableFromInline typealias Merge = @Sendable (Message, Message) -> Message

    @usableFromInline struct Waiter: Sendable {
        @usableFromInline let number: Int
        @usableFromInline let continuation: UnsafeContinuation<Message?, Never>

        @inlinable init(_ number: Int, _ continuation: UnsafeContinuation<Message?, Never>) {
            self.number = number
            self.continuation = continuation
        }
    }

    @usableFromInline struct State: Sendable {
        @usableFromInline var waiting = Queue<Message>()
        @usableFromInline var wake: Wake?
        @usableFromInline var isAtWork = false
        @usableFromInline var waiters: [Waiter] = []
        @usableFromInline var lastNumber = 0
        @usableFromInline var dropped = 0

        @inlinable init(wake: Wake?) { self.wake = wake }
    }

    @usableFromInline let state: Guarded<State>
    /// Set before what is in `state` is dropped under its lock: who has the lock finds this set, or is found by `end`.
    @usableFromInline let ended = Atomic(false)
    @usableFromInline let limit: Int
    @usableFromInline let keepsNewest: Bool
    /// What becomes of a message for which there is no room, in place of being dropped.
    @usableFromInline let merge: Merge?
    /// How many are taken at a time. Where there is a limit what is taken must not grow old in the taker's hands.
    @inlinable var handful: Int { limit == .max ? 64 : 1 }

    /// `wake` nil: for waiting in `next`.
    @inlinable init(_ buffer: HeraldCenter.Buffer, merge: Merge? = nil, wake: Wake? = nil) {
        self.merge = merge
        (limit, keepsNewest) =
            switch buffer {
            case .newest(let count): (max(0, count), true)
            case .oldest(let count): (max(0, count), false)
            case .unbounded: (.max, true)
            }
        state = Guarded(State(wake: wake))
    }

    // ---- The poster's side

    @usableFromInline enum Outcome {
        case queued, ended
        case hand(Waiter)
        case wake(Wake)
    }

    /// False: the mailbox has ended.
    @inlinable func send(_ message: Message) -> Bool {
        var surplus: Message?  // dies outside the lock
        let outcome: Outcome = state.withLock { state in
            if isOver { return .ended }
            if !state.waiters.isEmpty { return .hand(state.waiters.removeFirst()) }
            if !state.isAtWork, let wake = state.wake {  // whoever is idle takes one, whatever the limit
                state.isAtWork = true
                state.waiting.append(message)
                return .wake(wake)
            }
            if state.waiting.count < limit {
                state.waiting.append(message)
            } else if let merge {
                state.waiting.replaceLast { merge($0, message) }
            } else {
                state.dropped += 1
                if keepsNewest && limit > 0 {
                    surplus = state.waiting.popFirst()
                    state.waiting.append(message)
                }
            }
            return .queued
        }
        withExtendedLifetime(surplus) {}
        switch outcome {
        case .queued: return true
        case .ended: return false
        case .hand(let waiter): waiter.continuation.resume(returning: message)
        case .wake(let wake): wake(self)
        }
        return true
    }

    /// Drops what waits and whoever would be woken; who waits gets nil.
    @usableFromInline func end() {
        ended.store(true, ordering: .releasing)  // partner: `isOver`; a call that begins after this sees it
        let left = state.withLock { state in
            let left = state
            state.waiting = Queue()
            state.wake = nil
            state.waiters = []
            return left
        }
        for waiter in left.waiters { waiter.continuation.resume(returning: nil) }
    }

    // ---- The side of who hears

    /// Whether what has been taken must not be heard any more.
    @inlinable var isOver: Bool { ended.load(ordering: .acquiring) }

    var dropped: Int { state.withLock { $0.dropped } }

    /// Takes the oldest ones into an empty hand; false when there are none.
    @inlinable func take(into hand: inout [Message]) -> Bool {
        state.withLock { state in
            for _ in 0..<min(handful, state.waiting.count) { hand.append(state.waiting.popFirst().unsafelyUnwrapped) }
        }
        return !hand.isEmpty
    }

    /// Who is at work has nothing left and rests. False: something has come meanwhile.
    @inlinable func rest() -> Bool {
        state.withLock { state in
            state.isAtWork = state.waiting.count > 0
            return !state.isAtWork
        }
    }

    /// The next message, on the caller's own actor; nil when the mailbox has ended or the task is cancelled.
    @inlinable func next(isolation: isolated (any Actor)?) async -> Message? {
        if Task.isCancelled { return nil }
        if let message = state.withLock({ $0.waiting.popFirst() }) { return message }
        return await nextToCome(isolation: isolation)
    }

    @usableFromInline func nextToCome(isolation: isolated (any Actor)?) async -> Message? {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        return await withTaskCancellationHandler(
            operation: {
                await withUnsafeContinuation(isolation: isolation) { wait(Waiter(number, $0)) }
            },
            onCancel: { cancel(number) },
            isolation: isolation)
    }

    private func wait(_ waiter: Waiter) {
        let (ready, message): (Bool, Message?) = state.withLock { state in
            // Under the lock: a task is cancelled before its handler comes for the lock, so either this sees it, or the
            // handler finds the waiter.
            if isOver || Task.isCancelled { return (true, nil) }
            if let message = state.waiting.popFirst() { return (true, message) }
            state.waiters.append(waiter)
            return (false, nil)
        }
        if ready { waiter.continuation.resume(returning: message) }
    }

    private func cancel(_ number: Int) {
        let waiter = state.withLock { state in
            state.waiters.firstIndex { $0.number == number }.map { state.waiters.remove(at: $0) }
        }
        waiter?.continuation.resume(returning: nil)
    }
}
