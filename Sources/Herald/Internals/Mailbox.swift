import Synchronization

/// Carries messages from posts, which do not wait, to the one who hears them, in posting order.
///
/// Who hears either waits in `next`, or is woken: `wake` is called when a message comes and nobody is at work, and
/// whoever it sets to work takes messages until `rest` says that there are none.
///
/// *Threads.* One lock, held for a few instructions; nothing of the user's runs or dies under it.
/// *Ownership.* A mailbox owns what waits in it until it is taken, makes room, or the mailbox ends.
@usableFromInline final class Mailbox<Message: Sendable>: Delivery {
    @usableFromInline typealias Wake = @Sendable (Mailbox<Message>) -> Void

    private struct Waiter {
        let number: Int
        let continuation: UnsafeContinuation<Message?, Never>
    }

    private struct State {
        var waiting = Queue<Message>()
        var wake: Wake?
        var isAtWork = false
        var isEnded = false
        var waiters: [Waiter] = []
        var lastNumber = 0
        var dropped = 0
    }

    private let state: Mutex<State>
    private let limit: Int
    private let keepsNewest: Bool

    /// `wake` nil: for waiting in `next`.
    @usableFromInline init(_ buffer: HeraldCenter.Buffer, wake: Wake? = nil) {
        (limit, keepsNewest) =
            switch buffer {
            case .newest(let count): (max(0, count), true)
            case .oldest(let count): (max(0, count), false)
            case .unbounded: (.max, true)
            }
        state = Mutex(State(wake: wake))
    }

    // ---- The poster's side

    private enum Outcome { case queued, ended, hand(Waiter), wake(Wake) }

    /// False: the mailbox has ended.
    @usableFromInline func send(_ message: Message) -> Bool {
        var surplus: Message?  // dies outside the lock
        let outcome: Outcome = state.withLock { state in
            if state.isEnded { return .ended }
            if !state.waiters.isEmpty { return .hand(state.waiters.removeFirst()) }
            if !state.isAtWork, let wake = state.wake {  // whoever is idle takes one, whatever the limit
                state.isAtWork = true
                state.waiting.append(message)
                return .wake(wake)
            }
            if state.waiting.count < limit {
                state.waiting.append(message)
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
        let ended = state.withLock { state in
            let ended = state
            state.isEnded = true
            state.waiting = Queue()
            state.wake = nil
            state.waiters = []
            return ended
        }
        for waiter in ended.waiters { waiter.continuation.resume(returning: nil) }
    }

    // ---- The side of who hears

    var dropped: Int { state.withLock { $0.dropped } }

    @usableFromInline func take() -> Message? { state.withLock { $0.waiting.popFirst() } }

    /// Who is at work has nothing left and rests. False: something has come meanwhile.
    @usableFromInline func rest() -> Bool {
        state.withLock { state in
            state.isAtWork = state.waiting.count > 0
            return !state.isAtWork
        }
    }

    /// The next message, on the caller's own actor; nil when the mailbox has ended or the task is cancelled.
    func next(isolation: isolated (any Actor)?) async -> Message? {
        if Task.isCancelled { return nil }
        if let message = take() { return message }
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        return await withTaskCancellationHandler(
            operation: {
                await withUnsafeContinuation(isolation: isolation) { continuation in
                    wait(Waiter(number: number, continuation: continuation))
                }
            },
            onCancel: { cancel(number) },
            isolation: isolation)
    }

    private func wait(_ waiter: Waiter) {
        let (ready, message): (Bool, Message?) = state.withLock { state in
            // Under the lock: a task is cancelled before its handler comes for the lock, so either this sees it, or the
            // handler finds the waiter.
            if state.isEnded || Task.isCancelled { return (true, nil) }
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
