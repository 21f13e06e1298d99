#if Instrumentation
    import CoreMetrics
    import Herald
    import Synchronization

    /// Counters and timers, by name. Made when there is something to count, and kept; the factory is called under the lock.
    final class Counts: Sendable {
        private struct Key: Hashable {
            let label: String, name: String, outcome: String
        }
        private struct Made {
            var counters: [Key: Counter] = [:]
            var timers: [Key: Timer] = [:]
            var names: Set<String> = []

            mutating func key(_ label: String, _ name: String, _ outcome: String) -> Key {
                if !names.contains(name) {
                    if names.count >= Counts.limit { return Key(label: label, name: "other", outcome: outcome) }
                    names.insert(name)
                }
                return Key(label: label, name: name, outcome: outcome)
            }
        }

        private let made = Mutex(Made())
        private let factory: any MetricsFactory
        private let center: String

        /// So many names have counters of their own.
        static let limit = 1_000

        init(_ factory: any MetricsFactory, center: String) {
            self.factory = factory
            self.center = center
        }

        func post(_ event: HeraldCenter.TraceEvent) { counter("herald.posts", event).increment() }

        func call(_ event: HeraldCenter.TraceEvent) {
            counter("herald.calls", event).increment()
            timer("herald.call.duration", event).recordNanoseconds(Int64(clamping: event.duration))
        }

        func hear(_ event: HeraldCenter.TraceEvent, since queued: UInt64?) {
            timer("herald.message.duration", event).recordNanoseconds(Int64(clamping: event.duration))
            guard let queued else { return }  // it was put there before anybody looked on
            timer("herald.message.wait", event).recordNanoseconds(Int64(clamping: max(event.begin, queued) - queued))
        }

        func lose(_ event: HeraldCenter.TraceEvent) {
            counter("herald.lost", event, outcome: "\(event.outcome)").increment()
        }

        private func counter(_ label: String, _ event: HeraldCenter.TraceEvent, outcome: String = "") -> Counter {
            made.withLock { made in
                let key = made.key(label, event.name, outcome)
                if let counter = made.counters[key] { return counter }
                let counter = Counter(label: label, dimensions: dimensions(key), factory: factory)
                made.counters[key] = counter
                return counter
            }
        }

        private func timer(_ label: String, _ event: HeraldCenter.TraceEvent) -> Timer {
            made.withLock { made in
                let key = made.key(label, event.name, "")
                if let timer = made.timers[key] { return timer }
                let timer = Timer(label: label, dimensions: dimensions(key), factory: factory)
                made.timers[key] = timer
                return timer
            }
        }

        private func dimensions(_ key: Key) -> [(String, String)] {
            var all = [("name", key.name)]
            if !center.isEmpty { all.append(("center", center)) }
            if !key.outcome.isEmpty { all.append(("outcome", key.outcome)) }
            return all
        }
    }
#endif
