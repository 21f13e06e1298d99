extension Page {
    var charts: [Chart] { [observers, threads, churn] }

    /// A line for each contestant that has a label, with its value at each place.
    private func series(_ places: [(x: Double, of: (String) -> Double?)]) -> [Chart.Series] {
        results.ranked.filter { $0.label != nil }.enumerated().compactMap { number, drawn in
            let points = places.compactMap { x, of in of(drawn.id).map { (x: x, y: $0) } }
            return points.count < 2 ? nil : Chart.Series(label: drawn.label!, style: number, points: points)
        }
    }

    private func medians(_ counts: [Int], _ row: String) -> [Chart.Series] {
        series(counts.map { count in (Double(count), { results["\(row).\(count)"]?[$0]?.median }) })
    }

    private var observers: Chart {
        Chart(
            name: "observers", title: "A post, by number of observers", x: "observers", y: "ns for a post, median",
            xScale: .logarithmic(Matrix.observerCounts.map(Double.init)),
            series: medians(Matrix.observerCounts, "post"))
    }

    private var threads: Chart {
        Chart(
            name: "threads", title: "Posts of all threads, one name, one observer", x: "threads",
            y: "posts a µs, median",
            xScale: .logarithmic(Matrix.threadCounts.map(Double.init)),
            series: medians(Matrix.threadCounts, "threads.hot"))
    }

    private var churn: Chart {
        let names = ["50", "90", "99", "99.9"]
        return Chart(
            name: "churn", title: "A post while a thread adds and removes, flat out",
            x: "percentile of batches of 64 posts",
            y: "ns for a post, mean of a batch",
            xScale: .steps(names.map { "p" + $0 }),
            series: series(
                names.enumerated().map { at, name in
                    (Double(at), { results["churn.-1"]?[$0]?.percentiles?[name] })
                }))
    }
}
