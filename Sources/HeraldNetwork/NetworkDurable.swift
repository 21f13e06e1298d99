#if os(Linux) && Network
import CHerald
import CHeraldNetwork
import Dispatch
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif
public import FoundationEssentials
public import Herald

/// A durable observer: a name, by which the server remembers what was heard (R28). A literal is a name, with the
/// defaults.
public struct Durable: Sendable, ExpressibleByStringLiteral {
    /// How observers with one name, in one process or several, share the messages.
    public enum Order: Sendable, Hashable {
        /// One message at a time for all of them, in the stream's order.
        case strict
        /// So many messages at a time; no order.
        case each(inFlight: Int)
        /// One process, so many messages at a time, in the stream's order. Others stand by.
        case alone(inFlight: Int)
    }

    /// With what an observer begins that the server does not know yet. One that it knows goes on where it was.
    public enum Start: Sendable, Hashable {
        /// With the next message that is stored.
        case next
        /// With the oldest one that is stored.
        case beginning
        /// With the one that has this number in the stream, or the next one after it.
        case sequence(UInt64)
        /// With the first one that was stored then or later.
        case time(Date)
    }

    /// 1 to 128 bytes, without spaces, control characters and `.` `*` `>` `/` `\`.
    public var name: String
    /// The name of the stream; `nil`: the one stream that stores what is observed.
    public var stream: String?
    public var order: Order
    public var start: Start
    /// After this time a message is given to another observer with this name, or again, if this process does not
    /// work on it any more: 0.1 seconds to a day.
    public var patience: Duration
    /// After so many deliveries a message is given up, with an event; `nil`: never.
    public var attempts: Int?

    public init(
        _ name: String, stream: String? = nil, order: Order = .strict, from start: Start = .next,
        patience: Duration = .seconds(30), attempts: Int? = nil
    ) {
        self.name = name
        self.stream = stream
        self.order = order
        self.start = start
        self.patience = patience
        self.attempts = attempts
    }

    public init(stringLiteral name: String) { self.init(name) }
}

extension NetworkCenter {
    /// Observes the stored messages of a type, also those that were posted while the observer was not running
    /// (R28).
    ///
    /// ```swift
    /// let token = network.observe(Saved.self, durable: "indexer") { saved in print(saved.path) }
    /// ```
    ///
    /// An operator makes the stream that stores the messages: `herald --network URL stream create`. A message has
    /// been heard when the body returns. It is heard once, or rarely again: after a process or a server has died. If
    /// the body throws, the message comes again, before later ones unless the order is
    /// ``Durable/Order/each(inFlight:)``. A message that cannot be decoded is not heard
    /// (``/Herald/WireEvent/undecodable(name:type:reason:)``), and does not come again. What goes wrong is an event
    /// (``/Herald/WireEvent/durable(_:)``): a name that is none, too. The body is called on a thread of this
    /// observer's, so it may take its time.
    ///
    /// The corresponding C function is `HeraldNetworkAddDurableObserver`.
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - durable: The observer's name and how it hears.
    ///   - body: Called with the message.
    /// - Returns: The token that owns the observer. When it ends, the server goes on to remember what was heard
    ///   (``forget(durable:stream:within:)``). ``/Herald/HeraldCenter/ObservationToken/cancel()`` waits for a
    ///   running call. The token does not keep the network center, with which the observer ends, too.
    public func observe<M: HeraldCenter.WireMessage>(
        _: M.Type, durable: Durable, _ body: @escaping @Sendable (M) throws -> Void
    ) -> HeraldCenter.ObservationToken {
        observe(.named(M.wireName), durable, waits: true) { [weak wire] name, _ in
            guard let wire else { throw Gone() }
            if let message = wire.decode(M.self, name) { try body(message) }
        }
    }

    /// Observes the stored messages of a type with an asynchronous body, one message after the other.
    ///
    /// See ``observe(_:durable:_:)-(M.Type,_,_)``. ``/Herald/HeraldCenter/ObservationToken/cancel()`` does not wait
    /// for a body that has begun; what it has done then counts.
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - durable: The observer's name and how it hears.
    ///   - body: Called with the message, on its own actor. The message has been heard when it returns.
    /// - Returns: The token that owns the observer.
    public func observe<M: HeraldCenter.WireMessage>(
        _: M.Type, durable: Durable,
        @_inheritActorContext async body: @escaping @isolated(any) @Sendable (M) async throws -> Void
    ) -> HeraldCenter.ObservationToken {
        observe(.named(M.wireName), durable, waits: false) { [weak wire] name, _ in
            guard let wire else { throw Gone() }
            guard let message = wire.decode(M.self, name) else { return }
            try Waiting.result { try await body(message) }
        }
    }

    /// Observes the stored messages of a type on an actor, as long as the actor lives.
    ///
    /// See ``observe(_:durable:_:)-(M.Type,_,_)``. When the actor is gone, the next message ends the observer, and
    /// goes to another one with this name.
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - durable: The observer's name and how it hears.
    ///   - actor: Where the body is called. The observer does not keep it alive.
    ///   - body: Called with the actor and the message. The message has been heard when it returns.
    public func observe<A: Actor, M: HeraldCenter.WireMessage>(
        _: M.Type, durable: Durable, on actor: A,
        _ body: @escaping @Sendable (isolated A, M) async throws -> Void
    ) {
        let token = Guarded<AnyObservation?>(nil)
        let made = observe(.named(M.wireName), durable, waits: false) { [weak actor, weak wire] name, _ in
            guard let wire else { throw Gone() }
            guard let actor else {
                token.withLock { $0 }?.end()
                throw Gone()
            }
            guard let message = wire.decode(M.self, name) else { return }
            try Waiting.result { try await body(actor, message) }
        }.erased()
        token.withLock { $0 = made }
    }

    /// Observes stored messages of any type, not decoded: those of a name, of all names below a prefix, or all.
    ///
    /// See ``observe(_:durable:_:)-(M.Type,_,_)``.
    ///
    /// - Parameters:
    ///   - names: Which names. All of them are stored by one stream.
    ///   - durable: The observer's name and how it hears.
    ///   - body: Called with the post, whose ``/Herald/WirePost/stored`` has its number in the stream.
    /// - Returns: The token that owns the observer.
    public func observe(
        messages names: HeraldCenter.Names, durable: Durable, _ body: @escaping @Sendable (WirePost) throws -> Void
    ) -> HeraldCenter.ObservationToken {
        observe(names, durable, waits: true) { [weak wire] name, stored in
            guard let wire else { throw Gone() }
            var post = wire.post(name)
            post.stored = stored
            try body(post)
        }
    }

    /// Lets the server forget a durable observer. One that is still there begins again.
    ///
    /// The corresponding C function is `HeraldNetworkForgetDurable`.
    ///
    /// - Parameters:
    ///   - durable: Its name.
    ///   - stream: The name of the stream; `nil`: the one stream that has an observer with this name.
    ///   - limit: How long to wait for the server's answer.
    /// - Throws: ``/Herald/WireError/unavailable(_:)`` with the reason. That the server does not know it is no
    ///   error.
    public func forget(
        durable: String, stream: String? = nil, within limit: Duration = .seconds(5)
    ) async throws(WireError) {
        guard !durable.utf8.contains(0), stream?.utf8.contains(0) != true else {
            throw .unavailable("a name must not contain a NUL")
        }
        try await wait(limit) { center, seconds in
            withCStrings([durable, stream]) { HeraldNetworkForgetDurable(center, $0[1], $0[0], seconds) }
        }
    }

    /// A call of the server's JetStream API, for operators' tools.
    ///
    /// The corresponding C function is `HeraldNetworkCallJetStream`.
    ///
    /// - Parameters:
    ///   - call: What follows `$JS.API.`, as in `STREAM.INFO.ORDERS`.
    ///   - json: What the call takes.
    ///   - limit: How long to wait for the answer.
    /// - Returns: The answer, in JSON.
    /// - Throws: ``/Herald/WireError/unavailable(_:)`` with the server's reason.
    public func callJetStream(
        _ call: String, _ json: String = "", within limit: Duration = .seconds(5)
    ) async throws(WireError) -> String {
        guard !call.utf8.contains(0), !json.utf8.contains(0) else {
            throw .unavailable("a call must not contain a NUL")
        }
        let answer = Guarded("")
        try await wait(limit) { center, seconds in
            var text: UnsafeMutablePointer<CChar>?
            let status = withCStrings([call, json]) {
                HeraldNetworkCallJetStream(center, $0[0], $0[1], seconds, &text)
            }
            if let text { answer.withLock { $0 = String(cString: text) } }
            free(text)
            return status
        }
        return answer.withLock { $0 }
    }

    // ---- How they are made

    /// - Parameter waits: Whether the end may wait for a running call. A body on an actor may need the thread that
    ///   waits.
    private func observe(
        _ names: HeraldCenter.Names, _ durable: Durable, waits: Bool,
        _ hear: @escaping @Sendable (NativeName, WirePost.Stored) throws -> Void
    ) -> HeraldCenter.ObservationToken {
        let body = DurableBody(hear)
        let made: (HeraldDurableRef?, String) = add(names, durable, body)
        guard let native = made.0 else {
            wire.say(.durable(DurableEvent(durable: durable.name, .denied(reason: made.1))))
            return .never
        }
        nonisolated(unsafe) let ended = native
        let token = HeraldDurableGetToken(native)
        let ending = Ending(isQuiet: { !body.isRunning }) { HeraldDurableEnd(ended, false) }
        // It is nil if the network center has just ended.
        guard let hidden = HeraldTokenRetainCenter(token) else {
            HeraldDurableEnd(native, false)
            return .never
        }
        let center = HeraldCenter(retaining: hidden)
        HeraldCenterRelease(hidden)  // `center` has a reference of its own
        return HeraldCenter.ObservationToken(waits ? token : HeraldToken(), with: center, ending)
    }

    /// Returns why it cannot be added, or the observer.
    private func add(_ names: HeraldCenter.Names, _ durable: Durable, _ body: DurableBody) -> (
        HeraldDurableRef?, String
    ) {
        var options = HeraldDurableOptions(), hooks = HeraldObserverOptions(), native: HeraldDurableRef?
        guard !durable.name.utf8.contains(0), durable.stream?.utf8.contains(0) != true else {
            return (nil, "a name must not contain a NUL")
        }
        guard options.take(durable) else { return (nil, "a number of its options is negative or too large") }
        options.size = MemoryLayout<HeraldDurableOptions>.size
        options.about = names.native
        hooks.size = MemoryLayout<HeraldObserverOptions>.size
        hooks.release = { Unmanaged<DurableBody>.fromOpaque($0.unsafelyUnwrapped).release() }
        let owned = Unmanaged.passRetained(body)
        let status = withCStrings([durable.name, durable.stream, names.prefixText]) { texts in
            withUnsafePointer(to: &hooks) { hooks in
                options.name = texts[0]
                options.stream = texts[1]
                options.prefix = texts[2]
                options.options = hooks
                return HeraldNetworkAddDurableObserver(
                    self.native, owned.toOpaque(),
                    { _, observer, name, _, stored in
                        guard let observer, let name, let stored else { return true }
                        return Unmanaged<DurableBody>.fromOpaque(observer).takeUnretainedValue()
                            .hears(name, stored.pointee)
                    }, &options, &native)
            }
        }
        if status == HeraldOK { return (native, "") }
        owned.release()
        return (nil, Wire.reason(of: status))
    }
}

/// The actor or the center is gone.
private struct Gone: Error {}

/// The body of a durable observer. C has one reference, until the last call has returned.
private final class DurableBody: Sendable {
    private let hear: @Sendable (NativeName, WirePost.Stored) throws -> Void
    private let running = Guarded(false)

    init(_ hear: @escaping @Sendable (NativeName, WirePost.Stored) throws -> Void) { self.hear = hear }

    var isRunning: Bool { running.withLock { $0 } }

    func hears(_ name: NativeName, _ stored: HeraldStored) -> Bool {
        running.withLock { $0 = true }
        defer { running.withLock { $0 = false } }
        let stored = WirePost.Stored(
            sequence: stored.sequence, deliveries: Int(stored.deliveries), time: .nanoseconds(stored.time))
        do {
            try hear(name, stored)
            return true
        } catch {
            return false
        }
    }
}

/// Waits for an asynchronous body, on a thread that is there for this.
private enum Waiting {
    static func result(_ body: @escaping @Sendable () async throws -> Void) throws {
        let over = DispatchSemaphore(value: 0), failure = Guarded<(any Error)?>(nil)
        Task {
            do { try await body() } catch { failure.withLock { $0 = error } }
            over.signal()
        }
        over.wait()
        if let error = failure.withLock({ $0 }) { throw error }
    }
}

extension HeraldDurableOptions {
    /// Takes over the numbers. False: one of them cannot be.
    fileprivate mutating func take(_ durable: Durable) -> Bool {
        switch durable.order {
        case .strict: order = HeraldDurableStrict
        case .each(let count), .alone(let count):
            guard count > 0, let count = UInt32(exactly: count) else { return false }
            inFlight = count
            if case .each = durable.order { order = HeraldDurableEach } else { order = HeraldDurableAlone }
        }
        switch durable.start {
        case .next: start = HeraldDurableNext
        case .beginning: start = HeraldDurableBeginning
        case .sequence(let number):
            start = HeraldDurableSequence
            sequence = number
        case .time(let date):
            let nanoseconds = (date.timeIntervalSince1970 * 1e9).rounded()
            guard nanoseconds >= 1, nanoseconds < 9e18 else { return false }
            start = HeraldDurableTime
            time = Int64(nanoseconds)
        }
        guard durable.patience > .zero else { return false }
        patience = durable.patience / .seconds(1)
        guard let attempts = durable.attempts else { return true }
        guard attempts > 0, let attempts = UInt32(exactly: attempts) else { return false }
        self.attempts = attempts
        return true
    }
}
#endif
