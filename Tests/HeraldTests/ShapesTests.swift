import Foundation
import Processes
import Testing

/// What Herald leans on of how Swift calls closures, in debug; `make shapes` runs it optimised.
@Suite struct ShapesTests {
    @Test("Observers get messages of every shape as they were posted")
    func shapes() async throws {
        let output = try await run(productFolder.appendingPathComponent("HeraldShapes"), [])
        #expect(output.status == 0, "\(output.text)")
    }
}
