#if Instrumentation
    public import CoreMetrics
    public import Logging
    public import Tracing

    /// The logger, the metrics and the tracer to which an instrumented center reports; see
    /// ``Herald/HeraldCenter/instrument(_:with:)``.
    public struct HeraldInstruments: Sendable {
        /// Gets slow calls and lost messages (`warning`), calls that were left by an exception or the end of their
        /// thread (`error`), and each post (`trace`). At most 20 warnings a second are logged. `nil`: nothing is
        /// logged.
        public var logger: Logger?

        /// A call of an observer that takes at least this long is slow.
        public var slowCall: Duration

        /// Makes the metrics, with the dimensions `name` (the post's) and `center` (the center's label, if it has one):
        /// the counters `herald.posts`, `herald.calls` and `herald.lost` (with `outcome`), the timers
        /// `herald.call.duration`, `herald.message.wait` and `herald.message.duration`. After 1,000 names all others
        /// are counted as `other`. `nil`: nothing is counted.
        public var metrics: (any MetricsFactory)?

        /// Makes a span of each post, each call and each message that was heard from a mailbox. `nil`: there are no
        /// spans.
        public var tracer: (any Tracer)?

        public init(
            logger: Logger? = nil, slowCall: Duration = .milliseconds(100), metrics: (any MetricsFactory)? = nil,
            tracer: (any Tracer)? = nil
        ) {
            self.logger = logger
            self.slowCall = slowCall
            self.metrics = metrics
            self.tracer = tracer
        }

        /// The systems that the program has bootstrapped so far: a logger named `herald`, and `MetricsSystem.factory`
        /// and `InstrumentationSystem.tracer` if they have been set.
        public static var bootstrapped: HeraldInstruments {
            let factory = MetricsSystem.factory, tracer = InstrumentationSystem.tracer
            return HeraldInstruments(
                logger: Logger(label: "herald"), metrics: factory is NOOPMetricsHandler ? nil : factory,
                tracer: tracer is NoOpTracer ? nil : tracer)
        }
    }
#endif
