import Foundation

/// Lines over a logarithmic height, each with its name at its end. Drawn as SVG for a light and for a dark background,
/// for a desktop and for a phone.
struct Chart {
    struct Series {
        let label: String
        let style: Int
        let points: [(x: Double, y: Double)]
    }

    enum Scale {
        /// Marks at these values.
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

        /// The colours of Okabe and Ito, which everybody can distinguish; the darkest are lighter on the dark
        /// background.
        func colour(_ hue: Hue) -> String {
            switch hue {
            case .quiet: quiet
            case .ink: ink
            case .blue: self == .light ? "#0072b2" : "#4aa8e0"
            case .vermillion: self == .light ? "#d55e00" : "#f0813a"
            case .green: self == .light ? "#009e73" : "#19c493"
            case .purple: self == .light ? "#b3588f" : "#cc79a7"
            case .orange: self == .light ? "#c98a00" : "#e69f00"
            case .sky: self == .light ? "#3a9ad0" : "#56b4e9"
            }
        }
    }

    enum Hue { case quiet, ink, blue, vermillion, green, purple, orange, sky }
    enum Mark { case dot, square, triangle, diamond, cross }

    /// A line is recognised by its colour, its dashes and its marks. Herald's lines are solid and strong.
    struct Style {
        let hue: Hue
        let dash: String
        let mark: Mark
    }

    /// By rank, among those that have a label.
    static let styles = [
        Style(hue: .quiet, dash: "6 4", mark: .dot),
        Style(hue: .blue, dash: "", mark: .dot), Style(hue: .vermillion, dash: "", mark: .square),
        Style(hue: .green, dash: "", mark: .triangle),
        Style(hue: .purple, dash: "2 3", mark: .diamond), Style(hue: .orange, dash: "8 3", mark: .dot),
        Style(hue: .sky, dash: "8 3", mark: .square), Style(hue: .ink, dash: "8 3 2 3", mark: .triangle),
        Style(hue: .green, dash: "4 2", mark: .diamond), Style(hue: .vermillion, dash: "10 3 2 3", mark: .cross),
        Style(hue: .purple, dash: "12 3", mark: .cross),
    ]

    /// For a desktop, and for a phone.
    enum Size: String, CaseIterable {
        case wide, narrow

        var width: Double { self == .wide ? 860 : 380 }
        var height: Double { self == .wide ? 500 : 470 }
        var left: Double { self == .wide ? 74 : 54 }
        var right: Double { self == .wide ? 168 : 110 }
        var top: Double { self == .wide ? 52 : 44 }
        var bottom: Double { self == .wide ? 60 : 52 }
        /// The size of titles, names and marks.
        var fonts: (Int, Int, Int) { self == .wide ? (17, 13, 12) : (12, 11, 11) }
        var gap: Double { self == .wide ? 17 : 15 }
    }

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

    private func place(_ point: (x: Double, y: Double), _ size: Size) -> (x: Double, y: Double) {
        let (x0, x1) = xRange
        let (y0, y1) = yRange
        var x = point.x
        if case .logarithmic = xScale { x = log10(point.x) }
        let inner = (size.width - size.left - size.right, size.height - size.top - size.bottom)
        return (
            size.left + (x - x0) / max(x1 - x0, 1e-9) * inner.0,
            size.height - size.bottom - (log10(max(point.y, 1e-9)) - y0) / max(y1 - y0, 1e-9) * inner.1
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

    /// The positions of the names: next to the ends of their lines, moved apart until none covers another.
    private func labels(_ size: Size) -> [(series: Series, end: (x: Double, y: Double), y: Double)] {
        let gap = size.gap
        var places = series.map { series in
            let end = place(series.points.last!, size)
            return (series: series, end: end, y: end.y)
        }.sorted { $0.y < $1.y }
        for _ in 0..<400 {
            for i in places.indices.dropFirst() where places[i].y - places[i - 1].y < gap {
                let push = (gap - (places[i].y - places[i - 1].y)) / 2
                places[i - 1].y -= push
                places[i].y += push
            }
            for i in places.indices {
                places[i].y = min(max(places[i].y, size.top + 4), size.height - size.bottom - 2)
            }
        }
        return places
    }

    // ---- SVG

    func svg(_ theme: Theme, _ size: Size = .wide) -> String {
        func n(_ value: Double) -> String { String(format: "%.1f", value) }
        let (large, middle, small) = size.fonts
        let box = "\(Int(size.width)) \(Int(size.height))"
        var lines = [
            """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(Int(size.width))" height="\(Int(size.height))" \
            viewBox="0 0 \(box)" role="img" aria-label="\(Html.escaped(title))" \
            font-family="Helvetica, Arial, 'DejaVu Sans', sans-serif">
            """,
            "<rect width=\"\(Int(size.width))\" height=\"\(Int(size.height))\" fill=\"\(theme.background)\"/>",
            text(size == .wide ? size.left : 8, 26, title, theme.ink, size: large, weight: "bold"),
        ]
        let bottom = size.height - size.bottom
        let end = size.width - size.right
        for mark in yMarks {
            let y = place((1, mark), size).y
            lines.append(
                "<path d=\"M\(n(size.left)) \(n(y))H\(n(end))\" stroke=\"\(theme.faint)\" stroke-width=\"1\"/>")
            lines.append(text(size.left - 6, y + 4, Page.number(mark), theme.quiet, size: small, anchor: "end"))
        }
        var last = -Double.infinity
        for (value, name) in xMarks {
            let x = place((value, 1), size).x
            lines.append(
                "<path d=\"M\(n(x)) \(n(bottom))v5\" stroke=\"\(theme.quiet)\" stroke-width=\"1\"/>")
            guard x - last > Double(name.count + 1) * 6 else { continue }  // no room for its name
            lines.append(text(x, bottom + 18, name, theme.quiet, size: small, anchor: "middle"))
            last = x
        }
        lines.append(
            "<path d=\"M\(n(size.left)) \(n(bottom))H\(n(end))\" stroke=\"\(theme.quiet)\" stroke-width=\"1\"/>")
        lines.append(text((size.left + end) / 2, bottom + 40, x, theme.ink, size: middle, anchor: "middle"))
        if size == .wide {
            lines.append(
                "<g transform=\"translate(18 \(n((size.top + bottom) / 2))) rotate(-90)\">"
                    + text(0, 0, y, theme.ink, size: middle, anchor: "middle") + "</g>")
        } else {
            lines.append(text(8, 41, y, theme.quiet, size: small))
        }
        for series in series { lines.append(line(series, theme, size)) }
        let from = end + (size == .wide ? 16 : 6)
        for (series, place, y) in labels(size) {
            let colour = theme.colour(Self.style(series).hue)
            lines.append(
                "<path d=\"M\(n(place.x + 5)) \(n(place.y))L\(n(from)) \(n(y))\" stroke=\"\(colour)\" "
                    + "stroke-width=\"0.8\" opacity=\"0.6\" fill=\"none\"/>")
            lines.append(Self.mark(Self.style(series).mark, from + 5, y, colour))
            lines.append(
                text(
                    from + 12, y + 4, series.label, theme.ink, size: middle,
                    weight: series.label.hasPrefix("Herald") ? "bold" : "normal"))
        }
        return (lines + ["</svg>"]).joined(separator: "\n") + "\n"
    }

    private static func style(_ series: Series) -> Style { styles[series.style % styles.count] }

    private func line(_ series: Series, _ theme: Theme, _ size: Size) -> String {
        let style = Self.style(series)
        let colour = theme.colour(style.hue)
        let wide = series.label.hasPrefix("Herald") ? "2.6" : "1.7"
        let places = series.points.map { place($0, size) }
        let path = places.enumerated().map { ($0 == 0 ? "M" : "L") + String(format: "%.1f %.1f", $1.x, $1.y) }.joined()
        return "<path d=\"\(path)\" fill=\"none\" stroke=\"\(colour)\" stroke-width=\"\(wide)\""
            + (style.dash.isEmpty ? "" : " stroke-dasharray=\"\(style.dash)\"") + "/>"
            + places.map { Self.mark(style.mark, $0.x, $0.y, colour) }.joined()
    }

    private static func mark(_ mark: Mark, _ x: Double, _ y: Double, _ colour: String) -> String {
        func path(_ points: [(Double, Double)], _ rest: String) -> String {
            "<path d=\"M" + points.map { String(format: "%.1f %.1f", x + $0.0, y + $0.1) }.joined(separator: "L")
                + "\(rest)/>"
        }
        let filled = "Z\" fill=\"\(colour)\""
        switch mark {
        case .dot: return String(format: "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3.2\" fill=\"\(colour)\"/>", x, y)
        case .square: return path([(-3, -3), (3, -3), (3, 3), (-3, 3)], filled)
        case .triangle: return path([(0, -4), (4, 3), (-4, 3)], filled)
        case .diamond: return path([(0, -4.4), (4.4, 0), (0, 4.4), (-4.4, 0)], filled)
        case .cross:
            let stroke = "\" stroke=\"\(colour)\" stroke-width=\"1.8\" fill=\"none\""
            return path([(-3.2, -3.2), (3.2, 3.2)], stroke) + path([(-3.2, 3.2), (3.2, -3.2)], stroke)
        }
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
