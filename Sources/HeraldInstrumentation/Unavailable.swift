#if !Instrumentation
    public import Herald

    extension HeraldCenter {
        /// What a center does, for logs, metrics and traces; it needs the package trait `Instrumentation`.
        @available(
            *, unavailable,
            message: "enable the trait in your manifest: .package(url: ..., traits: [\"Instrumentation\"])"
        )
        public func instrument(_ name: Name? = nil) -> Never { fatalError() }
    }

    extension WireCenter {
        /// What a center does, for logs, metrics and traces; it needs the package trait `Instrumentation`.
        @available(
            *, unavailable,
            message: "enable the trait in your manifest: .package(url: ..., traits: [\"Instrumentation\"])"
        )
        public func instrument(_ name: HeraldCenter.Name? = nil) -> Never { fatalError() }
    }
#endif
