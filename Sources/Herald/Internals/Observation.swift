#if os(Linux)
import CHerald
import CHeraldRuntime

/// Registering an observer: all `observe` calls end in this file. The observer that C knows is a listener
/// (`herald_runtime.h`). The listener holds the body. The listener is released when the registration has ended and all
/// its calls have returned, on every thread (R10).
@usableFromInline enum Observation {
    /// A body that returns 1 if its registration goes on, and 0 if its registration ends.
    @usableFromInline
    typealias Ongoing = (
        _ name: NativeName?, _ object: UnsafeRawPointer?, _ payload: UnsafeRawPointer?, _ tag: UnsafeRawPointer?
    ) -> Int

    /// The parts of a listener that few registrations have: a `Pin` on the subject, a mailbox, and what is called after
    /// a beginning between processes.
    final class Extra {
        /// As long as this pin exists, the subject's address is not reused, even after the subject has been
        /// deinitialized (R12).
        private let subject: Pin?
        let delivery: Delivery?
        let beginning: Beginning?

        /// Nil if all three are. (A failing initializer would allocate the instance first.)
        static func of(subject: AnyObject?, delivery: Delivery?, beginning: Beginning?) -> Extra? {
            if subject == nil && delivery == nil && beginning == nil { return nil }
            return Extra(subject: subject, delivery: delivery, beginning: beginning)
        }

        private init(subject: AnyObject?, delivery: Delivery?, beginning: Beginning?) {
            self.subject = subject.map(Pin.init)
            self.delivery = delivery
            self.beginning = beginning
        }

        deinit { delivery?.end() }

        /// Gives C two functions. With the first, C ends a mailbox before it ends the registration. With the second, C
        /// counts the elements that a mailbox has dropped.
        static func describe() {
            herald_swift_extras_are(
                { withInstance(of: Extra.self, at: $0.unsafelyUnwrapped) { $0.delivery?.end() } },
                { withInstance(of: Extra.self, at: $0.unsafelyUnwrapped) { $0.delivery?.dropped ?? 0 } })
        }
    }
}

extension herald_swift_wish {
    /// A registration to be made. `herald_swift_observe` and `herald_swift_observe_by` take ownership of the body and
    /// the extra.
    init(
        _ center: HeraldCenter, _ kind: herald_swift_kind, _ form: herald_swift_form, _ name: NativeName?,
        key: NativeName? = nil,
        _ filter: Filter,
        _ body: herald_swift_closure, whileSuspended: HeraldCenter.SuspensionBehavior, delivery: Delivery?,
        beginning: Beginning?
    ) {
        let extra = Observation.Extra.of(subject: filter.subject, delivery: delivery, beginning: beginning)
        self.init(
            center: center.native, name: name, key: key ?? name, subject: filter.address,
            has_instance: filter.subject != nil, prefix: filter.prefix,
            behavior: whileSuspended.native, kind: kind, form: form, body: body,
            extra: extra.flatMap { retained(address(of: $0)) }, file: filter.file, line: Int(filter.line),
            start: beginning == nil ? HeraldStartNext : HeraldStartKept, began: herald_swift_closure())
    }
}

extension HeraldCenter {
    /// Registers an observer for as long as the token lives. If `filter` matches no post, `body` is not evaluated,
    /// because nobody would release the closure that it makes. With a start that is not the next post, `began` is called
    /// before this function returns.
    func observe(
        _ kind: herald_swift_kind, _ form: herald_swift_form, _ name: NativeName?, _ filter: Filter,
        whileSuspended: SuspensionBehavior = .deliverImmediately, delivery: Delivery? = nil,
        from start: Start = .next, began: (Int) -> Void = { _ in }, beginning: Beginning? = nil,
        _ body: @autoclosure () -> herald_swift_closure
    ) -> ObservationToken {
        if filter.isNothing {
            beginning?.over(HeraldOK)  // nothing is kept about such a subject
            return ObservationToken(nil)
        }
        var wish = herald_swift_wish(
            self, kind, form, name, filter, body(), whileSuspended: whileSuspended, delivery: delivery,
            beginning: beginning)
        var token = HeraldToken()
        let status =
            switch start {
            case .next: herald_swift_observe(&wish, &token)
            case .kept: observeFromKept(&wish, &token, began: began)
            }
        guard isAccepted(status, by: native, name) else {
            beginning?.over(status)
            return ObservationToken(nil)
        }
        return ObservationToken(Registration(token, with: self, delivery: delivery))
    }

    /// Registers an observer for as long as an owner lives. The new registration replaces the owner's registration of
    /// the same kind, key and subject.
    ///
    /// Only `addObserver` passes `observer`: the bits of the observer as a value of the protocol's type. If the
    /// observer is registered for this protocol already, the old registration stays, and no new one is made.
    func observe(
        _ kind: herald_swift_kind, _ form: herald_swift_form, _ name: NativeName?, key: NativeName? = nil,
        _ filter: Filter,
        by owner: AnyObject,
        whileSuspended: SuspensionBehavior = .deliverImmediately, delivery: Delivery? = nil,
        from start: Start = .next, began: (Int) -> Void = { _ in }, beginning: Beginning? = nil,
        _ body: @autoclosure () -> herald_swift_closure, observer: UnsafeRawBufferPointer? = nil
    ) {
        if filter.isNothing {
            beginning?.over(HeraldOK)
            return
        }
        var wish = herald_swift_wish(
            self, kind, form, name, key: key, filter, body(), whileSuspended: whileSuspended, delivery: delivery,
            beginning: beginning)
        beginning?.belongs(to: owner)
        let owners = owners.native, owner = address(of: owner)
        let status =
            switch start {
            case .next:
                herald_swift_observe_by(&wish, owners, owner, observer?.baseAddress, observer?.count ?? 0)
            case .kept: observeFromKept(&wish, owners, by: owner, began: began)
            }
        if !isAccepted(status, by: native, name) { beginning?.over(status) }
    }

    /// Registers a mailbox.
    @usableFromInline
    func observe(
        _ kind: herald_swift_kind, _ name: NativeName?, _ filter: Filter, _ mailbox: Delivery,
        from start: Start = .next, began: (Int) -> Void = { _ in }, beginning: Beginning? = nil,
        _ send: @escaping Observation.Ongoing
    ) -> ObservationToken {
        if filter.isNothing { mailbox.end() }  // no element will come, so a task must not wait for one
        return observe(
            kind, HERALD_SWIFT_WHILE, name, filter, delivery: mailbox, from: start, began: began, beginning: beginning,
            herald_swift_closure(while: send))
    }

    /// Registers a mailbox, for as long as an owner lives.
    @usableFromInline
    func observe(
        _ kind: herald_swift_kind, _ name: NativeName?, key: NativeName?, _ filter: Filter, by owner: AnyObject,
        _ mailbox: Delivery, from start: Start = .next, began: (Int) -> Void = { _ in }, beginning: Beginning? = nil,
        _ send: @escaping Observation.Ongoing
    ) {
        observe(
            kind, HERALD_SWIFT_WHILE, name, key: key, filter, by: owner, delivery: mailbox, from: start, began: began,
            beginning: beginning, herald_swift_closure(while: send))
    }
}
#endif
