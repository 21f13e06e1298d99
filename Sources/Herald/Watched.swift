import CHeraldRuntime

/// A property of a class or an actor that calls observers after each change, with the old value and the new.
///
/// ```swift
/// final class Model { @Watched var name = "" }
/// let token = model.$name.observe { old, new in ... }
/// ```
///
/// Observers are called on the thread that changes the value, in the order of registration (R2), before the assignment
/// returns (R3). They may read and set the property, observe it and cancel (R7). If an observer sets the property, all
/// observers get that new change before the remaining observers get the earlier one. Without observers the property
/// costs one comparison more than a plain one. Changing a collection in place copies it, observed or not, to keep the
/// old value.
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

    /// Called by the compiler for the property's first value.
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

    /// The value, as the compiler reads and sets it for the property. Do not call it.
    public static subscript<Owner: AnyObject>(
        _enclosingInstance owner: Owner, wrapped _: ReferenceWritableKeyPath<Owner, Value>,
        storage storage: ReferenceWritableKeyPath<Owner, Self>
    ) -> Value {
        @inlinable @inline(__always) get { owner[keyPath: storage].value }
        @inlinable @inline(__always) set {
            // The access to the storage ends before observers are called, because they may read and set the property.
            guard let hub = owner[keyPath: storage].hub else {
                owner[keyPath: storage].value = newValue
                return
            }
            let old = owner[keyPath: storage].value
            owner[keyPath: storage].value = newValue
            hub.send(Change(old: old, new: newValue))
        }
    }

    /// The changes, as the compiler reads them for `$property`. Do not call it.
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

    /// The observers of one property, in a center of its own, which ends with the property.
    @usableFromInline final class Hub {
        @usableFromInline let center = HeraldCenter()
        @usableFromInline let topic: HeraldCenter.Topic<Change>

        @usableFromInline init() { topic = center.topic(for: Change.self) }

        @inlinable func send(_ change: Change) { topic.post(change) }

        /// The caller makes `body`, because it knows the type of the value.
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
    /// It does not retain the object with the property. When the object is gone, observers are not called any more; the
    /// body of an observer with a token is released when the token is gone too.
    public struct Changes {
        @usableFromInline let hub: Hub
        /// The current value; nil without a property, and when the object with the property is gone.
        @usableFromInline let value: () -> Value?

        @usableFromInline init(hub: Hub, value: @escaping () -> Value?) {
            self.hub = hub
            self.value = value
        }

        /// The changes of something that is not `@Watched`; ``send(old:new:)`` sends them.
        @inlinable public init() { self.init(hub: Hub()) { nil } }

        /// Calls the observers in the order of registration (R2), before it returns (R3).
        ///
        /// - Parameters:
        ///   - old: The value before the change.
        ///   - new: The value after it.
        @inlinable
        public func send(old: Value, new: Value) { hub.send(Change(old: old, new: new)) }

        /// Observes the changes while the token lives. After the token has ended, no new call starts (R6).
        ///
        /// - Parameters:
        ///   - initial: Whether to call the body once now, with the value as old and new. It has no effect if the
        ///     changes are sent with ``send(old:new:)``, because then there is no current value.
        ///   - body: Called on the thread that changes the property, and so on the property's actor, if it has one. The
        ///     body is released after its last call (R10), on the thread that ends the token. If the thread matters,
        ///     end the token on the actor.
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
        ///   - initial: Whether to call the body once now, with the value as old and new.
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

        /// Ends the registration of this owner. It does not wait. The owner's `deinit` may call it.
        public func removeObserver<O: AnyObject>(_ owner: O) { hub.center.removeObserver(owner) }
    }
}
