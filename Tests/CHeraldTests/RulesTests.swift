import HeraldRules
import Testing

/// A rule of the contract as the C tests name it.
struct Rule: CustomTestStringConvertible, Sendable {
    let index: Int
    var testDescription: String { String(cString: HeraldRulesGetName(index)) }

    /// Those about the host center begin processes of their own: `make rules-once` runs them.
    static let ofTheCore = (0..<HeraldRulesCount()).map(Rule.init).filter { !$0.testDescription.contains("Host") }
}

/// The rules share threads, names and child processes: one at a time.
@Suite(.serialized) struct RulesTests {
    @Test("The contract", arguments: Rule.ofTheCore)
    func rule(_ rule: Rule) {
        if let failure = HeraldRulesRun(rule.index) {
            Issue.record("\(rule.testDescription): \(String(cString: failure))")
        }
    }
}
