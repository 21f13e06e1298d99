#if os(Linux) && Instrumentation
import Herald
import Tracing

/// Identifies a message by its sender and its sequence. Both are the same in all processes.
struct MessageKey: Hashable, Sendable {
    let sender: UInt64, sequence: UInt64

    /// The key as it stands in logs and in the attributes of spans.
    var text: String { "\(String(sender, radix: 16))-\(sequence)" }
}

/// Tells other processes in which span a message was posted. A message carries only its own bytes, so a
/// `SentContext` is posted after the message.
struct SentContext: HeraldCenter.WireMessage, Codable {
    static let name = "herald.trace.context"
    static let wireName = HeraldCenter.Name(name)

    let sender: UInt64, sequence: UInt64
    /// The headers that the tracer writes, such as `traceparent`.
    let headers: [String: String]

    /// Returns `nil` if the tracer writes no headers, or headers that are too many or too long.
    init?(_ key: MessageKey, _ context: ServiceContext, _ tracer: any Tracer) {
        var headers: [String: String] = [:]
        tracer.inject(context, into: &headers, using: Headers())
        if headers.isEmpty || !Self.areUsable(headers) { return nil }
        (sender, sequence) = (key.sender, key.sequence)
        self.headers = headers
    }

    var key: MessageKey { MessageKey(sender: sender, sequence: sequence) }

    /// Returns `nil` if the headers are too many or too long. The headers must be checked, because any process may
    /// have sent them.
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
