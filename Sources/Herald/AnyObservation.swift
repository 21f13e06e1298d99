#if os(Linux)
/// One registration, as an instance that can be stored anywhere: in a property, an array, a set.
///
/// ```swift
/// final class Model {
///     private var observations: Set<AnyObservation> = []
///
///     func start(_ center: HeraldCenter) {
///         center.observe(DocumentSaved.self) { print($0.path) }.store(in: &observations)
///     }
/// }
/// ```
///
/// The registration ends with the last reference to the instance, or with ``cancel()``. Any thread may use the
/// instance. Two references are equal if they refer to the same instance.
public final class AnyObservation: Sendable {
    private let token: HeraldCenter.ObservationToken

    init(_ token: consuming HeraldCenter.ObservationToken) { self.token = token }

    /// Ends the registration, and waits for running calls as ``HeraldCenter/ObservationToken/cancel()`` does.
    public func cancel() { token.cancel() }

    /// Ends the registration, and calls a closure after the last call of the observer has returned on every thread: see
    /// ``HeraldCenter/ObservationToken/cancel(_:)``.
    public func cancel(_ then: @escaping @Sendable () -> Void) { token.cancel(then) }

    /// Ends the registration, and does not wait: see ``HeraldCenter/ObservationToken/end()``.
    public func end() { token.end() }

    /// Whether the observer is muted: see ``HeraldCenter/ObservationToken/isMuted``.
    public var isMuted: Bool {
        get { token.isMuted }
        set { token.isMuted = newValue }
    }

    /// How many messages have been dropped; see ``HeraldCenter/ObservationToken/dropped``.
    public var dropped: Int { token.dropped }

    /// Puts this instance into a set. The registration lasts at least as long as the set contains this instance, unless
    /// ``cancel()`` or ``end()`` ends it.
    public func store(in set: inout Set<AnyObservation>) { set.insert(self) }
}

extension AnyObservation: Hashable {
    public static func == (one: AnyObservation, other: AnyObservation) -> Bool { one === other }
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
#endif
