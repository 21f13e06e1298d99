#if os(Linux)
public import CHerald
public import CHeraldRuntime
public import Synchronization

/// Carries elements from posts to one observer, in posting order. An element is a message, or a post of a name.
///
/// There are two kinds of observers. An observer of the first kind, a sequence, takes its elements itself, and waits
/// for them in `next`. For an observer of the second kind, *work* takes the elements and calls the body. Work is a task
/// (`Stay`), or a turn (`Turns`), which a scheduler puts into a queue.
///
/// A post that has sent an element calls `wake` to ask for work, unless work is already certain to come for the element
/// (`Work`). So a turn for the element runs before all work that the posting thread puts into the queue after its post.
/// A post waits only if the scheduler waits.
///
/// *Threads.* A thread has the mailbox's one lock only for a few instructions. Under the lock a thread runs no user
/// code, and releases no value of the user's. (`merge` runs under the lock, but is Herald's own.)
/// *Ownership.* A mailbox owns an element until the element is taken or dropped, or the mailbox ends. The mailbox also
/// owns the body. Work has the mailbox alone, and borrows the body while it runs. So the body is released when the
/// mailbox ends, or when the work that is then running gives it back, even if the queue keeps work that has not begun.
@usableFromInline package final class Mailbox<Element: Sendable>: Delivery, @unchecked Sendable {
    @usableFromInline package typealias Wake = @Sendable (Mailbox<Element>) -> Void
    /// Makes one element of two successive elements.
    @usableFromInline package typealias Merge = @Sendable (Element, Element) -> Element

    @usableFromInline struct State: Sendable {
        @usableFromInline var waiting = Queue<Element>()
        /// Asks for work. Nil if the observer waits in `next`, or the mailbox has ended.
        @usableFromInline var wake: Wake?
        /// The body: a `Body`, or a `Stay` if the work is a task. Nil if the observer waits in `next`, or the mailbox
        /// has ended.
        @usableFromInline var body: (any AnyObject & Sendable)?
        /// How many threads and tasks have the body: those that have borrowed it, and those that are releasing it
        /// because the mailbox has ended.
        @usableFromInline var borrowers = 0
        /// The mailbox calls these closures once it has ended and nobody has the body any more.
        @usableFromInline var thens: [@Sendable () -> Void] = []
        /// Nil if the observer waits in `next`.
        @usableFromInline var work: Work?
        @usableFromInline var waiters = Waiters<Element>()
        /// No more elements are accepted. The waiting elements are still delivered.
        @usableFromInline var isFinished = false
        @usableFromInline var dropped = 0
        /// How many elements have gone into `waiting` or to a waiting task. Traces number the elements by this count,
        /// from 1. The elements in `waiting` have the newest numbers.
        @usableFromInline var entered: UInt64 = 0
        /// The tickets of elements that have not been heard. Nil: nobody waits for an element.
        @usableFromInline var tickets: Tickets?
        /// The task that last borrowed the body, and calls it; 0 if nobody has the body.
        @usableFromInline var task: UInt = 0

        @usableFromInline init(_ body: (any AnyObject & Sendable)?, _ work: Work?, _ wake: Wake?) {
            self.body = body
            self.work = work
            self.wake = wake
        }

        /// Returns the body, and counts the caller as a borrower. Nil if there is no body.
        @inlinable mutating func borrow() -> AnyObject? {
            if body != nil { borrowers += 1 }
            return body
        }

        /// A borrower gives the body back: call this after the last reference to the body is gone. Returns true if the
        /// caller must call `settle`.
        @inlinable mutating func giveBack() -> Bool {
            borrowers -= 1
            if borrowers == 0 { task = 0 }
            return borrowers == 0 && (!thens.isEmpty || tickets != nil)
        }

        /// The last element that has entered gets the ticket of the post that is filling the mailbox.
        @inlinable mutating func hold() {
            Tickets.hold(in: &tickets, for: entered, borrower: borrowers > 0 ? task : 0)
        }
    }

    @usableFromInline let state: Guarded<State>
    /// `end` takes the lock, sets this flag, and drops the elements in `state`. A post that takes the lock later sees the
    /// flag, and sends nothing. A post that took the lock earlier has left its element in `state`, where `end` drops it.
    @usableFromInline let ended = Atomic(false)
    @usableFromInline let limit: Int
    /// When there is no room: if true, the oldest waiting element is dropped; if false, the new element is dropped.
    @usableFromInline let dropsOldest: Bool
    /// When there is no room, joins a new element to the last waiting element, so that no element is dropped.
    @usableFromInline let merge: Merge?
    /// Returns whether an element is accepted. Nil: every element is accepted. Posts call this function without the
    /// lock.
    @usableFromInline let isWanted: (@Sendable (Element) -> Bool)?
    /// How many elements the work takes at a time. If the mailbox has a limit, the work takes only one at a time,
    /// because an element that was taken no longer counts against the limit, and can no longer be dropped for a newer
    /// element.
    @inlinable var batchLimit: Int { limit == .max ? 64 : 1 }

    /// - Parameters:
    ///   - buffer: How many elements may wait.
    ///   - merge: When there is no room, joins a new element to the last waiting element. Nil: an element is dropped
    ///     instead.
    ///   - isWanted: Returns whether an element is accepted. Nil: every element is accepted.
    ///   - body: A `Body`, or a `Stay`. Its type is not said, because this function is not specialized, and would have
    ///     to make the type's metadata.
    ///   - isForTask: Whether the body is a `Stay`, and `wake` starts a task.
    ///   - wake: Asks for work. It must not have the body. Nil if the observer waits in `next`.
    @usableFromInline package init(
        _ buffer: HeraldCenter.Buffer, merge: Merge? = nil, where isWanted: (@Sendable (Element) -> Bool)? = nil,
        body: (any AnyObject & Sendable)? = nil, isForTask: Bool = false, wake: Wake? = nil
    ) {
        self.merge = merge
        self.isWanted = isWanted
        (limit, dropsOldest) =
            switch buffer {
            case .newest(let count): (max(0, count), true)
            case .oldest(let count): (max(0, count), false)
            case .unbounded: (.max, true)
            }
        state = Guarded(State(body, wake.map { _ in Work(isTask: isForTask) }, wake))
        super.init()
    }

    // ---- Called by posts

    @usableFromInline enum Outcome {
        case queued, ended
        case resume(Waiters<Element>.Continuation)
        case wake(Wake)
    }

    /// Sends an element to the observer. Returns false if the mailbox has ended or is finished.
    /// - Parameter isKept: The element was kept when the observer began. Such an element is accepted even if there is no
    ///   room.
    @inlinable package func send(_ element: Element, isKept: Bool = false) -> Bool {
        if let isWanted, !isWanted(element) { return true }
        var surplus: Element?, freed: Tickets?  // released outside the lock
        var told: Told?
        let outcome: Outcome = state.withLock { state in
            if isOver || state.isFinished { return .ended }
            if let waiter = state.waiters.popFirst() {
                state.entered += 1
                if HeraldTraceIsOn() { told = Told(state.entered, .resumed) }
                return .resume(waiter)
            }
            let isIdle = state.work?.isIdle(waiting: state.waiting.count) ?? false
            // An idle observer gets an element even if the limit is 0.
            if isIdle || isKept || state.waiting.count < limit {
                state.waiting.append(element)
                state.entered += 1
                if herald_swift_has_tickets() { state.hold() }
                if HeraldTraceIsOn() { told = Told(state.entered, .waits) }
            } else if let merge, state.waiting.count > 0 {
                state.waiting.replaceLast { merge($0, element) }
                if herald_swift_has_tickets() { state.hold() }
                if HeraldTraceIsOn() { told = Told(state.entered, .merged) }
            } else {
                state.dropped += 1
                if HeraldTraceIsOn() { told = Told(state.entered, .refused) }
                if dropsOldest && limit > 0 {
                    if told != nil { told = Told(state.entered + 1, .displaced(state.firstNumber)) }
                    if state.tickets != nil {
                        freed = Tickets.take(from: &state.tickets, state.firstNumber...state.firstNumber)
                    }
                    surplus = state.waiting.popFirst()
                    state.waiting.append(element)
                    state.entered += 1
                    if herald_swift_has_tickets() { state.hold() }
                }
            }
            guard let wake = state.wake, state.waiting.count > 0, state.work?.mustAsk() == true else {
                return .queued
            }
            return .wake(wake)
        }
        withExtendedLifetime(surplus) {}
        withExtendedLifetime(freed) {}
        if let told { tell(told) }
        switch outcome {
        case .queued: return true
        case .ended: return false
        case .resume(let waiter): waiter.resume(returning: element)
        case .wake(let wake): wake(self)
        }
        return true
    }

    /// Ends the mailbox: drops the waiting elements, the body and `wake`. Waiters get nil.
    @usableFromInline override func end(then: (@Sendable () -> Void)?) {
        // After `finish`, tasks may still take the waiting elements. Elements that nobody takes are freed with the
        // mailbox.
        if dropAll(then: then) {
            giveBack()
        } else {
            then?()
        }
    }

    /// Returns false if the mailbox is finished. Otherwise this thread counts as a borrower until the caller gives the
    /// body back.
    private func dropAll(then: (@Sendable () -> Void)?) -> Bool {
        var number: UInt64 = 0
        var wake: Wake?
        var body: (any AnyObject & Sendable)?
        var left = Queue<Element>()
        var freed: Tickets?  // all four are released outside the lock
        let waiters: [Waiters<Element>.Continuation]? = state.withLock { state in
            if state.isFinished { return nil }
            ended.store(true, ordering: .releasing)  // partner: the acquire in `isOver`
            number = state.firstNumber
            freed = Tickets.take(from: &state.tickets, number ... .max)
            swap(&left, &state.waiting)
            swap(&wake, &state.wake)
            swap(&body, &state.body)
            state.borrowers += 1
            if let then { state.thens.append(then) }
            return state.work == nil ? state.waiters.removeAll() : []  // only an observer without work waits
        }
        guard let waiters else { return false }
        if HeraldTraceIsOn() { lose(number, left.count) }
        withExtendedLifetime(freed) {}
        for waiter in waiters { waiter.resume(returning: nil) }
        return true
    }

    @inlinable func giveBack() {
        if state.withLock({ $0.giveBack() }) { settle() }
    }

    /// If nobody has the body any more: frees the tickets of all elements that were taken, and calls what is to be
    /// called then.
    @usableFromInline func settle() {
        let (thens, freed): ([@Sendable () -> Void], Tickets?) = state.withLock { state in
            if state.borrowers > 0 { return ([], nil) }
            defer { state.thens = [] }
            return (state.thens, Tickets.take(from: &state.tickets, 0...(state.firstNumber &- 1)))
        }
        withExtendedLifetime(freed) {}
        for then in thens { then() }
    }

    /// The element with this number has been heard: frees its ticket.
    @inlinable func free(_ number: UInt64) {
        let freed = state.withLock { Tickets.take(from: &$0.tickets, 0...number) }
        withExtendedLifetime(freed) {}
    }

    @usableFromInline override var isQuiet: Bool { state.withLock { $0.borrowers == 0 } }

    /// A turn was released without having begun. If no other turn comes, the waiting elements are lost.
    @usableFromInline override func loseTurn() {
        var number: UInt64 = 0
        var freed: Tickets?
        let left: Queue<Element> = state.withLock { state in
            guard state.work?.lose() == true else { return Queue() }
            number = state.firstNumber
            freed = Tickets.take(from: &state.tickets, number ... .max)
            state.dropped += state.waiting.count
            defer { state.waiting = Queue() }
            return state.waiting
        }
        if HeraldTraceIsOn() { lose(number, left.count, HeraldTraceDropped) }
        withExtendedLifetime(freed) {}
    }

    /// Accepts no more elements. The waiting elements can still be taken. Waiters get nil.
    package func finish() {
        let waiters = state.withLock { state in
            state.isFinished = true
            return state.waiters.removeAll()
        }
        for waiter in waiters { waiter.resume(returning: nil) }
    }

    /// Ends the mailbox even if it is finished: drops what still waits.
    func abandon() {
        state.withLock { $0.isFinished = false }
        end()
    }

    // ---- Called by the observer's work

    /// Whether the mailbox has ended. If so, the body must not be called any more, even for elements that have been
    /// taken. Acquire: partner of the release in `end`.
    @inlinable var isOver: Bool { ended.load(ordering: .acquiring) }

    @usableFromInline override func hold(_ ticket: Ticket) {
        state.withLock { state in
            if state.waiting.count == 0 && state.borrowers == 0 { return }
            Tickets.hold(ticket, in: &state.tickets, for: state.entered, borrower: state.borrowers > 0 ? state.task : 0)
        }
    }

    @usableFromInline override var dropped: Int { state.withLock { $0.dropped } }

    @usableFromInline override var waiting: Int { state.withLock { $0.waiting.count } }

    @usableFromInline override var kind: String {
        switch state.withLock({ $0.work?.isTask }) {
        case nil: "sequence"
        case true?: "actor"
        case false?: "queue"
        }
    }

    /// Takes the oldest elements into an empty batch. Returns false if no element waits.
    /// - Parameter number: Receives the number of the first element.
    @inlinable func take(into batch: inout [Element], _ number: inout UInt64) -> Bool {
        state.withLock { state in
            number = state.firstNumber
            for _ in 0..<min(batchLimit, state.waiting.count) {
                batch.append(state.waiting.popFirst().unsafelyUnwrapped)
            }
        }
        return !batch.isEmpty
    }

    /// Called by a task that has found no element. Returns true if the task may end. Returns false if an element has
    /// been sent since, and the task must go on.
    @inlinable func rest() -> Bool {
        state.withLock { state in
            let waiting = state.waiting.count
            return state.work?.rest(waiting: waiting) ?? true
        }
    }

    /// Returns the next element, or nil if no more elements will come or the task is cancelled. If an element waits,
    /// this call does not leave the caller's actor.
    @inlinable package func next(isolation: isolated (any Actor)?) async -> Element? {
        if Task.isCancelled { return nil }
        if let element = state.withLock({ $0.pop() }) { return hear(element) }
        return await nextToCome(isolation: isolation)
    }

    @usableFromInline func nextToCome(isolation: isolated (any Actor)?) async -> Element? {
        let number = state.withLock { $0.waiters.makeNumber() }
        return await withTaskCancellationHandler(
            operation: {
                defer { herald_swift_task_resumed() }
                return await withUnsafeContinuation(isolation: isolation) { wait(number, $0) }
            },
            onCancel: { cancel(number) },
            isolation: isolation)
    }

    private func wait(_ number: Int, _ continuation: Waiters<Element>.Continuation) {
        let (ready, popped): (Bool, (Element, UInt64)?) = state.withLock { state in
            // This check is made under the lock. A task is marked as cancelled before its cancellation handler takes
            // the lock. So either this check sees the mark, or the handler finds the task among the waiters.
            if isOver || Task.isCancelled { return (true, nil) }
            if let popped = state.pop() { return (true, popped) }
            if state.isFinished { return (true, nil) }
            state.waiters.append(number, continuation)
            return (false, nil)
        }
        if ready { continuation.resume(returning: popped.map(hear)) }
    }

    private func cancel(_ number: Int) {
        state.withLock { $0.waiters.remove(number) }?.resume(returning: nil)
    }
}

// For traces (`herald/inspect.h`). Each element has a number. A trace reports the element under this number when it
// comes in, and again when it is heard or lost.
extension Mailbox.State {
    /// The number of the first element that waits.
    @inlinable var firstNumber: UInt64 { entered &- UInt64(waiting.count) &+ 1 }

    /// Takes the oldest element, and returns it with its number.
    @inlinable mutating func pop() -> (Element, UInt64)? {
        let number = firstNumber
        return waiting.popFirst().map { ($0, number) }
    }
}

extension Mailbox {
    /// The number and the fate of an element that was sent.
    @usableFromInline struct Told {
        @usableFromInline enum Fate {
            case waits, resumed, merged, refused
            /// The new element waits. The oldest element, with this number, was dropped to make room.
            case displaced(UInt64)
        }
        let number: UInt64
        let fate: Fate
        @usableFromInline init(_ number: UInt64, _ fate: Fate) {
            self.number = number
            self.fate = fate
        }
    }

    /// This bit marks the number of a merged or a refused element. Without the bit, the number would be that of another
    /// element.
    private static var beyond: UInt64 { 1 << 63 }

    @usableFromInline func tell(_ told: Told) {
        let carrier = address(of: self)
        switch told.fate {
        case .waits: HeraldTraceCarry(carrier, told.number, 0, 0)
        case .resumed:
            HeraldTraceCarry(carrier, told.number, 0, 0)
            heard(told.number, 0)
        case .merged:
            HeraldTraceCarry(carrier, Self.beyond | told.number, 0, 0)
            HeraldTraceLose(carrier, Self.beyond | told.number, HeraldTraceMerged)
        case .refused:
            HeraldTraceCarry(carrier, Self.beyond | told.number, 0, 0)
            HeraldTraceLose(carrier, Self.beyond | told.number, HeraldTraceDropped)
        case .displaced(let other):
            HeraldTraceLose(carrier, other, HeraldTraceDropped)
            HeraldTraceCarry(carrier, told.number, 0, 0)
        }
    }

    /// Reports that an element was heard, from `begin` until now. If `begin` is 0, hearing the element took no time.
    @usableFromInline func heard(_ number: UInt64, _ begin: UInt64) {
        let now = HeraldTraceNow()
        let carrier = address(of: self)
        HeraldTraceCarry(carrier, number, begin == 0 ? now : begin, now)
    }

    /// Reports that `count` elements from this number on will not be heard, by default because the registration has
    /// ended.
    @usableFromInline func lose(
        _ number: UInt64, _ count: Int, _ outcome: HeraldTraceOutcome = HeraldTraceEnded
    ) {
        let carrier = address(of: self)
        for place in 0..<UInt64(max(0, count)) { HeraldTraceLose(carrier, number &+ place, outcome) }
    }

    /// A task has got an element from `next`: frees the element's ticket and reports to the trace, if there are any.
    /// Returns the element.
    @inlinable func hear(_ popped: (Element, UInt64)) -> Element {
        if HeraldTraceIsOn() { heard(popped.1, 0) }
        if herald_swift_has_tickets() { free(popped.1) }
        return popped.0
    }
}
#endif
