import CHerald

/// A registration as Swift knows it: the token that ends it, and the queue that ends with it.
@usableFromInline struct Registration: Sendable {
    let token: HeraldToken
    let delivery: (any Delivery)?

    /// Ends it: no new call starts (R6), and nothing that is queued runs.
    ///
    /// - Parameters:
    ///   - center: The center with which it is registered.
    ///   - wait: Whether to return only when no call is running (R11).
    func end(in center: HeraldCenterRef, wait: Bool = false) {
        delivery?.end()
        if wait {
            HeraldCenterRemoveTokenAndWait(center, token)
        } else {
            HeraldCenterRemoveToken(center, token)
        }
    }
}

/// A queue between the posts and an observer that does not run on the posting thread.
@usableFromInline protocol Delivery: AnyObject, Sendable {
    /// Drops what is queued. Nothing more is delivered.
    func end()

    /// How many elements there was no room for.
    var dropped: Int { get }

    /// Where its elements are heard, and how many wait: for those who look on.
    var kind: String { get }
    var waiting: Int { get }
}
