import Foundation

/// Lines over a logarithmic height, each with its name at its end; drawn as SVG for a light and for a dark background.
struct Chart {
    struct Series {
        let label: String
        let style: Int
        let points: [(x: Double, y: Double)]
    }

    enum Scale {
        /// With marks at these values.
        case logarithmic([Double])
        /// The values are 0, 1, 2 ..., with these names.
        case steps([String])
    }

    let name: String
    let title: String
    let x: String
    let y: String
    let xScale: Scale
    let series: [Series]

    enum Theme: String, CaseIterable {
        case light, dark

        var background: String { self == .light ? "#ffffff" : "#0d1117" }
        var ink: String { self == .light ? "#1f2328" : "#e6edf3" }
        var faint: String { self == .light ? "#d8dee4" : "#30363d" }
        var quiet: String { self == .light ? "#59636e" : "#9198a1" }

        /// By rank, of those that have a label; more lines cannot be told apart. Herald's are the strong ones.
        var colours: [String] {
            self == .light
                ? [
                    "#6e7781", "#0550ae", "#218bff", "#0a8f8f", "#8250df", "#bc4c00", "#1a7f37", "#9a6700", "#bf3989",
                    "#7a4b2a", "#cf222e",
                ]
                : [
                    "#8b949e", "#79c0ff", "#388bfd", "#39d2c0", "#bc8cff", "#ffa657", "#56d364", "#e3b341", "#f778ba",
                    "#d8b08c", "#ff7b72",
                ]
        }
    }

    private static let width = 860.0, height = 500.0
    private static let left = 74.0, right = 168.0, top = 52.0, bottom = 60.0
    private static let dashes = ["6 4", "", "", "", "2 3", "", "8 3", "", "10 3 2 3", "4 2", ""]

    // ---- Places

    private var xRange: (Double, Double) {
        switch xScale {
        case .logarithmic(let marks): (log10(marks.first ?? 1), log10(marks.last ?? 10))
        case .steps(let names): (0, Double(max(1, names.count - 1)))
        }
    }

    private var yRange: (Double, Double) {
        let all = series.flatMap { $0.points.map(\.y) }.filter { $0 > 0 }
        return ((log10(all.min() ?? 1) - 0.08), (log10(all.max() ?? 10) + 0.08))
    }

    private func place(_ point: (x: Double, y: Double)) -> (x: Double, y: Double) {
        let (x0, x1) = xRange
        let (y0, y1) = yRange
        var x = point.x
        if case .logarithmic = xScale { x = log10(point.x) }
        let inner = (Self.width - Self.left - Self.right, Self.height - Self.top - Self.bottom)
        return (
            Self.left + (x - x0) / max(x1 - x0, 1e-9) * inner.0,
            Self.height - Self.bottom - (log10(max(point.y, 1e-9)) - y0) / max(y1 - y0, 1e-9) * inner.1
        )
    }

    private var xMarks: [(Double, String)] {
        switch xScale {
        case .logarithmic(let marks): marks.map { ($0, Page.number($0)) }
        case .steps(let names): names.enumerated().map { (Double($0), $1) }
        }
    }

    /// Powers of ten, with 2 and 5 between them when there is room.
    private var yMarks: [Double] {
        let (low, high) = yRange
        let steps = high - low < 2.9 ? [1.0, 2, 5] : [1.0]
        return (Int(low.rounded(.down))...Int(high.rounded(.up))).flatMap { power in
            steps.map { $0 * pow(10, Double(power)) }
        }.filter { log10($0) >= low && log10($0) <= high }
    }

    /// Where the names stand: beside the ends of their lines, pushed apart until none covers another.
    private func labels() -> [(series: Series, end: (x: Double, y: Double), y: Double)] {
        let gap = 17.0
        var places = series.map { series in
            let end = place(series.points.last!)
            return (series: series, end: end, y: end.y)
        }.sorted { $0.y < $1.y }
        for _ in 0..<400 {
            for i in places.indices.dropFirst() where places[i].y - places[i - 1].y < gap {
                let push = (gap - (places[i].y - places[i - 1].y)) / 2
                places[i - 1].y -= push
                places[i].y += push
            }
            for i in places.indices {
                places[i].y = min(max(places[i].y, Self.top + 4), Self.height - Self.bottom - 2)
            }
        }
        return places
    }

    // ---- SVG

    func svg(_ theme: Theme) -> String {
        func n(_ value: Double) -> String { String(format: "%.1f", value) }
        var lines = [
            """
            <svg xmlns="http://www.w3.org/2000/svg" width="860" height="500" viewBox="0 0 860 500" role="img" \
            aria-label="\(Html.escaped(title))" font-family="Helvetica, Arial, 'DejaVu Sans', sans-serif">
            """,
            "<rect width=\"860\" height=\"500\" fill=\"\(theme.background)\"/>",
            text(Self.left, 26, title, theme.ink, size: 17, weight: "bold"),
        ]
        let bottom = Self.height - Self.bottom
        let end = Self.width - Self.right
        for mark in yMarks {
            let y = place((1, mark)).y
            lines.append(
                "<path d=\"M\(n(Self.left)) \(n(y))H\(n(end))\" stroke=\"\(theme.faint)\" stroke-width=\"1\"/>")
            lines.append(text(Self.left - 8, y + 4, Page.number(mark), theme.quiet, size: 12, anchor: "end"))
        }
        for (value, name) in xMarks {
            let x = place((value, 1)).x
            lines.append(
                "<path d=\"M\(n(x)) \(n(bottom))v5\" stroke=\"\(theme.quiet)\" stroke-width=\"1\"/>")
            lines.append(text(x, bottom + 20, name, theme.quiet, size: 12, anchor: "middle"))
        }
        lines.append(
            "<path d=\"M\(n(Self.left)) \(n(bottom))H\(n(end))\" stroke=\"\(theme.quiet)\" stroke-width=\"1\"/>")
        lines.append(text((Self.left + end) / 2, bottom + 44, x, theme.ink, size: 13, anchor: "middle"))
        lines.append(
            "<g transform=\"translate(18 \(n((Self.top + bottom) / 2))) rotate(-90)\">"
                + text(0, 0, y, theme.ink, size: 13, anchor: "middle") + "</g>")
        for series in series { lines.append(line(series, theme)) }
        for (series, from, y) in labels() {
            let colour = theme.colours[series.style % theme.colours.count]
            lines.append(
                "<path d=\"M\(n(from.x + 5)) \(n(from.y))L\(n(end + 16)) \(n(y))\" stroke=\"\(colour)\" "
                    + "stroke-width=\"0.8\" opacity=\"0.6\" fill=\"none\"/>")
            lines.append(
                text(
                    end + 20, y + 4, series.label, colour, size: 13,
                    weight: series.label.hasPrefix("Herald") ? "bold" : "normal"))
        }
        return (lines + ["</svg>"]).joined(separator: "\n") + "\n"
    }

    private func line(_ series: Series, _ theme: Theme) -> String {
        let colour = theme.colours[series.style % theme.colours.count]
        let wide = series.label.hasPrefix("Herald") ? "2.6" : "1.7"
        let dash = Self.dashes[series.style % Self.dashes.count]
        let places = series.points.map(place)
        let path = places.enumerated().map { ($0 == 0 ? "M" : "L") + String(format: "%.1f %.1f", $1.x, $1.y) }.joined()
        let dots = places.map {
            String(format: "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"\(colour)\"/>", $0.x, $0.y)
        }.joined()
        return "<path d=\"\(path)\" fill=\"none\" stroke=\"\(colour)\" stroke-width=\"\(wide)\""
            + (dash.isEmpty ? "" : " stroke-dasharray=\"\(dash)\"") + "/>" + dots
    }

    private func text(
        _ x: Double, _ y: Double, _ text: String, _ colour: String, size: Int, weight: String = "normal",
        anchor: String = "start"
    ) -> String {
        String(format: "<text x=\"%.1f\" y=\"%.1f\"", x, y)
            + " fill=\"\(colour)\" font-size=\"\(size)\" font-weight=\"\(weight)\" text-anchor=\"\(anchor)\">"
            + Html.escaped(text) + "</text>"
    }
}
