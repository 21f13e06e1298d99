import Foundation

/// How much is measured.
struct Effort {
    var kind: About.Kind
    var rounds: Int
    /// In how many placements the programs of placed rows take part, and how many rounds each has there.
    var placements = 1
    var placedRounds: Int
    /// Nanoseconds of one turn.
    var batch: Int
    var threadsTurn: Int
    /// How many times another process is woken in a turn.
    var wakes = 500
    /// The time limit in seconds, for a program to get ready and for a turn.
    var patience: Double

    static let full = Effort(
        kind: .full, rounds: 21, placements: 4, placedRounds: 7, batch: 5_000_000, threadsTurn: 20_000_000, patience: 60
    )
    static let quick = Effort(
        kind: .quick, rounds: 6, placements: 2, placedRounds: 4, batch: 200_000, threadsTurn: 2_000_000, wakes: 100,
        patience: 10)
}

/// Measures rows: all contestants of a row in turns, A B A B, so that a disturbance is as likely to hit one as another.
struct Measurement {
    let programs: Programs
    let effort: Effort

    /// A contestant in a row: one program, or several that do the same.
    private final class Turn {
        let entry: Plan.Entry
        let programs: [Candidate]

        /// The first program that has a reason for no figures; it stands for all.
        var without: Candidate? { programs.first { $0.reason != nil } }

        init(_ entry: Plan.Entry, _ plan: Plan, _ programs: Programs, _ effort: Effort) {
            self.entry = entry
            let count = plan.isPlaced ? programs.placements(of: entry.program, most: effort.placements) : 1
            self.programs = (0..<count).flatMap { placement in
                ([(entry.peer, entry.line)] + entry.others).map { peer, line in
                    Candidate(entry.program, peer, line, placement, programs, effort)
                }
            }
        }

        func take(_ patience: Double, isSize: Bool, warm: Bool) {
            for program in programs {
                let values = program.take(patience, isSize: isSize)
                if !warm { program.rounds.append(values) }
            }
        }

        func end() { for program in programs { program.end() } }
    }

    private final class Candidate {
        let child: Child?
        var rounds: [[Double]?] = []
        var reason: String?
        var failed: Bool?

        init(
            _ program: String, _ peer: String, _ line: String, _ placement: Int, _ programs: Programs, _ effort: Effort
        ) {
            let started = Result { try programs.start(program, ["serve", peer], placement: placement) }
            child = try? started.get()
            do {
                let answer = try started.get().ask(
                    "open \(line) batch=\(effort.batch) duration=\(effort.threadsTurn) most=\(effort.wakes)",
                    within: effort.patience)
                child?.pause()
                guard answer == "ok" || answer.hasPrefix("none ") else {
                    throw Failure("it says what cannot be read: \(answer.prefix(60))")
                }
                if answer != "ok" { reason = String(answer.dropFirst(5)) }
            } catch {
                fail(error)
                if programs.missing[program] != nil { failed = nil }  // the run's notes list it
            }
        }

        /// Takes a sample. A program that has failed takes no more.
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
        let rows = plans.map { plan in (plan, plan.entries.map { Turn($0, plan, programs, effort) }) }
        defer { rows.forEach { $0.1.forEach { $0.end() } } }
        for round in 0...max(effort.rounds, effort.placedRounds) {
            for (plan, turns) in rows where round <= (plan.isPlaced ? effort.placedRounds : effort.rounds) {
                guard plan.shape != .size || round == 0 else { continue }
                for turn in turns {
                    turn.take(
                        effort.patience, isSize: plan.shape == .size || plan.unit == .bytes,
                        warm: plan.shape != .size && round == 0)
                }
            }
        }
        return rows.map(row)
    }

    private func row(_ plan: Plan, _ turns: [Turn]) -> Row {
        let cells = turns.map { turn -> Cell in
            let entry = turn.entry
            if let without = turn.without {
                return Cell(contestant: entry.id, floor: entry.floor, reason: without.reason, failed: without.failed)
            }
            let floor = entry.floor.flatMap { id in turns.first { $0.entry.id == id && $0.without == nil } }
            return Summary.cell(
                entry.id, plan.shape, placed: turn.programs.map(\.rounds), isFloor: entry.isFloor,
                floor: floor.map { floor in
                    let all = floor.programs.map(\.rounds)
                    return (floor.entry.id, all[Summary.best(of: all, plan.shape)])
                })
        }
        return Row(
            id: plan.id, section: plan.section, title: plan.title, unit: plan.unit, shape: plan.shape, cells: cells)
    }
}

extension Row {
    /// From two rows, the cost of each further observer and the rest for none, for contestants that are in all rows.
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
            result.best = Summary.rounded(figure(least))
            result.median = Summary.rounded(figure(median))
            let placed = all.map { $0?.placed ?? [] }
            if let count = placed.map(\.count).min(), count > 1 {
                result.placed = (0..<count).map { number in
                    let each = placed.map { $0[number] }
                    return Placed(
                        best: Summary.rounded(figure(each.map(\.best))),
                        median: Summary.rounded(figure(each.map(\.median))))
                }
            }
            return result
        }
        return Row(id: id, section: first.section, title: title, unit: first.unit, shape: .cost, cells: cells)
    }
}
