import CHerald

/// What a registration owns, and what C knows as its observer: a closure that reads a post and calls the user's body.
///
/// One class for every kind of observer, for what differs is in the closure, which is made where the types are known.
/// The core keeps it alive until its last call has returned on every thread (R10).
@usableFromInline final class Observation: @unchecked Sendable {
    /// False: the registration has ended by itself, because its owner is gone.
    @usableFromInline
    typealias Body = (_ name: NativeName?, _ object: UnsafeRawPointer?, _ payload: UnsafeRawPointer?) -> Bool

    /// What it hears, which decides how a post is read.
    @usableFromInline enum Kind: Hashable, Sendable { case message, call, notice }

    fileprivate let body: Body
    /// The subject may die, and its address is not used again (R12).
    private let subject: Pin?
    private let delivery: (any Delivery)?
    /// Where its owner is noted.
    private let owners: Owners?
    fileprivate var token = HeraldToken()

    init(subject: AnyObject?, delivery: (any Delivery)?, owners: Owners?, body: @escaping Body) {
        self.subject = subject.map(Pin.init)
        self.delivery = delivery
        self.owners = owners
        self.body = body
    }

    deinit { delivery?.end() }

    /// Registers; the center owns the observation from here on. Nil: the center's transport refuses the name, and has
    /// been heard.
    func add(
        to center: HeraldCenterRef, as kind: Kind, name: NativeName?, behavior: HeraldSuspensionBehavior
    ) -> Registration? {
        var options = HeraldObserverOptions()
        options.size = MemoryLayout<HeraldObserverOptions>.size
        options.suspensionBehavior = behavior
        options.release = { release(UnsafeRawPointer($0)) }
        let callback =
            switch kind {
            case .message: receiveMessage
            case .call: receiveCall
            case .notice: receiveNotice
            }
        let context = UnsafeMutableRawPointer(mutating: retained(address(of: self)))
        // The token lies in the observation, where the first call may need it, before any post can see it (R9).
        let status = HeraldCenterAddObserverWithOptions(
            center, context, callback, name, subject?.address, &options, &token)
        guard isAccepted(status, by: center, name) else {
            release(UnsafeRawPointer(context))
            return nil
        }
        return Registration(token: token, delivery: delivery)
    }
}

/// A post's way into an observation. Typed observers hear what their own kind of post has sent, and nothing else: a
/// post of the same name from C, or by hand, is not theirs to read.
private let receiveMessage: HeraldCallback = { center, observer, _, _, payload in
    guard HeraldGetCurrentTag() == Tag.message, let payload else { return }
    hand(nil, nil, UnsafeRawPointer(payload), to: observer, of: center)
}

private let receiveCall: HeraldCallback = { center, observer, _, _, payload in
    guard HeraldGetCurrentTag() == Tag.call, let payload else { return }
    hand(nil, nil, UnsafeRawPointer(payload), to: observer, of: center)
}

private let receiveNotice: HeraldCallback = { center, observer, name, object, payload in
    hand(name, object, payload, to: observer, of: center)
}

@inline(__always)
private func hand(
    _ name: NativeName?, _ object: UnsafeRawPointer?, _ payload: UnsafeRawPointer?,
    to observer: UnsafeMutableRawPointer?, of center: HeraldCenterRef?
) {
    withInstance(of: Observation.self, at: observer.unsafelyUnwrapped) { observation in
        if !observation.body(name, object, payload) { HeraldCenterRemoveToken(center, observation.token) }
    }
}
