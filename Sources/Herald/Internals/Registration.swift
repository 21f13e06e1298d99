import CHerald

/// A registration as Swift knows it: half of the token that ends it, of which its center knows the other, and the queue
/// that ends with it.
@usableFromInline struct Registration: Sendable {
    private let number: UInt64
    let delivery: Delivery?

    init(_ token: HeraldToken, delivery: Delivery?) {
        number = token.registration
        self.delivery = delivery
    }

    /// Ends it: no new call starts (R6), and nothing that is queued runs.
    ///
    /// - Parameters:
    ///   - center: The center with which it is registered.
    ///   - wait: Whether to return only when no call is running (R11).
    func end(in center: HeraldCenterRef, wait: Bool = false) {
        delivery?.end()
        let token = HeraldToken(center: HeraldCenterGetNumber(center), registration: number)
        if wait {
            HeraldCenterRemoveTokenAndWait(center, token)
        } else {
            HeraldCenterRemoveToken(center, token)
        }
    }
}

/// A queue between the posts and an observer that does not run on the posting thread: a ``Mailbox`` of some element.
@usableFromInline class Delivery: @unchecked Sendable {
    @usableFromInline init() {}

    /// Drops what is queued. Nothing more is delivered.
    @usableFromInline func end() {}

    /// How many elements there was no room for.
    @usableFromInline var dropped: Int { 0 }

    /// Where its elements are heard, and how many wait: for those who look on.
    @usableFromInline var kind: String { "" }
    @usableFromInline var waiting: Int { 0 }
}
