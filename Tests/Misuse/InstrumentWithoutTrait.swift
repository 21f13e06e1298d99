// expect-only: 'instrument' is unavailable: enable the trait in your manifest: .package(url: ..., traits: ["Instrumentation"])
import HeraldInstrumentation

func save(_ center: HeraldCenter) {
    #if MISUSE
    let instrumented = center.instrument()
    center.post("saved")
    instrumented.stop()
    #else
    center.post("saved")
    #endif
}
