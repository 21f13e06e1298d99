import CHerald
import Foundation

var arguments = Array(CommandLine.arguments.dropFirst())
let withCosts = arguments.first != "--tallies-only"
if !withCosts { arguments.removeFirst() }

func fail(_ sentence: String) -> Never {
    FileHandle.standardError.write(Data("herald tour: \(sentence)\n".utf8))
    exit(1)
}

guard arguments.count <= 1 else { fail("takes one folder at the most: HeraldTour [--tallies-only] [FOLDER]") }
let root = arguments.first ?? FileManager.default.currentDirectoryPath
guard let center = makeCenter() else { fail("no memory for a center") }

let tallies = Tallies()
do {
    var scanner = try Scanner(root: root, center: center)
    let kinds = ["file.swift", "file.c", "file.h", "file.md", "file"]
    register(tallies, on: center, folders: scanner.folders.values, kinds: kinds)
    print("Scanning \(root): one post a file; the name by kind, the object by folder, the facts as userInfo.\n")
    scanner.run { HeraldCenterSetSuspended(center, false) }
    HeraldCenterSetSuspended(center, false)
    for path in scanner.unreadable { FileHandle.standardError.write(Data("unreadable: \(path)\n".utf8)) }

    func row(_ label: String, _ count: Tallies.Count) {
        func right(_ number: Int, _ width: Int) -> String {
            String(repeating: " ", count: max(0, width - "\(number)".count)) + "\(number)"
        }
        let padded = label.padding(toLength: max(28, label.count), withPad: " ", startingAt: 0)
        print("  \(padded)\(right(count.files, 8)) files\(right(count.lines, 10)) lines\(right(count.bytes, 12)) bytes")
    }
    print("observers of any name and any object:")
    row("total", tallies.total)
    print("observers of a name:")
    for kind in kinds { row(kind, tallies.byKind[kind] ?? .init()) }
    print("observers of an object:")
    for folder in scanner.folders.keys.sorted() { row("folder \(folder)", tallies.byFolder[folder] ?? .init()) }
    print("an observer of a name and an object:")
    row("file.swift in .", tallies.swiftAtTheTop)
    print(
        """
        on the way:
          \(tallies.firsts.count) observers removed themselves after their first file
          a ticker heard \(tallies.ticks) files before another observer removed it
          the center was suspended \(tallies.suspensions) times; what came meanwhile was held, \
        and \(HeraldCenterGetDroppedPostCount(center)) posts were lost
          the latest file: \(tallies.latest); the largest: \(tallies.largest?.path ?? "none")
        """)
} catch {
    fail("\(error)")
}
HeraldCenterRelease(center)

if withCosts {
    print("\nWhat a post costs here, in nanoseconds:\n")
    print("  observers   bare loop   by topic    by name   Foundation")
    for row in Costs.measure() {
        print(
            String(
                format: "  %9d   %9.1f  %9.1f  %9.1f  %11.1f", row.observers, row.loop, row.topic, row.name,
                row.foundation))
    }
}
