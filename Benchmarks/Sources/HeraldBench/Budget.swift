import Foundation

/// A limit that a figure of Herald's must not exceed.
struct Budget {
    /// A figure, and its range over the placements of the programs.
    struct Figure: Equatable {
        var value: Double
        var low: Double
        var high: Double
    }

    enum Outcome: String {
        case held, missed
        /// Some placements of the same code hold it and others do not: undecided.
        case within = "within placement"
    }

    /// The form of both figures and limits.
    enum Form {
        case times
        /// 1/100 ×
        case share
        case unit(String)
    }

    let what: String
    let limit: Double
    var isLeast = false
    var form = Form.times
    let figure: (Results) -> Figure?
    /// Why it is missed, if it is.
    let reason: String
    /// The text for a figure below zero.
    var belowZero: String?

    /// The figure and its outcome; nil when its row is missing.
    func verdict(in results: Results) -> (figure: Figure, outcome: Outcome)? {
        figure(results).map { figure in
            let holds = [figure.value, figure.low, figure.high].map { isLeast ? $0 >= limit : $0 <= limit }
            return (figure, holds.allSatisfy { $0 } ? .held : holds.contains(true) ? .within : .missed)
        }
    }

    var limitText: String { (isLeast ? "≥ " : "≤ ") + Self.text(limit, form) }

    /// With enough digits to show on which side of the limit it is.
    func text(_ value: Double) -> String {
        if value < 0, let belowZero { return belowZero }
        func shown(_ text: String) -> Double? {
            Double(text.prefix { $0 != " " }.replacing("1/", with: "").replacing(",", with: ""))
        }
        let limit = shown(Self.text(limit, form))
        return (0..<5).map { Self.text(value, form, more: $0) }.first { shown($0) != limit } ?? Self.text(value, form)
    }

    func text(_ figure: Figure) -> String {
        let (low, high) = (bare(figure.low), bare(figure.high))
        return text(figure.value) + (low == high || figure.value <= 0 ? "" : " (\(low) to \(high))")
    }

    private func bare(_ value: Double) -> String {
        let text = text(value)
        return text.split(separator: " ").first.map(String.init) ?? text
    }

    private static func text(_ value: Double, _ form: Form, more: Int = 0) -> String {
        switch form {
        case .times: number(value, more) + " ×"
        case .share: (value < 1 && value > 0 ? "1/" + number(1 / value, more) : number(value, more)) + " ×"
        case .unit(let unit): number(value, more) + " " + unit
        }
    }

    /// As everywhere on the page, or with more digits.
    private static func number(_ value: Double, _ more: Int) -> String {
        guard more > 0, value != value.rounded() else { return Page.number(value) }
        let digits = abs(value) >= 100 ? 0 : abs(value) >= 10 ? 1 : 2
        return String(format: "%.\(digits + more)f", value)
    }
}

/// Figures of a run, for budgets.
extension Results {
    /// A contestant's best rounds: their median over the placements, and the range. For latencies the median is taken.
    func best(_ row: String, _ id: String) -> Budget.Figure? {
        guard let row = self[row], let cell = row[id], let value = cell.undisturbed(row.shape) else { return nil }
        guard let placed = cell.placed?.map(\.best), placed.count > 1 else {
            return Budget.Figure(value: value, low: value, high: value)
        }
        return Budget.Figure(value: Summary.median(placed), low: placed.min()!, high: placed.max()!)
    }

    /// The ratio of one contestant to another of the same row, over all pairs of placements.
    func ratio(_ row: String, _ one: String, _ other: String) -> Budget.Figure? {
        guard let one = best(row, one), let other = best(row, other), other.low > 0 else { return nil }
        return Budget.Figure(
            value: one.value / other.value, low: one.low / other.high, high: one.high / other.low)
    }

    func percentile(_ name: String, of row: String, _ one: String, beside other: String) -> Budget.Figure? {
        guard let row = self[row], let one = row[one]?.percentiles?[name], let other = row[other]?.percentiles?[name]
        else { return nil }
        return Budget.Figure(one / other)
    }
}

extension Budget.Figure {
    init(_ value: Double) { self.init(value: value, low: value, high: value) }
}
