#if Instrumentation
    import Herald
    import Tracing

    /// Which message of which sender; the same in all processes.
    struct MessageKey: Hashable, Sendable {
        let sender: UInt64, sequence: UInt64

        /// As it is written in attributes.
        var text: String { "\(String(sender, radix: 16))-\(sequence)" }
    }

    /// In which span a message was posted: follows it, for a message cannot carry more than its bytes.
    struct SentContext: HeraldCenter.WireMessage, Codable {
        static let name = "herald.trace.context"
        static let wireName = HeraldCenter.Name(name)

        let sender: UInt64, sequence: UInt64
        /// What the tracer writes into headers, such as `traceparent`.
        let headers: [String: String]

        /// `nil`: the tracer has nothing to say of it.
        init?(_ key: MessageKey, _ context: ServiceContext, _ tracer: any Tracer) {
            var headers: [String: String] = [:]
            tracer.inject(context, into: &headers, using: Headers())
            if headers.isEmpty || !Self.areUsable(headers) { return nil }
            (sender, sequence) = (key.sender, key.sequence)
            self.headers = headers
        }

        var key: MessageKey { MessageKey(sender: sender, sequence: sequence) }

        /// `nil`: these are no headers of a trace. Anybody may have sent them.
        func context(_ tracer: any Tracer) -> ServiceContext? {
            guard Self.areUsable(headers) else { return nil }
            var context = ServiceContext.topLevel
            tracer.extract(headers, into: &context, using: Headers())
            return context
        }

        private static func areUsable(_ headers: [String: String]) -> Bool {
            headers.count <= 32 && headers.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count } <= 16_384
        }
    }

    private struct Headers: Injector, Extractor {
        func inject(_ value: String, forKey key: String, into headers: inout [String: String]) { headers[key] = value }
        func extract(key: String, from headers: [String: String]) -> String? { headers[key] }
    }
#endif
