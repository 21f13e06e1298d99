#if os(Linux) && Instrumentation
import CoreMetrics
import Herald
import Synchronization

/// Counters and timers, by the name of the post. Each is made when it is first needed, and is kept. The factory is
/// called under the lock of `byName`.
final class Counts: Sendable {
    /// The counters and timers of one name.
    private struct Named {
        let name: String
        var posts: Counter?, calls: Counter?, lost: [HeraldCenter.TraceEvent.Outcome: Counter] = [:]
        var call: Timer?, wait: Timer?, heard: Timer?
    }

    private let byName = Mutex<[String: Named]>([:])
    private let factory: any MetricsFactory
    private let center: String

    /// The number of names that have counters of their own.
    private static let limit = 1_000

    init(_ factory: any MetricsFactory, center: String) {
        self.factory = factory
        self.center = center
    }

    func post(_ event: HeraldCenter.TraceEvent) {
        make(event) { counter(&$0.posts, "herald.posts", $0.name) }.increment()
    }

    func call(_ event: HeraldCenter.TraceEvent) {
        let (calls, times) = make(event) {
            (counter(&$0.calls, "herald.calls", $0.name), timer(&$0.call, "herald.call.duration", $0.name))
        }
        calls.increment()
        times.recordNanoseconds(Int64(clamping: event.duration))
    }

    func hear(_ event: HeraldCenter.TraceEvent, since queued: UInt64?) {
        make(event) { timer(&$0.heard, "herald.message.duration", $0.name) }
            .recordNanoseconds(Int64(clamping: event.duration))
        guard let queued else { return }  // the message was queued before the trace began
        make(event) { timer(&$0.wait, "herald.message.wait", $0.name) }
            .recordNanoseconds(Int64(clamping: max(event.begin, queued) - queued))
    }

    func lose(_ event: HeraldCenter.TraceEvent) {
        let outcome = ("outcome", "\(event.outcome)")
        make(event) { counter(&$0.lost[event.outcome], "herald.lost", $0.name, outcome) }.increment()
    }

    private func make<Made: Sendable>(_ event: HeraldCenter.TraceEvent, _ body: (inout Named) -> Made) -> Made {
        byName.withLock { byName in
            if byName[event.name] != nil || byName.count < Self.limit {
                return body(&byName[event.name, default: Named(name: event.name)])
            }
            return body(&byName[Self.other, default: Named(name: Self.other)])
        }
    }
    private static let other = "other"

    private func counter(
        _ made: inout Counter?, _ label: String, _ name: String, _ more: (String, String)...
    ) -> Counter {
        if let made { return made }
        let new = Counter(label: label, dimensions: dimensions(name) + more, factory: factory)
        made = new
        return new
    }

    private func timer(_ made: inout Timer?, _ label: String, _ name: String) -> Timer {
        if let made { return made }
        let new = Timer(label: label, dimensions: dimensions(name), factory: factory)
        made = new
        return new
    }

    private func dimensions(_ name: String) -> [(String, String)] {
        center.isEmpty ? [("name", name)] : [("name", name), ("center", center)]
    }
}
#endif
