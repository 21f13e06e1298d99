import Testing

@testable import HeraldBench

@Suite struct CompareTests {
    private func verdict(
        _ was: (Double, Double, Double), _ now: (Double, Double, Double), shape: Row.Shape = .cost
    ) -> Comparison.Verdict? {
        let before = results(rows: [row("post.1", shape: shape, [cell("topic", 1, ratio: was)])])
        let after = results(rows: [row("post.1", shape: shape, [cell("topic", 1, ratio: now)])])
        return Comparison(before, after).lines.first?.verdict
    }

    @Test("Apart by more than noise is a verdict; within it is none")
    func noise() {
        #expect(verdict((2, 1.9, 2.1), (2.05, 1.95, 2.2)) == .same)
        #expect(verdict((2, 1.9, 2.1), (2.3, 2.0, 2.6)) == .same)  // the bounds meet
        #expect(verdict((2, 1.99, 2.01), (2.1, 2.09, 2.11)) == .same)  // in another placement
        #expect(verdict((2, 2, 2), (2.13, 2.13, 2.13)) == .same && verdict((2, 2, 2), (2.15, 2.15, 2.15)) == .worse)
        #expect(verdict((2, 1.9, 2.1), (2.6, 2.5, 2.7)) == .worse)
        #expect(verdict((2.6, 2.5, 2.7), (2, 1.9, 2.1)) == .better)
        #expect(verdict((0.5, 0.49, 0.51), (0.7, 0.69, 0.71), shape: .rate) == .better)
        #expect(verdict((0.7, 0.69, 0.71), (0.5, 0.49, 0.51), shape: .rate) == .worse)
    }

    @Test("Who takes part once more, in another way, is compared")
    func otherWays() {
        func run(_ ratio: Double) -> Results {
            results(rows: [row("post.1", [cell("topic.waiting", 1, ratio: (ratio, ratio, ratio))])])
        }
        #expect(Comparison(run(2), run(3)).isWorse && !Comparison(run(2), run(2)).isWorse)
    }

    @Test("Sizes are compared as they are")
    func sizes() {
        func compare(_ was: Double, _ now: Double) -> Comparison.Verdict? {
            Comparison(
                results(rows: [row("bytes.observer", shape: .size, [cell("topic", was)])]),
                results(rows: [row("bytes.observer", shape: .size, [cell("topic", now)])])
            ).lines.first?.verdict
        }
        #expect(compare(100, 101) == .same)
        #expect(compare(100, 108) == .worse)
        #expect(compare(108, 100) == .better)
        #expect(compare(0, 2) == .worse)
        #expect(compare(10, 11) == .same && compare(10, 11.5) == .worse)
    }

    @Test("Peers do not count unless asked for; what one run lacks is said")
    func others() {
        let ratio = (1.0, 1.0, 1.0)
        let before = results(rows: [row("post.1", [cell("boost", 1, ratio: ratio), cell("topic", 1, ratio: ratio)])])
        let after = results(rows: [row("post.1", [cell("boost", 1, ratio: (9, 9, 9))]), row("post.2", [])])
        #expect(Comparison(before, after).worse.isEmpty)
        #expect(Comparison(before, after, all: true).worse.count == 1)
        #expect(Comparison(before, after).missing == ["post.2: only in the second"])
        #expect(Comparison(before, after).lost == ["post.1, topic: only in the first"])
        #expect(Comparison(before, after).isWorse && !Comparison(before, before).isWorse)
    }

    @Test("One more allocation, a rule that is no longer passed, and a longer tail are worse")
    func lost() {
        func counted(_ count: Double) -> Results {
            var row = row("allocations", shape: .size, [cell("topic", count)])
            row.unit = .allocations
            return results(rows: [row])
        }
        #expect(Comparison(counted(0), counted(1)).worse.count == 1)
        func gated(_ outcome: Verdict.Outcome) -> Results {
            results(gate: [Verdict(contestant: "topic", rule: "R2", outcome: outcome, reason: "why")])
        }
        #expect(Comparison(gated(.pass), gated(.fail)).lost == ["R2, topic: fail: why"])
        #expect(!Comparison(gated(.fail), gated(.pass)).isWorse && !Comparison(gated(.pass), gated(.pass)).isWorse)
        func tailed(_ tail: Double) -> Results {
            var cell = cell("topic", 1, ratio: (1, 1, 1))
            cell.tail = Ratio(median: tail, low: tail, high: tail)
            return results(rows: [row("churn.0", shape: .latency, [cell])])
        }
        #expect(Comparison(tailed(2), tailed(2.8)).worse.isEmpty)
        #expect(Comparison(tailed(2), tailed(3.2)).worse.map(\.row) == ["churn.0 p99"])
    }

    @Test("A peer that is ahead is said, with the reason; one that is not thread-safe, or behind, is not")
    func behind() {
        var (sigc, urcu) = (peer("sigc"), peer("urcu"))
        sigc.threadSafe = false
        urcu.ahead = "at-hand bare"
        let contestants = [topic, boost, sigc, urcu]
        let rows = [row("post.1", [cell("topic", 10), cell("boost", 20), cell("sigc", 5), cell("urcu", 5)])]
        let behind = results(rows: rows, contestants: contestants).behind
        #expect(behind.map(\.peer) == ["urcu"])
        #expect(behind.first?.by == 2)
        #expect(behind.first?.reason != nil)
        let rates = [row("threads.hot.2", shape: .rate, [cell("topic", 10), cell("boost", 20)])]
        let boosted = results(rows: rates, contestants: contestants).behind
        #expect(boosted.map(\.peer) == ["boost"] && boosted[0].reason == nil)  // it names no reason
    }

    @Test("Where a rival does not take part, who stands for it does")
    func standing() {
        var (way, combine) = (topic, peer("opencombine"))
        (way.id, way.like, combine.rival) = ("swift-topic", "swift-type", "swift-topic")
        func behind(_ ids: [String]) -> [String] {
            let cells = ids.map { cell($0, 10) } + [cell("opencombine", 5)]
            return results(rows: [row("post.1", cells)], contestants: [way, combine]).behind.map(\.herald)
        }
        #expect(behind(["swift-topic", "swift-type"]) == ["swift-topic"])
        #expect(behind(["swift-type"]) == ["swift-type"] && behind([]) == [])
    }
}
