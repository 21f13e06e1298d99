import CHerald

extension HeraldCenter {
    /// Something that a traced center has done; see ``HeraldCenter/trace(_:_:)``.
    public struct TraceEvent: Sendable, Hashable {
        /// The kind of the event.
        public enum Phase: Sendable, Hashable {
            /// A post, and in it the call of each body.
            case postBegin, callBegin, callEnd, postEnd
            /// A message was put into the mailbox of an observer in a queue, on an actor or in a sequence, to be heard
            /// later.
            case queued
            /// A message from a mailbox was heard, or it is certain that it never will be; see the outcome.
            case heard
        }
        /// How it ended.
        public enum Outcome: Sendable, Hashable {
            /// `returned`: by its return. `unwound`: by an exception or the end of its thread.
            case returned, unwound
            /// `held`: kept by a suspended center. `carried`: handed to a transport.
            case held, carried
            /// `dropped`: lost because there was no room. `merged`: joined with one that waited. `ended`: lost because
            /// its registration had ended.
            case dropped, merged, ended
        }

        /// The kind of the event.
        public let phase: Phase
        /// How it ended; `returned` at a begin.
        public let outcome: Outcome
        /// Nanoseconds of `CLOCK_MONOTONIC`; `end` is 0 at a begin.
        public let begin: UInt64, end: UInt64
        /// Numbers of spans in this process. `parent`: the span that contains this one, or 0.
        public let span: UInt64, parent: UInt64
        /// The name that was posted, or the name of the message's type or the protocol.
        public let name: String
        /// The registration that is called, by its number in the center; 0 for a post.
        public let registration: UInt64
        /// `postEnd`: how many bodies ran.
        public let calls: Int
        /// The kernel's ID of the thread.
        public let thread: UInt32
        /// `queued`, `heard`: the mailbox, and the number of the message in it.
        public let carrier: UInt, message: UInt64
        /// For a post that goes to other processes, or has come from one: as in ``WirePost``, and the same in all
        /// processes. 0 for other posts.
        public let sender: UInt64, sequence: UInt64
        /// For a post: whether a transport has brought it, from this process or another, and delivers it to observers
        /// now.
        public let isDelivered: Bool

        fileprivate init?(_ event: HeraldTraceEvent) {
            switch event.phase {
            case HeraldTracePostBegin: phase = .postBegin
            case HeraldTraceCallBegin: phase = .callBegin
            case HeraldTraceCallEnd: phase = .callEnd
            case HeraldTracePostEnd: phase = .postEnd
            case HeraldTraceQueued: phase = .queued
            case HeraldTraceHeard: phase = .heard
            default: return nil
            }
            switch event.outcome {
            case HeraldTraceUnwound: outcome = .unwound
            case HeraldTraceHeld: outcome = .held
            case HeraldTraceCarried: outcome = .carried
            case HeraldTraceDropped: outcome = .dropped
            case HeraldTraceMerged: outcome = .merged
            case HeraldTraceEnded: outcome = .ended
            default: outcome = .returned
            }
            (begin, end, span, parent) = (event.begin, event.end, event.span, event.parent)
            name = event.name.map { HeraldCenter.text(of: $0, event.tag) } ?? ""
            registration = event.token.registration
            calls = event.calls
            thread = event.thread
            carrier = UInt(bitPattern: event.carrier)
            message = event.message
            (sender, sequence) = (event.sender, event.sequence)
            isDelivered = event.caller == nil && (phase == .postBegin || phase == .postEnd)
        }
    }

    /// Owns a trace, which ends when this leaves its scope.
    public struct Trace: ~Copyable, Sendable {
        private let token: HeraldToken

        fileprivate init(_ token: HeraldToken) { self.token = token }

        /// Ends the trace, and waits: when this returns, the body is not running on any thread (R11). Inside a body it
        /// does not wait. A second call does nothing.
        public func stop() { HeraldTraceStop(token) }

        deinit { HeraldTraceStop(token) }
    }

    /// Calls a body for each post and each call of this center, on the posting thread.
    ///
    /// A trace costs a post about 200 nanoseconds plus the time of the body. The body may post; its posts are not
    /// traced. A center without a trace pays nothing.
    ///
    /// The corresponding C function is `HeraldTraceStart`.
    ///
    /// - Parameters:
    ///   - name: Only posts of this name. `nil`: all.
    ///   - body: Called with each event.
    /// - Returns: The owner of the trace. The trace ends when its owner leaves its scope.
    public func trace(_ name: Name? = nil, _ body: @escaping @Sendable (TraceEvent) -> Void) -> Trace {
        final class Hook: Sendable {
            let body: @Sendable (TraceEvent) -> Void
            init(_ body: @escaping @Sendable (TraceEvent) -> Void) { self.body = body }
        }
        var token = HeraldToken()
        let hook = Unmanaged.passRetained(Hook(body))
        let status = HeraldTraceStart(
            native, name?.native,
            { context, event in
                guard let context, let event, let event = TraceEvent(event.pointee) else { return }
                Unmanaged<Hook>.fromOpaque(context).takeUnretainedValue().body(event)
            }, hook.toOpaque(), { Unmanaged<Hook>.fromOpaque($0.unsafelyUnwrapped).release() }, &token)
        if status != HeraldOK { hook.release() }
        check(status)
        return Trace(token)
    }
}

extension WireCenter {
    /// Calls a body for each post and each call of this center in this process: see ``HeraldCenter/trace(_:_:)``. Posts
    /// that leave the process end as `carried`.
    public func trace(
        _ name: HeraldCenter.Name? = nil, _ body: @escaping @Sendable (HeraldCenter.TraceEvent) -> Void
    ) -> HeraldCenter.Trace { wire.center.trace(name, body) }
}
