#if Instrumentation
    public import Herald

    extension HeraldCenter {
        /// Tells logs, metrics and traces what this center does, until what is returned goes.
        ///
        /// ```swift
        /// let instrumented = center.instrument()
        /// ```
        ///
        /// A post becomes a span in the caller's `ServiceContext`, a call of an observer one in the post's, and so does a
        /// post in that call. A message that waits in a mailbox becomes a span when it has been heard, in that of the call
        /// that put it there. On a ``WireCenter`` a message that comes becomes a span with a link to that of its post, also
        /// if another process has made it, provided that it is instrumented, too.
        ///
        /// What it costs a post is a trace (see ``trace(_:_:)``) and what the backends take, which are called on the posting
        /// thread. They may post: that is not told. A center that is not instrumented pays nothing.
        ///
        /// - Parameters:
        ///   - name: Only posts of this name. `nil`: all.
        ///   - instruments: Who is told.
        /// - Returns: What it lasts as long as.
        public func instrument(
            _ name: Name? = nil, with instruments: HeraldInstruments = .bootstrapped
        ) -> HeraldInstrumented {
            let teller = Teller(instruments, center: label)
            return HeraldInstrumented(Running(teller) { self.trace(name) { teller.tell($0) } })
        }
    }

    extension WireCenter {
        /// Tells logs, metrics and traces what this center does in this process, until what is returned goes: see
        /// ``HeraldCenter/instrument(_:with:)``.
        ///
        /// With a tracer each message that goes out is followed by one of the name `herald.trace.context`, if a process
        /// observes that: it says the span to all that are instrumented, this one included. Who may observe the center's
        /// names may read it.
        ///
        /// - Parameters:
        ///   - name: Only posts of this name. `nil`: all.
        ///   - instruments: Who is told.
        /// - Returns: What it lasts as long as.
        public func instrument(
            _ name: HeraldCenter.Name? = nil, with instruments: HeraldInstruments = .bootstrapped
        ) -> HeraldInstrumented {
            guard let tracer = instruments.tracer else {
                let teller = Teller(instruments, center: "")
                return HeraldInstrumented(Running(teller) { self.trace(name) { teller.tell($0) } })
            }
            let teller = Teller(instruments, center: "") { key, context in
                guard let sent = SentContext(key, context, tracer) else { return }
                try? self.post(sent)  // who hears the message and not this has no link
            }
            return HeraldInstrumented(
                Running(teller) {
                    self.trace(name) { teller.tell($0) }
                } contexts: {
                    observe(SentContext.self) { sent in teller.learn(sent.key, sent.context(tracer)) }
                })
        }
    }

    /// Owns that a center is instrumented, which ends when this leaves its scope.
    public struct HeraldInstrumented: ~Copyable, Sendable {
        private let running: Running

        fileprivate init(_ running: Running) { self.running = running }

        /// Ends it, and waits: when this returns nobody is told any more, and all spans have ended. Inside a body it does not
        /// wait for that one. A second call does nothing.
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
