/// The first part of the page, which is in the README as well.
extension Page {
    /// Ratios first: they stay as they are when the machine has a slow minute.
    var overview: Block {
        let columns: [(title: String, text: (String) -> String)] = [
            ("a post to 1 observer, ns", { figure("post.1", $0) }),
            ("to 1024, ns", { figure("post.1024", $0) }),
            ("a post while a thread changes observers, p50, ns", { latency("churn.-1", $0, "50") }),
            ("the same, p99.9, each post alone, ns", { percentile("single.-1", $0, "99.9") }),
            ("add and remove while a thread posts, ns", { plain("change.posting.1000", $0) }),
            ("the same in peace, ns", { plain("change.1000", $0) }),
            ("2 threads, posts/µs", { figure("threads.hot.2", $0) }),
        ]
        let shown = ["post.1", "post.1024", "churn.-1", "change.1000", "threads.hot.2"]
        let rows = results.ranked.filter { who in shown.contains { results[$0]?[who.id] != nil } }.map {
            who -> [String] in
            let failures = results.failures(of: who.id).map {
                $0.rule + ($0.outcome == .fail ? "" : " (\($0.outcome.rawValue))")
            }
            let fails = (failures + (who.threadSafe ? [] : ["threads"])).joined(separator: ", ")
            return [bold(who)] + columns.map { $0.text(who.id) } + [who.role == .floor ? "" : fails]
        }
        return .table(header: ["ratio to the floor · the figure"] + columns.map(\.title) + ["fails"], rows: rows)
    }

    /// The overview for readers of the README alone.
    var brief: Block {
        let ids = ["floor-loop", "topic", "swift-type", "urcu", "foundation"]
        let rows = ids.compactMap(results.contestant).filter { results["post.1"]?[$0.id] != nil }.map { who in
            [bold(who), figure("post.1", who.id), figure("post.1024", who.id), latency("churn.-1", who.id, "50")]
        }
        let header = ["", "a post to 1 observer, ns", "to 1,024, ns", "to 1 while a thread changes observers, ns"]
        return .table(header: header, rows: rows)
    }

    private func figure(_ row: String, _ id: String) -> String {
        results[row].map { row in cellText(row[id], row, ranges: false) } ?? "–"
    }

    private func plain(_ row: String, _ id: String) -> String {
        results[row]?[id]?.median.map(Self.number) ?? "–"
    }

    private func percentile(_ row: String, _ id: String, _ name: String) -> String {
        results[row]?[id]?.percentiles?[name].map(Self.number) ?? "–"
    }

    private func latency(_ row: String, _ id: String, _ name: String) -> String {
        guard let cell = results[row]?[id], let value = cell.percentiles?[name].map(Self.number) else { return "–" }
        guard let floor = cell.floor.flatMap({ results[row]?[$0]?.percentiles?[name] }), floor > 0,
            let own = cell.percentiles?[name]
        else { return value }
        return Self.times(own / floor) + " · " + value
    }

    /// A summary of the run in a few sentences.
    var short: [String] {
        let verdicts = Budget.all.compactMap { $0.verdict(in: results)?.outcome }
        func count(_ outcome: Budget.Outcome) -> Int { verdicts.filter { $0 == outcome }.count }
        let all = results.gate.filter { $0.outcome != .none }
        func failing(_ role: Contestant.Role) -> (some: Int, of: Int) {
            let tested = results.contestants.filter { who in
                who.role == role && all.contains { $0.contestant == who.id }
            }
            return (tested.filter { !results.failures(of: $0.id).isEmpty }.count, tested.count)
        }
        let (own, others) = (failing(.herald), failing(.peer))
        let rows = Set(results.behind.map(\.row)).count
        var lines: [String] = []
        if !all.isEmpty {
            lines.append(
                "**Rules**: \(own.of - own.some) of Herald's \(own.of) ways pass all rules that concern "
                    + "them, and \(others.of - others.some) of \(others.of) others.")
        }
        let posts = ["topic", "name", "swift-type", "swift-owner"].compactMap { id -> String? in
            guard let ratio = results["post.1"]?[id]?.ratio?.median else { return nil }
            return "\(Self.times(ratio)) \(title(id))"
        }
        if !posts.isEmpty {
            lines.append("**A post to one observer**, relative to the floor: " + posts.joined(separator: ", ") + ".")
        }
        lines.append(
            "**Others that are ahead** of Herald: in \(rows) of \(results.rows.count) rows some peer that is made for "
                + "threads; in \(Set(results.undecided.map(\.row)).count) more placement or noise decides.")
        lines.append(
            "**Budgets**: \(count(.held)) held, \(count(.missed)) missed, \(count(.within)) within placement.")
        lines.append("**Floors**: \(results.undercut.count) figures are below theirs.")
        return lines
    }
}
