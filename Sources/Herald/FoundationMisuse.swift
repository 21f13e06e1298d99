#if os(Linux)
public import Dispatch

// The calls of Foundation's NotificationCenter. A program that makes one of these calls on a `HeraldCenter` does not
// compile. The compiler's error says what to write instead. The types that Foundation's calls pass to closures are
// here, too, so that the error is the only one.
extension HeraldCenter {
    @available(
        *, unavailable,
        message: "write `HeraldCenter.local`; the center of all processes of the user is `HeraldCenter.host`"
    )
    @_documentation(visibility: internal)
    public static var `default`: HeraldCenter { local }

    @available(
        *, unavailable,
        message:
            "write `let token = center.observe(name) { notice in ... }`, with `via: queue` for a queue, and keep the token"
    )
    @_documentation(visibility: internal)
    public func addObserver(
        forName name: Name?, object: Any?, queue: DispatchQueue?,
        using body: @escaping (_FoundationNotification) -> Void
    ) -> any AnyObject & Sendable { ObservationBag() }

    @available(
        *, unavailable,
        message:
            "write `let token = center.observe(name) { notice in ... }`, with `via: queue` for a queue, and keep the token"
    )
    @_disfavoredOverload @_documentation(visibility: internal)
    public func addObserver(
        forName name: Name?, object: Any?, queue: Any?, using body: @escaping (_FoundationNotification) -> Void
    ) -> any AnyObject & Sendable { ObservationBag() }

    @available(
        *, unavailable,
        message:
            "write `let token = center.observe(name) { notice in ... }`, with `via: queue` for a queue, and keep the token"
    )
    @_disfavoredOverload @_documentation(visibility: internal)
    public func addObserver<OtherName>(
        forName name: OtherName, object: Any?, queue: DispatchQueue?,
        using body: @escaping (_FoundationNotification) -> Void
    ) -> any AnyObject & Sendable { ObservationBag() }

    @available(
        *, unavailable,
        message:
            "write `let token = center.observe(name) { notice in ... }`, with `via: queue` for a queue, and keep the token"
    )
    @_disfavoredOverload @_documentation(visibility: internal)
    public func addObserver<OtherName>(
        forName name: OtherName, object: Any?, queue: Any?, using body: @escaping (_FoundationNotification) -> Void
    ) -> any AnyObject & Sendable { ObservationBag() }

    @available(
        *, unavailable,
        message: "write `center.observe(name, by: self) { owner, notice in owner.method(notice) }`"
    )
    @_documentation(visibility: internal)
    public func addObserver(_ observer: Any, selector: Any, name: Name?, object: Any?) {}

    @available(
        *, unavailable,
        message: "write `center.observe(name, by: self) { owner, notice in owner.method(notice) }`"
    )
    @_disfavoredOverload @_documentation(visibility: internal)
    public func addObserver<OtherName>(_ observer: Any, selector: Any, name: OtherName, object: Any?) {}

    @available(
        *, unavailable, message: "write `center.post(name, subject: object, userInfo: userInfo)`"
    )
    @_documentation(visibility: internal)
    public func post(name: Name, object: Any?, userInfo: [AnyHashable: Any]? = nil) {}

    @available(
        *, unavailable, message: "write `center.post(name, subject: object, userInfo: userInfo)`"
    )
    @_disfavoredOverload @_documentation(visibility: internal)
    public func post<OtherName>(name: OtherName, object: Any?, userInfo: [AnyHashable: Any]? = nil) {}

    @available(
        *, unavailable, message: "write `center.messages(named: name, subject: object)`"
    )
    @_documentation(visibility: internal)
    public func notifications(named name: Name, object: Any? = nil) -> Messages<_FoundationNotification> {
        Messages(Mailbox(.oldest(0)), ObservationToken(nil))
    }

    @available(
        *, unavailable, message: "write `center.messages(named: name, subject: object)`"
    )
    @_disfavoredOverload @_documentation(visibility: internal)
    public func notifications<OtherName>(
        named name: OtherName, object: Any? = nil
    ) -> Messages<_FoundationNotification> { Messages(Mailbox(.oldest(0)), ObservationToken(nil)) }

    @available(
        *, unavailable,
        message: "write `let token = center.observe(name) { notice in ... }`, or `center.messages(named: name)`"
    )
    @_documentation(visibility: internal)
    public func publisher(for name: Name, object: Any? = nil) -> _FoundationPublisher { _FoundationPublisher() }

    @available(
        *, unavailable,
        message: "write `let token = center.observe(name) { notice in ... }`, or `center.messages(named: name)`"
    )
    @_disfavoredOverload @_documentation(visibility: internal)
    public func publisher<OtherName>(
        for name: OtherName, object: Any? = nil
    ) -> _FoundationPublisher { _FoundationPublisher() }

    @available(
        *, unavailable,
        message: "write `center.removeObserver(owner, of: name)`; a token ends its observer with `cancel()`"
    )
    @_documentation(visibility: internal)
    public func removeObserver(_ observer: Any, name: Name?, object: Any?) {}

    @available(
        *, unavailable,
        message: "write `center.removeObserver(owner, of: name)`; a token ends its observer with `cancel()`"
    )
    @_disfavoredOverload @_documentation(visibility: internal)
    public func removeObserver<OtherName>(_ observer: Any, name: OtherName, object: Any?) {}
}

/// What the closures of Foundation's calls get.
@_documentation(visibility: internal)
public struct _FoundationNotification: Sendable {
    public var name: HeraldCenter.Name { "" }
    public var object: Any? { nil }
    public var userInfo: [AnyHashable: Any]? { nil }
}

/// What Combine makes of a notification's name.
@_documentation(visibility: internal)
public struct _FoundationPublisher: Sendable {
    public func receive(on scheduler: Any) -> Self { self }
    public func sink(receiveValue: @escaping (_FoundationNotification) -> Void) -> any AnyObject & Sendable {
        ObservationBag()
    }
}
#endif
