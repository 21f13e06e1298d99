import Foundation

/// A piece of the page. Text may have `code` and **bold** in it.
enum Block {
    case heading(Int, String)
    case text(String)
    case list([String])
    case table(header: [String], rows: [[String]])
    case figure(Chart)
}

/// The page that shows a run: as Markdown and as HTML it says the same.
struct Page {
    let results: Results

    var blocks: [Block] {
        head + gate + [.heading(2, "Plots")] + charts.map { .figure($0) } + matrix + ahead + budgets + notes
    }

    // ---- Numbers

    static func number(_ value: Double) -> String {
        if value == 0 { return "0" }
        let size = abs(value)
        if size >= 1000 {
            let digits = String(format: "%.0f", size)
            var grouped = ""
            for (place, digit) in digits.reversed().enumerated() {
                if place > 0 && place % 3 == 0 { grouped = "," + grouped }
                grouped = String(digit) + grouped
            }
            return (value < 0 ? "−" : "") + grouped
        }
        if value == value.rounded() { return String(format: "%.0f", value) }
        return String(format: size >= 100 ? "%.0f" : size >= 10 ? "%.1f" : "%.2f", value)
    }

    static func times(_ value: Double) -> String {
        value < 0.1 && value > 0 ? String(format: "1/%.0f ×", 1 / value) : number(value) + " ×"
    }

    func title(_ id: String) -> String {
        if let contestant = results.contestant(id) { return contestant.title }
        let names = [
            "herald": "Herald", "peer": "the other", "floor": "floor", "dbus": "D-Bus (systemd's library)",
            "floor-spin": "a call of 10 µs", "name": "Herald, a name", "few": "Herald, in one process",
        ]
        if id.hasSuffix(".before") { return title(String(id.dropLast(7))) + ", before" }
        return names[id] ?? id
    }

    /// A title with what it fails, so that no figure stands without it.
    func titleWithFailures(_ id: String) -> String {
        let role = results.contestant(id)?.role
        var text = role == .herald || id == "herald" ? "**\(title(id))**" : title(id)
        if role == .floor { text = "floor: " + text }
        if role == .peer, results.contestant(id)?.threadSafe == false { text += ", not thread-safe" }
        let failures = results.failures(of: id).map(\.rule)
        return failures.isEmpty ? text : text + " (fails \(failures.joined(separator: ", ")))"
    }

    func cellText(_ cell: Cell?, _ row: Row) -> String {
        guard let cell, cell.reason == nil, let value = cell.median else { return "–" }
        var text = Self.number(value)
        if let ratio = cell.ratio?.median ?? derivedRatio(cell, row) { text += " · " + Self.times(ratio) }
        return text
    }

    private func derivedRatio(_ cell: Cell, _ row: Row) -> Double? {
        guard let floor = cell.floor, let base = row[floor]?.median, let value = cell.median, base > 0, value > 0 else {
            return nil
        }
        return value / base
    }

    // ---- Parts

    private var head: [Block] {
        let about = results.about
        return [
            .heading(1, "Herald beside others"),
            .text(
                "\(about.machine); \(about.kernel); \(about.compilers.joined(separator: "; ")); commit \(about.commit), "
                    + "\(about.date)"
                    + (about.kind == .quick
                        ? "; a quick run: few samples, rougher figures, the largest rows left out" : "")
                    + ". Made by `make bench\(about.kind == .quick ? "-quick" : "")` in \(results.seconds / 60) minutes "
                    + "\(results.seconds % 60) seconds. How it is measured: `Benchmarks/Method.md`."),
            .text(
                "Three questions: is it correct where others are not (the gate), how close is it to what is possible (each "
                    + "row beside its floor, measured in turn with it), how does it grow (the plots)."),
        ]
    }

    static let marks: [Verdict.Outcome: String] = [.pass: "✓", .fail: "✗", .crash: "crash", .hang: "hang", .none: "–"]

    private var gate: [Block] {
        guard !results.gate.isEmpty else { return [] }
        let tested = results.contestants.filter { contestant in results.gate.contains { $0.contestant == contestant.id }
        }
        let rows = tested.map { contestant in
            [contestant.role == .herald ? "**\(contestant.title)**" : contestant.title]
                + Gate.rules.map { rule in
                    results.gate.first { $0.contestant == contestant.id && $0.rule == rule.name }
                        .map { Self.marks[$0.outcome]! } ?? ""
                }
        }
        let reasons = results.gate.filter { $0.outcome != .pass && $0.outcome != .none }.map {
            "\(title($0.contestant)), \($0.rule): \($0.outcome == .fail ? "" : "\($0.outcome.rawValue): ")\($0.reason ?? "")"
        }
        return [
            .heading(2, "The gate"),
            .text(
                "Each rule put live to each contestant, in a process of its own. – means: it has nothing of the kind."),
            .list(Gate.rules.map { "**\($0.name)**: \($0.says)" }),
            .table(header: [""] + Gate.rules.map(\.name), rows: rows),
            .list(reasons),
        ]
    }

    private var matrix: [Block] {
        Matrix.sections.flatMap { section -> [Block] in
            let rows = results.rows.filter { $0.section == section.number }
            guard !rows.isEmpty else { return [] }
            var blocks: [Block] = [.heading(2, "\(section.number). \(section.title)"), .text(section.says)]
            let shared = rows.filter {
                $0.shape != .latency && section.number < 10
                    && !$0.cells.contains { $0.contestant.hasSuffix(".before") }
            }
            for group in Dictionary(grouping: shared, by: \.unit).sorted(by: { $0.key.rawValue > $1.key.rawValue }) {
                for part in group.value.chunked(8) { blocks.append(table(of: part)) }
            }
            let alone = rows.filter { row in row.shape != .latency && !shared.contains { $0.id == row.id } }
            if !alone.isEmpty { blocks.append(table(ofEach: alone)) }
            for row in rows where row.shape == .latency { blocks.append(latency(row)) }
            let reasons = without(rows)
            if !reasons.isEmpty { blocks.append(.list(reasons)) }
            return blocks
        }
    }

    private func table(of rows: [Row]) -> Block {
        var ids: [String] = []
        for cell in rows.flatMap(\.cells) where !ids.contains(cell.contestant) { ids.append(cell.contestant) }
        ids.removeAll { id in rows.allSatisfy { $0[id] == nil } }
        let order = results.contestants.filter { $0.role == .floor } + results.contestants.filter { $0.role != .floor }
        ids = order.map(\.id).filter(ids.contains) + ids.filter { results.contestant($0) == nil }
        let hasFloors = rows.contains { $0.cells.contains { $0.floor != nil } }
        let corner = rows[0].unit.rawValue + (hasFloors ? " · beside the floor" : "")
        let lines = ids.map { id -> [String] in
            let cells = rows.map { row in cellText(row[id], row) }
            return [titleWithFailures(id)] + cells
        }
        return .table(header: [corner] + rows.map(\.title), rows: lines)
    }

    /// Rows that have no contestants in common: each a line.
    private func table(ofEach rows: [Row]) -> Block {
        var lines: [[String]] = []
        for row in rows {
            lines.append(["**\(row.title)** (\(row.unit.rawValue))", "", "", ""])
            for cell in row.cells where cell.reason == nil {
                let ratio = cell.ratio?.median ?? derivedRatio(cell, row)
                lines.append([
                    titleWithFailures(cell.contestant), cell.median.map(Self.number) ?? "",
                    cell.best.map(Self.number) ?? "", ratio.map(Self.times) ?? "",
                ])
            }
        }
        return .table(header: ["", "median", "best", "beside the first"], rows: lines)
    }

    private func latency(_ row: Row) -> Block {
        let names = Summary.percentiles.map(\.name).filter { name in row.cells.contains { $0.percentiles?[name] != nil }
        }
        let header = ["**\(row.title)** (\(row.unit.rawValue))"] + names.map { "p" + $0 }
        var lines: [[String]] = []
        for cell in row.cells where cell.reason == nil {
            var line = [titleWithFailures(cell.contestant)]
            for name in names { line.append(cell.percentiles?[name].map(Self.number) ?? "") }
            for ratio in [cell.ratio, cell.tail] { line.append(ratio.map { Self.times($0.median) } ?? "") }
            lines.append(line)
        }
        return .table(header: header + ["p50 beside the floor", "p99"], rows: lines)
    }

    /// Why somebody has no figures, said once for all rows of a section that have the same reason.
    private func without(_ rows: [Row]) -> [String] {
        var said: [(String, String)] = []
        for row in rows {
            for cell in row.cells {
                guard let reason = cell.reason, !said.contains(where: { $0 == (cell.contestant, reason) }) else {
                    continue
                }
                said.append((cell.contestant, reason))
            }
        }
        return Dictionary(grouping: said, by: \.1).sorted { $0.key < $1.key }.map { reason, who in
            "\(who.map { title($0.0) }.joined(separator: "; ")): \(reason)"
        }
    }

    private var ahead: [Block] {
        let groups = Dictionary(grouping: results.behind) { $0.reason ?? "**no reason is known**" }
        let rows = "In every row the median of Herald is better than that of every thread-safe peer that does the same"
        return [
            .heading(2, "Who is ahead"), .text(rows + (groups.isEmpty ? "." : ", but for these:")),
            .list(
                groups.sorted { $0.key < $1.key }.map { reason, all in
                    let peers = Dictionary(grouping: all, by: \.peer).sorted { $0.key < $1.key }.map { peer, rows in
                        "\(title(peer)) in "
                            + rows.map { "\"\($0.title)\"\($0.by.isFinite ? " by " + Self.times($0.by) : "")" }
                            .joined(separator: ", ")
                    }
                    return peers.joined(separator: "; ") + ": " + reason
                }),
        ]
    }

    private var budgets: [Block] {
        let rows = Budget.all.map { budget -> [String] in
            guard let (value, holds) = budget.verdict(in: results) else {
                return [budget.what, "–", budget.limit, "not measured"]
            }
            let text = budget.unit == "×" ? Self.times(value) : "\(Self.number(value)) \(budget.unit)"
            return [budget.what, text, budget.limit, holds ? "✓" : "**missed**"]
        }
        let missed = Budget.all.filter { $0.verdict(in: results)?.holds == false }
        return [
            .heading(2, "Budgets"),
            .text(
                "Herald's own: by the best rounds of this run; by medians for two threads, waiting, and other processes."
            ),
            .table(header: ["", "measured", "budget", ""], rows: rows),
            .list(missed.map { "\($0.what): \($0.reason ?? "**no reason is known**")" }),
        ]
    }

    private var notes: [Block] {
        guard !results.notes.isEmpty else { return [] }
        return [.heading(2, "What is missing, what went wrong"), .list(results.notes)]
    }
}

extension Array {
    func chunked(_ count: Int) -> [[Element]] {
        stride(from: 0, to: self.count, by: count).map { Array(self[$0..<Swift.min($0 + count, self.count)]) }
    }
}
