import Testing

@testable import HeraldBench

@Suite struct SummaryTests {
    @Test("Best, median, and the ratio of each round by itself")
    func ratio() {
        // The machine is slow in every second round: the ratio does not change.
        let slow = (0..<21).map { Double($0 % 2 + 1) }
        let cell = Summary.cell("x", .cost, slow.map { [$0 * 30] }, floor: ("f", slow.map { [$0 * 10] }))
        #expect(cell.best == 30 && cell.median == 30 && cell.count == 21)
        #expect(cell.ratio == Ratio(median: 3, low: 3, high: 3))
    }

    @Test("The bounds of a median hold it, and are nearer with more rounds")
    func bounds() {
        func width(_ rounds: Int) -> Double {
            let values = (0..<rounds).map { [100 + Double(($0 * 7919) % 101)] as [Double]? }
            let ratio = Summary.ratio(values, values.map { _ in [1] }, by: Summary.median)!
            #expect(ratio.low <= ratio.median && ratio.median <= ratio.high)
            return ratio.high - ratio.low
        }
        // The sixth and the sixteenth of 21.
        let all = (1...21).map { [Double($0)] as [Double]? }
        #expect(
            Summary.ratio(all, all.map { _ in [1] }, by: Summary.median) == Ratio(median: 11, low: 6, high: 16))
        #expect(width(101) < width(15))
        #expect(width(1) == 0)
    }

    @Test("More is better for rates; rounds without values do not count; none at all is a reason")
    func others() {
        #expect(Summary.cell("x", .rate, [[3], nil, [5]], floor: nil).best == 5)
        #expect(Summary.cell("x", .cost, [[3], nil, [5]], floor: ("f", [nil, [1], [1]])).ratio?.median == 5)
        #expect(Summary.cell("x", .cost, [nil, nil], floor: nil).reason != nil)
    }

    @Test("Percentiles to three digits, and none that so few values do not have")
    func percentiles() {
        let cell = Summary.cell("x", .latency, [(1...1000).map(Double.init)], floor: nil)
        let p = cell.percentiles!
        #expect(abs(p["50"]! - 500) <= 1 && abs(p["99"]! - 990) <= 2 && abs(p["99.9"]! - 999) <= 2)
        #expect(p["99.99"] == nil)
        #expect(Summary.cell("x", .latency, [[-5, 1e18]], floor: nil).percentiles?["50"] != nil)
    }

    @Test("Rounds in which posts took long, so that there are few, count as much as the others; the greatest is kept")
    func weights() {
        let rounds = [[Double](repeating: 10, count: 1000), [100, 100], [100, 200]]
        let p = Summary.cell("x", .latency, rounds, floor: nil).percentiles!
        #expect(p["50"] == 100 && p["100"] == 200)
    }

    @Test("The tail of a latency is the 99th percentile of each round beside the floor's")
    func tail() {
        let values = (1...100).map { Double($0) } + [1000.0]
        let cell = Summary.cell("x", .latency, [values], floor: ("f", [values.map { $0 > 90 ? 10 : 1 }]))
        #expect(cell.tail?.median == 10 && cell.ratio?.median == 51)
    }

    @Test("Intercept and slope of a straight line are the line's")
    func derived() {
        let rows = [64.0, 1024].map { n in row("post", [cell("topic", 10 + 2 * n), cell("floor-loop", n)]) }
        let slope = Row.derived("slope", "slope", from: rows) { ($0[1] - $0[0]) / 960 }!
        #expect(slope["topic"]?.median == 2 && slope["floor-loop"]?.median == 1)
        #expect(Row.derived("slope", "slope", from: [rows[0], nil]) { $0[0] } == nil)
    }
}
