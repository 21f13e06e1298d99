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
    /// Pins the subject's address: memory that is referred to so is not used again, and the subject may die (R12).
    private unowned let subject: AnyObject?
    private let delivery: (any Delivery)?
    fileprivate var token = HeraldToken()

    init(subject: AnyObject?, delivery: (any Delivery)?, body: @escaping Body) {
        self.subject = subject
        self.delivery = delivery
        self.body = body
    }

    deinit { delivery?.end() }

    /// Registers; the center owns the observation from here on.
    func add(
        to center: HeraldCenterRef, as kind: Kind, name: NativeName?, behavior: HeraldSuspensionBehavior
    ) -> Registration {
        var options = HeraldObserverOptions()
        options.size = MemoryLayout<HeraldObserverOptions>.size
        options.suspensionBehavior = behavior
        options.release = { release(UnsafeRawPointer($0)) }
        let object = subject.map(address(of:))
        let callback =
            switch kind {
            case .message: receiveMessage
            case .call: receiveCall
            case .notice: receiveNotice
            }
        let context = UnsafeMutableRawPointer(mutating: retained(address(of: self)))
        // The token lies in the observation, where the first call may need it, before any post can see it (R9).
        check(HeraldCenterAddObserverWithOptions(center, context, callback, name, object, &options, &token))
        return Registration(token: token, delivery: delivery)
    }
}

/// A post's way into an observation. Typed observers hear what their own kind of post has sent, and nothing else: a post
/// of the same name from C, or by hand, is not theirs to read.
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
