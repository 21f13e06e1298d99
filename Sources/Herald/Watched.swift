/// A property of a class or an actor that tells who watches it of each change, with the old value and the new.
///
/// ```swift
/// final class Model { @Watched var name = "" }
/// let token = model.$name.observe { old, new in ... }
/// ```
///
/// Observers are called after the value has changed, by whoever changes it, before the assignment returns; they may
/// read and set the property, observe it and cancel. An observer that sets the property has that change told before
/// those after it hear of the first. A property that nobody watches costs one comparison more than a plain
/// one. Changing a collection in place copies it, watched or not, for there has to be an old value.
///
/// In a struct, or with another wrapper, use ``Changes`` and `didSet`:
///
/// ```swift
/// let nameChanges = Watched<String>.Changes()
/// var name = "" { didSet { nameChanges.send(old: oldValue, new: name) } }
/// ```
@propertyWrapper public struct Watched<Value> {
    @usableFromInline var value: Value
    @usableFromInline var hub: Hub?

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

    // No access to the storage lasts while observers are called: they may read and set the property.
    public static subscript<Owner: AnyObject>(
        _enclosingInstance owner: Owner, wrapped _: ReferenceWritableKeyPath<Owner, Value>,
        storage storage: ReferenceWritableKeyPath<Owner, Self>
    ) -> Value {
        @inlinable @inline(__always) get { owner[keyPath: storage].value }
        @inlinable @inline(__always) set {
            guard let hub = owner[keyPath: storage].hub else {
                owner[keyPath: storage].value = newValue
                return
            }
            let old = owner[keyPath: storage].value
            owner[keyPath: storage].value = newValue
            hub.send(Change(old: old, new: newValue))
        }
    }

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

        @inlinable init(old: Value, new: Value) {
            self.old = old
            self.new = new
        }
    }

    /// Where the observers of one property are: a center of its own, which ends with the property.
    @usableFromInline final class Hub {
        @usableFromInline let center = HeraldCenter()
        @usableFromInline let topic: HeraldCenter.Topic<Change>

        @usableFromInline init() { topic = center.topic(for: Change.self) }

        @inlinable func send(_ change: Change) { topic.post(change) }
    }

    /// The changes of one property: what `$property` is. It does not keep the owner of the property alive. When the
    /// property is gone its observers hear nothing more; a body that has a token is held until the token goes, too.
    public struct Changes {
        @usableFromInline let hub: Hub
        /// The value as it is; nil without a property, and when its owner is gone.
        @usableFromInline let value: () -> Value?

        @usableFromInline init(hub: Hub, value: @escaping () -> Value?) {
            self.hub = hub
            self.value = value
        }

        /// The changes of something that is not `@Watched`, told with ``send(old:new:)``.
        @inlinable public init() { self.init(hub: Hub()) { nil } }

        /// Tells who observes of a change, before it returns.
        @inlinable
        public func send(old: Value, new: Value) { hub.send(Change(old: old, new: new)) }

        /// Observes until the token goes.
        ///
        /// - Parameters:
        ///   - initial: Calls the body once now, with the value as old and new. Changes of your own have no value: then
        ///     it does nothing.
        ///   - body: Called by whoever changes the property, where it is changed: on its actor, if it has one. What it
        ///     captures is given back where the token ends: end it on that actor, if it matters.
        @inlinable
        public func observe(
            initial: Bool = false, _ body: @escaping (_ old: Value, _ new: Value) -> Void
        ) -> HeraldCenter.ObservationToken {
            let token = hub.center.observe(.message, Herald.name(of: Change.self), .any) { _, _, payload in
                let change = payload.unsafelyUnwrapped.assumingMemoryBound(to: Change.self)
                body(change.pointee.old, change.pointee.new)
                return true
            }
            if initial, let value = value() { body(value, value) }
            return token
        }

        /// Observes while an owner lives. The owner is held weakly; the same owner again replaces.
        @inlinable
        public func observe<O: AnyObject>(
            by owner: O, initial: Bool = false, _ body: @escaping (_ owner: O, _ old: Value, _ new: Value) -> Void
        ) {
            weak let weakly = owner
            hub.center.observe(.message, Herald.name(of: Change.self), .any, by: owner) { _, _, payload in
                guard let owner = weakly else { return false }
                let change = payload.unsafelyUnwrapped.assumingMemoryBound(to: Change.self)
                body(owner, change.pointee.old, change.pointee.new)
                return true
            }
            if initial, let value = value() { body(owner, value, value) }
        }

        /// Ends what this owner observes here.
        @inlinable
        public func removeObserver<O: AnyObject>(_ owner: O) { hub.center.removeObserver(owner) }
    }
}
