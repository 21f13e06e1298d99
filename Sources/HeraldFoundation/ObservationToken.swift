#if os(Linux)
import Herald

extension HeraldNotificationCenter {
    /// Owns an observation of messages, which ends with the last copy of the token, or with
    /// ``removeObserver(_:)-(HeraldNotificationCenter.ObservationToken)``.
    public struct ObservationToken: Hashable, Sendable {
        private let observation: Observation

        init(_ observer: Observer, in center: HeraldCenter) {
            observation = Observation(observer, center)
        }

        fileprivate func end(in center: HeraldCenter) { observation.end(in: center) }

        public static func == (one: Self, other: Self) -> Bool { one.observation === other.observation }
        public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(observation)) }
    }

    /// Ends an observation, and does not wait. If it is not one of this center, or has ended, nothing is changed.
    public func removeObserver(_ token: ObservationToken) { token.end(in: herald) }

    /// Ends an observer when it is released. Has the center until then.
    private final class Observation: Sendable {
        private struct Live: @unchecked Sendable {
            let observer: Observer, center: HeraldCenter

            func end() { observer.remove(from: center) }
        }
        private let live: Guarded<Live?>

        init(_ observer: Observer, _ center: HeraldCenter) {
            live = Guarded(Live(observer: observer, center: center))
        }

        func end(in center: HeraldCenter) {
            let ending: Live? = live.withLock { live in
                guard live?.center == center else { return nil }
                return live.take()
            }
            ending?.end()
        }

        deinit { live.withLock { $0.take() }?.end() }
    }
}
#endif
