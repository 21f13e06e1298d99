#if !Network
    public import Herald

    extension HeraldCenter {
        /// Makes a center of many machines. It needs the package trait `Network`.
        @available(
            *, unavailable,
            message: "enable the trait in your manifest: .package(url: ..., traits: [\"Network\"]); it needs libnats"
        )
        public static func network(_ servers: String, prefix: String = "herald") throws -> Never {
            fatalError()
        }
    }
#endif
