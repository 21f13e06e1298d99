// Another process for the test of spans: it hears one message of an instrumented host center, and prints its span.
#if Instrumentation
import Dispatch
@preconcurrency import Glibc
import Herald
import HeraldInstrumentation
import InMemoryTracing

struct Saved: HeraldCenter.WireMessage, Codable {
    static let wireName: HeraldCenter.Name = "test.instrumented.saved"
    var path: String
}

let tracer = InMemoryTracer()
let instrumented = HeraldCenter.host.instrument(with: HeraldInstruments(tracer: tracer))
let token = HeraldCenter.host.observe(Saved.self, via: DispatchQueue(label: "hearing")) { _ in }
print("ready", terminator: "\n")
fflush(nil)
for _ in 0..<6_000 {
    let spans = tracer.finishedSpans
    if let delivered = spans.first(where: { $0.operationName == "deliver test.instrumented.saved" }),
        let heard = spans.first(where: { $0.operationName == "hear test.instrumented.saved" })
    {
        let call = spans.first { $0.spanID == heard.parentSpanID }
        let link = delivered.links.first?.context.inMemorySpanContext
        print(link?.traceID ?? "none", link?.spanID ?? "none", call?.parentSpanID == delivered.spanID)
        break
    }
    usleep(10_000)
}
instrumented.stop()
token.cancel()
#endif
