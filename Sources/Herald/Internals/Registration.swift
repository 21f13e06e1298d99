import CHerald

/// A registration as Swift knows it: what ends it, and with it what has been queued for it.
@usableFromInline struct Registration: Sendable {
    let token: HeraldToken
    let delivery: (any Delivery)?

    /// Ends it: no new call starts, and nothing that is queued runs. `wait`: returns when no call is running (R11).
    func end(in center: HeraldCenterRef, wait: Bool = false) {
        delivery?.end()
        if wait {
            HeraldCenterRemoveTokenAndWait(center, token)
        } else {
            HeraldCenterRemoveToken(center, token)
        }
    }
}

/// What carries messages on to where they are heard.
@usableFromInline protocol Delivery: AnyObject, Sendable {
    /// Drops what is queued; nothing more is carried.
    func end()
}
