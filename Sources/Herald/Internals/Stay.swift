public import CHerald

/// The work of a mailbox in a task, on an actor that other tasks use too.
///
/// Between stays the task leaves the actor and yields. It has not ended then, so an element that is sent in the
/// meantime need not start another task.
@usableFromInline enum Stay {
    /// One stay: some calls of `deliver`. If bodies take long, it lets other tasks in between two calls. Returns false
    /// if the mailbox was empty or the owner is gone; then the task ends.
    ///
    /// `deliver` runs on the actor, so that no other work of the actor comes between the check that the registration
    /// has not ended and the body. It returns false when the owner is gone.
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
