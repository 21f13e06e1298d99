import ArgumentParser
import CHeraldHost
#if canImport(Glibc)
@preconcurrency import Glibc
#elseif canImport(Musl)
@preconcurrency import Musl
#endif
import Inspecting

struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "List names.",
        discussion: """
            A name is listed once it has been observed or its state has been set, until the shared file is replaced: \
            when it is full, names in use are kept. Watchers are the processes that observe it now, with an \
            observer or a file descriptor; those that observe a prefix, or all names, are not among them. Kept are \
            the messages that are kept for observers that come later: see 'herald kept list'.
            """)

    @Option(
        help: ArgumentHelp(
            "List the names that begin with this prefix and a dot, not the prefix itself.", valueName: "prefix"),
        transform: HostName.checkPrefix)
    var prefix: String?
    @Flag(help: "Show the process numbers of the watchers, as the processes report them.")
    var processes = false
    @Flag(help: "Print a JSON array of objects: name, posts, state, watchers, kept and, with --processes, processes.")
    var json = false
    @Flag(name: .shortAndLong, help: "Print on stderr how many names there are, and how many there can be.")
    var verbose = false

    func run() throws {
        var rows = try Table.rows()
        if verbose { fputs("herald: \(rows.count) of \(HeraldHostGetNameLimit()) names\n", stderr) }
        if let prefix { rows.removeAll { !HostName.isUnder(prefix, $0.name) } }
        let kept = try Dictionary(grouping: Kept.all(), by: { $0.name })
        rows.indices.forEach { rows[$0].kept = kept[rows[$0].name]?.count ?? 0 }
        if !processes { rows.indices.forEach { rows[$0].processes = nil } }
        if json { return print(Inspecting.json(rows)) }
        let last = processes ? ["PROCESSES"] : []
        printTable(
            ["NAME", "POSTS", "STATE", "WATCHERS", "KEPT"] + last,
            rows.map { row in
                let list = processes ? [Self.list(row.processes ?? [])] : []
                return [row.name, "\(row.posts)", "\(row.state)", "\(row.watchers)", "\(row.kept)"] + list
            }, numbers: 1...4)
    }

    private static func list(_ processes: [UInt32]) -> String {
        processes.isEmpty ? "-" : processes.map(String.init).joined(separator: ",")
    }
}
