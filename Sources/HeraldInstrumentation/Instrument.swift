#if Instrumentation
    public import Herald

    extension HeraldCenter {
        /// Reports to logs, metrics and traces what this center does, while the returned value lives.
        ///
        /// ```swift
        /// let instrumented = center.instrument()
        /// ```
        ///
        /// A post becomes a span in the caller's `ServiceContext`. A call of an observer becomes a span in that of the
        /// post, and a post in that call becomes a span in that of the call. A message that waits in a mailbox becomes
        /// a span when it has been heard, in the span of the call that put it there. On a ``WireCenter``, a message
        /// that arrives becomes a span with a link to the span of its post. The post may have been made in another
        /// process, if that is instrumented, too.
        ///
        /// A post pays for a trace (see ``trace(_:_:)``) and for the backends, which are called on the posting thread.
        /// The backends may post; these posts are not reported. A center that is not instrumented pays nothing.
        ///
        /// - Parameters:
        ///   - name: Only posts of this name. `nil`: all.
        ///   - instruments: The logger, the metrics and the tracer to report to.
        /// - Returns: The owner of the instrumentation, which ends with it.
        public func instrument(
            _ name: Name? = nil, with instruments: HeraldInstruments = .bootstrapped
        ) -> HeraldInstrumented {
            let teller = Teller(instruments, center: label)
            return HeraldInstrumented(Running(teller) { self.trace(name) { teller.tell($0) } })
        }
    }

    extension WireCenter {
        /// Reports to logs, metrics and traces what this center does in this process, while the returned value lives:
        /// see ``HeraldCenter/instrument(_:with:)``.
        ///
        /// With a tracer, each outgoing message is followed by a message of the name `herald.trace.context`, if a
        /// process observes that name. It gives the span to all instrumented processes, this one included. Everybody
        /// who may observe the center's names may read it.
        ///
        /// - Parameters:
        ///   - name: Only posts of this name. `nil`: all.
        ///   - instruments: The logger, the metrics and the tracer to report to.
        /// - Returns: The owner of the instrumentation, which ends with it.
        public func instrument(
            _ name: HeraldCenter.Name? = nil, with instruments: HeraldInstruments = .bootstrapped
        ) -> HeraldInstrumented {
            guard let tracer = instruments.tracer else {
                let teller = Teller(instruments, center: "")
                return HeraldInstrumented(Running(teller) { self.trace(name) { teller.tell($0) } })
            }
            let teller = Teller(instruments, center: "") { key, context in
                guard let sent = SentContext(key, context, tracer) else { return }
                try? self.post(sent)  // a process that misses this one has no link
            }
            return HeraldInstrumented(
                Running(teller) {
                    self.trace(name) { teller.tell($0) }
                } contexts: {
                    observe(SentContext.self) { sent in teller.learn(sent.key, sent.context(tracer)) }
                })
        }
    }

    /// Owns the instrumentation of a center, which ends when this leaves its scope.
    public struct HeraldInstrumented: ~Copyable, Sendable {
        private let running: Running

        fileprivate init(_ running: Running) { self.running = running }

        /// Ends it, and waits: when this returns, nothing is reported any more, and all spans have ended. Inside a body
        /// it does not wait for that body. A second call does nothing.
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
