extension Results {
    /// These results with the rows of another run, in which only rows were measured whose ids begin so.
    func adding(_ run: Results, of prefix: String) -> Results {
        var all = self
        let known = contestants.map { old in run.contestant(old.id) ?? old }
        let newcomers = run.contestants.filter { contestant($0.id) == nil }
        all.contestants = [.herald, .peer, .floor].flatMap { role in (known + newcomers).filter { $0.role == role } }
        all.notes += run.notes.filter { !notes.contains($0) }
        all.gate = all.contestants.flatMap { who in (gate + run.gate).filter { $0.contestant == who.id } }
        for row in run.rows {
            if let place = all.rows.firstIndex(where: { $0.id == row.id }) {
                all.rows[place] = row
            } else {
                let place = all.rows.lastIndex { $0.section == row.section } ?? all.rows.count - 1
                all.rows.insert(row, at: place + 1)
            }
        }
        all.added =
            (added ?? []).filter { !$0.rows.hasPrefix(prefix) }
            + [Added(rows: prefix, seconds: run.seconds, about: run.about)]
        return all
    }
}
