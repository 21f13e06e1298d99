#if os(Linux) && Instrumentation
public import Herald

extension HeraldCenter {
    /// Reports the posts and calls of this center to logs, metrics and traces, while the returned value lives.
    ///
    /// ```swift
    /// let instrumented = center.instrument()
    /// ```
    ///
    /// A post becomes a span in the caller's `ServiceContext`. Each call of an observer becomes a child of the
    /// post's span, and a post inside that call becomes a child of the call's span. A message in a mailbox becomes
    /// a span when it has been heard or lost. This span is a child of the span of the call that put the message
    /// into the mailbox. On a ``/Herald/WireCenter``, the delivery of a message becomes a span with a link to the
    /// span of the message's post. The post may come from another process, if that process is instrumented, too.
    ///
    /// A post pays for a trace (see ``/Herald/HeraldCenter/trace(_:_:)``) and for the backends, which are called on
    /// the posting thread. The backends may post; these posts are not reported. A center that is not instrumented
    /// pays nothing.
    ///
    /// - Parameters:
    ///   - name: Only posts of this name. `nil`: all.
    ///   - instruments: The logger, the metrics and the tracer to report to.
    /// - Returns: The owner of the instrumentation. The instrumentation ends with its owner.
    public func instrument(
        _ name: Name? = nil, with instruments: HeraldInstruments = .bootstrapped
    ) -> HeraldInstrumented {
        let teller = Teller(instruments, center: label)
        return HeraldInstrumented(Running(teller) { self.trace(name) { teller.tell($0) } })
    }
}

extension WireCenter {
    /// Reports the posts and calls of this center in this process to logs, metrics and traces, while the returned
    /// value lives: see ``HeraldCenter/instrument(_:with:)``.
    ///
    /// With a tracer, each outgoing message is followed by a message of the name `herald.trace.context`. This
    /// second message tells all instrumented processes, this one included, in which span the first message was
    /// posted. Every program that may observe the center's names may read the second message.
    ///
    /// - Parameters:
    ///   - name: Only posts of this name. `nil`: all.
    ///   - instruments: The logger, the metrics and the tracer to report to.
    /// - Returns: The owner of the instrumentation. The instrumentation ends with its owner.
    public func instrument(
        _ name: HeraldCenter.Name? = nil, with instruments: HeraldInstruments = .bootstrapped
    ) -> HeraldInstrumented {
        guard let tracer = instruments.tracer else {
            let teller = Teller(instruments, center: "")
            return HeraldInstrumented(Running(teller) { self.trace(name) { teller.tell($0) } })
        }
        let teller = Teller(instruments, center: "") { key, context in
            guard let sent = SentContext(key, context, tracer) else { return }
            try? self.post(sent)  // best effort: without the context, the spans of deliveries have no link
        }
        return HeraldInstrumented(
            Running(teller) {
                self.trace(name) { teller.tell($0) }
            } contexts: {
                observe(SentContext.self) { sent in teller.learn(sent.key, sent.context(tracer)) }
            })
    }
}

/// Owns the instrumentation of a center. The instrumentation ends when this value leaves its scope.
public struct HeraldInstrumented: ~Copyable, Sendable {
    private let running: Running

    fileprivate init(_ running: Running) { self.running = running }

    /// Ends the instrumentation, and waits: when this call returns, nothing is reported any more, and all spans
    /// have ended. Inside the body of an observer, this call does not wait for that body. A second call does nothing.
    public func stop() { running.stop() }

    deinit { running.stop() }
}

private final class Running: Sendable {
    private let teller: Teller
    private let trace: HeraldCenter.Trace
    private let contexts: HeraldCenter.ObservationToken?

    init(
        _ teller: Teller, trace: () -> HeraldCenter.Trace,
        contexts: () -> HeraldCenter.ObservationToken? = { nil }
    ) {
        self.teller = teller
        self.contexts = contexts()
        self.trace = trace()
    }

    func stop() {
        trace.stop()
        teller.stop()
    }
}
#endif
