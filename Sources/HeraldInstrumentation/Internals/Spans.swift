#if os(Linux) && Instrumentation
import Dispatch
import Herald
import Synchronization
import Tracing

/// Spans of posts, of the calls in them, and of messages from mailboxes, heard or lost.
///
/// The span of a delivery (of a message that a transport has brought) gets a link to the span of the message's
/// post. The context of the post's span arrives after the message. So the span of the delivery stays open until
/// that context has arrived, for two seconds at most. The end of the span is then set to the time at which the
/// delivery ended.
final class Spans: Sendable {
    private let tracer: any Tracer
    /// Sends the context of a post's span to other processes.
    private let send: (@Sendable (MessageKey, ServiceContext) -> Void)?
    private let clock = Clock()
    private let state = Mutex(State())

    private struct State {
        /// The spans of the posts and calls that are running, on all threads, by the numbers of the spans in the
        /// trace.
        var open: [UInt64: any Span] = [:]
        /// The contexts of the spans in which messages were posted, as far as they are known.
        var sent = Recent<MessageKey, ServiceContext>(4_096)
        /// The spans of deliveries that wait for the context of the post.
        var waiting = Recent<MessageKey, Waiting>(1_024)
        var isSweeping = false
        var isOver = false
    }
    private struct Waiting: Sendable {
        let span: any Span
        let end: Timestamp
        let since: DispatchTime
    }
    /// A span waits this long for its link, or up to twice as long: see `sweep`.
    static let patience = DispatchTimeInterval.seconds(1)

    init(_ tracer: any Tracer, _ send: (@Sendable (MessageKey, ServiceContext) -> Void)?) {
        self.tracer = tracer
        self.send = send
    }

    // ---- Posts and calls

    func beginPost(_ event: HeraldCenter.TraceEvent) {
        let kind: SpanKind = event.isDelivered ? .consumer : send != nil ? .producer : .internal
        begin(event, event.isDelivered ? "deliver" : "post", kind)
    }

    func beginCall(_ event: HeraldCenter.TraceEvent) { begin(event, "call", .internal) }

    private func begin(_ event: HeraldCenter.TraceEvent, _ operation: String, _ kind: SpanKind) {
        let (isOver, parent) = state.withLock { ($0.isOver, $0.open[event.parent]?.context) }
        if isOver { return }
        let span = make(
            event, operation, kind, in: parent ?? (event.isDelivered ? nil : ServiceContext.current),
            at: event.begin)
        let isLate = state.withLock { state in
            if !state.isOver { state.open[event.span] = span }
            return state.isOver
        }
        if isLate { span.end() }
    }

    func endCall(_ event: HeraldCenter.TraceEvent) {
        guard let span = close(event) else { return }
        span.attributes["herald.registration"] = SpanAttribute.int64(Int64(clamping: event.registration))
        span.end(at: clock[event.end])
    }

    func endPost(_ event: HeraldCenter.TraceEvent) {
        guard let span = close(event) else { return }
        span.attributes["herald.calls"] = event.calls
        guard let key = event.key else { return span.end(at: clock[event.end]) }
        span.attributes["messaging.message.id"] = key.text
        if event.isDelivered {
            link(span, key, end: clock[event.end])
        } else {
            span.end(at: clock[event.end])
            learn(key, span.context)
            send?(key, span.context)
        }
    }

    private func close(_ event: HeraldCenter.TraceEvent) -> (any Span)? {
        guard let span = state.withLock({ $0.open.removeValue(forKey: event.span) }) else { return nil }
        if event.outcome != .returned { span.attributes["herald.outcome"] = "\(event.outcome)" }
        if event.outcome == .unwound { span.setStatus(SpanStatus(code: .error)) }
        return span
    }

    private func make(
        _ event: HeraldCenter.TraceEvent, _ operation: String, _ kind: SpanKind, in context: ServiceContext?,
        at begin: UInt64
    ) -> any Span {
        let span: any Span = tracer.startSpan(
            "\(operation) \(event.name)", context: context ?? .topLevel, ofKind: kind, at: clock[begin])
        guard span.isRecording else { return span }
        span.attributes["messaging.system"] = "herald"
        span.attributes["messaging.operation.name"] = operation
        span.attributes["messaging.destination.name"] = event.name
        span.attributes["thread.id"] = Int(event.thread)
        return span
    }

    // ---- Mailboxes

    /// Returns the context of a call's span, for the messages that the call puts into a mailbox.
    func context(of span: UInt64) -> ServiceContext? { state.withLock { $0.open[span]?.context } }

    func hear(_ event: HeraldCenter.TraceEvent, in context: ServiceContext?, since queued: UInt64?) {
        if state.withLock({ $0.isOver }) { return }
        let span = make(event, "hear", .consumer, in: context, at: event.begin)
        if let queued, event.begin > queued {
            span.attributes["herald.waited"] = Double(event.begin - queued) / 1e9
        }
        if event.outcome == .unwound { span.setStatus(SpanStatus(code: .error)) }
        span.end(at: clock[event.end])
    }

    /// Makes a span that takes no time, so that a search for a lost message finds what became of the message.
    func lose(_ event: HeraldCenter.TraceEvent, in context: ServiceContext?) {
        if state.withLock({ $0.isOver }) { return }
        let span = make(event, "lose", .consumer, in: context, at: event.end)
        span.attributes["herald.outcome"] = "\(event.outcome)"
        if event.outcome == .dropped { span.setStatus(SpanStatus(code: .error)) }
        span.end(at: clock[event.end])
    }

    // ---- Messages from elsewhere

    /// Notes the context of the span in which a message was posted, in this process or another.
    func learn(_ key: MessageKey, _ context: ServiceContext) {
        let waiting = state.withLock { state -> Waiting? in
            guard !state.isOver, state.sent[key] == nil else { return nil }
            _ = state.sent.insert(key, context)
            return state.waiting.remove(key)
        }
        if let waiting { finish(waiting, context) }
    }

    private func link(_ span: any Span, _ key: MessageKey, end: Timestamp) {
        let waiting = Waiting(span: span, end: end, since: .now())
        let (context, forgotten, begins) = state.withLock { state -> (ServiceContext?, [Waiting], Bool) in
            if let context = state.sent[key] { return (context, [], false) }
            if state.isOver { return (nil, [waiting], false) }
            let forgotten = state.waiting.insert(key, waiting), begins = !state.isSweeping
            state.isSweeping = true
            return (nil, forgotten, begins)
        }
        if let context { finish(waiting, context) }
        for forgotten in forgotten { finish(forgotten, nil) }
        if begins { sweepLater() }
    }

    private func finish(_ waiting: Waiting, _ context: ServiceContext?) {
        if let context { waiting.span.addLink(SpanLink(context: context, attributes: [:])) }
        waiting.span.end(at: waiting.end)
    }

    private func sweepLater() {
        DispatchQueue.global().asyncAfter(deadline: .now() + Self.patience) { [weak self] in self?.sweep() }
    }

    /// Ends the spans that have waited for `patience` or longer. Runs every `patience` while spans wait.
    private func sweep() {
        let before = DispatchTime.now() - Self.patience
        let (over, goesOn) = state.withLock { state in
            let over = state.waiting.removeAll { $0.since <= before }
            state.isSweeping = !state.waiting.isEmpty
            return (over, state.isSweeping)
        }
        for waiting in over { finish(waiting, nil) }
        if goesOn { sweepLater() }
    }

    /// Ends all spans.
    func stop() {
        let (open, waiting) = state.withLock { state in
            state.isOver = true
            defer { state.open = [:] }
            return (state.open, state.waiting.removeAll { _ in true })
        }
        for span in open.values { span.end() }
        for waiting in waiting { finish(waiting, nil) }
    }
}
#endif
