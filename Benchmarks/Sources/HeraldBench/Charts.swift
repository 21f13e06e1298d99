extension Page {
    /// Those that are drawn: more lines than these cannot be told apart.
    static let drawn: [(id: String, label: String)] = [
        ("floor-loop", "loop of calls"), ("topic", "Herald, topic"), ("name", "Herald, name"),
        ("swift-type", "Herald, Swift"), ("urcu", "by hand, liburcu"), ("boost", "Boost.Signals2"), ("qt", "Qt"),
        ("glib", "GLib"), ("gnustep", "GNUstep"), ("opencombine", "OpenCombine"), ("foundation", "Foundation"),
    ]

    var charts: [Chart] { [observers, threads, churn] }

    private func series(_ rows: [(x: Double, row: Row?)], _ value: (Cell) -> Double?) -> [Chart.Series] {
        Self.drawn.enumerated().compactMap { number, drawn in
            let points = rows.compactMap { x, row in row?[drawn.id].flatMap(value).map { (x: x, y: $0) } }
            return points.count < 2
                ? nil : Chart.Series(label: drawn.label, style: number, points: points)
        }
    }

    private var observers: Chart {
        Chart(
            name: "observers", title: "A post, by number of observers", x: "observers", y: "ns for a post, median",
            xScale: .logarithmic(Matrix.observerCounts.map(Double.init)), yScale: .logarithmic([]),
            series: series(Matrix.observerCounts.map { (Double($0), results["post.\($0)"]) }) { $0.median })
    }

    private var threads: Chart {
        Chart(
            name: "threads", title: "Posts of all threads, one name, one observer", x: "threads",
            y: "posts a µs, median",
            xScale: .logarithmic(Matrix.threadCounts.map(Double.init)), yScale: .logarithmic([]),
            series: series(Matrix.threadCounts.map { (Double($0), results["threads.hot.\($0)"]) }) { $0.median })
    }

    private var churn: Chart {
        let names = ["50", "90", "99", "99.9"]
        let row = results["churn.-1"]
        return Chart(
            name: "churn", title: "A post while a thread adds and removes, flat out",
            x: "percentile of batches of 64 posts",
            y: "ns for a post, mean of a batch",
            xScale: .steps(names.map { "p" + $0 }), yScale: .logarithmic([]),
            series: Self.drawn.enumerated().compactMap { number, drawn in
                let values = names.map { row?[drawn.id]?.percentiles?[$0] }
                let points = values.enumerated().compactMap { at, value in value.map { (x: Double(at), y: $0) } }
                return points.count < 2 ? nil : Chart.Series(label: drawn.label, style: number, points: points)
            })
    }
}
