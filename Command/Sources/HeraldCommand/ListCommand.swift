import ArgumentParser
import CHeraldHost
@preconcurrency import Glibc

struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "List names.",
        discussion: """
            A name is listed once it has been observed or its state has been set, until the shared file is made anew: \
            when it is full, the names that are in use go on. Watchers are the processes that observe it now, with an \
            observer or a file descriptor.
            """)

    @Flag(help: "Print a JSON array of objects: name, posts, state, watchers.") var json = false
    @Flag(name: .shortAndLong, help: "Print on stderr how many names there are, of how many at most.")
    var verbose = false

    struct Row: Encodable {
        let name: String
        let posts: UInt64
        let state: UInt64
        let watchers: UInt32
    }

    func run() throws {
        let rows = try Self.read()
        if verbose { fputs("herald: \(rows.count) of \(HeraldHostGetNameLimit()) names\n", stderr) }
        if json { return print(Watch.encode(rows)) }
        let cells =
            [["NAME", "POSTS", "STATE", "WATCHERS"]]
            + rows.map { [printable($0.name), "\($0.posts)", "\($0.state)", "\($0.watchers)"] }
        let widths = (0..<4).map { column in cells.map { $0[column].count }.max() ?? 0 }
        for row in cells {
            let name = row[0] + String(repeating: " ", count: widths[0] - row[0].count)
            let numbers = (1..<4).map { String(repeating: " ", count: widths[$0] - row[$0].count) + row[$0] }
            print(([name] + numbers).joined(separator: "  "))
        }
    }

    /// All names in the shared file, sorted.
    static func read() throws -> [Row] {
        var rows: [Row] = []
        try withUnsafeMutablePointer(to: &rows) { rows in
            try attempt(
                HeraldHostVisitNames(
                    { rows, info in
                        guard let rows, let info = info?.pointee else { return }
                        let name = String(cString: info.name)
                        rows.assumingMemoryBound(to: [Row].self).pointee.append(
                            Row(name: name, posts: info.posts, state: info.state, watchers: info.watchers))
                    }, rows))
        }
        return rows.sorted { $0.name < $1.name }
    }
}
