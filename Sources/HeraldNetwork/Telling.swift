#if os(Linux) && Network
import CHerald
import CHeraldNetwork
import Herald

/// Turns the events that a network center reports in C into the events of the Swift center's `Wire`. C has one
/// reference to this instance; `tell` releases that reference at the last event.
///
/// *Threads.* C calls `tell` on a thread of the network center's, for one event at a time.
final class Telling: Sendable {
    private struct State {
        weak var wire: Wire?
        /// Events that came before `begin`.
        var early: [WireEvent] = []
        var isOver = false
    }
    private let state = Guarded(State())

    static func at(_ context: UnsafeMutableRawPointer) -> Telling {
        Unmanaged<Telling>.fromOpaque(context).takeUnretainedValue()
    }

    /// Passes the early events on to `wire`. From now on `tell` passes each event on to `wire` at once.
    func begin(_ wire: Wire) {
        let early = state.withLock { state in
            state.wire = wire
            defer { state.early = [] }
            return state.early
        }
        for event in early { wire.say(event) }
    }

    /// Called when the center is gone. No event is kept after this.
    func end() { state.withLock { $0.isOver = true } }

    func tell(_ native: HeraldNetworkEvent) {
        if let event = WireEvent(native) {
            let wire = state.withLock { state in
                if state.wire == nil && !state.isOver && state.early.count < 64 { state.early.append(event) }
                return state.wire
            }
            wire?.say(event)
        }
        if native.kind == HeraldNetworkClosed { Unmanaged.passUnretained(self).release() }
    }
}

extension WireEvent {
    fileprivate init?(_ native: HeraldNetworkEvent) {
        let reason = native.reason.map { String(cString: $0) } ?? ""
        let name =
            native.name.map { HeraldCenter.Name(String(cString: HeraldNameGetUTF8String($0))) } ?? "several names"
        if let durable = native.durable {
            guard let fact = DurableEvent.Fact(native, reason) else { return nil }
            self = .durable(DurableEvent(durable: String(cString: durable), fact))
            return
        }
        switch native.kind {
        case HeraldNetworkConnected: self = .connected
        case HeraldNetworkDisconnected: self = .disconnected(reason: reason)
        case HeraldNetworkClosed: self = .disconnected(reason: reason)
        case HeraldNetworkRefused, HeraldNetworkUnkept: self = .refused(name: name, reason: reason)
        case HeraldNetworkDenied: self = .denied(name: name, reason: reason)
        case HeraldNetworkSlow: self = .slow(name: name, count: Int(clamping: native.count))
        default: return nil
        }
    }
}

extension DurableEvent.Fact {
    fileprivate init?(_ native: HeraldNetworkEvent, _ reason: String) {
        switch native.kind {
        case HeraldNetworkDenied: self = .denied(reason: reason)
        case HeraldNetworkLost: self = .lost(atMost: Int(clamping: native.count))
        case HeraldNetworkGivenUp: self = .givenUp(sequence: native.count)
        case HeraldNetworkSkipped: self = .skipping(reason: reason)
        default: return nil
        }
    }
}
#endif
