#if os(Linux) && !Instrumentation
public import Herald

extension HeraldCenter {
    /// Reports the posts and calls of a center to logs, metrics and traces. It needs the package trait
    /// `Instrumentation`.
    @available(
        *, unavailable,
        message: "enable the trait in your manifest: .package(url: ..., traits: [\"Instrumentation\"])"
    )
    public func instrument(_ name: Name? = nil) -> HeraldInstrumented { HeraldInstrumented() }
}

extension WireCenter {
    /// Reports the posts and calls of a center to logs, metrics and traces. It needs the package trait
    /// `Instrumentation`.
    @available(
        *, unavailable,
        message: "enable the trait in your manifest: .package(url: ..., traits: [\"Instrumentation\"])"
    )
    public func instrument(_ name: HeraldCenter.Name? = nil) -> HeraldInstrumented { HeraldInstrumented() }
}

/// What ``Herald/HeraldCenter/instrument(_:)`` returns. It needs the package trait `Instrumentation`.
public struct HeraldInstrumented: ~Copyable, Sendable {
    public func stop() {}
}
#endif
