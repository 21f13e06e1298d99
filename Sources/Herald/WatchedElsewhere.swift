#if os(Linux)
// Changes of a property, heard elsewhere than on the thread that changes it.
extension Watched.Changes where Value: Sendable {
    /// The new values from now on, as a sequence. It may be read once for each loop: each sequence gets all values.
    ///
    /// ```swift
    /// for await name in model.$name.values { print(name) }
    /// ```
    ///
    /// If an observer sets the property, that change reaches the observers that were added later before the change that
    /// the observer was called for. The sequence gets no value for now: read the property. At most 256 values wait to be taken; of more, the newest
    /// are kept. The sequence does not retain the object that has the property. When the object is gone, no value
    /// comes any more, and the sequence does not end: end it with ``Messages/finish()``, or cancel its task.
    public var values: Messages<Value> { values() }

    /// The new values from now on, as a sequence with a buffer of its own: see ``values``.
    ///
    /// - Parameters:
    ///   - buffer: How many values may wait to be taken. With `.newest(1)` a loop that is late gets the last value.
    ///   - file: The source file of the call; inspection tools show it with `line`.
    ///   - line: See `file`.
    /// - Returns: The sequence. The registration ends when the sequence and its iterators are gone.
    public func values(
        buffer: HeraldCenter.Buffer = .newest(256), file: StaticString = #fileID, line: UInt = #line
    ) -> Messages<Value> {
        let name = Herald.name(of: Watched.Change.self)
        return Source<Value>(hub.center, name, key: name, Filter(file, line)) { _, _, payload, _ in
            payload.unsafelyUnwrapped.assumingMemoryBound(to: Watched.Change.self).pointee.new
        }.messages(buffer)
    }

    /// Observes the changes through a queue, while the token lives.
    ///
    /// - Parameters:
    ///   - scheduler: A `DispatchQueue`, or another ``HeraldCenter/WorkScheduler``, that runs the body.
    ///   - buffer: How many changes may wait for the body.
    ///   - body: Called where the scheduler runs it, with one change at a time, in the order of the changes.
    ///   - file: The source file of the call; inspection tools show it with `line`.
    ///   - line: See `file`.
    /// - Returns: The token that owns the registration. Ending the registration does not wait for a running body.
    public func observe(
        via scheduler: some HeraldCenter.WorkScheduler, buffer: HeraldCenter.Buffer = .unbounded,
        _ body: @escaping @Sendable (_ old: Value, _ new: Value) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) -> HeraldCenter.ObservationToken {
        source(file, line).observe(
            HeraldCenter.mailbox(buffer, via: scheduler._run) { (change: Watched.Change) in body(change.old, change.new)
            }
        )
    }

    /// Observes the changes through a scheduler that is a closure, while the token lives.
    ///
    /// - Parameters:
    ///   - schedule: Runs the work that it gets, later or at once, as ``HeraldCenter/WorkScheduler/schedule(_:)`` does.
    ///   - buffer: How many changes may wait for the body.
    ///   - body: Called where the scheduler runs it, with one change at a time, in the order of the changes.
    ///   - file: The source file of the call; inspection tools show it with `line`.
    ///   - line: See `file`.
    /// - Returns: The token that owns the registration. Ending the registration does not wait for a running body.
    public func observe(
        via schedule: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void,
        buffer: HeraldCenter.Buffer = .unbounded, _ body: @escaping @Sendable (_ old: Value, _ new: Value) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) -> HeraldCenter.ObservationToken {
        source(file, line).observe(
            HeraldCenter.mailbox(buffer, via: schedule) { (change: Watched.Change) in body(change.old, change.new) })
    }

    /// Observes the changes on the body's own actor, while the token lives.
    ///
    /// A body that is written in an actor runs on that actor, and a body that is written in a main-actor class on the
    /// main actor.
    ///
    /// - Parameters:
    ///   - buffer: How many changes may wait for the body.
    ///   - body: Called with one change at a time, in the order of the changes.
    ///   - file: The source file of the call; inspection tools show it with `line`.
    ///   - line: See `file`.
    /// - Returns: The token that owns the registration. Ending the registration does not wait for a running body.
    public func observe(
        buffer: HeraldCenter.Buffer = .unbounded,
        @_inheritActorContext async body:
            @escaping @isolated(any) @Sendable (_ old: Value, _ new: Value) async -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) -> HeraldCenter.ObservationToken {
        source(file, line).observe(
            Mailbox(
                buffer,
                Stay(on: body.isolation) { (_: isolated (any Actor)?, change) in
                    await body(change.old, change.new)
                    return true
                }))
    }

    /// Observes the changes on the body's own actor, while an owner lives. Observing again with the same owner, in the
    /// same source file, replaces the registration.
    ///
    /// - Parameters:
    ///   - owner: Referenced weakly, but retained during a call. The body is not called after the owner is gone (R6).
    ///   - buffer: How many changes may wait for the body.
    ///   - body: Called with the owner and one change at a time, in the order of the changes.
    ///   - file: The source file of the call; inspection tools show it with `line`.
    ///   - line: See `file`.
    public func observe<O: AnyObject & Sendable>(
        by owner: O, buffer: HeraldCenter.Buffer = .unbounded,
        @_inheritActorContext async body:
            @escaping @isolated(any) @Sendable (_ owner: O, _ old: Value, _ new: Value) async -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        source(file, line).observe(
            by: owner,
            Mailbox(
                buffer,
                Stay(on: body.isolation) { [weak owner] (_: isolated (any Actor)?, change) in
                    guard let owner else { return false }
                    await body(owner, change.old, change.new)
                    return true
                }))
    }

    /// Observes the changes on an actor, while the actor lives. Observing again with the same actor, in the same source
    /// file, replaces the registration.
    ///
    /// - Parameters:
    ///   - actor: The owner of the registration. Referenced weakly, but retained during a call.
    ///   - buffer: How many changes may wait for the body.
    ///   - body: Called on the actor, with one change at a time, in the order of the changes.
    ///   - file: The source file of the call; inspection tools show it with `line`.
    ///   - line: See `file`.
    public func observe<A: Actor>(
        on actor: A, buffer: HeraldCenter.Buffer = .unbounded,
        _ body: @escaping @Sendable (_ actor: isolated A, _ old: Value, _ new: Value) async -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        source(file, line).observe(
            by: actor,
            HeraldCenter.mailbox(buffer, on: actor) { (actor: isolated A, change: Watched.Change) in
                await body(actor, change.old, change.new)
            })
    }

    private func source(_ file: StaticString, _ line: UInt) -> Source<Watched.Change> {
        Source(hub.center, Filter(file, line))
    }
}
#endif
