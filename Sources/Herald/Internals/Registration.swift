#if os(Linux)
import CHerald
import CHeraldRuntime

/// A registration as Swift knows it: its number, and a reference to the objects that must live as long as the
/// registration. The registration's number and the center's number make the C token that ends the registration. A
/// `Registration` takes two words, so that an `ObservationToken` takes three.
@usableFromInline struct Registration: Sendable {
    /// Keeps a center alive, and ends its mailbox with the registration.
    private final class Queued: Anchor, @unchecked Sendable {
        private let center: HeraldCenter

        init(_ delivery: Delivery, _ center: HeraldCenter) {
            self.center = center
            super.init(center.native, delivery)
        }
    }

    private let number: UInt64
    private let anchor: Anchor?  // nil: the local center lives for ever

    init(_ token: HeraldToken, with center: HeraldCenter, delivery: Delivery?) {
        number = token.registration
        anchor = delivery.map { Queued($0, center) } ?? center.reference
    }

    /// The mailbox; nil for an observer that is called on the posting thread.
    var delivery: Delivery? { anchor?.delivery }

    private var center: HeraldCenterRef { anchor?.native ?? HeraldCenterGetLocalCenter() }

    /// Whether posts do not call the observer. Setting it does nothing once the registration is over.
    var isMuted: Bool {
        get { HeraldCenterIsTokenBlocked(center, token) }
        nonmutating set { HeraldCenterSetTokenBlocked(center, token, newValue) }
    }

    /// Ends the registration: no new call starts (R6), and the body is not called for elements that still wait.
    func end() {
        delivery?.end()
        HeraldCenterRemoveToken(center, token)
    }

    /// Ends the registration, and returns when no call is running on a posting thread (R11).
    ///
    /// - Returns: Whether no call is running anywhere, and the body has been released.
    @discardableResult func cancel() -> Bool {
        delivery?.end()
        var isOver = herald_swift_end(center, token)
        if !isOver {
            HeraldCenterRemoveTokenAndWait(center, token)
            isOver = herald_swift_end(center, token)  // false in a callback, where the call above does not wait
        }
        return isOver && delivery?.isQuiet ?? true
    }

    /// Ends the registration. Calls `then` once, after the last call has returned on every thread, in queues and on
    /// actors too, and the body has been released.
    func end(then: @escaping @Sendable () -> Void) {
        delivery?.end()
        let last = delivery.map { delivery in Last { delivery.end(then: then) } } ?? Last(then)
        let status = HeraldCenterRemoveTokenThen(
            center, token,
            {
                withInstance(of: Last.self, at: $0.unsafelyUnwrapped) { $0.call() }
                release($0)
            }, owned(last))
        check(status)
    }

    private var token: HeraldToken { HeraldToken(center: HeraldCenterGetNumber(center), registration: number) }

    /// The function that C calls after the last call.
    private final class Last: Sendable {
        let call: @Sendable () -> Void
        init(_ call: @escaping @Sendable () -> Void) { self.call = call }
    }
}

/// What a registration keeps as long as it lasts.
@usableFromInline class Anchor: @unchecked Sendable {
    final let native: HeraldCenterRef
    final let delivery: Delivery?

    init(_ native: HeraldCenterRef, _ delivery: Delivery?) {
        self.native = native
        self.delivery = delivery
    }
}

/// A ``Mailbox``, regardless of the type of its elements. It stands between the posts and an observer that does not run
/// on the posting thread.
@usableFromInline package class Delivery: @unchecked Sendable {
    @usableFromInline init() {}

    /// Ends the mailbox: drops the waiting elements, and delivers nothing more.
    @usableFromInline final func end() { end(then: nil) }

    /// The same. Then calls `then` once, after the last call of the body has returned and the body has been released.
    @usableFromInline func end(then: (@Sendable () -> Void)?) {}

    /// Whether no call of the body is running, and none is about to release the body.
    @usableFromInline var isQuiet: Bool { true }

    /// A turn was released without having begun.
    @usableFromInline func loseTurn() {}

    /// The last element that waits, or is being heard, holds the ticket. If there is none, nobody does.
    @usableFromInline func hold(_ ticket: Ticket) {}

    /// How many elements the mailbox has dropped because there was no room.
    @usableFromInline var dropped: Int { 0 }

    /// Where elements are heard, for inspection: `queue`, `actor` or `sequence`.
    @usableFromInline var kind: String { "" }
    /// How many elements wait, for inspection.
    @usableFromInline var waiting: Int { 0 }
}
#endif
