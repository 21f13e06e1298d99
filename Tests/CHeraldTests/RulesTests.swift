import Foundation
import HeraldRules
import Processes
import Testing

/// A rule of the contract as the C tests name it.
struct Rule: CustomTestStringConvertible, Sendable {
    let index: Int
    var testDescription: String { String(cString: HeraldRulesGetName(index)) }

    /// It is about processes that have not used the host center yet.
    var isAboutHost: Bool { testDescription.contains("Host") }

    static let all = (0..<HeraldRulesCount()).map(Rule.init)
}

/// The rules share threads, names and child processes: one at a time.
@Suite(.serialized) struct RulesTests {
    @Test("The contract", arguments: Rule.all.filter { !$0.isAboutHost })
    func rule(_ rule: Rule) {
        if let failure = HeraldRulesRun(rule.index) {
            Issue.record("\(rule.testDescription): \(String(cString: failure))")
        }
    }

    @Test("The host center's rules", arguments: Rule.all.filter(\.isAboutHost))
    func hostRule(_ rule: Rule) async throws {
        let output = try await run(productFolder.appendingPathComponent("HeraldRulesRunner"), [rule.testDescription])
        #expect(output.status == 0, "\(output.text)\(output.errors)")
    }
}
