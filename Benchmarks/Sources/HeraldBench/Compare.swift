/// Two runs beside each other, row by row, with a verdict that allows for noise.
struct Comparison {
    struct Line: Equatable {
        let row: String
        let contestant: String
        let before: Double
        let after: Double
        let verdict: Verdict
    }

    enum Verdict: String { case same, better, worse }

    /// What differs by less is the same: code that is only placed otherwise differs by so much.
    static let least = 0.07

    let lines: [Line]
    /// What only one of the runs has.
    let missing: [String]

    init(_ before: Results, _ after: Results, all: Bool = false) {
        var lines: [Line] = []
        var missing: [String] = []
        let rows = before.rows.map(\.id) + after.rows.map(\.id).filter { before[$0] == nil }
        for id in rows {
            guard let old = before[id], let new = after[id] else {
                missing.append("\(id): only in the \(before[id] == nil ? "second" : "first")")
                continue
            }
            for cell in old.cells where all || Self.isHeralds(cell.contestant) {
                guard let was = old[cell.contestant] else { continue }
                guard let now = new[cell.contestant] else {
                    missing.append("\(id), \(cell.contestant): only in the first")
                    continue
                }
                if let line = Self.compare(old, was, now) { lines.append(line) }
            }
        }
        self.lines = lines
        self.missing = missing
    }

    private static func isHeralds(_ contestant: String) -> Bool {
        contestant == "herald" || Entrant.herald.contains { $0.id == contestant }
    }

    private static func compare(_ row: Row, _ was: Cell, _ now: Cell) -> Line? {
        if row.shape == .size || was.ratio == nil || now.ratio == nil {
            guard row.shape == .size, let before = was.median, let after = now.median else { return nil }
            let verdict =
                abs(after - before) <= max(0.02 * abs(before), 1) ? Verdict.same : after > before ? .worse : .better
            // What waits to be freed is a matter of the moment.
            return Line(
                row: row.id, contestant: was.contestant, before: before, after: after,
                verdict: row.id == "churn.memory" ? .same : verdict)
        }
        let verdict = verdict(was.ratio!, now.ratio!, moreIsBetter: row.shape == .rate)
        return Line(
            row: row.id, contestant: was.contestant, before: was.ratio!.median, after: now.ratio!.median,
            verdict: verdict)
    }

    /// Both runs' bounds must be apart, and by more than the same code differs.
    static func verdict(_ was: Ratio, _ now: Ratio, moreIsBetter: Bool) -> Verdict {
        let more = now.low > was.high * (1 + least)
        let less = now.high < was.low / (1 + least)
        if !more && !less { return .same }
        return more == moreIsBetter ? .better : .worse
    }

    var worse: [Line] { lines.filter { $0.verdict == .worse } }

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
