#if os(Linux) && !Network
public import Herald

extension HeraldCenter {
    /// Makes a center of many machines. It needs the package trait `Network`. The type that it returns here has the
    /// same calls, so that the error is the only one.
    @available(
        *, unavailable,
        message: "enable the trait in your manifest: .package(url: ..., traits: [\"Network\"]); it needs libnats"
    )
    public static func network(
        _ servers: String, credentials: String? = nil, nkeySeed: String? = nil, prefix: String = "herald",
        keptReplicas: Int = 0
    ) throws -> HostCenter { host }
}
#endif
