#if os(Linux)
public import CHerald
public import CHeraldRuntime

/// How a task does the work of a mailbox (see `Mailbox`) on an actor. Other tasks use the actor, too. So the task comes
/// to the actor for one *stay* after another.
///
/// Between two stays the task leaves the actor and yields. The task goes on after that, so an element that is sent in
/// the meantime need not start another task.
///
/// *Ownership.* The task has the mailbox. It borrows the body, in this instance, for one stay at a time, on the actor.
@usableFromInline final class Stay<Element: Sendable>: Sendable {
    @usableFromInline typealias Deliver = @Sendable (isolated (any Actor)?, Element) async -> Bool

    /// Where the body is called. An actor is retained for one stay at most.
    @usableFromInline struct Place: Sendable {
        @usableFromInline let actor: (any Actor)?
        @usableFromInline init(_ actor: (any Actor)?) { self.actor = actor }
    }

    /// Returns nil if the actor is gone.
    @usableFromInline let place: @Sendable () -> Place?
    /// Calls the body. Returns false if the owner is gone.
    @usableFromInline let deliver: Deliver

    @usableFromInline init(_ place: @escaping @Sendable () -> Place?, _ deliver: @escaping Deliver) {
        self.place = place
        self.deliver = deliver
    }

    /// All stays are on one actor, or on none. The actor is retained.
    @inlinable convenience init(on actor: (any Actor)?, _ deliver: @escaping Deliver) {
        let place = Place(actor)
        self.init({ place }, deliver)
    }
}

extension Mailbox {
    /// Starts the task.
    @inlinable func startTask() {
        Task.detached {
            while let place = self.place(), await self.stay(on: place.actor) { await Task.yield() }
        }
    }

    /// Where the next stay is. Nil if the mailbox has ended, which it does when the actor is gone.
    @inlinable func place() -> Stay<Element>.Place? {
        var hasBorrowed = false
        let place = place(&hasBorrowed)
        if hasBorrowed {
            if place == nil { end() }
            giveBack()
        }
        return place
    }

    /// Borrows the body, if there is one. A function of its own: the last reference to the body is gone when it returns.
    @inlinable @inline(never) func place(_ hasBorrowed: inout Bool) -> Stay<Element>.Place? {
        guard let borrowed = state.withLock({ $0.borrow() }) else { return nil }
        hasBorrowed = true
        return unsafeDowncast(borrowed, to: Stay<Element>.self).place()
    }

    /// One stay. Returns false if the task ends: the mailbox was empty or has ended, or the owner is gone.
    @inlinable func stay(on actor: isolated (any Actor)?) async -> Bool {
        guard let taken = await hear(on: actor) else { return false }
        giveBack()
        return taken > 0 || !rest()
    }

    /// Some calls of the body. If bodies take long, other tasks may run between two calls. Returns how many elements
    /// were taken, or nil if the mailbox has ended. If the result is not nil, the caller must give back the body.
    ///
    /// The body runs on the actor. So no other work of the actor runs between the check that the mailbox has not ended
    /// and the body.
    @inlinable func hear(on actor: isolated (any Actor)?) async -> Int? {
        let borrowed: AnyObject? = state.withLock { state in
            let body = state.borrow()
            if body != nil { state.task = herald_swift_task() }
            return body
        }
        guard let borrowed else { return nil }
        let stay = unsafeDowncast(borrowed, to: Stay<Element>.self)
        var batch: [Element] = []
        var taken = 0
        var number: UInt64 = 0
        var pace = Pace()
        while taken < 64, take(into: &batch, &number) {
            var left = batch.count
            for element in batch where !isOver {
                if pace.isOver() {
                    await Task.yield()
                    if isOver { break }
                }
                let begin = HeraldTraceIsOn() ? HeraldTraceNow() : 0
                guard await stay.deliver(actor, element) else {
                    end()
                    break
                }
                if begin != 0 { heard(number, begin) }
                if herald_swift_has_tickets() { free(number) }
                number &+= 1
                left -= 1
            }
            if left > 0 && HeraldTraceIsOn() { lose(number, left) }
            taken += batch.count
            batch.removeAll(keepingCapacity: true)
        }
        return taken
    }
}
#endif
