#if os(Linux)
import CHeraldRuntime

/// A property of a class or an actor. After each change the property calls its observers with the old and the new
/// value.
///
/// ```swift
/// final class Model { @Watched var name = "" }
/// let token = model.$name.observe { old, new in ... }
/// ```
///
/// Observers are called on the thread that changes the value, in the order of registration (R2). They are called before
/// the assignment is over (R3). Observers may read, set and observe the property, and may end registrations (R7). If an
/// observer sets the property, all observers get this second change before the remaining observers get the first
/// change. Until `$name` is first used, setting the property costs one extra comparison. Changing a collection in place
/// copies the whole collection, even if there are no observers.
///
/// In a struct, or with another wrapper, use ``Changes`` and `didSet`:
///
/// ```swift
/// let nameChanges = Watched<String>.Changes()
/// var name = "" { didSet { nameChanges.send(old: oldValue, new: name) } }
/// ```
@frozen @propertyWrapper public struct Watched<Value> {
    @usableFromInline var value: Value
    @usableFromInline var hub: Hub?

    /// The compiler calls this with the property's first value.
    @inlinable public init(wrappedValue: Value) { value = wrappedValue }

    @available(
        *, unavailable, message: "@Watched is for properties of classes and actors; elsewhere use Watched.Changes"
    )
    public var wrappedValue: Value {
        get { fatalError() }
        set { fatalError() }
    }

    @available(
        *, unavailable, message: "@Watched is for properties of classes and actors; elsewhere use Watched.Changes"
    )
    public var projectedValue: Changes { fatalError() }

    /// The compiler reads and sets the property through this subscript. Do not use it yourself.
    public static subscript<Owner: AnyObject>(
        _enclosingInstance owner: Owner, wrapped _: ReferenceWritableKeyPath<Owner, Value>,
        storage storage: ReferenceWritableKeyPath<Owner, Self>
    ) -> Value {
        @inlinable @inline(__always) get { owner[keyPath: storage].value }
        @inlinable @inline(__always) set {
            // No access to the storage may be open while observers are called, because observers may read and set the
            // property.
            guard let hub = owner[keyPath: storage].hub else {
                owner[keyPath: storage].value = newValue
                return
            }
            let old = owner[keyPath: storage].value
            owner[keyPath: storage].value = newValue
            hub.send(Change(old: old, new: newValue))
        }
    }

    /// The compiler reads `$property` through this subscript. Do not use it yourself.
    public static subscript<Owner: AnyObject>(
        _enclosingInstance owner: Owner, projected _: KeyPath<Owner, Changes>,
        storage storage: ReferenceWritableKeyPath<Owner, Self>
    ) -> Changes {
        if owner[keyPath: storage].hub == nil { owner[keyPath: storage].hub = Hub() }
        weak let weakly = owner
        return Changes(hub: owner[keyPath: storage].hub.unsafelyUnwrapped) { weakly?[keyPath: storage].value }
    }

    @usableFromInline struct Change: HeraldCenter.Message {
        @usableFromInline let old: Value
        @usableFromInline let new: Value

        @usableFromInline init(old: Value, new: Value) {
            self.old = old
            self.new = new
        }
    }

    /// The observers of one property. Each property has a center of its own.
    @usableFromInline final class Hub {
        @usableFromInline let center = HeraldCenter()
        @usableFromInline let topic: HeraldCenter.Topic<Change>

        @usableFromInline init() { topic = center.topic(for: Change.self) }

        @inlinable func send(_ change: Change) { topic.post(change) }

        /// `body` gets a whole `Change`. The caller takes the change apart, because the caller is inlinable: it is
        /// compiled where the type `Value` is known.
        @usableFromInline
        func observe(
            _ filter: Filter, _ body: @escaping (borrowing Change) -> Void
        ) -> HeraldCenter.ObservationToken {
            center.observe(
                HERALD_SWIFT_MESSAGES, HERALD_SWIFT_PLAIN, Herald.name(of: Change.self), filter,
                herald_swift_closure(message: body))
        }

        @usableFromInline
        func observe<O: AnyObject>(
            _ filter: Filter, by owner: O, _ body: @escaping (O, borrowing Change) -> Void
        ) {
            center.observe(
                HERALD_SWIFT_MESSAGES, HERALD_SWIFT_OWNED, Herald.name(of: Change.self), filter, by: owner,
                herald_swift_closure(owner: owner, message: body))
        }
    }

    /// The changes of one property: the value of `$property`.
    ///
    /// `Changes` does not retain the object that has the property. When the object is gone, no observer is called any
    /// more. But a body that was registered with a token stays in memory until the token ends.
    public struct Changes {
        @usableFromInline let hub: Hub
        /// Returns the current value. Returns nil if no `@Watched` property exists, or if the object that has the
        /// property is gone.
        @usableFromInline let value: () -> Value?

        @usableFromInline init(hub: Hub, value: @escaping () -> Value?) {
            self.hub = hub
            self.value = value
        }

        /// Makes an instance for a value that is not `@Watched`. Call ``send(old:new:)`` after each change of the
        /// value.
        @inlinable public init() { self.init(hub: Hub()) { nil } }

        /// Calls the observers in the order of registration (R2), before this call returns (R3).
        ///
        /// - Parameters:
        ///   - old: The value before the change.
        ///   - new: The value after the change.
        @inlinable
        public func send(old: Value, new: Value) { hub.send(Change(old: old, new: new)) }

        /// Observes the changes while the token lives. After the token has ended, no new call starts (R6).
        ///
        /// - Parameters:
        ///   - initial: Whether to call the body once before this call returns, with the current value as `old` and as
        ///     `new`. The argument has no effect if this instance was made with ``init()``, because there is no current
        ///     value.
        ///   - body: Called on the thread that changes the property. If the property belongs to an actor, the body
        ///     therefore runs on the actor. The body is released after its last call (R10), either by the thread that
        ///     ends the token, or by the thread that made the last call. If the body must be released on the actor, end
        ///     the token there.
        ///   - file: The source file of the call; inspection tools show it with `line`.
        ///   - line: See `file`.
        /// - Returns: The token that owns the registration.
        @inlinable
        public func observe(
            initial: Bool = false, _ body: @escaping (_ old: Value, _ new: Value) -> Void,
            file: StaticString = #fileID, line: UInt = #line
        ) -> HeraldCenter.ObservationToken {
            let token = hub.observe(Filter(file, line)) { change in body(change.old, change.new) }
            if initial, let value = value() { body(value, value) }
            return token
        }

        /// Observes the changes while an owner lives. Observing again with the same owner replaces the registration.
        ///
        /// - Parameters:
        ///   - owner: Referenced weakly; retained during a call. The body is not called after the owner is gone (R6).
        ///   - initial: Whether to call the body once before this call returns, with the current value as `old` and as
        ///     `new`.
        ///   - body: Called with the owner on the thread that changes the property.
        ///   - file: The source file of the call; inspection tools show it with `line`.
        ///   - line: See `file`.
        @inlinable
        public func observe<O: AnyObject>(
            by owner: O, initial: Bool = false, _ body: @escaping (_ owner: O, _ old: Value, _ new: Value) -> Void,
            file: StaticString = #fileID, line: UInt = #line
        ) {
            hub.observe(Filter(file, line), by: owner) { owner, change in body(owner, change.old, change.new) }
            if initial, let value = value() { body(owner, value, value) }
        }

        /// Ends this owner's registration. This call does not wait for running bodies. The owner's `deinit` may make
        /// this call.
        public func removeObserver<O: AnyObject>(_ owner: O) { hub.center.removeObserver(owner) }
    }
}

extension Watched.Change: Sendable where Value: Sendable {}
#endif
