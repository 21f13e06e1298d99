import Foundation

/// One run, as it is written to `results.json`.
struct Results: Codable, Equatable {
    static let format = 2

    var format = Results.format
    var about: About
    var seconds: Int
    var contestants: [Contestant]
    /// What is missing or went wrong, a sentence each.
    var notes: [String]
    var gate: [Verdict]
    var rows: [Row]
    /// Rows that were measured later, in runs of their own.
    var added: [Added]?

    struct Added: Codable, Equatable {
        /// How the ids of its rows begin.
        var rows: String
        var seconds: Int
        var about: About
    }
}

/// Where, when and of what the run is.
struct About: Codable, Equatable {
    var kind: Kind
    var date: String
    var commit: String
    var machine: String
    var kernel: String
    var compilers: [String]

    enum Kind: String, Codable { case full, quick }
}

/// What is measured: a way of Herald's, a peer, or a floor. Its program says all this: see `struct peer`.
struct Contestant: Codable, Equatable {
    var id: String
    var title: String
    var role: Role
    var threadSafe: Bool
    var program: String?
    var rival: String?
    var ahead: String?
    var like: String?
    var lookup: String?
    var rank: Int?
    var label: String?
    var objects: Bool?
    var removesByObserver: Bool?
    var waits: Bool?

    enum Role: String, Codable { case herald, peer, floor }
}

/// What a contestant made of a rule.
struct Verdict: Codable, Equatable {
    var contestant: String
    var rule: String
    var outcome: Outcome
    /// Why, unless it passed.
    var reason: String?

    enum Outcome: String, Codable { case pass, fail, crash, hang, none }
}

/// One row of the matrix.
struct Row: Codable, Equatable {
    var id: String
    var section: Int
    var title: String
    var unit: Unit
    var shape: Shape
    var cells: [Cell]

    enum Unit: String, Codable {
        case nanoseconds = "ns"
        case rate = "posts/µs"
        case bytes
        case allocations
        case wakes
        case times = "×"
    }

    enum Shape: String, Codable {
        /// A time for one operation, or a count; less is better.
        case cost
        /// More is better.
        case rate
        /// Many values of their own: percentiles.
        case latency
        /// Taken once: it is the same each time.
        case size
    }

    subscript(_ contestant: String) -> Cell? { cells.first { $0.contestant == contestant && $0.reason == nil } }
}

/// A contestant in a row: its figures, or the reason why there are none.
struct Cell: Codable, Equatable {
    var contestant: String
    /// Its floor, in the same row.
    var floor: String?
    var reason: String?
    /// Whether the program failed; else the reason is the peer's own.
    var failed: Bool?
    /// Of the rounds: the least, of rates the greatest.
    var best: Double?
    var median: Double?
    /// Beside the floor, of each round by itself.
    var ratio: Ratio?
    /// For latencies: beside the floor's 99th percentile.
    var tail: Ratio?
    var percentiles: [String: Double]?
    /// How many values there were.
    var count: Int?
    /// The figures in each placement of the program, where there were several: above are those of all together.
    var placed: [Placed]?

    /// What counts as its figure when it is not disturbed: of latencies the middle.
    func undisturbed(_ shape: Row.Shape) -> Double? { shape == .latency ? percentiles?["50"] : best }
}

/// A program's figures as it is linked in one way. The ratio is beside the floor's best placement.
struct Placed: Codable, Equatable {
    var best: Double
    var median: Double
    var ratio: Double?
}

/// The median of the rounds' ratios, and between what bounds it lies with a confidence of 95 %.
struct Ratio: Codable, Equatable {
    var median: Double
    var low: Double
    var high: Double
}

extension Cell {
    /// Between what the median lies, wherever the linker puts the code.
    var range: ClosedRange<Double>? {
        guard let median else { return nil }
        let all = placed?.map(\.median) ?? []
        return min(median, all.min() ?? median)...max(median, all.max() ?? median)
    }

    /// The same of the ratio: what only one placement has is no finding.
    var spread: Ratio? {
        guard let ratio else { return nil }
        let all = placed?.compactMap(\.ratio) ?? []
        return Ratio(
            median: ratio.median, low: min(ratio.low, all.min() ?? ratio.low),
            high: max(ratio.high, all.max() ?? ratio.high))
    }
}

extension Results {
    subscript(_ row: String) -> Row? { rows.first { $0.id == row } }

    func contestant(_ id: String) -> Contestant? { contestants.first { $0.id == id } }

    /// The role of who takes part in a row, once more perhaps, in another way: "signal", "signal.waiting".
    func role(_ id: String) -> Contestant.Role? {
        contestant(id)?.role ?? id.firstIndex(of: ".").flatMap { contestant(String(id[..<$0]))?.role }
    }

    /// Those whom the README shows, and plots if they have a label.
    var ranked: [Contestant] { contestants.filter { $0.rank != nil }.sorted { $0.rank! < $1.rank! } }

    func failures(of contestant: String) -> [Verdict] {
        gate.filter { $0.contestant == contestant && $0.outcome != .pass && $0.outcome != .none }
    }

    static func read(_ path: String) throws -> Results {
        guard let data = FileManager.default.contents(atPath: path) else { throw Failure("cannot read \(path)") }
        struct Head: Decodable { var format: Int }
        do {
            let format = try JSONDecoder().decode(Head.self, from: data).format
            guard format == Self.format else {
                throw Failure("its format is \(format), not \(Self.format): measure that version again")
            }
            return try JSONDecoder().decode(Results.self, from: data)
        } catch {
            throw Failure("\(path) is no result of this benchmark: \(error)")
        }
    }

    /// A line for each thing that is measured, so that two results can be read beside each other.
    func encoded() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        func line(_ value: some Encodable) throws -> String {
            String(decoding: try encoder.encode(value), as: UTF8.self)
        }
        func list(_ values: [some Encodable]) throws -> String {
            "[" + (try values.map { "\n" + (try line($0)) }.joined(separator: ",")) + "\n]"
        }
        let rows = try rows.map { row -> String in
            var bare = row
            bare.cells = []
            return try line(bare).replacingOccurrences(of: "\"cells\":[]", with: "\"cells\":" + (try list(row.cells)))
        }
        let text = """
            {"format":\(format),"seconds":\(seconds),
            "about":\(try line(about)),
            "contestants":\(try list(contestants)),
            "notes":\(try list(notes)),
            "gate":\(try list(gate)),\(try added.map { "\n\"added\":\(try list($0))," } ?? "")
            "rows":[
            \(rows.joined(separator: ",\n"))
            ]}

            """
        return Data(text.utf8)
    }
}

/// An error that is a sentence.
struct Failure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
