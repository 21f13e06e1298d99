// Figures that do not depend on the machine's load: allocations and instructions of an operation, with committed
// thresholds.
//
// Allocations are counted by the measured program's own replacement for malloc. Instructions are counted by callgrind,
// as the difference between two runs, one of which does the operation more often. `make bench-check` sets where the
// programs are.
import Benchmark
import Foundation

let benchmarks: @Sendable () -> Void = {
    for subject in subjects {
        Benchmark(
            subject.name,
            configuration: .init(
                metrics: [allocations, instructions], warmupIterations: 0, maxDuration: .seconds(600), maxIterations: 1,
                thresholds: [
                    allocations: .init(absolute: [.p90: 0]),
                    instructions: .init(relative: [.p90: subject.tolerance]),
                ])
        ) { benchmark in
            do {
                benchmark.measurement(allocations, try subject.allocations())
                benchmark.measurement(instructions, try subject.instructions())
            } catch {
                benchmark.error("\(error)")
            }
        }
    }
}

private let allocations = BenchmarkMetric.custom(
    "Allocations of 10,000", polarity: .prefersSmaller, useScalingFactor: false)
private let instructions = BenchmarkMetric.custom(
    "Instructions of 100", polarity: .prefersSmaller, useScalingFactor: false)

// No blanks in the names: with them, thresholds are written and then not found.
private let subjects = [
    Subject("c-post-by-topic", "herald", "topic", "post observers=1"),
    Subject("c-post-by-name", "herald", "name", "post observers=1"),
    Subject("c-post-by-string", "herald", "string", "post observers=1"),
    Subject("c-post-by-name-about-an-object", "herald", "name", "objects count=1 any=0"),
    Subject("c-post-by-topic-to-64", "herald", "topic", "post observers=64"),
    // A registration that has ended costs a post no more than one that has not.
    Subject("c-post-by-topic-to-9", "herald", "topic", "post observers=9"),
    Subject("c-post-by-topic-to-9-less-3-in-front", "herald", "topic", "post observers=9 gone=3 at=front"),
    Subject("c-post-by-topic-to-9-less-3-in-the-middle", "herald", "topic", "post observers=9 gone=3 at=middle"),
    Subject("c-post-by-topic-to-9-less-3-at-the-end", "herald", "topic", "post observers=9 gone=3 at=end"),
    // The moment at which memory is freed varies.
    Subject("c-add-and-remove", "herald", "topic", "change observers=100", tolerance: 20),
    Subject("swift-post-by-topic", "SwiftPeers", "swift-topic", "post observers=1"),
    Subject("swift-post-by-type", "SwiftPeers", "swift-type", "post observers=1"),
    Subject("swift-post-by-name", "SwiftPeers", "swift-name", "post observers=1"),
    Subject("swift-post-to-weak-owner", "SwiftPeers", "swift-owner", "post observers=1"),
    // The same when somebody else refers to the owner weakly: `strong.h`.
    Subject("swift-post-to-shared-owner", "SwiftPeers", "-", "task name=owner-shared"),
    Subject("swift-protocol-call", "SwiftPeers", "swift-protocol", "post observers=1"),
    // The closure with what it has captured, the listener, and the token's memory: three allocations.
    Subject("swift-observe-and-drop", "SwiftPeers", "swift-type", "change observers=100 how=owned", tolerance: 20),
    Subject("swift-watched-set", "SwiftPeers", "-", "task name=watched"),
    Subject("swift-watched-heard", "SwiftPeers", "-", "task name=watched-heard"),
    Subject("cf-post", "SwiftPeers", "cf", "post observers=1"),
]

private struct Subject: Sendable {
    let name: String
    private let program: String
    private let peer: String
    private let line: String

    /// The difference in instructions that is allowed, in hundredths.
    let tolerance: Double

    init(_ name: String, _ program: String, _ peer: String, _ line: String, tolerance: Double = 3) {
        self.tolerance = tolerance
        self.name = name
        self.program = program
        self.peer = peer
        self.line = line
    }

    // The start and the end of a program vary by some thousands of instructions from run to run.
    private static let fewer = 2000, more = 102_000

    func instructions() throws -> Int {
        (try count(Self.more) - count(Self.fewer)) * 100 / (Self.more - Self.fewer)
    }

    private func count(_ times: Int) throws -> Int {
        let said = try run(
            "valgrind",
            ["--tool=callgrind", "--callgrind-out-file=/dev/null", try path(), "repeat", peer, line, "\(times)"])
        guard
            let number = said.split(separator: "\n").last(where: { $0.contains("Collected :") })?.split(separator: " ")
                .last,
            let count = Int(number)
        else { throw Trouble("valgrind does not say how many instructions there were: \(said.suffix(300))") }
        return count
    }

    func allocations() throws -> Int {
        let said = try run(path(), ["allocations", peer, line, "10000"])
        guard let count = Int(said.split(separator: "\n").first ?? "") else {
            throw Trouble("\(program) does not say how many allocations there were: \(said)")
        }
        return count
    }

    private func path() throws -> String {
        let folders = (ProcessInfo.processInfo.environment["HERALD_PEERS"] ?? "").split(separator: ":")
        for folder in folders where FileManager.default.isExecutableFile(atPath: "\(folder)/\(program)") {
            return "\(folder)/\(program)"
        }
        throw Trouble("HERALD_PEERS names no folder with \(program): run make bench-check")
    }

    /// All that it prints. Hash seeds are the same in each run.
    private func run(_ program: String, _ arguments: [String]) throws -> String {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [program] + arguments
        process.environment = ProcessInfo.processInfo.environment.merging(["SWIFT_DETERMINISTIC_HASHING": "1"]) { $1 }
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let said = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Trouble("\(program) ended with status \(process.terminationStatus): \(said.suffix(300))")
        }
        return said
    }
}

private struct Trouble: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
