#if canImport(Glibc)
@preconcurrency import Glibc
#elseif canImport(Musl)
@preconcurrency import Musl
#endif

// A program that was started a moment ago can be inspected a moment later.
extension Program {
    /// The age of a process, in seconds, by which it has used Herald if it was started with HERALD_INSPECT=1; and the
    /// age by which a shell's child has become the program that it was started for.
    private static let longestBegin = 10.0, shortestBegin = 1.0

    /// A program that may have just been started. This waits for it.
    package static func begun(_ pid: Int32) throws -> Program {
        while true {
            do { return try Program(pid) } catch let error as Unusable {
                guard error.how == nil else { throw error }
                let process = Process(pid)
                guard let process, process.age < (process.isAsked ? longestBegin : shortestBegin) else {
                    throw why(pid, process)
                }
                usleep(20_000)
            }
        }
    }

    private static func why(_ pid: Int32, _ process: Process?) -> Unusable {
        guard let process else { return Unusable("there is no program \(pid): it has ended") }
        guard process.isAsked else { return absent(pid) }
        return Unusable(
            "program \(pid) was started with HERALD_INSPECT=1, but has not used Herald, or uses another folder: compare 'herald path'"
        )
    }
}

/// The facts that /proc has about a process that has not ended.
private struct Process {
    /// Seconds.
    let age: Double
    /// Whether it was started with HERALD_INSPECT=1.
    let isAsked: Bool

    init?(_ pid: Int32) {
        // Fields after the name, which may have any bytes: the first is the state, the twentieth the time of its start.
        let all = Self.bytes(of: "/proc/\(pid)/stat")
        let fields = all[(all.lastIndex(of: UInt8(ascii: ")")) ?? all.endIndex)...].split(separator: UInt8(ascii: " "))
        guard fields.count > 20, !["Z", "X"].contains(String(decoding: fields[1], as: UTF8.self)) else { return nil }
        let ticks = Double(String(decoding: fields[20], as: UTF8.self)) ?? 0
        var now = timespec()
        clock_gettime(CLOCK_BOOTTIME, &now)
        age = Double(now.tv_sec) + Double(now.tv_nsec) / 1e9 - ticks / Double(sysconf(Int32(_SC_CLK_TCK)))
        isAsked = Self.bytes(of: "/proc/\(pid)/environ").split(separator: 0).contains {
            String(decoding: $0, as: UTF8.self) == "HERALD_INSPECT=1"
        }
    }

    private static func bytes(of path: String) -> [UInt8] {
        guard let file = fopen(path, "re") else { return [] }
        defer { fclose(file) }
        var bytes: [UInt8] = [], piece = [UInt8](repeating: 0, count: 1 << 12)
        while case let length = fread(&piece, 1, piece.count, file), length > 0 { bytes += piece[..<length] }
        return bytes
    }
}
