import Foundation

/// The rules, put to every contestant: each in a process of its own, which may crash or hang over it.
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

    /// Who does not answer for a while is asked again at the end, all of them at once: most hang, and hang together.
    func putAll(to peers: [Contestant], brief: Double, progress: (String) -> Void = { _ in }) -> [Verdict] {
        var verdicts = peers.flatMap { peer -> [Verdict] in
            progress("the rules, put to \(peer.id)")
            return Self.rules.map { verdict(of: begin($0, peer), $0, peer, brief) }
        }
        let silent = verdicts.indices.filter { verdicts[$0].outcome == .hang }
        if !silent.isEmpty { progress("the rules, put again to those who did not answer") }
        let asked = silent.map { at -> (Int, Rule, Contestant, Result<Child, any Error>) in
            let (peer, rule) = (peers[at / Self.rules.count], Self.rules[at % Self.rules.count])
            return (at, rule, peer, begin(rule, peer))
        }
        let deadline = Date(timeIntervalSinceNow: patience)
        for (at, rule, peer, child) in asked {
            verdicts[at] = verdict(of: child, rule, peer, max(0.01, deadline.timeIntervalSinceNow))
        }
        return verdicts
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
