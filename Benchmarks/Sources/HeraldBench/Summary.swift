import Foundation
import Histogram

/// Figures from samples: a sample is the result of one turn of one contestant.
enum Summary {
    static let percentiles: [(name: String, share: Double)] = [
        ("50", 50), ("90", 90), ("99", 99), ("99.9", 99.9), ("99.99", 99.99),
        ("100", 100),
    ]

    /// The cell of a contestant. Rounds in which it or its floor was disturbed are nil and do not count.
    static func cell(
        _ contestant: String, _ shape: Row.Shape, _ rounds: [[Double]?], floor: (id: String, rounds: [[Double]?])?
    ) -> Cell {
        var cell = Cell(contestant: contestant, floor: floor?.id)
        let values = rounds.compactMap { $0 }.flatMap { $0 }.map(rounded)
        guard !values.isEmpty else {
            cell.reason = "its threads never ran undisturbed"
            return cell
        }
        cell.count = values.count
        if shape == .latency {
            cell.percentiles = percentiles(of: rounds.compactMap { $0 })
            cell.best = values.min()
            cell.median = cell.percentiles?["50"]
        } else {
            cell.best = shape == .rate ? values.max() : values.min()
            cell.median = rounded(median(values))
        }
        if let floor {
            cell.ratio = ratio(rounds, floor.rounds, by: median)
            if shape == .latency { cell.tail = ratio(rounds, floor.rounds) { at(0.99, of: $0.sorted()) } }
        }
        return cell
    }

    /// The cell of a program in several placements, or of several programs: the figures of all together, and of each.
    /// For a floor only the best one counts.
    static func cell(
        _ contestant: String, _ shape: Row.Shape, placed: [[[Double]?]], isFloor: Bool,
        floor: (id: String, rounds: [[Double]?])?
    ) -> Cell {
        guard placed.count > 1 else { return cell(contestant, shape, placed.first ?? [], floor: floor) }
        if isFloor { return cell(contestant, shape, placed[best(of: placed, shape)], floor: floor) }
        let all = placed.flatMap { $0 }
        let floors = floor.map { floor in (floor.id, placed.flatMap { _ in floor.rounds }) }
        var result = cell(contestant, shape, all, floor: floors)
        let each = placed.map { cell(contestant, shape, $0, floor: floor) }
        if result.reason == nil {
            result.placed = each.compactMap { one in
                one.best.flatMap { best in
                    one.median.map { Placed(best: best, median: $0, ratio: one.ratio?.median) }
                }
            }
        }
        return result
    }

    /// The index of the best by median.
    static func best(of placed: [[[Double]?]], _ shape: Row.Shape) -> Int {
        let medians = placed.map { rounds -> Double in
            let values = rounds.compactMap { $0 }.flatMap { $0 }
            guard !values.isEmpty else { return shape == .rate ? -1 : .infinity }
            return median(values)
        }
        let best = shape == .rate ? medians.max() : medians.min()
        return medians.firstIndex { $0 == best } ?? 0
    }

    static func median(_ values: [Double]) -> Double {
        let sorted = values.sorted()
        let middle = sorted.count / 2
        return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    }

    /// Rounded to six digits: more are noise.
    static func rounded(_ value: Double) -> Double {
        guard value != 0, value.isFinite else { return value }
        let scale = pow(10, 5 - floor(log10(abs(value))))
        return (value * scale).rounded() / scale
    }

    private static func at(_ share: Double, of sorted: [Double]) -> Double {
        sorted[Int((share * Double(sorted.count - 1)).rounded())]
    }

    /// Percentiles to a tenth of a nanosecond, with three digits, up to a minute. Each round has the same weight,
    /// although a slow round has fewer values.
    private static func percentiles(of rounds: [[Double]]) -> [String: Double] {
        var histogram = Histogram<UInt64>(
            lowestDiscernibleValue: 1, highestTrackableValue: 600_000_000_000, numberOfSignificantValueDigits: .three)
        let most = rounds.map(\.count).max() ?? 0
        for values in rounds {
            for value in values {
                histogram.record(
                    UInt64(max(0, min(rounded(value), 6e10)) * 10), count: UInt64(100 * most / values.count))
            }
        }
        let count = rounds.map(\.count).reduce(0, +)
        var result: [String: Double] = [:]
        for (name, share) in percentiles
        where Double(count) * (100 - share) >= 99.9 || share == 50 || share == 100 {
            result[name] = Double(histogram.valueAtPercentile(share)) / 10
        }
        return result
    }

    /// The ratio of each round by itself, because a disturbance slows down both.
    static func ratio(
        _ rounds: [[Double]?], _ floors: [[Double]?], by figure: ([Double]) -> Double
    ) -> Ratio? {
        let ratios = zip(rounds, floors).compactMap { value, floor -> Double? in
            guard let value, let floor, !value.isEmpty, !floor.isEmpty else { return nil }
            let below = figure(floor)
            return below > 0 ? figure(value) / below : nil
        }.sorted()
        guard !ratios.isEmpty else { return nil }
        // The bounds are order statistics: the number of values below the median is binomial.
        let n = ratios.count
        let reach = 0.98 * Double(n).squareRoot()
        let low = max(0, Int((Double(n - 1) / 2 - reach).rounded(.down)))
        return Ratio(
            median: rounded(median(ratios)), low: rounded(ratios[low]), high: rounded(ratios[n - 1 - low]))
    }
}
