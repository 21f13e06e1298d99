import Foundation

/// A whole run: the programs, the gate, the rows, and the results.
struct Session {
    let programs: Programs
    let effort: Effort
    let about: About
    /// Only rows whose id begins so; nil: all.
    var only: String?
    /// The results to which the rows are added: the rules are put to whom these do not have.
    var before: Results?
    let progress: Progress

    func run() -> Results {
        let start = Date()
        let (contestants, absent) = programs.introduce()
        let matrix = Matrix(contestants: contestants)
        var notes = before == nil ? absent.sorted { $0.key < $1.key }.map { "\($0): \($1)" } : []
        var gate: [Verdict] = []
        if only == nil || before != nil {
            let isQuick = effort.kind == .quick
            gate = Gate(programs: programs, patience: isQuick ? 3 : 10).putAll(
                to: matrix.centers.filter { before?.contestant($0.id) == nil },
                atOnce: isQuick ? 2 * Gate.rules.count : 1, brief: isQuick ? 1.5 : 2,
                progress: progress.say)
        }
        let plans = matrix.plans.filter { plan in
            (effort.kind == .full || !plan.isLong) && (only.map { plan.id.hasPrefix($0) } ?? true)
        }
        var rows: [Row] = []
        for group in Matrix.groups(plans) {
            let numbers =
                group.count == 1 ? "row \(rows.count + 1)" : "rows \(rows.count + 1) to \(rows.count + group.count)"
            let title = group.count == 1 ? group[0].title : Matrix.sections[group[0].section - 1].title
            progress.say("\(numbers) of \(plans.count): \(group[0].section). \(title)")
            let measured = Measurement(programs: programs, effort: effort).measure(group)
            notes += measured.flatMap(Self.failures)
            rows += measured
        }
        for plan in matrix.plans where plan.isLong && effort.kind == .quick && only == nil {
            notes.append("\(plan.section). \(plan.title): left out of a quick run")
        }
        insertDerived(into: &rows)
        return Results(
            about: about, seconds: Int(Date().timeIntervalSince(start)), contestants: contestants, notes: notes,
            gate: gate, rows: rows)
    }

    /// Failures only: other reasons are the peers' own and stand in their cells.
    private static func failures(in row: Row) -> [String] {
        row.cells.filter { $0.failed == true }.map {
            "\($0.contestant) in \"\(row.section). \(row.title)\": \($0.reason ?? "")"
        }
    }

    private func insertDerived(into rows: inout [Row]) {
        func row(_ count: Int) -> Row? { rows.first { $0.id == "post.\(count)" } }
        let slope = Row.derived("slope", "slope, from 64 to 1024", from: [row(64), row(1024)]) { ($0[1] - $0[0]) / 960 }
        let intercept = Row.derived("intercept", "intercept", from: [row(1), row(2), row(4), row(8)]) {
            // Least squares through 1, 2, 4, 8: the intercept is the cost of none.
            let mean: Double = $0.reduce(0, +) / 4
            var covariance = 0.0
            var variance = 0.0
            for (x, y) in zip([1.0, 2, 4, 8], $0) {
                covariance += (x - 3.75) * (y - mean)
                variance += (x - 3.75) * (x - 3.75)
            }
            return mean - covariance / variance * 3.75
        }
        let place = rows.lastIndex { $0.section == 2 }.map { $0 + 1 } ?? rows.count
        rows.insert(contentsOf: [intercept, slope].compactMap { $0 }, at: place)
    }
}

/// Reports progress, because a run takes long.
struct Progress {
    private let start = Date()
    private let terminal = isatty(2) == 1

    func say(_ what: String) {
        let seconds = Int(Date().timeIntervalSince(start))
        let line = String(format: "bench %d:%02d  %@", seconds / 60, seconds % 60, what)
        FileHandle.standardError.write(Data((terminal ? "\r\u{1B}[K" + line : line + "\n").utf8))
    }

    func end() { if terminal { FileHandle.standardError.write(Data("\n".utf8)) } }
}
