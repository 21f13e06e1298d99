import Foundation

/// A piece of the page. Its text may contain `code`, **bold** and [links](relative to the page's folder).
indirect enum Block {
    case heading(Int, String)
    case text(String)
    case list([String])
    case table(header: [String], rows: [[String]])
    case figure(Chart)
    /// Folded until the reader opens it.
    case details(String, [Block])
    /// Links to all headings of the second level.
    case contents
    /// Where a reader chooses contestants; Markdown has none.
    case filter
}

/// The page that shows a run. Markdown and HTML have the same content.
struct Page {
    let results: Results

    var blocks: [Block] {
        head + charts.prefix(1).map { .figure($0) } + [.filter, overview, .contents, .heading(2, "Plots")]
            + charts.dropFirst().map { .figure($0) } + gate + matrix + ahead + undercut + budgets + notes
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
        let sign = value < 0 ? "−" : ""
        if size == size.rounded() { return sign + String(format: "%.0f", size) }
        return sign + String(format: size >= 100 ? "%.0f" : size >= 10 ? "%.1f" : "%.2f", size)
    }

    static func times(_ value: Double) -> String {
        value < 0.1 && value > 0 ? String(format: "1/%.0f ×", 1 / value) : number(value) + " ×"
    }

    /// Herald's own names stand out.
    func bold(_ who: Contestant) -> String { who.role == .herald ? "**\(who.title)**" : who.title }

    func title(_ id: String) -> String {
        if let contestant = results.contestant(id) { return contestant.title }
        let names = [
            "herald": "Herald", "peer": "the other", "floor": "floor", "dbus": "D-Bus (systemd's library)",
            "floor-spin": "a call of 10 µs", "name": "Herald, a name", "few": "Herald, in one process",
            "stream": "AsyncStream", "each": "a task for each", "async": "queue.async for each",
            "quiet": "Herald, nothing traced", "array": "an array in Swift", "locked": "a locked addition",
            "fence": "a store and a full fence", "current": "OpenCombine, CurrentValueSubject",
            "byhand": "a value and a list under a lock", "follower": "Herald, an observer from: .kept",
        ]
        if id.hasSuffix(".before") { return title(String(id.dropLast(7))) + ", before" }
        if id.hasSuffix(".waiting") { return title(String(id.dropLast(8))) + ", objects that wait" }
        if id.hasSuffix(".tracked") { return title(String(id.dropLast(8))) + ", objects that can be tracked" }
        return names[id] ?? id
    }

    /// A title with the rules that it fails, so that no figure stands without them.
    func titleWithFailures(_ id: String) -> String {
        let role = results.role(id)
        var text = role == .herald || id == "herald" ? "**\(title(id))**" : title(id)
        if role == .floor { text = "floor: " + text }
        if role == .peer, results.contestant(id)?.threadSafe == false { text += ", not thread-safe" }
        let failures = results.failures(of: id).map(\.rule)
        return failures.isEmpty ? text : text + " (fails \(failures.joined(separator: ", ")))"
    }

    /// The ratio first, with its range over the placements, then the figure.
    func cellText(_ cell: Cell?, _ row: Row, ranges: Bool = true) -> String {
        guard let cell, cell.reason == nil, let value = cell.median, value > 0 || row.shape == .size else { return "–" }
        guard let ratio = cell.ratio?.median ?? derivedRatio(cell, row) else { return Self.number(value) }
        return Self.times(ratio) + (ranges ? rangeText(cell, row) : "") + " · " + Self.number(value)
    }

    /// " (1.63–1.71)", or an empty text.
    private func rangeText(_ cell: Cell, _ row: Row) -> String {
        guard let placed = cell.placed, let floor = cell.floor else { return "" }
        var ratios = placed.compactMap(\.ratio)
        if ratios.isEmpty, let base = row[floor]?.median, base > 0 { ratios = placed.map { $0.median / base } }
        guard let low = ratios.min(), let high = ratios.max(), low > 0 else { return "" }
        let (from, to) = (Self.number(low), Self.number(high))
        return from == to ? "" : " (\(from)–\(to))"
    }

    /// An intercept has no ratio: that of the floor is close to zero.
    private func derivedRatio(_ cell: Cell, _ row: Row) -> Double? {
        guard row.id != "intercept", let floor = cell.floor, let base = row[floor]?.median, let value = cell.median,
            base > 0, value > 0
        else {
            return nil
        }
        return value / base
    }

    // ---- Parts

    /// The processor, and the basic costs on which many rows depend.
    var machine: String {
        let costs = [("locked", "a locked instruction"), ("fence", "a fence")].compactMap { id, title in
            results["machine"]?[id]?.median.map { "\(title) \(Self.number($0)) ns" }
        }
        return ([results.about.machine] + costs).joined(separator: ", ")
    }

    private var head: [Block] {
        let about = results.about
        return [
            .heading(1, "Herald compared with others"),
            .list(short),
            .text(
                "\(machine); \(about.kernel); \(about.compilers.joined(separator: "; ")); commit \(about.commit), "
                    + "\(about.date)"
                    + (about.kind == .quick
                        ? "; a quick run: few samples, rougher figures, the largest rows left out" : "")
                    + ". Made by `make bench\(about.kind == .quick ? "-quick" : "")` in \(results.seconds / 60) minutes "
                    + "\(results.seconds % 60) seconds. How it is measured: `Benchmarks/Method.md`. All figures: "
                    + "[results.json](results.json)."
                    + (results.added ?? []).map(added).joined()),
            .text(
                "Three questions: is it correct where others are not (the gate), how close is it to what is possible (each "
                    + "row next to its floor, measured in turn with it), how does it grow (the plots). Each "
                    + "figure comes after its floor; in parentheses, its range over several placements of "
                    + "the code."),
        ]
    }

    private func added(_ run: Results.Added) -> String {
        let sections = Set(results.rows.filter { $0.id.hasPrefix(run.rows) }.map(\.section)).sorted()
        let titles = Matrix.sections.filter { sections.contains($0.number) }.map { "\"\($0.number). \($0.title)\"" }
        return " Rows of \(titles.joined(separator: ", ")) are of a run of their own, `make bench ONLY=\(run.rows)`: "
            + "\(run.about.machine); \(run.about.kernel); commit \(run.about.commit), \(run.about.date)."
    }

    private static let marks: [Verdict.Outcome: String] = [
        .pass: "✓", .fail: "✗", .crash: "crash", .hang: "hang", .none: "–",
    ]

    private var gate: [Block] {
        guard !results.gate.isEmpty else { return [] }
        let tested = results.contestants.filter { contestant in
            results.gate.contains { $0.contestant == contestant.id }
        }
        let rows = tested.map { contestant in
            [bold(contestant)]
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
            .details("Why \(reasons.count) rules are failed", [.list(reasons)]),
        ]
    }

    private var matrix: [Block] {
        Matrix.sections.flatMap { section -> [Block] in
            let rows = results.rows.filter { $0.section == section.number }
            guard !rows.isEmpty else { return [] }
            var blocks: [Block] = [.heading(2, "\(section.number). \(section.title)"), .text(section.says)]
            let shared = rows.filter {
                $0.shape != .latency && section.columns != nil && !$0.id.hasPrefix("change.owned")
                    && $0.id != "bytes.owner" && $0.id != "signals.live"
                    && !$0.cells.contains { $0.contestant.hasSuffix(".before") }
            }
            for group in Dictionary(grouping: shared, by: \.unit).sorted(by: { $0.key.rawValue > $1.key.rawValue }) {
                for part in group.value.chunked(section.columns ?? 1) { blocks.append(table(of: part)) }
            }
            if shared.contains(where: { row in row.cells.contains { $0.reason == nil && ($0.median ?? 0) < 0 } }) {
                blocks.append(.text("– for an intercept: the line through 1, 2, 4 and 8 observers begins below zero."))
            }
            let alone = rows.filter { row in row.shape != .latency && !shared.contains { $0.id == row.id } }
            if !alone.isEmpty { blocks.append(table(ofEach: alone)) }
            for row in rows where row.shape == .latency { blocks.append(latency(row)) }
            let reasons = without(rows)
            if !reasons.isEmpty { blocks.append(.details("Who has no figures, and why", [.list(reasons)])) }
            return blocks
        }
    }

    private func table(of rows: [Row]) -> Block {
        var ids: [String] = []
        for cell in rows.flatMap(\.cells) where !ids.contains(cell.contestant) { ids.append(cell.contestant) }
        ids.removeAll { id in rows.allSatisfy { $0[id] == nil } }
        let order = results.contestants.filter { $0.role == .floor } + results.contestants.filter { $0.role != .floor }
        ids = order.map(\.id).filter(ids.contains) + ids.filter { results.contestant($0) == nil }
        let floors = rows.flatMap(\.cells).compactMap(\.floor)
        let base = floors.first.flatMap(results.contestant).flatMap { $0.role == .floor ? nil : $0.title }
        let corner = (floors.isEmpty ? "" : "× \(base ?? "the floor") · ") + rows[0].unit.rawValue
        let lines = ids.map { id -> [String] in
            let cells = rows.map { row in cellText(row[id], row) }
            return [titleWithFailures(id)] + cells
        }
        return .table(header: [corner] + rows.map(\.title), rows: lines)
    }

    /// Rows that have no contestants in common: a line for each.
    private func table(ofEach rows: [Row]) -> Block {
        var lines: [[String]] = []
        for row in rows {
            lines.append(["**\(row.title)** (\(row.unit.rawValue))", "", "", ""])
            for cell in row.cells where cell.reason == nil {
                let ratio = cell.ratio?.median ?? derivedRatio(cell, row)
                lines.append([
                    titleWithFailures(cell.contestant), ratio.map { Self.times($0) + rangeText(cell, row) } ?? "",
                    cell.median.map(Self.number) ?? "", cell.best.map(Self.number) ?? "",
                ])
            }
        }
        return .table(header: ["", "relative to the first", "median", "best"], rows: lines)
    }

    private func latency(_ row: Row) -> Block {
        let names = Summary.percentiles.map(\.name).filter { name in
            (name != "100" || row.id.hasPrefix("single")) && row.cells.contains { $0.percentiles?[name] != nil }
        }
        let header = ["**\(row.title)** (\(row.unit.rawValue))", "p50 relative to the floor", "p99"]
        var lines: [[String]] = []
        for cell in row.cells where cell.reason == nil {
            var line = [titleWithFailures(cell.contestant)]
            for ratio in [cell.ratio, cell.tail] { line.append(ratio.map { Self.times($0.median) } ?? "") }
            for name in names { line.append(cell.percentiles?[name].map(Self.number) ?? "") }
            lines.append(line)
        }
        return .table(header: header + names.map { $0 == "100" ? "max" : "p" + $0 }, rows: lines)
    }

    /// Why a contestant has no figures, once for all rows of a section with the same reason.
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
        let groups = Dictionary(grouping: results.behind) { $0.reason ?? Self.unexplained }
        let rows = "In every row the median of Herald is better than that of every thread-safe peer that does the same"
        func names(_ all: [Behind]) -> String {
            Dictionary(grouping: all, by: \.peer).sorted { $0.key < $1.key }.map { peer, rows in
                "\(title(peer)) in "
                    + rows.map { "\"\($0.title)\"\($0.by.isFinite ? " by " + Self.times($0.by) : "")" }
                    .joined(separator: ", ")
            }.joined(separator: "; ")
        }
        let folded = groups.sorted { $0.key < $1.key }.map { reason, all -> Block in
            let peers = Set(all.map(\.peer)).sorted().map(title).joined(separator: ", ")
            return .details(
                "\(peers): \(all.count) figure\(all.count == 1 ? "" : "s")",
                [.text("Why: \(reason)."), .text(names(all))])
        }
        let undecided = results.undecided
        return [
            .heading(2, "Who is ahead"),
            .text(rows + (groups.isEmpty ? "." : ", but for these, in whatever placement:")),
        ] + folded
            + (undecided.isEmpty
                ? []
                : [
                    .details(
                        "Undecided, within placement or noise: \(undecided.count) figures",
                        [
                            .text(
                                "The peer's median is better, but the two ranges over the placements of the programs "
                                    + "meet, or the bounds of the rounds' ratios are on both sides of 1."),
                            .text(names(undecided)),
                        ])
                ])
    }

    static let unexplained = "it has not been looked into; the ratio has moved since the reasons were written"

    private var undercut: [Block] {
        let all = results.undercut
        return [
            .heading(2, "Below the floor"),
            .text(
                all.isEmpty
                    ? "Nobody is below a floor by more than two in a hundred, in all rounds and placements."
                    : "These are below what is thought to be the least by more than two in a hundred, in all "
                        + "rounds and placements:"
            ),
            .list(
                all.map {
                    "\(title($0.contestant)) in \"\($0.row.section). \($0.row.title)\": \(Self.times($0.ratio)); "
                        + $0.reason
                }),
        ]
    }

    private var budgets: [Block] {
        let verdicts = Budget.all.map { ($0, $0.verdict(in: results)) }
        let rows = verdicts.map { budget, verdict -> [String] in
            guard let (figure, outcome) = verdict else { return [budget.what, "–", budget.limitText, "not measured"] }
            let mark = outcome == .held ? "✓" : outcome == .missed ? "**missed**" : outcome.rawValue
            return [budget.what, budget.text(figure), budget.limitText, mark]
        }
        let missed = verdicts.filter { $0.1?.outcome == .missed || $0.1?.outcome == .within }
        return [
            .heading(2, "Budgets"),
            .text(
                "Herald's own: by the best rounds of this run, of posts their median over the placements, with "
                    + "the range; by medians for two threads, waiting, and other processes. Within placement means: "
                    + "some placements "
                    + "of the same code hold it and others do not."),
            .table(header: ["", "measured", "budget", ""], rows: rows),
            .details(
                "Why \(missed.count) are not held",
                [.list(missed.map { "\($0.0.what) (\($0.1!.outcome.rawValue)): \($0.0.reason)" })]),
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
