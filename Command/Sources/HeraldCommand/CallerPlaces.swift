import FoundationEssentials
@preconcurrency import Glibc

/// Files and lines of callers, which a trace gives as `module+0xoffset`: what addr2line says, where there is one.
struct CallerPlaces {
    private struct Place: Encodable { let caller, place: String }

    private var known: Set<String> = []
    private var modules: [String: String]?
    private static let most = 10_000

    /// What is new in these lines, as JSON objects.
    mutating func find(in lines: [ArraySlice<UInt8>], of pid: Int32) -> [String] {
        var fresh: [String: [String]] = [:]  // by module
        for line in lines {
            guard let caller = Self.caller(in: line), known.count < Self.most, known.insert(caller).inserted,
                let plus = caller.lastIndex(of: "+")
            else { continue }
            fresh[String(caller[..<plus]), default: []].append(String(caller[caller.index(after: plus)...]))
        }
        guard !fresh.isEmpty else { return [] }
        if modules == nil || fresh.keys.contains(where: { modules?[$0] == nil }) { modules = Self.modules(of: pid) }
        return fresh.flatMap { module, offsets in
            zip(offsets, Self.lines(of: offsets, in: modules?[module] ?? "")).compactMap { offset, place in
                place.map { json(Place(caller: "\(pid) \(module)+\(offset)", place: $0)) }
            }
        }
    }

    private static func caller(in line: ArraySlice<UInt8>) -> String? {
        let key = Array("\"caller\":\"".utf8)
        guard line.starts(with: Array("{\"type\":\"post\"".utf8)), let start = line.firstRange(of: key)?.upperBound,
            let end = line[start...].firstIndex(of: UInt8(ascii: "\""))
        else { return nil }
        return String(decoding: line[start..<end], as: UTF8.self)
    }

    /// The files that a process has mapped, by their last names.
    private static func modules(of pid: Int32) -> [String: String] {
        guard let file = fopen("/proc/\(pid)/maps", "re") else { return [:] }
        defer { fclose(file) }
        var modules: [String: String] = [:]
        var line = [CChar](repeating: 0, count: 4096)
        while fgets(&line, Int32(line.count), file) != nil {
            let text = String(decoding: line.prefix { $0 != 0 && $0 != 10 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            guard let slash = text.firstIndex(of: "/") else { continue }
            let path = String(text[slash...])
            modules[String(path.split(separator: "/").last ?? "")] = path
        }
        return modules
    }

    /// A line for each offset; nil where it is not known. The offsets are what calls return to.
    private static func lines(of offsets: [String], in path: String) -> [String?] {
        let none = [String?](repeating: nil, count: offsets.count)
        let calls = offsets.map { offset in UInt64(offset.dropFirst(2), radix: 16).map { $0 &- 1 } ?? 0 }
        guard path.hasPrefix("/"), calls.count <= 1000 else { return none }
        let arguments = ["addr2line", "-e", path] + calls.map { "0x" + String($0, radix: 16) }
        let said = output(of: arguments).split(separator: "\n", omittingEmptySubsequences: false)
        guard said.count >= offsets.count else { return none }
        return said.prefix(offsets.count).map { line in
            let place = line.prefix { $0 != " " }
            guard !place.hasPrefix("??"), !place.hasSuffix(":?"), !place.hasSuffix(":0") else { return nil }
            return place.split(separator: "/").suffix(2).joined(separator: "/")
        }
    }

    /// What a program prints, if there is one of that name.
    private static func output(of arguments: [String]) -> String {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return "" }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
        let words = arguments.map { strdup($0) }
        var id: pid_t = 0
        let status = posix_spawnp(&id, arguments[0], &actions, nil, words + [nil], environ)
        words.forEach { free($0) }
        posix_spawn_file_actions_destroy(&actions)
        close(ends[1])
        defer { close(ends[0]) }
        guard status == 0 else { return "" }
        var text: [UInt8] = [], piece = [UInt8](repeating: 0, count: 1 << 16)
        while text.count < 1 << 22 {
            let length = read(ends[0], &piece, piece.count)
            guard length > 0 else { break }
            text += piece[..<length]
        }
        waitpid(id, nil, 0)
        return String(decoding: text, as: UTF8.self)
    }
}
