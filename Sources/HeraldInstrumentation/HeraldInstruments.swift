#if os(Linux) && Instrumentation
public import CoreMetrics
public import Logging
public import Tracing

/// The logger, the metrics and the tracer to which an instrumented center reports; see
/// ``Herald/HeraldCenter/instrument(_:with:)``.
public struct HeraldInstruments: Sendable {
    /// Gets a `warning` for each slow call and each dropped message, at most 20 a second. Gets an `error` for each
    /// call or post that ends by an exception, or because its thread ends. Gets a line of level `trace` for each
    /// post. `nil`: nothing is logged.
    public var logger: Logger?

    /// How long a call of an observer must take to count as slow.
    public var slowCall: Duration

    /// Makes the metrics. These are the counters `herald.posts`, `herald.calls` and `herald.lost`, and the timers
    /// `herald.call.duration`, `herald.message.wait` and `herald.message.duration`. Each metric has the dimensions
    /// `name` (of the post) and `center` (the center's label, if it has one); `herald.lost` also has `outcome`. The
    /// first 1,000 names have metrics of their own, and all further names share the metrics of the name `other`.
    /// `nil`: nothing is counted.
    public var metrics: (any MetricsFactory)?

    /// Makes a span for each post, for each call, and for each message from a mailbox, heard or lost. `nil`: there
    /// are no spans.
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

    /// Instruments that report to the systems that the program has bootstrapped so far: a logger named `herald`,
    /// and, if they have been set, `MetricsSystem.factory` and `InstrumentationSystem.tracer`.
    public static var bootstrapped: HeraldInstruments {
        let factory = MetricsSystem.factory, tracer = InstrumentationSystem.tracer
        return HeraldInstruments(
            logger: Logger(label: "herald"), metrics: factory is NOOPMetricsHandler ? nil : factory,
            tracer: tracer is NoOpTracer ? nil : tracer)
    }
}
#endif
