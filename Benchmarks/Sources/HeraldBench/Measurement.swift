import Foundation

/// How much is measured.
struct Effort {
    var kind: About.Kind
    var rounds: Int
    /// Nanoseconds of one turn.
    var batch: Int
    var threadsTurn: Int
    /// Seconds for a program to make ready, and for a turn.
    var patience: Double

    static let full = Effort(kind: .full, rounds: 21, batch: 5_000_000, threadsTurn: 20_000_000, patience: 60)
    static let quick = Effort(kind: .quick, rounds: 6, batch: 200_000, threadsTurn: 2_000_000, patience: 10)
}

/// Measures rows: all of a row at once, in turns, A B A B, so that what disturbs one is as likely to disturb the others.
struct Measurement {
    let programs: Programs
    let effort: Effort

    private final class Turn {
        let entry: Plan.Entry
        let child: Child?
        var rounds: [[Double]?] = []
        var reason: String?
        var failed: Bool?

        init(_ entry: Plan.Entry, _ programs: Programs, _ effort: Effort) {
            self.entry = entry
            let started = Result { try programs.start(entry.program, ["serve", entry.peer]) }
            child = try? started.get()
            do {
                let answer = try started.get().ask(
                    "open \(entry.line) batch=\(effort.batch) duration=\(effort.threadsTurn)", within: effort.patience)
                child?.pause()
                guard answer == "ok" || answer.hasPrefix("none ") else {
                    throw Failure("it says what cannot be read: \(answer.prefix(60))")
                }
                if answer != "ok" { reason = String(answer.dropFirst(5)) }
            } catch {
                fail(error)
                if programs.missing[entry.program] != nil { failed = nil }  // the run has a note of it
            }
        }

        /// Takes a sample; a program that fails takes none any more.
        func take(_ patience: Double, isSize: Bool) -> [Double]? {
            guard reason == nil, let child else { return nil }
            child.resume()
            defer { child.pause() }
            do {
                let answer = try child.ask("sample", within: patience)
                let values = answer.split(separator: " ").map { Double($0) }
                let isFigure = { (value: Double?) in value.map { $0.isFinite && (isSize ? $0 >= 0 : $0 > 0) } ?? false }
                guard !values.isEmpty, values.allSatisfy(isFigure) else {
                    throw Failure("it says what cannot be read: \(answer.prefix(60))")
                }
                return values.map { $0! }
            } catch {
                fail(error)
                return nil
            }
        }

        private func fail(_ error: any Error) {
            reason = "\(error)"
            failed = true
        }

        func end() { child?.end() }
    }

    /// Measures rows together: all their contestants take turns.
    func measure(_ plans: [Plan]) -> [Row] {
        let rows = plans.map { plan in (plan, plan.entries.map { Turn($0, programs, effort) }) }
        defer { rows.forEach { $0.1.forEach { $0.end() } } }
        for round in 0...effort.rounds {
            for (plan, turns) in rows where plan.shape != .size || round == 0 {
                for turn in turns {
                    let values = turn.take(effort.patience, isSize: plan.shape == .size || plan.unit == .bytes)
                    if plan.shape == .size || round > 0 { turn.rounds.append(values) }  // the first is to be warm
                }
            }
        }
        return rows.map(row)
    }

    private func row(_ plan: Plan, _ turns: [Turn]) -> Row {
        let cells = turns.map { turn -> Cell in
            let entry = turn.entry
            if let reason = turn.reason {
                return Cell(contestant: entry.id, floor: entry.floor, reason: reason, failed: turn.failed)
            }
            let floor = entry.floor.flatMap { id in turns.first { $0.entry.id == id && $0.reason == nil } }
            return Summary.cell(entry.id, plan.shape, turn.rounds, floor: floor.map { ($0.entry.id, $0.rounds) })
        }
        return Row(
            id: plan.id, section: plan.section, title: plan.title, unit: plan.unit, shape: plan.shape, cells: cells)
    }
}

extension Row {
    /// From two rows, what each observer more costs and what remains for none: of those that are in all.
    static func derived(_ id: String, _ title: String, from rows: [Row?], _ figure: ([Double]) -> Double) -> Row? {
        let count = rows.count
        let rows = rows.compactMap { $0 }
        guard let first = rows.first, rows.count == count else { return nil }
        let cells = first.cells.compactMap { cell -> Cell? in
            let all = rows.map { $0[cell.contestant] }
            let least = all.compactMap { $0?.best }
            let median = all.compactMap { $0?.median }
            guard least.count == rows.count, median.count == rows.count else { return nil }
            var result = Cell(contestant: cell.contestant, floor: cell.floor)
            result.best = figure(least)
            result.median = figure(median)
            return result
        }
        return Row(id: id, section: first.section, title: title, unit: first.unit, shape: .cost, cells: cells)
    }
}
