public import CHerald

/// How a task does the work of a mailbox (see `Mailbox`) on an actor. Other tasks use the actor, too. So the task comes
/// to the actor for one *stay* after another.
///
/// Between two stays the task leaves the actor and yields. The task goes on after that, so an element that is sent in
/// the meantime need not start another task.
@usableFromInline enum Stay {
    /// One stay: some calls of `deliver`. If bodies take long, other tasks may run between two calls. Returns false if
    /// the mailbox was empty or the owner is gone. Then the task ends.
    ///
    /// `deliver` runs on the actor. So no other work of the actor runs between the check that the mailbox has not ended
    /// and the body. `deliver` returns false when the owner is gone.
    @inlinable
    static func run<Element>(
        _ mailbox: Mailbox<Element>, on actor: isolated (any Actor)?,
        _ deliver: @Sendable (isolated (any Actor)?, Element) async -> Bool
    ) async -> Bool {
        var batch: [Element] = []
        var taken = 0
        var number: UInt64 = 0
        var pace = Pace()
        while taken < 64, mailbox.take(into: &batch, &number) {
            var left = batch.count
            for element in batch where !mailbox.isOver {
                if pace.isOver() {
                    await Task.yield()
                    if mailbox.isOver { break }
                }
                let begin = HeraldTraceIsOn() ? HeraldTraceNow() : 0
                guard await deliver(actor, element) else {
                    if HeraldTraceIsOn() { mailbox.lose(number, left) }
                    mailbox.end()
                    return false
                }
                if begin != 0 { mailbox.heard(number, begin) }
                number &+= 1
                left -= 1
            }
            if left > 0 && HeraldTraceIsOn() { mailbox.lose(number, left) }
            taken += batch.count
            batch.removeAll(keepingCapacity: true)
        }
        return taken > 0 || !mailbox.rest()
    }
}
