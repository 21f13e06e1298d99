public import Synchronization

/// Carries messages from posts, which do not wait, to the observer's task, in posting order. (Its elements are
/// messages, or posts of a name.)
///
/// The task either waits in `next`, or is started by `wake`: a post calls `wake` when it sends an element and no task
/// is at work. That task takes elements until `rest` returns true.
///
/// *Threads.* One lock, taken for a few instructions. No user code runs under it, and no user's value is released.
/// *Ownership.* A mailbox owns an element until it is taken, is dropped to make room, or the mailbox ends.
@usableFromInline final class Mailbox<Element: Sendable>: Delivery {
    @usableFromInline typealias Wake = @Sendable (Mailbox<Element>) -> Void
    /// Makes one element of two that follow each other.
    @usableFromInline typealias Merge = @Sendable (Element, Element) -> Element

    @usableFromInline struct Waiter: Sendable {
        @usableFromInline let number: Int
        @usableFromInline let continuation: UnsafeContinuation<Element?, Never>

        @inlinable init(_ number: Int, _ continuation: UnsafeContinuation<Element?, Never>) {
            self.number = number
            self.continuation = continuation
        }
    }

    @usableFromInline struct State: Sendable {
        @usableFromInline var waiting = Queue<Element>()
        @usableFromInline var wake: Wake?
        @usableFromInline var isAtWork = false
        @usableFromInline var waiters: [Waiter] = []
        @usableFromInline var lastNumber = 0
        @usableFromInline var dropped = 0

        @inlinable init(wake: Wake?) { self.wake = wake }
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
    /// How many elements are taken at a time. Where there is a limit it is one, because elements that have been taken
    /// do not count against the limit, and cannot be dropped for newer ones.
    @inlinable var batchLimit: Int { limit == .max ? 64 : 1 }

    /// - Parameters:
    ///   - buffer: How many elements may wait.
    ///   - merge: Joins an element for which there is no room to the last one; nil drops one of them.
    ///   - wake: Starts the observer's task; nil if the observer waits in `next`.
    @inlinable init(_ buffer: HeraldCenter.Buffer, merge: Merge? = nil, wake: Wake? = nil) {
        self.merge = merge
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
        case resume(Waiter)
        case wake(Wake)
    }

    /// Sends an element to the task. Returns false when the mailbox has ended.
    @inlinable func send(_ element: Element) -> Bool {
        var surplus: Element?  // released outside the lock
        let outcome: Outcome = state.withLock { state in
            if isOver { return .ended }
            if !state.waiters.isEmpty { return .resume(state.waiters.removeFirst()) }
            if !state.isAtWork, let wake = state.wake {  // an idle task takes one, whatever the limit
                state.isAtWork = true
                state.waiting.append(element)
                return .wake(wake)
            }
            if state.waiting.count < limit {
                state.waiting.append(element)
            } else if let merge {
                state.waiting.replaceLast { merge($0, element) }
            } else {
                state.dropped += 1
                if dropsOldest && limit > 0 {
                    surplus = state.waiting.popFirst()
                    state.waiting.append(element)
                }
            }
            return .queued
        }
        withExtendedLifetime(surplus) {}
        switch outcome {
        case .queued: return true
        case .ended: return false
        case .resume(let waiter): waiter.continuation.resume(returning: element)
        case .wake(let wake): wake(self)
        }
        return true
    }

    /// Drops the elements that wait, and `wake`. Waiters get nil.
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

    // ---- Called by the observer's task

    /// Whether the body must not be called any more, not even with elements that have been taken.
    @inlinable var isOver: Bool { ended.load(ordering: .acquiring) }

    var dropped: Int { state.withLock { $0.dropped } }

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
            state.isAtWork = state.waiting.count > 0
            return !state.isAtWork
        }
    }

    /// The next element, without leaving the caller's actor; nil when the mailbox has ended or the task is cancelled.
    @inlinable func next(isolation: isolated (any Actor)?) async -> Element? {
        if Task.isCancelled { return nil }
        if let element = state.withLock({ $0.waiting.popFirst() }) { return element }
        return await nextToCome(isolation: isolation)
    }

    @usableFromInline func nextToCome(isolation: isolated (any Actor)?) async -> Element? {
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
        let (ready, element): (Bool, Element?) = state.withLock { state in
            // Under the lock: a task is marked as cancelled before its handler takes the lock. So either this reads the
            // mark, or the handler finds the waiter.
            if isOver || Task.isCancelled { return (true, nil) }
            if let element = state.waiting.popFirst() { return (true, element) }
            state.waiters.append(waiter)
            return (false, nil)
        }
        if ready { waiter.continuation.resume(returning: element) }
    }

    private func cancel(_ number: Int) {
        let waiter = state.withLock { state in
            state.waiters.firstIndex { $0.number == number }.map { state.waiters.remove(at: $0) }
        }
        waiter?.continuation.resume(returning: nil)
    }
}
