import CHerald

/// A registration as Swift knows it: its number, and a reference to the objects that must live as long as the
/// registration. The registration's number and the center's number make the C token that ends the registration. A
/// `Registration` takes two words, so that an `ObservationToken` takes three.
@usableFromInline struct Registration: Sendable {
    private enum Kept {
        /// Nothing: the local center lives for ever.
        case nothing
        case center(CenterReference)
        case queue(Queued)
    }

    /// The center, and a mailbox that ends with the registration.
    private final class Queued: Sendable {
        let center: HeraldCenter
        let delivery: Delivery

        init(_ delivery: Delivery, _ center: HeraldCenter) {
            self.delivery = delivery
            self.center = center
        }
    }

    private let number: UInt64
    private let kept: Kept

    init(_ token: HeraldToken, with center: HeraldCenter, delivery: Delivery?) {
        number = token.registration
        kept =
            if let delivery {
                .queue(Queued(delivery, center))
            } else {
                center.reference.map { .center($0) } ?? .nothing
            }
    }

    /// The mailbox; nil for an observer that is called on the posting thread.
    var delivery: Delivery? { if case .queue(let queued) = kept { queued.delivery } else { nil } }

    private var center: HeraldCenterRef {
        switch kept {
        case .nothing: HeraldCenterGetLocalCenter()
        case .center(let reference): reference.native
        case .queue(let queued): queued.center.native
        }
    }

    /// Ends the registration: no new call starts (R6), and the body is not called for elements that still wait.
    ///
    /// - Parameter wait: Whether to return only when no call is running (R11).
    func end(wait: Bool = false) {
        delivery?.end()
        let token = HeraldToken(center: HeraldCenterGetNumber(center), registration: number)
        if wait {
            HeraldCenterRemoveTokenAndWait(center, token)
        } else {
            HeraldCenterRemoveToken(center, token)
        }
    }
}

/// A ``Mailbox``, regardless of the type of its elements. It stands between the posts and an observer that does not run
/// on the posting thread.
@usableFromInline class Delivery: @unchecked Sendable {
    @usableFromInline init() {}

    /// Ends the mailbox: drops the waiting elements, and delivers nothing more.
    @usableFromInline func end() {}

    /// How many elements the mailbox has dropped because there was no room.
    @usableFromInline var dropped: Int { 0 }

    /// Where elements are heard, for inspection: `queue`, `actor` or `sequence`.
    @usableFromInline var kind: String { "" }
    /// How many elements wait, for inspection.
    @usableFromInline var waiting: Int { 0 }
}
