import CHeraldHost
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif
import Inspecting

/// The names in the shared file.
enum Table {
    struct Row: Encodable {
        let name: String
        let posts: UInt64
        let postsText: String?
        let state: UInt64
        let stateText: String?
        let watchers: UInt32
        /// How many messages are kept of the name.
        var kept = 0
        var processes: [UInt32]?

        fileprivate init(_ info: HeraldHostNameInfo) {
            name = String(cString: info.name)
            posts = info.posts
            postsText = exactText(posts)
            state = info.state
            stateText = exactText(state)
            watchers = info.watchers
            processes = Array(UnsafeBufferPointer(start: info.processes, count: Int(info.processCount))).sorted()
        }
    }

    /// All names, sorted.
    static func rows() throws -> [Row] {
        var rows: [Row] = []
        try visit { rows.append(Row($0)) }
        return rows.sorted { ExactText($0.name) < ExactText($1.name) }
    }

    /// The row of a name, if the file has it. The search does not enter the name.
    static func row(of name: String) throws -> Row? {
        var row: Row?
        try visit { info in
            if strcmp(info.name, name) == 0 { row = Row(info) }
        }
        return row
    }

    private static func visit(_ body: (HeraldHostNameInfo) -> Void) throws {
        typealias Body = (HeraldHostNameInfo) -> Void
        try withoutActuallyEscaping(body) { body in
            try withUnsafePointer(to: body) { body in
                try attempt(
                    HeraldHostVisitNames(
                        { body, info in
                            guard let body, let info else { return }
                            body.assumingMemoryBound(to: Body.self).pointee(info.pointee)
                        }, UnsafeMutableRawPointer(mutating: body)))
            }
        }
    }
}
