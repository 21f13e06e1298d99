import Foundation
import Processes
import Testing

/// How Swift calls closures, as far as Herald relies on it, in debug; `make shapes` runs it optimised.
@Suite struct ShapesTests {
    @Test("Observers get messages of every shape as they were posted")
    func shapes() async throws {
        let output = try await run(productFolder.appendingPathComponent("HeraldShapes"), [])
        #expect(output.status == 0, "\(output.text)")
    }
}
