import Foundation

/// What the README shows of the results, between two lines that mark its place.
struct Readme {
    static let begin = "<!-- figures: begin -->", end = "<!-- figures: end -->"
    let page: Page

    var figures: String {
        let results = page.results
        let columns: [(String, String)] = [
            ("1 observer, ns", "post.1"), ("1024, ns", "post.1024"), ("add and remove, ns", "change.1000"),
            ("2 threads, posts/µs", "threads.hot.2"), ("p99 of batches under churn, ns", "churn.-1"),
        ]
        let rows = results.ranked.filter { who in columns.contains { results[$0.1]?[who.id] != nil } }.map {
            contestant -> [String] in
            let (id, title) = (contestant.id, contestant.title)
            let name = contestant.role == .herald ? "**\(title)**" : title
            let figures = columns.map { _, row -> String in
                guard let row = results[row], let cell = row[id] else { return "–" }
                if row.shape == .latency { return cell.percentiles?["99"].map(Page.number) ?? "–" }
                return cell.median.map(Page.number) ?? "–"
            }
            let failures = results.failures(of: id).map {
                $0.rule + ($0.outcome == .fail ? "" : " (\($0.outcome.rawValue))")
            }
            let fails = (failures + (contestant.threadSafe ? [] : ["threads"])).joined(separator: ", ")
            return [name] + figures + [contestant.role == .floor ? "" : fails]
        }
        let about = results.about
        return [
            Markdown.picture(page.charts[0], folder: "Benchmarks/Results/"),
            Markdown.text(.table(header: [""] + columns.map(\.0) + ["fails"], rows: rows)),
            "Medians of one run, all in turn: \(about.machine); \(about.kernel); commit \(about.commit), \(about.date)"
                + (about.kind == .quick ? ", a quick run" : "")
                + ". What the rules are that others fail, the other rows, each "
                + "beside its floor, and the plots: [`Benchmarks/Results/page.md`](Benchmarks/Results/page.md).",
        ].joined(separator: "\n\n")
    }

    /// The README with these figures in their place.
    func insert(into readme: String) throws -> String {
        let (before, after) = try Self.around(readme)
        return before + Self.begin + "\n\n" + figures + "\n\n" + Self.end + after
    }

    static func checkPlace(in readme: String) throws { _ = try around(readme) }

    private static func around(_ readme: String) throws -> (before: String, after: String) {
        let parts = readme.components(separatedBy: begin)
        let rest = parts.last!.components(separatedBy: end)
        guard parts.count == 2, rest.count == 2, !parts[0].contains(end) else {
            throw Failure("the README needs one line \(begin) and, below it, one line \(end)")
        }
        return (parts[0], rest[1])
    }
}
