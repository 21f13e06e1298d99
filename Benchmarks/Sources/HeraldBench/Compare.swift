/// A comparison of two runs, row by row, with a verdict that allows for noise.
struct Comparison {
    struct Line: Equatable {
        let row: String
        let contestant: String
        let before: Double
        let after: Double
        let verdict: Verdict
    }

    enum Verdict: String { case same, better, worse }

    /// Figures that differ by less are the same: the figure of a program in a single placement differs by so much from
    /// that in another placement.
    static let least = 0.07
    /// For tails, which depend on the machine.
    static let leastOfTails = 0.5

    let lines: [Line]
    /// Rows that only one of the runs has.
    let missing: [String]
    /// A figure or a rule that the second run has lost.
    let lost: [String]

    init(_ before: Results, _ after: Results, all: Bool = false) {
        var lines: [Line] = []
        var missing: [String] = []
        var lost: [String] = []
        func isHeralds(_ id: String) -> Bool { id == "herald" || before.role(id) == .herald }
        let rows = before.rows.map(\.id) + after.rows.map(\.id).filter { before[$0] == nil }
        for id in rows {
            guard let old = before[id], let new = after[id] else {
                missing.append("\(id): only in the \(before[id] == nil ? "second" : "first")")
                continue
            }
            for cell in old.cells where all || isHeralds(cell.contestant) {
                guard let was = old[cell.contestant] else { continue }
                guard let now = new[cell.contestant] else {
                    lost.append("\(id), \(cell.contestant): only in the first")
                    continue
                }
                lines += Self.compare(old, was, now)
            }
        }
        self.lines = lines
        self.missing = missing
        for verdict in before.gate where verdict.outcome == .pass && (all || isHeralds(verdict.contestant)) {
            let now = after.gate.first { $0.contestant == verdict.contestant && $0.rule == verdict.rule }
            guard let now, now.outcome != .pass else { continue }
            lost.append("\(verdict.rule), \(verdict.contestant): \(now.outcome.rawValue): \(now.reason ?? "")")
        }
        self.lost = lost
    }

    /// The figure, and for latencies the tail.
    private static func compare(_ row: Row, _ was: Cell, _ now: Cell) -> [Line] {
        func line(_ name: String, _ before: Double, _ after: Double, _ verdict: Verdict) -> Line {
            Line(row: row.id + name, contestant: was.contestant, before: before, after: after, verdict: verdict)
        }
        if row.shape == .size {
            guard let before = was.median, let after = now.median else { return [] }
            let isCount = row.unit == .allocations || row.unit == .wakes
            let slack = isCount ? 0 : row.id == "bytes.threads" ? 65536 : max(0.02 * before, 1)
            let verdict = abs(after - before) <= slack ? Verdict.same : after > before ? .worse : .better
            return [line("", before, after, verdict)]
        }
        let moreIsBetter = row.shape == .rate
        return [("", was.spread, now.spread, least), (" p99", was.tail, now.tail, leastOfTails)].compactMap {
            name, was, now, least in
            guard let was, let now else { return nil }
            let verdict = verdict(was, now, moreIsBetter: moreIsBetter, least: least)
            return line(name, was.median, now.median, verdict)
        }
    }

    /// The bounds of the two runs must not overlap, and must be further apart than runs of the same code are.
    static func verdict(_ was: Ratio, _ now: Ratio, moreIsBetter: Bool, least: Double = least) -> Verdict {
        let more = now.low > was.high * (1 + least)
        let less = now.high < was.low / (1 + least)
        if !more && !less { return .same }
        return more == moreIsBetter ? .better : .worse
    }

    var worse: [Line] { lines.filter { $0.verdict == .worse } }
    var isWorse: Bool { !worse.isEmpty || !lost.isEmpty }

    var text: String {
        let rows = lines.map {
            [
                $0.row, $0.contestant, Page.number($0.before), Page.number($0.after),
                $0.before == 0 ? "" : String(Int((($0.after / $0.before - 1) * 100).rounded())) + " %",
                $0.verdict == .same ? "" : $0.verdict.rawValue,
            ]
        }
        let table = [["row", "who", "before", "after", "change", "verdict"]] + rows
        let widths = table[0].indices.map { column in table.map { $0[column].count }.max() ?? 0 }
        let lines = table.map { row in
            row.enumerated().map { column, cell in
                let space = String(repeating: " ", count: widths[column] - cell.count)
                return (2...4).contains(column) ? space + cell : cell + space
            }.joined(separator: "  ").replacing(#/ +$/#, with: "")
        }
        let better = self.lines.filter { $0.verdict == .better }.count
        return
            (lines + missing + [
                "\(worse.count) worse, \(better) better, \(self.lines.count - worse.count - better) the same"
            ])
            .joined(separator: "\n")
    }
}
