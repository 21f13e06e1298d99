#if Instrumentation
import Dispatch
import Foundation
import Herald
import HeraldInstrumentation
import InMemoryLogging
import InMemoryTracing
import Logging
import MetricsTestKit
import Processes
import Testing
import Tracing

private struct Saved: HeraldCenter.Message {}
private struct Indexed: HeraldCenter.Message {}
private struct Wired: HeraldCenter.WireMessage, Codable {
    static let wireName: HeraldCenter.Name = "test.instrumented.saved"
    var path: String
}
/// The names as the center passes them.
private let saved = "InstrumentationTests.Saved", indexed = "InstrumentationTests.Indexed"

private func eventually(_ isTrue: () -> Bool) async -> Bool {
    for _ in 0..<6_000 where !isTrue() { try? await Task.sleep(for: .milliseconds(10)) }
    return isTrue()
}

extension InMemoryTracer {
    fileprivate func spans(_ operation: String) -> [FinishedInMemorySpan] {
        finishedSpans.filter { $0.operationName.hasPrefix(operation) }
    }
}

@Suite(.serialized) struct InstrumentationTests {
    private let center = HeraldCenter()

    init() { _ = hostFolder }

    @Test("Spans of posts, calls and the posts in them lie in each other, and in the caller's")
    func R24_spans_of_posts_and_calls_lie_in_each_other() throws {
        let tracer = InMemoryTracer(), center = center
        let instrumented = center.instrument(with: HeraldInstruments(tracer: tracer))
        let first = center.observe(Saved.self) { _ in center.post(Indexed()) }
        let second = center.observe(Indexed.self) { _ in }
        let before = DefaultTracerClock.now.nanosecondsSinceEpoch
        let outer = tracer.withSpan("outer") { span in
            center.post(Saved())
            return span.spanID
        }
        #expect(tracer.activeSpans.isEmpty)
        let spans = tracer.finishedSpans
        try #require(spans.count == 5)  // in the order in which they ended
        let (inCall, inPost, call, post) = (spans[0], spans[1], spans[2], spans[3])
        #expect(post.operationName.hasPrefix("post ") && post.operationName.hasSuffix("Saved"))
        #expect(inCall.operationName.hasPrefix("call ") && inCall.operationName.hasSuffix("Indexed"))
        #expect(post.parentSpanID == outer && call.parentSpanID == post.spanID)
        #expect(inPost.parentSpanID == call.spanID && inCall.parentSpanID == inPost.spanID)
        #expect(Set(spans.map(\.traceID)).count == 1)
        #expect(post.kind == .internal && post.attributes["herald.calls"]?.toSpanAttribute() == .int64(1))
        let begin = post.startInstant.nanosecondsSinceEpoch, end = post.endInstant.nanosecondsSinceEpoch
        let minute: UInt64 = 60_000_000_000  // by the caller's clock, not since the machine's start
        #expect(begin + minute > before && begin <= end && end < before + minute)
        instrumented.stop()
        center.post(Saved())
        #expect(tracer.finishedSpans.count == 5)
        first.cancel()
        second.cancel()
    }

    @Test("A message is followed through a mailbox, to its queue and its actor; a lost one is told")
    func R24_a_message_is_followed_through_a_mailbox() async throws {
        let tracer = InMemoryTracer(), metrics = TestMetrics()
        let instrumented = center.instrument(with: HeraldInstruments(metrics: metrics, tracer: tracer))
        let queue = DispatchQueue(label: "hearing"), gate = DispatchSemaphore(value: 0)
        let queued = center.observe(Saved.self, via: queue, buffer: .oldest(1)) { _ in gate.wait() }
        actor Listener { func hear(_: borrowing Saved) {} }
        let listener = Listener()
        center.observe(Saved.self, on: listener) { listener, message in listener.hear(message) }
        center.post(Saved())
        #expect(await eventually { tracer.spans("hear").count == 1 })  // the actor's span
        center.post(Saved())
        center.post(Saved())
        #expect(await eventually { tracer.spans("hear").count == 3 })
        for _ in 0..<3 { gate.signal() }
        #expect(await eventually { tracer.spans("hear").count + tracer.spans("lose").count == 6 })
        let calls = Set(tracer.spans("call").map(\.spanID)), heard = tracer.spans("hear")
        // A message may be heard before its post has told that it is queued.
        let followed = heard.filter { $0.parentSpanID != nil }
        #expect(!followed.isEmpty && followed.allSatisfy { calls.contains($0.parentSpanID ?? "") })
        #expect(heard.allSatisfy { $0.kind == .consumer })
        #expect(heard.contains { $0.attributes["herald.waited"] != nil })
        let lost = tracer.spans("lose")
        #expect(lost.count >= 1 && lost.allSatisfy { calls.contains($0.parentSpanID ?? "") })
        let name = String(try #require(heard.first).operationName.dropFirst("hear ".count))
        let dropped = try metrics.expectCounter("herald.lost", [("name", name), ("outcome", "dropped")])
        #expect(dropped.totalValue == Int64(lost.count))
        let waits = try metrics.expectTimer("herald.message.wait", [("name", name)]).values
        #expect(waits.count == followed.count)
        instrumented.stop()
        queued.cancel()
        center.removeObserver(listener)
    }

    @Test("Posts, calls and their times are counted by name, and by center where it has a label")
    func R24_posts_and_calls_are_counted_by_name() throws {
        let metrics = TestMetrics()
        center.label = "documents"
        let instrumented = center.instrument(with: HeraldInstruments(metrics: metrics))
        let token = center.observe("a") { _ in }
        for _ in 0..<5 { center.post("a") }
        for number in 0..<1_100 { center.post(HeraldCenter.Name("many.\(number)")) }
        let known = [("name", "a"), ("center", "documents")]
        #expect(try metrics.expectCounter("herald.posts", known).totalValue == 5)
        #expect(try metrics.expectCounter("herald.calls", known).totalValue == 5)
        let times = try metrics.expectTimer("herald.call.duration", known).values
        #expect(times.count == 5 && times.allSatisfy { (0..<60_000_000_000).contains($0) })
        let other = [("name", "other"), ("center", "documents")]
        #expect(try metrics.expectCounter("herald.posts", other).totalValue == 101)
        instrumented.stop()
        token.cancel()
    }

    @Test("What is slow is a warning, at most so many a second; each post is a line only for who asks")
    func logs() throws {
        let handler = InMemoryLogHandler()
        var logger = Logger(label: "test", factory: { _ in handler })
        logger.logLevel = .info
        let slow = center.observe("slow") { _ in }, quick = center.observe("quick") { _ in }
        // For the first each call is slow, for the other none.
        let instrumented = center.instrument("slow", with: HeraldInstruments(logger: logger, slowCall: .zero))
        let other = center.instrument("quick", with: HeraldInstruments(logger: logger, slowCall: .seconds(3_600)))
        center.post("slow")
        center.post("quick")
        let entry = try #require(handler.entries.first)
        #expect(handler.entries.count == 1 && entry.level == .warning && entry.metadata["name"] == "slow")
        #expect(entry.metadata["registration"] != nil)
        for _ in 0..<20_000 { center.post("slow") }  // lines for a thousand seconds
        #expect(handler.entries.count <= 10_000)
        instrumented.stop()
        other.stop()
        handler.clear()
        logger.logLevel = .trace
        let each = center.instrument("quick", with: HeraldInstruments(logger: logger))
        center.post("quick")
        center.post("slow")
        #expect(handler.entries.map(\.level) == [.trace] && handler.entries.first?.metadata["calls"] == "1")
        each.stop()
        slow.cancel()
        quick.cancel()
    }

    @Test("Ended within a body, by a thread that posts on, it leaves no span open")
    func R24_a_trace_that_ends_in_a_body_leaves_no_span_open() {
        let tracer = InMemoryTracer(), center = center
        let instrumented = center.instrument(with: HeraldInstruments(tracer: tracer))
        let token = center.observe(Saved.self) { _ in instrumented.stop() }
        center.post(Saved())
        center.post(Saved())
        #expect(tracer.activeSpans.isEmpty && tracer.finishedSpans.count == 2)
        token.cancel()
    }

    @Test("A message is followed to another process, to the actor or queue that hears it there")
    func R24_a_carried_message_is_followed_to_another_process() async throws {
        let tracer = InMemoryTracer(), host = HeraldCenter.host
        let instrumented = host.instrument(with: HeraldInstruments(tracer: tracer))
        let peer = Process(), output = Pipe()
        peer.executableURL = productFolder.appendingPathComponent("HeraldInstrumentedPeer")
        peer.standardOutput = output
        peer.environment = ["HERALD_HOST_DIRECTORY": hostFolder]
        try peer.run()
        #expect(output.fileHandleForReading.availableData == Data("ready\n".utf8))
        for _ in 0..<3 { tracer.withSpan("other") { _ in } }  // the peer has span numbers of its own
        try host.post(Wired(path: "notes.txt"))
        peer.waitUntilExit()
        let said = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        let post = try #require(tracer.spans("post").first)
        #expect(post.kind == .producer && post.attributes["messaging.message.id"] != nil)
        #expect(said == "\(post.traceID) \(post.spanID) true\n")
        instrumented.stop()
    }

    @Test("A message from a process that is not instrumented has a span after a second, without a link")
    func R24_a_message_of_a_foreign_process_has_a_span_without_a_link() async throws {
        let tracer = InMemoryTracer(), host = HeraldCenter.host
        let token = host.observe(Wired.self) { _ in }
        let instrumented = host.instrument("test.instrumented.saved", with: HeraldInstruments(tracer: tracer))
        let command = Process()
        command.executableURL = heraldCommand
        command.arguments = [
            "post", "test.instrumented.saved", "--message", #"{"path":"a"}"#, "--type", "application/json",
            "--count", "2",
        ]
        try command.run()
        command.waitUntilExit()
        #expect(await eventually { tracer.spans("deliver").count == 2 })
        let spans = tracer.spans("deliver").sorted {
            $0.startInstant.nanosecondsSinceEpoch < $1.startInstant.nanosecondsSinceEpoch
        }
        #expect(spans.allSatisfy { $0.links.isEmpty && $0.kind == .consumer })
        // It ended before the second message came, not when the end was reported.
        #expect(spans[0].endInstant.nanosecondsSinceEpoch <= spans[1].startInstant.nanosecondsSinceEpoch)
        instrumented.stop()
        token.cancel()
    }
}
#endif
