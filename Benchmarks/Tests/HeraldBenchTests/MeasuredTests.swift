import Testing

@testable import HeraldBench

/// With the real programs: figures that are not about speed.
@Suite(.serialized) struct MeasuredTests {
    private static let contestants = native.introduce().contestants
    private func known(_ id: String) -> Contestant { Self.contestants.first { $0.id == id }! }

    private func cell(_ line: String, of id: String = "topic", shape: Row.Shape = .cost) -> Cell {
        let plan = Plan(
            id: "r", section: 2, title: "r", shape: shape,
            entries: [Plan.Entry(known(id), line)])
        return Measurement(programs: native, effort: brief).measure([plan])[0].cells[0]
    }

    @Test("Herald passes every rule, in all its ways in C", arguments: ["topic", "name", "string", "signal"])
    func gate(way: String) {
        for rule in Gate.rules {
            let verdict = Gate(programs: native, patience: 60).put(rule, to: known(way))
            // A signal has neither names nor objects.
            let isOfNames = way == "signal" && rule.name == "R1"
            #expect(verdict.outcome == (isOfNames ? .none : .pass), "\(rule.name): \(verdict.reason ?? "")")
        }
    }

    @Test(
        "Every kind of row gives figures",
        arguments: [
            "post observers=0", "post observers=8 others=100", "names count=100", "objects count=10", "miss came=100",
            "change observers=10", "change observers=10 how=observer", "change observers=1 posting=1",
            "change observers=10 how=owned", "single rate=0", "single rate=-1",
            "wait other=sleep",
            "wait other=spin", "threads count=2", "threads count=3 hot=0", "churn rate=0", "churn rate=-1",
            "churn_memory rate=1000", "waiting callback=1000", "paced rate=1000000", "bytes of=center count=10",
            "allocations", "thread_memory threads=100",
        ])
    func kinds(line: String) {
        let isSize = ["allocations", "thread_memory", "churn_memory"].contains { line.hasPrefix($0) }
        let cell = cell(line, shape: isSize ? .size : .cost)
        if cell.reason == "there is one CPU" { return }
        #expect(cell.reason == nil && cell.median != nil, "\(line): \(cell.reason ?? "")")
    }

    @Test("Signals that are objects, and objects that disconnect when they end, give figures", arguments: [0, 1])
    func slots(other: Int) {
        let lines = Matrix(contestants: [known("signal")]).signals.map { $0.entries[other] }
        #expect(Set(lines.map(\.line)).count == lines.count)
        for line in lines.map(\.line) {
            let cell = cell(line, of: "signal")
            if cell.reason == "there is one CPU" { continue }
            #expect(cell.reason == nil && cell.median != nil, "\(line): \(cell.reason ?? "")")
        }
        #expect(cell("slots what=connect").reason == "it has no signals that are objects")
        #expect(cell("slots what=dance", of: "signal").reason == "this program has no such row")
    }

    @Test("A row that nobody has is a reason; a program that is asked so goes on")
    func unknown() {
        #expect(cell("dance fast=1").reason == "this program has no such row")
        #expect(cell("task name=none").reason == "this program has no such row")
    }

    @Test("A post allocates nothing, an observer takes bytes")
    func plausible() {
        #expect(cell("allocations", shape: .size).median == 0)
        #expect(cell("bytes of=observer count=1000", shape: .size).median! > 16)
    }

    @Test("Each program says of its peers what they are")
    func list() {
        #expect(
            known("topic")
                == Contestant(
                    id: "topic", title: "Herald (C), by topic", role: .herald, threadSafe: true, program: "herald",
                    rank: 20, label: "Herald, topic", objects: true, removesByObserver: true, waits: true))
        #expect(known("string").lookup == "string" && known("string").like == "name" && known("string").rank == nil)
        #expect(known("floor-loop").role == .floor && known("floor-loop").label != nil)
        #expect(Set(Self.contestants.map(\.id)).count == Self.contestants.count)
    }

    @Test("A loop of calls is no notification center: it fails")
    func floors() throws {
        let verdict = Gate(programs: native, patience: 60).put(Gate.rules[0], to: known("floor-loop"))
        #expect(verdict.outcome == .crash)  // it has no observers that are called
    }
}
