#if !Instrumentation
    public import Herald

    extension HeraldCenter {
        /// Reports to logs, metrics and traces what a center does. It needs the package trait `Instrumentation`.
        @available(
            *, unavailable,
            message: "enable the trait in your manifest: .package(url: ..., traits: [\"Instrumentation\"])"
        )
        public func instrument(_ name: Name? = nil) -> Never { fatalError() }
    }

    extension WireCenter {
        /// Reports to logs, metrics and traces what a center does. It needs the package trait `Instrumentation`.
        @available(
            *, unavailable,
            message: "enable the trait in your manifest: .package(url: ..., traits: [\"Instrumentation\"])"
        )
        public func instrument(_ name: HeraldCenter.Name? = nil) -> Never { fatalError() }
    }
#endif
