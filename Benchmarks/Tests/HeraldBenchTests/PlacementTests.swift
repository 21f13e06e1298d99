import Foundation
import Testing

@testable import HeraldBench

/// Programs that are linked in several placements: their range, and no verdict within it.
@Suite struct PlacementTests {
    private func rounds(_ values: Double...) -> [[Double]?] { values.map { [$0] } }

    @Test("A figure is that of all placements; each has its own beside it")
    func pooled() {
        let cell = Summary.cell(
            "x", .cost, placed: [rounds(4, 4, 4), rounds(6, 6, 6)], isFloor: false, floor: ("f", rounds(2, 2, 2)))
        #expect(cell.median == 5 && cell.best == 4 && cell.count == 6)
        #expect(cell.placed == [Placed(best: 4, median: 4, ratio: 2), Placed(best: 6, median: 6, ratio: 3)])
        #expect(cell.range == 4...6 && cell.spread?.low == 2 && cell.spread?.high == 3)
        let alone = Summary.cell("x", .cost, placed: [rounds(4)], isFloor: false, floor: nil)
        #expect(alone.placed == nil && alone.range == 4...4)
    }

    @Test("A floor is the best of its ways and placements")
    func floor() {
        let ways = [rounds(5, 5, 5), rounds(3, 3, 9), rounds(4, 1, 4)]
        let cell = Summary.cell("floor-loop", .cost, placed: ways, isFloor: true, floor: nil)
        #expect(cell.median == 3 && cell.best == 3 && cell.placed == nil && cell.count == 3)
        #expect(Summary.best(of: ways, .cost) == 1 && Summary.best(of: ways, .rate) == 0)
        #expect(Summary.best(of: [[nil], rounds(7)], .cost) == 1)
    }

    @Test("All placements of a program take part, and only those that there are")
    func programs() throws {
        let folder = try Folder()
        let serve = "case $verb in open) echo ok ;; sample) echo %; esac"
        func write(_ name: String, _ value: String) throws {
            try folder.program(name, serve: serve.replacingOccurrences(of: "%", with: value + " ;"))
        }
        let placed = try Folder()
        for (number, value) in [("1", "20"), ("2", "40")] {
            try write("boost", value)
            try FileManager.default.createDirectory(
                atPath: placed.path + "/" + number, withIntermediateDirectories: true)
            try FileManager.default.moveItem(
                atPath: folder.path + "/boost", toPath: placed.path + "/\(number)/boost")
        }
        try write("boost", "10")
        let programs = Programs([folder.path], placed: placed.path, scratch: scratch)
        #expect(programs.placements(of: "boost", most: 9) == 3 && programs.placements(of: "boost", most: 2) == 2)
        #expect(folder.programs.placements(of: "boost", most: 4) == 1)
        var effort = brief
        effort.placements = 4
        let plan = Plan(id: "r", section: 2, title: "r", entries: [Plan.Entry(boost, "post")])
        let row = Measurement(programs: programs, effort: effort).measure([plan.placed])[0]
        #expect(row["boost"]?.placed?.map(\.median) == [10, 20, 40] && row["boost"]?.median == 20)
        #expect(row["boost"]?.count == 3 * effort.placedRounds)
        let once = Measurement(programs: programs, effort: effort).measure([plan])[0]
        #expect(once["boost"]?.placed == nil && once["boost"]?.median == 10)
    }

    @Test("Slopes and intercepts have a range, too")
    func derived() {
        let rows = [64.0, 1024].map { n in row("post", [cell("topic", 2 * n, placed: [n, 3 * n])]) }
        let slope = Row.derived("slope", "slope", from: rows) { ($0[1] - $0[0]) / 960 }!
        #expect(slope["topic"]?.placed?.map(\.median) == [1, 3] && slope["topic"]?.range == 1...3)
    }

    @Test("A budget is held or missed in all placements; else it is undecided")
    func budgets() {
        func outcome(_ placed: [Double], limit: Double = 2) -> Budget.Outcome? {
            let rows = [row("post.1", [cell("topic", placed[0], placed: placed), cell("floor-five", 1)])]
            let budget = Budget(
                what: "w", limit: limit, figure: { $0.ratio("post.1", "topic", "floor-five") }, reason: "r")
            return budget.verdict(in: results(rows: rows))?.outcome
        }
        #expect(outcome([1.5, 2]) == .held && outcome([2.1, 3]) == .missed && outcome([1.5, 2.1]) == .within)
    }

    @Test("A figure and its limit are written alike, and on which side it is is seen")
    func texts() {
        func text(_ value: Double, _ limit: Double, _ form: Budget.Form) -> String {
            let budget = Budget(
                what: "w", limit: limit, form: form, figure: { _ in nil }, reason: "r", belowZero: "less than nothing")
            return "\(budget.text(value)), budget \(budget.limitText)"
        }
        #expect(text(0.0104, 0.01, .share) == "1/96.2 ×, budget ≤ 1/100 ×")
        #expect(text(0.010001, 0.01, .share) == "1/99.99 ×, budget ≤ 1/100 ×")
        #expect(text(2.001, 2, .times) == "2.001 ×, budget ≤ 2 ×" && text(2, 2, .times) == "2 ×, budget ≤ 2 ×")
        #expect(text(-15718, 300, .unit("ns")) == "less than nothing, budget ≤ 300 ns")
        #expect(text(120.4, 120, .unit("ns")) == "120.4 ns, budget ≤ 120 ns")
    }

    @Test("Where the ranges meet nobody is ahead")
    func ahead() {
        var urcu = peer("urcu")
        urcu.ahead = "bare"
        func run(_ own: [Double], _ other: [Double]) -> (Int, Int) {
            let rows = [
                row("post.1", [cell("topic", own[0], placed: own), cell("urcu", other[0], placed: other)])
            ]
            let results = results(rows: rows, contestants: [topic, urcu])
            return (results.behind.count, results.undecided.count)
        }
        #expect(run([10, 12], [8, 9]) == (1, 0))
        #expect(run([10, 12], [8, 10.5]) == (0, 1))
        #expect(run([10, 12], [11, 13]) == (0, 0))
    }

    @Test("Nor where the rounds' ratios are on both sides of 1")
    func noise() {
        func run(_ ratio: (Double, Double, Double)) -> (Int, Int) {
            var own = cell("herald", 11, ratio: ratio)
            own.floor = "async"
            let results = results(rows: [row("queue.heard", [own, cell("async", 10)])])
            return (results.behind.count, results.undecided.count)
        }
        #expect(run((1.1, 1.05, 1.2)) == (1, 0) && run((1.1, 0.5, 1.7)) == (0, 1))
    }

    @Test("Nor is a row worse or better when only the placement differs")
    func compare() {
        func verdict(_ was: [Double], _ now: [Double]) -> Comparison.Verdict? {
            func run(_ all: [Double]) -> Results {
                let ratio = (all[0], all[0], all[0])
                return results(rows: [row("post.1", [cell("topic", all[0], ratio: ratio, placed: all)])])
            }
            return Comparison(run(was), run(now)).lines.first?.verdict
        }
        #expect(verdict([2, 2.4], [2.5, 2.7]) == .same && verdict([2, 2.4], [2.7, 2.9]) == .worse)
        #expect(verdict([2, 2.4], [1.5, 1.8]) == .better && verdict([2, 1.9], [1.5, 1.8]) == .same)
    }

    @Test("Who is below a floor is said; a figure within two in a hundred, or below what is none, is not")
    func undercut() {
        func run(_ high: Double, floor: String = "floor-loop") -> [String] {
            var own = cell("topic", 1, ratio: (0.9, 0.85, high))
            own.floor = floor
            return results(rows: [row("post.1", [own, cell(floor, 1)])]).undercut.map(\.contestant)
        }
        #expect(run(0.95) == ["topic"] && run(0.99) == [] && run(1.1) == [] && run(0.95, floor: "name.before") == [])
    }
}
