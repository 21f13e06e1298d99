#if os(Linux) && Instrumentation
import Herald
import Logging
import Synchronization

/// Logs slow calls, dropped messages, and calls and posts that end by an exception. Logs each post, at level
/// `trace`.
final class Logs: Sendable {
    private let logger: Logger
    private let slow: UInt64
    private let pace = Mutex(Pace())

    /// The current second, how many lines were logged in that second, and how many were suppressed since the last
    /// logged line (`kept`).
    private struct Pace {
        var second: UInt64 = 0, lines = 0, kept = 0
    }
    private static let linesEachSecond = 20

    init(_ logger: Logger, slow: Duration, center: String) {
        var logger = logger
        if !center.isEmpty { logger[metadataKey: "center"] = "\(center)" }
        self.logger = logger
        self.slow = UInt64(min(max(slow / .nanoseconds(1), 0), 1e18))
    }

    func post(_ event: HeraldCenter.TraceEvent) {
        if event.outcome == .unwound { logger.error("a post was left by an exception", metadata: known(event)) }
        logger.trace("posted", metadata: known(event).merging(["calls": "\(event.calls)"]) { $1 })
    }

    /// Logs a call of an observer, from a post or from the observer's mailbox, if the call was slow or ended by an
    /// exception.
    func call(_ event: HeraldCenter.TraceEvent) {
        if event.outcome == .unwound {
            logger.error("an observer left its call by an exception", metadata: known(event))
        } else if event.duration >= slow {
            warn("an observer is slow", event)
        }
    }

    func lose(_ event: HeraldCenter.TraceEvent) {
        if event.outcome == .dropped { warn("a message was dropped: its observer is too slow", event) }
    }

    private func warn(_ text: Logger.Message, _ event: HeraldCenter.TraceEvent) {
        guard let kept = take(at: event.end) else { return }
        var known = known(event)
        if kept > 0 { known["suppressed"] = "\(kept)" }
        logger.warning(text, metadata: known)
    }

    /// Returns how many lines were suppressed since the last logged line, or `nil` if this line is suppressed, too.
    private func take(at now: UInt64) -> Int? {
        pace.withLock { pace in
            let second = now / 1_000_000_000
            if second > pace.second { (pace.second, pace.lines) = (second, 0) }
            guard pace.lines < Self.linesEachSecond else {
                pace.kept += 1
                return nil
            }
            pace.lines += 1
            defer { pace.kept = 0 }
            return pace.kept
        }
    }

    private func known(_ event: HeraldCenter.TraceEvent) -> Logger.Metadata {
        var known: Logger.Metadata = ["name": "\(event.name)", "ms": "\(Double(event.duration) / 1e6)"]
        if event.registration != 0 { known["registration"] = "\(event.registration)" }
        if let key = event.key { known["message"] = "\(key.text)" }
        return known
    }
}
#endif
