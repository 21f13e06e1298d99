import CHerald

/// What a registration owns, and what C knows as its observer: a closure that reads a post and calls the user's body.
///
/// There is one class for all kinds of observers: they differ in the closure, which is made where the types are known.
/// The core releases it when its last call has returned on every thread (R10).
@usableFromInline final class Observation: @unchecked Sendable {
    /// Returns false when the owner is gone: then the registration ends.
    @usableFromInline
    typealias Body = (_ name: NativeName?, _ object: UnsafeRawPointer?, _ payload: UnsafeRawPointer?) -> Bool

    /// Which posts it reads.
    @usableFromInline enum Kind: Hashable, Sendable { case message, call, notice }

    fileprivate let body: Body
    /// The subject may be deinitialized, but its address is not used again (R12).
    private let subject: Pin?
    private let delivery: (any Delivery)?
    /// The table in which its owner is recorded.
    private let owners: Owners?
    fileprivate var token = HeraldToken()

    init(subject: AnyObject?, delivery: (any Delivery)?, owners: Owners?, body: @escaping Body) {
        self.subject = subject.map(Pin.init)
        self.delivery = delivery
        self.owners = owners
        self.body = body
    }

    deinit { delivery?.end() }

    /// Registers: the center owns the observation from here on. Nil: the center's transport has refused the name, and
    /// the reason has been printed.
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
        // The core writes the token into the observation before any post can see the registration (R9), so the first
        // call can use it.
        let status = HeraldCenterAddObserverWithOptions(
            center, context, callback, name, subject?.address, &options, &token)
        guard isAccepted(status, by: center, name) else {
            release(UnsafeRawPointer(context))
            return nil
        }
        return Registration(token: token, delivery: delivery)
    }
}

/// The callbacks, one for each kind. A typed observer is called only for posts with its own tag: it cannot read the
/// payload of a post of the same name from C.
private let receiveMessage: HeraldCallback = { center, observer, _, _, payload in
    guard HeraldGetCurrentTag() == Tag.message, let payload else { return }
    deliver(nil, nil, UnsafeRawPointer(payload), to: observer, of: center)
}

private let receiveCall: HeraldCallback = { center, observer, _, _, payload in
    guard HeraldGetCurrentTag() == Tag.call, let payload else { return }
    deliver(nil, nil, UnsafeRawPointer(payload), to: observer, of: center)
}

private let receiveNotice: HeraldCallback = { center, observer, name, object, payload in
    deliver(name, object, payload, to: observer, of: center)
}

@inline(__always)
private func deliver(
    _ name: NativeName?, _ object: UnsafeRawPointer?, _ payload: UnsafeRawPointer?,
    to observer: UnsafeMutableRawPointer?, of center: HeraldCenterRef?
) {
    withInstance(of: Observation.self, at: observer.unsafelyUnwrapped) { observation in
        if !observation.body(name, object, payload) { HeraldCenterRemoveToken(center, observation.token) }
    }
}
