#if os(Linux)
public import CHerald
public import CHeraldRuntime

/// What an observer gets, regardless of where it is called: the posts of which name, about which subject, and how an
/// element is read from a post. All forms of observing that do not hand C's own closures to C end here.
@frozen @usableFromInline struct Source<Element: ~Copyable> {
    /// Returns the element of a post, or nil if the observer does not get this post.
    @usableFromInline
    typealias Read =
        @Sendable (
            _ name: NativeName?, _ object: UnsafeRawPointer?, _ payload: UnsafeRawPointer?, _ tag: UnsafeRawPointer?
        ) -> Element?

    @usableFromInline let center: HeraldCenter
    /// Nil: the posts of all names, or of all names below the filter's prefix.
    @usableFromInline let name: NativeName?
    /// Tells an owner's registrations apart: see `herald_swift_wish`.
    @usableFromInline let key: NativeName?
    @usableFromInline let filter: Filter
    /// Nil: the element is the post's payload, a message in this process.
    @usableFromInline let read: Read?
    /// Nil: the observer does not begin with what is kept, or it is an observer in this process.
    @usableFromInline var beginning: Beginning?

    @inlinable init(
        _ center: HeraldCenter, _ name: NativeName?, key: NativeName?, _ filter: Filter, _ read: Read?
    ) {
        self.center = center
        self.name = name
        self.key = key
        self.filter = filter
        self.read = read
    }

    @inlinable var kind: herald_swift_kind { read == nil ? HERALD_SWIFT_MESSAGES : HERALD_SWIFT_NOTICES }
}

extension Source where Element: HeraldCenter.AnyMessage & ~Copyable {
    /// The messages of a type in this process.
    @inlinable init(_ center: HeraldCenter, _ filter: Filter) {
        let name = Herald.name(of: Element.self)
        self.init(center, name, key: name, filter, nil)
    }
}

extension Source where Element == HeraldCenter.Posted {
    /// The posts of a name in this process.
    @usableFromInline init(_ center: HeraldCenter, _ name: HeraldCenter.Name, _ filter: Filter) {
        self.init(center, name.native, key: name.native, filter) { HeraldCenter.Posted($0, $1, $2, $3) }
    }

    /// The posts of several names in this process. The filter has been made with the same names.
    @usableFromInline init(_ center: HeraldCenter, _ names: HeraldCenter.Names, _ filter: Filter) {
        self.init(center, names.native, key: names.key, filter) { HeraldCenter.Posted($0, $1, $2, $3) }
    }
}

extension Source where Element: HeraldCenter.WireMessage {
    /// The messages of a type between processes. Two types with the same wire name have different keys, so that an
    /// owner's registrations for these types do not replace each other.
    @usableFromInline init(_ wire: Wire, _ filter: Filter) {
        self.init(wire.center, Element.wireName.native, key: Herald.name(of: Element.self), filter) { name, _, _, _ in
            wire.decode(Element.self, name.unsafelyUnwrapped)
        }
    }
}

extension Source where Element == NamePost {
    /// The posts of a name between processes.
    @usableFromInline init(_ wire: Wire, _ name: HeraldCenter.Name, _ filter: Filter) {
        self.init(wire.center, name.native, key: name.native, filter) { _, _, _, _ in wire.post(of: name) }
    }
}

extension Source where Element == WirePost {
    /// Messages of any type between processes, not decoded. The filter has been made with the same names.
    @usableFromInline init(_ wire: Wire, _ names: HeraldCenter.Names, _ filter: Filter) {
        self.init(wire.center, names.native, key: names.key(notDecoded: true), filter) { name, _, _, _ in
            wire.post(name.unsafelyUnwrapped)
        }
    }
}

// ---- Where the post itself calls the observer

extension Source where Element: ~Copyable {
    func observe(
        whileSuspended: HeraldCenter.SuspensionBehavior, _ body: @escaping (borrowing Element) -> Void
    ) -> HeraldCenter.ObservationToken {
        observe(whileSuspended: whileSuspended) { (element: borrowing Element) in
            body(element)
            return true
        }
    }

    /// Observes until the body returns false.
    func observe(
        whileSuspended: HeraldCenter.SuspensionBehavior = .deliverImmediately, from start: HeraldCenter.Start = .next,
        began: (Int) -> Void = { _ in }, while body: @escaping (borrowing Element) -> Bool
    ) -> HeraldCenter.ObservationToken {
        let read = read
        return center.observe(
            kind, HERALD_SWIFT_WHILE, name, filter, whileSuspended: whileSuspended, from: start, began: began,
            beginning: beginning,
            herald_swift_closure(while: { name, object, payload, tag in
                guard let read else {
                    return body(payload.unsafelyUnwrapped.assumingMemoryBound(to: Element.self).pointee) ? 1 : 0
                }
                guard let element = read(name, object, payload, tag) else { return 1 }
                return body(element) ? 1 : 0
            }))
    }

    /// Observes as long as a condition holds. The first element for which it does not hold ends the registration.
    func observe(
        whileSuspended: HeraldCenter.SuspensionBehavior = .deliverImmediately, from start: HeraldCenter.Start = .next,
        began: (Int) -> Void = { _ in }, while goesOn: @escaping (borrowing Element) -> Bool,
        _ body: @escaping (borrowing Element) -> Void
    ) -> HeraldCenter.ObservationToken {
        let over = First()
        return observe(whileSuspended: whileSuspended, from: start, began: began) { (element: borrowing Element) in
            guard !over.isTaken, goesOn(element), !over.isTaken else {
                _ = over.take()
                return false
            }
            body(element)
            return true
        }
    }

    func once(
        from start: HeraldCenter.Start = .next, began: (Int) -> Void = { _ in },
        _ body: @escaping (borrowing Element) -> Void
    ) -> HeraldCenter.ObservationToken {
        let first = First()
        return observe(from: start, began: began) { (element: borrowing Element) in
            if first.take() { body(element) }
            return false
        }
    }
}

extension Source {
    func observe<O: AnyObject & Sendable>(
        by owner: O, whileSuspended: HeraldCenter.SuspensionBehavior, _ body: @escaping (O, Element) -> Void
    ) {
        let read = read.unsafelyUnwrapped  // messages in this process go to C as they are
        center.observe(
            kind, HERALD_SWIFT_OWNED, name, key: key, filter, by: owner, whileSuspended: whileSuspended,
            beginning: beginning,
            herald_swift_closure(
                owner: owner,
                notice: { (owner: O, notice) in
                    if let element = read(notice.nativeName, notice.object, notice.payload, notice.tag) {
                        body(owner, element)
                    }
                }))
    }
}

// ---- Everywhere else

extension Source where Element: Sendable {
    @inlinable func observe(
        from start: HeraldCenter.Start = .next, began: (Int) -> Void = { _ in }, _ mailbox: Mailbox<Element>
    ) -> HeraldCenter.ObservationToken {
        center.observe(
            kind, name, filter, mailbox, from: start, began: began, beginning: beginning, send(to: mailbox, from: start)
        )
    }

    @inlinable func observe(
        by owner: AnyObject, from start: HeraldCenter.Start = .next, began: (Int) -> Void = { _ in },
        _ mailbox: Mailbox<Element>
    ) {
        center.observe(
            kind, name, key: key, filter, by: owner, mailbox, from: start, began: began, beginning: beginning,
            send(to: mailbox, from: start))
    }

    @inlinable func messages(
        _ buffer: HeraldCenter.Buffer, merge: Mailbox<Element>.Merge? = nil, from start: HeraldCenter.Start = .next,
        began: (Int) -> Void = { _ in }
    ) -> Messages<Element> {
        let mailbox = Mailbox<Element>(buffer, merge: merge)
        return Messages(mailbox, observe(from: start, began: began, mailbox))
    }

    @usableFromInline func next(
        within limit: Duration?, where isWanted: (@Sendable (Element) -> Bool)?, isolation: isolated (any Actor)?
    ) async -> Element? {
        await center.next(within: limit, where: isWanted, isolation: isolation) { observe($0) }
    }

    @inlinable func send(
        to mailbox: Mailbox<Element>, from start: HeraldCenter.Start = .next
    ) -> Observation.Ongoing {
        guard let read else {
            if case .kept = start {
                return { _, _, payload, _ in
                    let message = payload.unsafelyUnwrapped.assumingMemoryBound(to: Element.self).pointee
                    return mailbox.send(message, isKept: HeraldPostIsKept()) ? 1 : 0
                }
            }
            return { _, _, payload, _ in
                mailbox.send(payload.unsafelyUnwrapped.assumingMemoryBound(to: Element.self).pointee) ? 1 : 0
            }
        }
        let isBeginning = beginning != nil
        return { name, object, payload, tag in
            guard let element = read(name, object, payload, tag) else { return 1 }
            return mailbox.send(element, isKept: isBeginning && HeraldPostIsKept()) ? 1 : 0
        }
    }
}
#endif
