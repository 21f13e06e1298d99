import CHerald
import CHeraldRuntime
public import Dispatch

// Posts of a name alone, without a message. Every `WireCenter` carries such posts, as well as messages.
extension WireCenter {
    /// Posts a name. The observers of the name, in all processes, are called later, on other threads.
    ///
    /// This call does not wait for observers. It reports no error. Errors are reported by ``HostCenter/check()`` and by
    /// ``events``.
    ///
    /// The corresponding C function is `HeraldCenterPostNotification`.
    public func post(_ name: HeraldCenter.Name) {
        HeraldCenterPostNotification(wire.center.native, name.native, nil, nil, false)
    }

    /// Whether the center is suspended in this process (R16). See ``HeraldCenter/isSuspended``.
    public var isSuspended: Bool {
        get { wire.center.isSuspended }
        nonmutating set { wire.center.isSuspended = newValue }
    }

    /// Observes the posts of a name on Herald's thread, while the token lives.
    ///
    /// After the registration has ended, no new call of the body starts (R6). The body is released after its last call
    /// (R10).
    ///
    /// - Parameters:
    ///   - name: The name to observe.
    ///   - whileSuspended: How posts are treated while the center is suspended in this process (R16).
    ///   - body: Called on the thread that all observers without a queue or an actor share. A slow body delays the
    ///     other observers on this thread.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    /// - Returns: The token that owns the registration.
    public func observe(
        _ name: HeraldCenter.Name, whileSuspended: HeraldCenter.SuspensionBehavior = .deliverImmediately,
        _ body: @escaping @Sendable (NamePost) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) -> HeraldCenter.ObservationToken {
        wire.center.observe(
            HERALD_SWIFT_NOTICES, HERALD_SWIFT_PLAIN, name.native, Filter(file, line), whileSuspended: whileSuspended,
            herald_swift_closure(notice: { _ in body(wire.post(of: name)) }))
    }

    /// Observes the posts of a name through a queue, while the token lives.
    ///
    /// All posts that wait for the body are joined into one ``NamePost``. When the registration ends, a waiting
    /// ``NamePost`` is dropped (R6).
    ///
    /// - Parameters:
    ///   - name: The name to observe.
    ///   - scheduler: Runs the work that calls the body. See ``HeraldCenter/Scheduler``.
    ///   - body: Called by the work that the scheduler runs, with one ``NamePost`` at a time.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    /// - Returns: The token that owns the registration.
    public func observe(
        _ name: HeraldCenter.Name, via scheduler: @escaping HeraldCenter.Scheduler,
        _ body: @escaping @Sendable (NamePost) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) -> HeraldCenter.ObservationToken {
        observe(name, Filter(file, line), HeraldCenter.mailbox(.newest(1), merge: NamePost.merge, via: scheduler, body))
    }

    /// Observes the posts of a name on a queue, while the token lives.
    ///
    /// This call does the same as the call with the scheduler `{ queue.async(execute: $0) }`.
    ///
    /// - Parameters:
    ///   - name: The name to observe.
    ///   - queue: The queue in which the body runs.
    ///   - body: Called on the queue, with one ``NamePost`` at a time.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    /// - Returns: The token that owns the registration.
    public func observe(
        _ name: HeraldCenter.Name, via queue: DispatchQueue, _ body: @escaping @Sendable (NamePost) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) -> HeraldCenter.ObservationToken {
        observe(name, via: HeraldCenter.scheduler(queue), body, file: file, line: line)
    }

    /// Observes the posts of a name on the body's own actor, while the token lives.
    ///
    /// All posts that wait for the body are joined into one ``NamePost``. When the registration ends, a waiting
    /// ``NamePost`` is dropped (R6).
    ///
    /// - Parameters:
    ///   - name: The name to observe.
    ///   - body: Called on the actor to which the body is isolated, with one ``NamePost`` at a time.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    /// - Returns: The token that owns the registration.
    public func observe(
        _ name: HeraldCenter.Name,
        @_inheritActorContext async body: @escaping @isolated(any) @Sendable (NamePost) async -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) -> HeraldCenter.ObservationToken {
        observe(name, Filter(file, line), HeraldCenter.mailbox(.newest(1), merge: NamePost.merge, body))
    }

    /// Observes the posts of a name on Herald's thread, while an owner lives.
    ///
    /// A second registration of an owner for the same name replaces the first. When the owner is gone, the body is not
    /// called any more (R6).
    ///
    /// - Parameters:
    ///   - name: The name to observe.
    ///   - owner: Referenced weakly, but retained during a call.
    ///   - whileSuspended: How posts are treated while the center is suspended in this process (R16).
    ///   - body: Called with the owner, on the thread that all observers without a queue or an actor share.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    public func observe<O: AnyObject & Sendable>(
        _ name: HeraldCenter.Name, by owner: O,
        whileSuspended: HeraldCenter.SuspensionBehavior = .deliverImmediately,
        _ body: @escaping @Sendable (O, NamePost) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        wire.center.observe(
            HERALD_SWIFT_NOTICES, HERALD_SWIFT_OWNED, name.native, Filter(file, line), by: owner,
            whileSuspended: whileSuspended,
            herald_swift_closure(owner: owner, notice: { (owner: O, _) in body(owner, wire.post(of: name)) }))
    }

    /// Observes the posts of a name on the body's own actor, while an owner lives.
    ///
    /// A second registration of an owner for the same name replaces the first. When a registration ends, posts that its
    /// body has not received yet are dropped (R6).
    ///
    /// - Parameters:
    ///   - name: The name to observe.
    ///   - owner: Referenced weakly, but retained during a call.
    ///   - body: Called on the actor to which the body is isolated, with the owner and one ``NamePost`` at a time.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    public func observe<O: AnyObject & Sendable>(
        _ name: HeraldCenter.Name, by owner: O,
        @_inheritActorContext async body: @escaping @isolated(any) @Sendable (O, NamePost) async -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        observe(
            name, Filter(file, line), by: owner,
            HeraldCenter.mailbox(.newest(1), merge: NamePost.merge, for: owner, body))
    }

    /// Observes the posts of a name on an actor, while the actor lives.
    ///
    /// A second registration of an actor for the same name replaces the first. When a registration ends, posts that its
    /// body has not received yet are dropped (R6).
    ///
    /// - Parameters:
    ///   - name: The name to observe.
    ///   - actor: The owner of the registration. Referenced weakly, but retained during a call.
    ///   - body: Called on the actor, with one ``NamePost`` at a time.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    public func observe<A: Actor>(
        _ name: HeraldCenter.Name, on actor: A, _ body: @escaping @Sendable (isolated A, NamePost) async -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        observe(
            name, Filter(file, line), by: actor,
            HeraldCenter.mailbox(.newest(1), merge: NamePost.merge, on: actor, body))
    }

    /// The posts of a name from now on, as a sequence. This call registers the observer.
    ///
    /// All posts that wait to be taken are joined into one ``NamePost``, so the sequence drops no posts. The sum of all
    /// ``NamePost/count`` is the number of posts, unless the center was suspended or has lost posts.
    ///
    /// - Parameters:
    ///   - name: The name to observe.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    /// - Returns: The sequence. The registration ends when the sequence and its iterators are gone.
    public func messages(named name: HeraldCenter.Name, file: StaticString = #fileID, line: UInt = #line) -> Messages<
        NamePost
    > {
        let mailbox = Mailbox<NamePost>(.newest(1), merge: NamePost.merge)
        return Messages(mailbox, observe(name, Filter(file, line), mailbox))
    }

    /// Waits for the next post of a name. Posts from before this call do not count.
    ///
    /// - Parameters:
    ///   - name: The name to observe.
    ///   - isolation: The caller's actor, on which the call resumes.
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    /// - Returns: The post, or `nil` if the task is cancelled.
    public func next(
        _ name: HeraldCenter.Name, isolation: isolated (any Actor)? = #isolation, file: StaticString = #fileID,
        line: UInt = #line
    ) async -> NamePost? {
        let messages = messages(named: name, file: file, line: line).makeAsyncIterator()
        return await messages.next(isolation: isolation)
    }

    /// Ends the registration of this owner for this name. Does not wait for running calls of the body.
    ///
    /// - Parameters:
    ///   - owner: The owner that was given to `observe`. The owner's `deinit` may make this call.
    ///   - name: The name that the owner observes.
    public func removeObserver<O: AnyObject>(_ owner: O, of name: HeraldCenter.Name) {
        wire.center.removeObserver(owner, of: name)
    }

    /// Ends all registrations of this owner with this center. Does not wait for running calls of bodies. The owner's
    /// `deinit` may make this call.
    public func removeObserver<O: AnyObject>(_ owner: O) {
        wire.center.removeObserver(owner)
    }

    private func observe(
        _ name: HeraldCenter.Name, _ filter: Filter, _ mailbox: Mailbox<NamePost>
    ) -> HeraldCenter.ObservationToken {
        wire.center.observe(
            HERALD_SWIFT_NOTICES, HERALD_SWIFT_WHILE, name.native, filter, delivery: mailbox,
            herald_swift_closure(while: { _, _, _, _ in mailbox.send(wire.post(of: name)) ? 1 : 0 }))
    }

    private func observe(
        _ name: HeraldCenter.Name, _ filter: Filter, by owner: AnyObject, _ mailbox: Mailbox<NamePost>
    ) {
        wire.center.observe(
            HERALD_SWIFT_NOTICES, HERALD_SWIFT_WHILE, name.native, filter, by: owner, delivery: mailbox,
            herald_swift_closure(while: { _, _, _, _ in mailbox.send(wire.post(of: name)) ? 1 : 0 }))
    }
}
