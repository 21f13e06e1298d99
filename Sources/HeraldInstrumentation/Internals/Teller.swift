#if os(Linux) && Instrumentation
import Herald
import Synchronization
import Tracing

/// Passes the events of a trace on to logs, metrics and spans. Threads that post or hear messages call `tell`,
/// several at once. Backends are called without a lock, with one exception: `Counts` holds its own lock while a
/// counter or a timer is made.
final class Teller: Sendable {
    private let logs: Logs?, counts: Counts?, spans: Spans?
    private let queued = Mutex(Recent<Place, Queued>(65_536))

    /// Identifies a message in a mailbox.
    private struct Place: Hashable, Sendable {
        let carrier: UInt, message: UInt64
        init(_ event: HeraldCenter.TraceEvent) { (carrier, message) = (event.carrier, event.message) }
    }
    private struct Queued: Sendable {
        let at: UInt64
        let context: ServiceContext?
    }

    init(
        _ instruments: HeraldInstruments, center: String,
        send: (@Sendable (MessageKey, ServiceContext) -> Void)? = nil
    ) {
        logs = instruments.logger.map { Logs($0, slow: instruments.slowCall, center: center) }
        counts = instruments.metrics.map { Counts($0, center: center) }
        spans = instruments.tracer.map { Spans($0, send) }
    }

    func tell(_ event: HeraldCenter.TraceEvent) {
        if event.name == SentContext.name { return }
        switch event.phase {
        case .postBegin: spans?.beginPost(event)
        case .callBegin: spans?.beginCall(event)
        case .callEnd:
            spans?.endCall(event)
            counts?.call(event)
            logs?.call(event)
        case .postEnd:
            spans?.endPost(event)
            counts?.post(event)
            logs?.post(event)
        case .queued: enqueue(event)
        case .heard: hear(event)
        }
    }

    private func enqueue(_ event: HeraldCenter.TraceEvent) {
        let queued = Queued(at: event.begin, context: spans?.context(of: event.parent))
        _ = self.queued.withLock { $0.insert(Place(event), queued) }
    }

    private func hear(_ event: HeraldCenter.TraceEvent) {
        let queued = self.queued.withLock { $0.remove(Place(event)) }
        switch event.outcome {
        case .dropped, .merged, .ended: break
        default:
            counts?.hear(event, since: queued?.at)
            logs?.call(event)
            spans?.hear(event, in: queued?.context, since: queued?.at)
            return
        }
        counts?.lose(event)
        logs?.lose(event)
        spans?.lose(event, in: queued?.context)
    }

    /// Ends all spans. No span begins after this.
    func stop() { spans?.stop() }

    /// Notes the context of the span in which a message was posted, if the context is known.
    func learn(_ key: MessageKey, _ context: ServiceContext?) {
        if let context { spans?.learn(key, context) }
    }
}

extension HeraldCenter.TraceEvent {
    var key: MessageKey? { sender == 0 ? nil : MessageKey(sender: sender, sequence: sequence) }
    var duration: UInt64 { end > begin ? end - begin : 0 }
}
#endif
