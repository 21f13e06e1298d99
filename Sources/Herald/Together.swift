#if os(Linux)
// Observers of several types and names that share one mailbox, so that they hear the posts in their order.
extension HeraldCenter {
    /// Observes several types and names through one queue. The bodies are called one at a time, in the order of the
    /// posts, whatever their types.
    ///
    /// ```swift
    /// let bag = center.observe(via: queue) {
    ///     $0.on(Opened.self) { opened in ... }
    ///     $0.on(Closed.self) { closed in ... }
    /// }
    /// ```
    ///
    /// Two observers on one serial queue have two mailboxes, and do not keep this order between them.
    ///
    /// - Parameters:
    ///   - scheduler: A `DispatchQueue`, or another ``WorkScheduler``, that runs the bodies.
    ///   - buffer: How many messages may wait, of all types together.
    ///   - observers: Adds the observers, before this call returns.
    /// - Returns: The bag that owns the registrations. What still waits when they end is dropped (R6).
    public func observe(
        via scheduler: some WorkScheduler, buffer: Buffer = .unbounded, _ observers: (borrowing QueueObservers) -> Void
    ) -> ObservationBag { observe(run: scheduler._run, buffer, observers) }

    /// Observes several types and names through one scheduler that is a closure, in the order of the posts.
    ///
    /// - Parameters:
    ///   - schedule: Runs the work that it gets, later or at once, as ``WorkScheduler/schedule(_:)`` does.
    ///   - buffer: How many messages may wait, of all types together.
    ///   - observers: Adds the observers, before this call returns.
    /// - Returns: The bag that owns the registrations. What still waits when they end is dropped (R6).
    public func observe(
        via schedule: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void, buffer: Buffer = .unbounded,
        _ observers: (borrowing QueueObservers) -> Void
    ) -> ObservationBag { observe(run: schedule, buffer, observers) }

    private func observe(
        run: @escaping Run, _ buffer: Buffer, _ observers: (borrowing QueueObservers) -> Void
    ) -> ObservationBag {
        let together = Together(self, Self.mailbox(buffer, via: run) { (work: QueueObservers.Work) in work() })
        observers(QueueObservers(together))
        together.close()
        return together.bag
    }

    /// Observes several types and names on an actor, while the actor lives. The bodies are isolated to the actor, and
    /// are called one at a time, in the order of the posts, whatever their types.
    ///
    /// ```swift
    /// center.observe(on: self) {
    ///     $0.on(Opened.self) { store, opened in store.paths.insert(opened.path) }
    ///     $0.on(Closed.self) { store, closed in store.paths.remove(closed.path) }
    /// }
    /// ```
    ///
    /// Each observer is a registration of the actor, as that of `observe(_:on:)`: the actor's next registration for the
    /// same type and subject, in the same source file, replaces it. Messages that still wait when their registration
    /// ends are not heard (R6). They stay in the mailbox until their turn comes, as long as others use it.
    ///
    /// - Parameters:
    ///   - actor: The owner of the registrations. Referenced weakly, but retained during a call.
    ///   - buffer: How many messages may wait, of all types together.
    ///   - observers: Adds the observers, before this call returns.
    public func observe<A: Actor>(
        on actor: A, buffer: Buffer = .unbounded, _ observers: (borrowing ActorObservers<A>) -> Void
    ) {
        let mailbox = Self.mailbox(buffer, on: actor) { (actor: isolated A, work: ActorObservers<A>.Work) in
            await work(actor)
        }
        let together = Together(self, mailbox)
        observers(ActorObservers(together, actor))
        together.close()
    }

    /// Observes several types and names, each body on its own actor. The bodies are called one at a time, in the order
    /// of the posts, whatever their types.
    ///
    /// ```swift
    /// @MainActor func start(_ center: HeraldCenter) {
    ///     bag = center.observe(async: {
    ///         $0.on(Opened.self) { [weak self] opened in self?.title = opened.path }
    ///         $0.on(Closed.self) { [weak self] _ in self?.title = "" }
    ///     })
    /// }
    /// ```
    ///
    /// A body that is written in a main-actor class runs on the main actor, as a body of `observe(_:async:)` does. A
    /// body that suspends delays the others.
    ///
    /// - Parameters:
    ///   - buffer: How many messages may wait, of all types together.
    ///   - observers: Adds the observers, before this call returns.
    /// - Returns: The bag that owns the registrations. What still waits when they end is dropped (R6).
    public func observe(
        buffer: Buffer = .unbounded, async observers: (borrowing AsyncObservers) -> Void
    ) -> ObservationBag {
        let place = AsyncObservers.Place()
        let mailbox = Mailbox<AsyncObservers.Work>(
            buffer,
            Stay({ Stay.Place(place.actor) }) { (_: isolated (any Actor)?, work) in
                await work.call(on: work.actor)
                return true
            })
        let together = Together(self, mailbox)
        observers(AsyncObservers(together, place))
        together.close()
        return together.bag
    }

    /// The messages of several types, and the posts of several names, from now on, as one sequence in the order of the
    /// posts.
    ///
    /// ```swift
    /// enum Change { case opened(Opened), closed(Closed) }
    ///
    /// let changes = center.messages(as: Change.self) {
    ///     $0.on(Opened.self) { .opened($0) }
    ///     $0.on(Closed.self) { .closed($0) }
    /// }
    /// for await change in changes { switch change { ... } }
    /// ```
    ///
    /// - Parameters:
    ///   - type: The type of the sequence's elements, such as an enum with a case for each type of message. So the
    ///     compiler checks that a `switch` has a case for each.
    ///   - buffer: How many elements may wait to be taken. ``Messages/dropped`` counts those that were dropped.
    ///   - observers: Adds the types and names, before this call returns.
    /// - Returns: The sequence. The registrations end when the sequence and its iterators are gone.
    public func messages<Element: Sendable>(
        as _: Element.Type, buffer: Buffer = .newest(256), _ observers: (borrowing SequenceObservers<Element>) -> Void
    ) -> Messages<Element> {
        let together = Together(self, Mailbox<Element>(buffer))
        observers(SequenceObservers(together))
        together.close()
        return Messages(together.mailbox, ObservationToken(nil), together.bag)
    }

    /// Adds observers that share one queue and one order.
    public struct QueueObservers: ~Copyable {
        typealias Work = @Sendable () -> Void
        private let together: Together<Work>

        fileprivate init(_ together: Together<Work>) { self.together = together }

        private func add<Part: Sendable>(_ source: Source<Part>, _ body: @escaping @Sendable (Part) -> Void) {
            together.add(source) { share, part in { if !share.isOver { body(part) } } }
        }

        /// Observes the messages of a type.
        ///
        /// - Parameters:
        ///   - type: The type of the messages.
        ///   - body: Called where the scheduler runs it.
        ///   - file: The source file of this call. Inspection tools show `file` and `line`.
        ///   - line: The source line of this call.
        public func on<M: AnyMessage & Sendable>(
            _: M.Type, _ body: @escaping @Sendable (M) -> Void,
            file: StaticString = #fileID, line: UInt = #line
        ) { add(Source<M>(together.center, Filter(file, line)), body) }

        /// Observes the messages of a type about one subject.
        ///
        /// - Parameters:
        ///   - type: The type of the messages.
        ///   - subject: Only posts about this instance, which is not retained (R12).
        ///   - body: Called where the scheduler runs it.
        ///   - file: The source file of this call. Inspection tools show `file` and `line`.
        ///   - line: The source line of this call.
        public func on<M: AnyMessage & Sendable>(
            _: M.Type, subject: M.Subject, _ body: @escaping @Sendable (M) -> Void,
            file: StaticString = #fileID, line: UInt = #line
        ) { add(Source<M>(together.center, Filter(.only(subject), file, line)), body) }

        /// Observes the posts of a name.
        ///
        /// - Parameters:
        ///   - name: The name.
        ///   - body: Called where the scheduler runs it.
        ///   - file: The source file of this call. Inspection tools show `file` and `line`.
        ///   - line: The source line of this call.
        public func on(
            _ name: Name, _ body: @escaping @Sendable (Posted) -> Void,
            file: StaticString = #fileID, line: UInt = #line
        ) { add(Source(together.center, name, Filter(file, line)), body) }

        /// Observes the posts of a name about one subject.
        ///
        /// - Parameters:
        ///   - name: The name.
        ///   - subject: Only posts about this instance, which is not retained (R12).
        ///   - body: Called where the scheduler runs it.
        ///   - file: The source file of this call. Inspection tools show `file` and `line`.
        ///   - line: The source line of this call.
        public func on(
            _ name: Name, subject: AnyObject, _ body: @escaping @Sendable (Posted) -> Void,
            file: StaticString = #fileID, line: UInt = #line
        ) { add(Source(together.center, name, Filter(.only(subject), file, line)), body) }

    }

    /// Adds observers that share one actor and one order.
    public struct ActorObservers<A: Actor>: ~Copyable {
        typealias Work = @Sendable (isolated A) async -> Void
        private let together: Together<Work>
        private let actor: A

        fileprivate init(_ together: Together<Work>, _ actor: A) {
            self.together = together
            self.actor = actor
        }

        private func add<Part: Sendable>(
            _ source: Source<Part>, _ body: @escaping @Sendable (isolated A, Part) async -> Void
        ) {
            together.add(source, by: actor) { share, part in
                { (actor: isolated A) in if !share.isOver { await body(actor, part) } }
            }
        }

        /// Observes the messages of a type.
        ///
        /// - Parameters:
        ///   - type: The type of the messages.
        ///   - body: Called on the actor, with the actor and what was posted.
        ///   - file: The source file of this call. Inspection tools show `file` and `line`.
        ///   - line: The source line of this call.
        public func on<M: AnyMessage & Sendable>(
            _: M.Type, _ body: @escaping @Sendable (isolated A, M) async -> Void,
            file: StaticString = #fileID, line: UInt = #line
        ) { add(Source<M>(together.center, Filter(file, line)), body) }

        /// Observes the messages of a type about one subject.
        ///
        /// - Parameters:
        ///   - type: The type of the messages.
        ///   - subject: Only posts about this instance, which is not retained (R12).
        ///   - body: Called on the actor, with the actor and what was posted.
        ///   - file: The source file of this call. Inspection tools show `file` and `line`.
        ///   - line: The source line of this call.
        public func on<M: AnyMessage & Sendable>(
            _: M.Type, subject: M.Subject, _ body: @escaping @Sendable (isolated A, M) async -> Void,
            file: StaticString = #fileID, line: UInt = #line
        ) { add(Source<M>(together.center, Filter(.only(subject), file, line)), body) }

        /// Observes the posts of a name.
        ///
        /// - Parameters:
        ///   - name: The name.
        ///   - body: Called on the actor, with the actor and what was posted.
        ///   - file: The source file of this call. Inspection tools show `file` and `line`.
        ///   - line: The source line of this call.
        public func on(
            _ name: Name, _ body: @escaping @Sendable (isolated A, Posted) async -> Void,
            file: StaticString = #fileID, line: UInt = #line
        ) { add(Source(together.center, name, Filter(file, line)), body) }

        /// Observes the posts of a name about one subject.
        ///
        /// - Parameters:
        ///   - name: The name.
        ///   - subject: Only posts about this instance, which is not retained (R12).
        ///   - body: Called on the actor, with the actor and what was posted.
        ///   - file: The source file of this call. Inspection tools show `file` and `line`.
        ///   - line: The source line of this call.
        public func on(
            _ name: Name, subject: AnyObject, _ body: @escaping @Sendable (isolated A, Posted) async -> Void,
            file: StaticString = #fileID, line: UInt = #line
        ) { add(Source(together.center, name, Filter(.only(subject), file, line)), body) }

    }

    /// Adds observers whose bodies run on their own actors, in one order.
    public struct AsyncObservers: ~Copyable {
        /// A call of a body, and the actor to which the body is isolated.
        struct Work: Sendable {
            let actor: (any Actor)?
            let body: @Sendable (isolated (any Actor)?) async -> Void

            func call(on actor: isolated (any Actor)?) async { await body(actor) }
        }

        /// The actor of the first body. The mailbox's task stays there, so that it need not come and go for each call.
        final class Place: Sendable {
            private let first = Guarded<(any Actor)?>(nil)

            var actor: (any Actor)? { first.withLock { $0 } }
            func add(_ actor: (any Actor)?) { first.withLock { $0 = $0 ?? actor } }
        }

        private let together: Together<Work>
        private let place: Place

        fileprivate init(_ together: Together<Work>, _ place: Place) {
            self.together = together
            self.place = place
        }

        private func add<Part: Sendable>(
            _ source: Source<Part>, _ body: @escaping @isolated(any) @Sendable (Part) async -> Void
        ) {
            let actor = body.isolation
            place.add(actor)
            // The check is made on the body's actor, so no other work of the actor runs between the check and the body.
            together.add(source) { share, part in
                Work(actor: actor) { (_: isolated (any Actor)?) in if !share.isOver { await body(part) } }
            }
        }

        /// Observes the messages of a type.
        ///
        /// - Parameters:
        ///   - type: The type of the messages.
        ///   - body: Called on the actor to which the body is isolated.
        ///   - file: The source file of this call. Inspection tools show `file` and `line`.
        ///   - line: The source line of this call.
        public func on<M: AnyMessage & Sendable>(
            _: M.Type, @_inheritActorContext _ body: @escaping @isolated(any) @Sendable (M) async -> Void,
            file: StaticString = #fileID, line: UInt = #line
        ) { add(Source<M>(together.center, Filter(file, line)), body) }

        /// Observes the messages of a type about one subject.
        ///
        /// - Parameters:
        ///   - type: The type of the messages.
        ///   - subject: Only posts about this instance, which is not retained (R12).
        ///   - body: Called on the actor to which the body is isolated.
        ///   - file: The source file of this call. Inspection tools show `file` and `line`.
        ///   - line: The source line of this call.
        public func on<M: AnyMessage & Sendable>(
            _: M.Type, subject: M.Subject,
            @_inheritActorContext _ body: @escaping @isolated(any) @Sendable (M) async -> Void,
            file: StaticString = #fileID, line: UInt = #line
        ) { add(Source<M>(together.center, Filter(.only(subject), file, line)), body) }

        /// Observes the posts of a name.
        ///
        /// - Parameters:
        ///   - name: The name.
        ///   - body: Called on the actor to which the body is isolated.
        ///   - file: The source file of this call. Inspection tools show `file` and `line`.
        ///   - line: The source line of this call.
        public func on(
            _ name: Name, @_inheritActorContext _ body: @escaping @isolated(any) @Sendable (Posted) async -> Void,
            file: StaticString = #fileID, line: UInt = #line
        ) { add(Source(together.center, name, Filter(file, line)), body) }

        /// Observes the posts of a name about one subject.
        ///
        /// - Parameters:
        ///   - name: The name.
        ///   - subject: Only posts about this instance, which is not retained (R12).
        ///   - body: Called on the actor to which the body is isolated.
        ///   - file: The source file of this call. Inspection tools show `file` and `line`.
        ///   - line: The source line of this call.
        public func on(
            _ name: Name, subject: AnyObject,
            @_inheritActorContext _ body: @escaping @isolated(any) @Sendable (Posted) async -> Void,
            file: StaticString = #fileID, line: UInt = #line
        ) { add(Source(together.center, name, Filter(.only(subject), file, line)), body) }

    }

    /// Adds types and names to one sequence.
    public struct SequenceObservers<Element: Sendable>: ~Copyable {
        private let together: Together<Element>

        fileprivate init(_ together: Together<Element>) { self.together = together }

        /// Adds the messages of a type.
        ///
        /// - Parameters:
        ///   - type: The type of the messages.
        ///   - body: Returns the element for what was posted. Called on the posting thread.
        ///   - file: The source file of this call. Inspection tools show `file` and `line`.
        ///   - line: The source line of this call.
        public func on<M: AnyMessage & Sendable>(
            _: M.Type, _ body: @escaping @Sendable (M) -> Element,
            file: StaticString = #fileID, line: UInt = #line
        ) { together.add(Source<M>(together.center, Filter(file, line))) { body($1) } }

        /// Adds the messages of a type about one subject.
        ///
        /// - Parameters:
        ///   - type: The type of the messages.
        ///   - subject: Only posts about this instance, which is not retained (R12).
        ///   - body: Returns the element for what was posted. Called on the posting thread.
        ///   - file: The source file of this call. Inspection tools show `file` and `line`.
        ///   - line: The source line of this call.
        public func on<M: AnyMessage & Sendable>(
            _: M.Type, subject: M.Subject, _ body: @escaping @Sendable (M) -> Element,
            file: StaticString = #fileID, line: UInt = #line
        ) { together.add(Source<M>(together.center, Filter(.only(subject), file, line))) { body($1) } }

        /// Adds the posts of a name.
        ///
        /// - Parameters:
        ///   - name: The name.
        ///   - body: Returns the element for what was posted. Called on the posting thread.
        ///   - file: The source file of this call. Inspection tools show `file` and `line`.
        ///   - line: The source line of this call.
        public func on(
            _ name: Name, _ body: @escaping @Sendable (Posted) -> Element,
            file: StaticString = #fileID, line: UInt = #line
        ) { together.add(Source(together.center, name, Filter(file, line))) { body($1) } }

        /// Adds the posts of a name about one subject.
        ///
        /// - Parameters:
        ///   - name: The name.
        ///   - subject: Only posts about this instance, which is not retained (R12).
        ///   - body: Returns the element for what was posted. Called on the posting thread.
        ///   - file: The source file of this call. Inspection tools show `file` and `line`.
        ///   - line: The source line of this call.
        public func on(
            _ name: Name, subject: AnyObject, _ body: @escaping @Sendable (Posted) -> Element,
            file: StaticString = #fileID, line: UInt = #line
        ) { together.add(Source(together.center, name, Filter(.only(subject), file, line))) { body($1) } }

    }
}
#endif
