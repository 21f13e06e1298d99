#if os(Linux)
import CHerald

extension HeraldCenter {
    /// An event of a traced center. See ``HeraldCenter/trace(_:_:)``.
    public struct TraceEvent: Sendable, Hashable {
        /// The kind of the event.
        public enum Phase: Sendable, Hashable {
            /// In this order: a post begins, a call of a body in the post begins, the call ends, the post ends.
            case postBegin, callBegin, callEnd, postEnd
            /// A message was put into a mailbox, where it waits for an observer in a queue, on an actor or in a
            /// sequence.
            case queued
            /// A message has left its mailbox, because it was heard or was lost. The outcome says which.
            case heard
        }
        /// How a post, a call or a message ended.
        public enum Outcome: Sendable, Hashable {
            /// `returned`: the call or post has returned, or the message was heard. `unwound`: an exception or the end
            /// of the thread has ended the call or post.
            case returned, unwound
            /// `held`: a suspended center kept the post. `carried`: the post was handed to a transport.
            case held, carried
            /// `dropped`: there was no room. `merged`: the message was joined with another waiting message. `ended`:
            /// the registration had ended, so no body was called.
            case dropped, merged, ended
        }

        /// The kind of the event.
        public let phase: Phase
        /// How the post, the call or the message ended. In `postBegin`, `callBegin` and `queued` events, the outcome is
        /// `returned`.
        public let outcome: Outcome
        /// Nanoseconds of `CLOCK_MONOTONIC`. In `postBegin`, `callBegin` and `queued` events, `end` is 0.
        public let begin: UInt64, end: UInt64
        /// `span`: the number of this post, call or mailbox event in this process. `parent`: the number of the post or
        /// call in which this happens, or 0 if there is none.
        public let span: UInt64, parent: UInt64
        /// The name that was posted. For a message, this is the name of the message's type. For a notified protocol,
        /// this is the protocol's name.
        public let name: String
        /// For a call, the number that the called registration has in the center. For a message, the number of the
        /// mailbox's registration. For a post, 0.
        public let registration: UInt64
        /// In `postEnd` events, how many bodies the post has called. In all other events, 0.
        public let calls: Int
        /// The kernel's ID of the thread on which the event happens.
        public let thread: UInt32
        /// In `queued` and `heard` events, `carrier` identifies the mailbox, and `message` is the number of the message
        /// in that mailbox.
        public let carrier: UInt, message: UInt64
        /// The sender and the sequence of a post between processes, as in ``WirePost``. Each is the same in all
        /// processes. Both are 0 if they are not known yet, as in the `postBegin` event of an outgoing post. Both are 0
        /// if the post has no such numbers, like most posts without a message.
        public let sender: UInt64, sequence: UInt64
        /// Whether the event is the `postBegin` or `postEnd` of a post that a transport delivers to observers. Such a
        /// post was made earlier, in this process or in another.
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

    /// Owns a trace. The trace ends when this value leaves its scope.
    public struct Trace: ~Copyable, Sendable {
        private let token: HeraldToken

        fileprivate init(_ token: HeraldToken) { self.token = token }

        /// Ends the trace, and waits until the body is running on no thread (R11). Inside a body, this call does not
        /// wait. A second call does nothing.
        public func stop() { HeraldTraceStop(token) }

        deinit { HeraldTraceStop(token) }
    }

    /// Calls a body for each event of this center, on the thread where the event happens. ``TraceEvent/Phase`` lists
    /// the kinds of events.
    ///
    /// A traced post takes about 200 nanoseconds longer, plus the time of the body. Without a trace, posts take no
    /// longer. The body may post. The body's own posts are not traced.
    ///
    /// The corresponding C function is `HeraldTraceStart`.
    ///
    /// - Parameters:
    ///   - name: Only posts of this name are traced. If `name` is `nil`, all posts are traced.
    ///   - body: Called with each event.
    /// - Returns: The owner of the trace. The trace ends when this value leaves its scope.
    public func trace(_ name: Name? = nil, _ body: @escaping @Sendable (TraceEvent) -> Void) -> Trace {
        final class Hook: Sendable {
            let body: @Sendable (TraceEvent) -> Void
            init(_ body: @escaping @Sendable (TraceEvent) -> Void) { self.body = body }
        }
        var token = HeraldToken()
        let hook = owned(Hook(body))
        let status = HeraldTraceStart(
            native, name?.native,
            { context, event in
                guard let context, let event, let event = TraceEvent(event.pointee) else { return }
                withInstance(of: Hook.self, at: context) { $0.body(event) }
            }, hook, { release($0) }, &token)
        if status != HeraldOK { release(hook) }
        check(status)
        return Trace(token)
    }
}

extension WireCenter {
    /// Traces the posts and calls of this center in this process. See ``HeraldCenter/trace(_:_:)``. The outcome of a
    /// post that leaves the process is `carried`.
    public func trace(
        _ name: HeraldCenter.Name? = nil, _ body: @escaping @Sendable (HeraldCenter.TraceEvent) -> Void
    ) -> HeraldCenter.Trace { wire.center.trace(name, body) }
}
#endif
