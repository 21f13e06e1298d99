import Foundation
import Testing

@testable import HeraldBench

/// A folder that is removed with the test.
final class Folder {
    let url: URL
    var path: String { url.path }

    init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("herald-bench-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    /// A program that is a shell script, with commands for list, serve and gate.
    func program(_ name: String, list: String? = nil, serve: String = "", gate: String = "") throws {
        let list = list ?? #"echo 'peer {"id":"\#(name)","title":"A peer","role":"peer","threadSafe":true}'"#
        let script = """
            #!/bin/sh
            case $1 in
            list) \(list) ;;
            serve) while read -r verb rest; do \(serve.isEmpty ? "echo ok" : serve); done ;;
            gate) \(gate.isEmpty ? "echo pass" : gate) ;;
            esac
            """
        let file = url.appendingPathComponent(name)
        // Copied by another process. If this process had the file open for writing while another test starts a child,
        // the child would have it open, too, and the system would not run the script (ETXTBSY).
        let text = url.appendingPathComponent(".text-of-\(name)")
        try script.write(to: text, atomically: true, encoding: .utf8)
        let copy = try Process.run(
            URL(fileURLWithPath: "/bin/sh"),
            arguments: ["-c", #"rm -f "$2" && cp "$1" "$2" && chmod 755 "$2""#, "sh", text.path, file.path])
        copy.waitUntilExit()
        #expect(copy.terminationStatus == 0)
    }

    var programs: Programs { Programs([path], scratch: scratch) }
}

/// The repository's root, and the native programs in it.
let repository = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().path
let scratch = FileManager.default.temporaryDirectory
let native = Programs([repository + "/Benchmarks/.build-native/peers"], scratch: scratch)

func peer(_ id: String) -> Contestant {
    Contestant(id: id, title: id, role: .peer, threadSafe: true, program: id, rival: "topic")
}
let boost = peer("boost")
let qt = peer("qt")
let topic = Contestant(id: "topic", title: "Herald", role: .herald, threadSafe: true)

let brief = Effort(kind: .quick, rounds: 3, placedRounds: 2, batch: 10000, threadsTurn: 100_000, patience: 30)

func results(rows: [Row] = [], gate: [Verdict] = [], contestants: [Contestant] = [topic]) -> Results {
    Results(
        about: About(kind: .full, date: "2026-01-01", commit: "0", machine: "m", kernel: "k", compilers: ["c"]),
        seconds: 1, contestants: contestants, notes: [], gate: gate, rows: rows)
}

func row(_ id: String, shape: Row.Shape = .cost, _ cells: [Cell]) -> Row {
    Row(id: id, section: 2, title: id, unit: .nanoseconds, shape: shape, cells: cells)
}

func cell(
    _ contestant: String, _ median: Double, ratio: (Double, Double, Double)? = nil, placed: [Double]? = nil
) -> Cell {
    var cell = Cell(contestant: contestant, floor: "floor-loop")
    cell.best = median
    cell.median = median
    cell.ratio = ratio.map { Ratio(median: $0.0, low: $0.1, high: $0.2) }
    cell.placed = placed?.map { Placed(best: $0, median: $0, ratio: ratio == nil ? nil : $0) }
    return cell
}
