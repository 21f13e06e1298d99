import HeraldRules
import Testing

/// A rule of the contract, as the C tests name it.
struct Rule: CustomTestStringConvertible, Sendable {
    let index: Int
    var testDescription: String { String(cString: HeraldRulesGetName(index)) }

    /// The core's rules.
    static let all = (0..<HeraldRulesCount()).map(Rule.init)
}

/// The rules share threads, names and child processes, so they run one at a time.
@Suite(.serialized) struct RulesTests {
    @Test("The contract", arguments: Rule.all)
    func rule(_ rule: Rule) {
        if let failure = HeraldRulesRun(rule.index) {
            Issue.record("\(rule.testDescription): \(String(cString: failure))")
        }
    }
}
