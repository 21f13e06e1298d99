import Foundation

/// The rules, put to every contestant, each in a process of its own, because a contestant may crash or hang.
struct Gate {
    struct Rule {
        let name: String
        let says: String
    }

    static let rules = [
        Rule(name: "R1", says: "a post calls exactly those who observe its name and object, or any"),
        Rule(name: "R2", says: "in the order in which they were added"),
        Rule(name: "R5", says: "who is added during a post is not called by it"),
        Rule(name: "R6", says: "who is removed during a post, and was not called yet, is not called"),
        Rule(name: "R7", says: "an observer may post, add and remove, itself too"),
        Rule(name: "R9", says: "a stale token removes nobody"),
        Rule(name: "R10", says: "what an observer holds is released once, after its last call, outside of locks"),
        Rule(name: "R11", says: "there is a removal after which no call is running on any thread, and none begins"),
        Rule(name: "ABBA", says: "observers of two centers that use each other's do not deadlock"),
        Rule(name: "subject", says: "a newcomer at a dead object's address is not taken for it"),
    ]

    let programs: Programs
    let patience: Double

    func put(_ rule: Rule, to peer: Contestant) -> Verdict { verdict(of: begin(rule, peer), rule, peer, patience) }

    /// Puts all rules to all contestants, so many at once. Those that do not answer for a while are tried again at the
    /// end, all at once: most of them hang, so they may wait together.
    func putAll(
        to peers: [Contestant], atOnce: Int, brief: Double, progress: (String) -> Void = { _ in }
    ) -> [Verdict] {
        let all = peers.flatMap { peer in Self.rules.map { (rule: $0, peer: peer) } }
        var verdicts = all.chunked(atOnce).flatMap { some -> [Verdict] in
            progress("the rules, put to \(some[0].peer.id)")
            return ask(some, within: brief)
        }
        let silent = verdicts.indices.filter { verdicts[$0].outcome == .hang }
        progress("the rules, put again to those who did not answer")
        for (at, verdict) in zip(silent, ask(silent.map { all[$0] }, within: patience)) { verdicts[at] = verdict }
        return verdicts
    }

    private func ask(_ questions: [(rule: Rule, peer: Contestant)], within seconds: Double) -> [Verdict] {
        let children = questions.map { begin($0.rule, $0.peer) }
        let deadline = Date(timeIntervalSinceNow: seconds)
        return zip(questions, children).map { question, child in
            verdict(of: child, question.rule, question.peer, max(0.01, deadline.timeIntervalSinceNow))
        }
    }

    private func begin(_ rule: Rule, _ peer: Contestant) -> Result<Child, any Error> {
        Result { try programs.start(peer.program ?? "", ["gate", peer.id, rule.name]) }
    }

    private func verdict(
        of child: Result<Child, any Error>, _ rule: Rule, _ peer: Contestant, _ seconds: Double
    ) -> Verdict {
        func verdict(_ outcome: Verdict.Outcome, _ reason: String?) -> Verdict {
            Verdict(contestant: peer.id, rule: rule.name, outcome: outcome, reason: reason)
        }
        do {
            let answer = try child.get().answer(within: seconds)
            let words = answer.split(separator: " ", maxSplits: 1).map(String.init)
            switch words.first {
            case "pass": return verdict(.pass, nil)
            case "fail": return verdict(.fail, words.last)
            case "none": return verdict(.none, words.last)
            default: return verdict(.fail, "it says what cannot be read: \(answer)")
            }
        } catch let silence as Silence {
            return verdict(.hang, silence.name + " does not answer within \(Int(patience)) s")
        } catch {
            return verdict(.crash, "\(error)")
        }
    }
}
