import Foundation
import Processes
import Testing

/// R14 in Swift: after a thread's first post, a post allocates nothing.
@Suite struct AllocationTests {
    @Test("No kind of synchronous post allocates")
    func R14_no_kind_of_synchronous_post_allocates() async throws {
        let output = try await run(productFolder.appendingPathComponent("HeraldPostAllocations"), [])
        let lines = output.text.split(separator: "\n")
        #expect(output.status == 0)
        #expect(lines.first == "counting: true")
        #expect(lines.count == 16)
        for line in lines.dropFirst() {
            switch line.prefix(while: { $0 != ":" }) {
            case "a watched property": continue  // key paths, unless the build is optimised
            default: #expect(line.hasSuffix(": 0"), "\(line)")
            }
        }
    }
}
