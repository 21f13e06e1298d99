#if Instrumentation
    public import CoreMetrics
    public import Logging
    public import Tracing

    /// What an instrumented center tells, and whom; see ``Herald/HeraldCenter/instrument(_:with:)``.
    public struct HeraldInstruments: Sendable {
        /// Is told of slow calls and lost messages (`warning`), of calls that were left by an exception or the end of their
        /// thread (`error`), and of each post (`trace`). Of slow and lost ones at most 20 lines a second. `nil`: nothing is
        /// logged.
        public var logger: Logger?

        /// A call of an observer that takes at least so long is slow.
        public var slowCall: Duration

        /// Makes what counts, by name (`name`) and by the center's label, if it has one (`center`): the counters
        /// `herald.posts`, `herald.calls` and `herald.lost` (with `outcome`), the timers `herald.call.duration`,
        /// `herald.message.wait` and `herald.message.duration`. After 1,000 names all others are counted as `other`. `nil`:
        /// nothing is counted.
        public var metrics: (any MetricsFactory)?

        /// Makes a span of each post, each call and each message that was heard from a mailbox. `nil`: none.
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

        /// What the program has bootstrapped by now: a logger named `herald`, and `MetricsSystem.factory` and
        /// `InstrumentationSystem.tracer` if they have been set.
        public static var bootstrapped: HeraldInstruments {
            let factory = MetricsSystem.factory, tracer = InstrumentationSystem.tracer
            return HeraldInstruments(
                logger: Logger(label: "herald"), metrics: factory is NOOPMetricsHandler ? nil : factory,
                tracer: tracer is NoOpTracer ? nil : tracer)
        }
    }
#endif
