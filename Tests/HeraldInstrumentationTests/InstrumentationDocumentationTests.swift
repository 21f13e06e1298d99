#if Instrumentation
import Processes
import Testing

@Suite struct InstrumentationDocumentationTests {
    @Test(
        "The documentation's code that needs the trait compiles without a warning",
        arguments: try Documentation.snippets(trait: "Instrumentation"))
    func compiles(_ snippet: Documentation.Snippet) async throws {
        let diagnostics = try await Documentation.diagnostics(of: snippet.code)
        #expect(diagnostics.isEmpty, "\(diagnostics)")
    }
}
#endif
