#if os(Linux)
import Synchronization

/// A registration's part of a mailbox that several registrations use (`Together`). If one registration ends, its
/// elements that wait are not heard, and the others go on. When the last one ends, the mailbox ends.
///
/// *Threads.* Any thread may make any call. *Ownership.* A registration has its share, and all shares have the mailbox.
final class Share: Delivery, @unchecked Sendable {
    private let all: Shares
    private let over = Atomic(false)

    fileprivate init(_ all: Shares) { self.all = all }

    /// Whether the registration has ended: then its elements must not be heard any more. Acquire: partner of the
    /// exchange in `end`, so that what the ending thread did before is visible to whoever skips an element.
    var isOver: Bool { over.load(ordering: .acquiring) }

    override func end(then: (@Sendable () -> Void)?) {
        if !over.exchange(true, ordering: .acquiringAndReleasing) { all.leave(self) }
        all.whenOver(then)
    }

    override func hold(_ ticket: Ticket) { all.mailbox.hold(ticket) }

    override var isQuiet: Bool { all.mailbox.isQuiet }
    override var dropped: Int { all.tells(self) ? all.mailbox.dropped : 0 }
    override var waiting: Int { all.tells(self) ? all.mailbox.waiting : 0 }
    override var kind: String { all.mailbox.kind }
}

/// The registrations that use one mailbox.
final class Shares: Sendable {
    private struct State: Sendable {
        /// The shares that have not ended. The first tells how many elements wait or were dropped, so that nobody counts
        /// them twice.
        var living: [ObjectIdentifier] = []
        /// Until `close`, the mailbox does not end: more registrations may come.
        var isClosed = false
        var isOver: Bool { isClosed && living.isEmpty }
    }

    let mailbox: Delivery
    private let state = Guarded(State())

    init(of mailbox: Delivery) { self.mailbox = mailbox }

    func add() -> Share {
        let share = Share(self)
        state.withLock { $0.living.append(ObjectIdentifier(share)) }
        return share
    }

    func tells(_ share: Share) -> Bool { state.withLock { $0.living.first == ObjectIdentifier(share) } }

    func leave(_ share: Share) { change { state in state.living.removeAll { $0 == ObjectIdentifier(share) } } }

    /// No more shares are added.
    func close() { change { $0.isClosed = true } }

    /// Ends the mailbox with the last share.
    private func change(_ change: (inout State) -> Void) {
        let isOver = state.withLock { state in
            change(&state)
            return state.isOver
        }
        if isOver { mailbox.end() }
    }

    /// Calls `then` at once if other registrations go on, and otherwise when the mailbox's body has been released.
    func whenOver(_ then: (@Sendable () -> Void)?) {
        guard let then else { return }
        if state.withLock({ $0.isOver }) { mailbox.end(then: then) } else { then() }
    }
}

/// Registers several observers with one mailbox.
final class Together<Element: Sendable>: Sendable {
    let center: HeraldCenter
    let mailbox: Mailbox<Element>
    let bag = ObservationBag()
    private let shares: Shares

    init(_ center: HeraldCenter, _ mailbox: Mailbox<Element>) {
        self.center = center
        self.mailbox = mailbox
        shares = Shares(of: mailbox)
    }

    /// Puts what `make` makes of each of the source's elements into the mailbox.
    func add<Part: Sendable>(_ source: Source<Part>, _ make: @escaping @Sendable (Share, Part) -> Element) {
        let share = shares.add()
        center.observe(source.kind, source.name, source.filter, share, source.send(to: mailbox, share, make))
            .store(in: bag)
    }

    /// The same, as long as an owner lives.
    func add<Part: Sendable>(
        _ source: Source<Part>, by owner: AnyObject, _ make: @escaping @Sendable (Share, Part) -> Element
    ) {
        let share = shares.add()
        center.observe(
            source.kind, source.name, key: source.key, source.filter, by: owner, share,
            source.send(to: mailbox, share, make))
    }

    /// No more observers are added.
    func close() { shares.close() }
}

extension Source where Element: Sendable {
    fileprivate func send<Whole>(
        to mailbox: Mailbox<Whole>, _ share: Share, _ make: @escaping @Sendable (Share, Element) -> Whole
    ) -> Observation.Ongoing {
        let read = read
        return { name, object, payload, tag in
            if share.isOver { return 0 }
            guard let read else {
                let message = payload.unsafelyUnwrapped.assumingMemoryBound(to: Element.self).pointee
                return mailbox.send(make(share, message)) ? 1 : 0
            }
            guard let element = read(name, object, payload, tag) else { return 1 }
            return mailbox.send(make(share, element)) ? 1 : 0
        }
    }
}
#endif
