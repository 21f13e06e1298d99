import FoundationEssentials
@preconcurrency import Glibc
import Inspecting

/// Files and lines of addresses, which a trace gives as `module+0xoffset`: what addr2line says, where there is one.
struct CodePlaces {
    private struct Place: Encodable { let address, place: String }
    private struct Address: Hashable {
        let module: String
        let offset: UInt64
        let isCall: Bool  // what a call returns to: the call is before it
    }

    private let pid: Int32
    private var known: Set<Address> = []
    private var modules: [String: String] = [:]
    /// All that was found so far, as JSON objects.
    private(set) var all: [String] = []
    private static let most = 10_000

    init(of pid: Int32) { self.pid = pid }

    /// What is new in these lines, under "caller" or "module".
    mutating func find(_ key: String, in lines: [ArraySlice<UInt8>]) -> [String] {
        var fresh: [String: [Address]] = [:]
        let mark = Array("\"\(key)\":\"".utf8)
        for line in lines {
            guard known.count < Self.most, let address = Self.address(after: mark, in: line, isCall: key == "caller"),
                known.insert(address).inserted
            else { continue }
            fresh[address.module, default: []].append(address)
        }
        if fresh.keys.contains(where: { modules[$0] == nil }) { learnModules() }
        let found = fresh.flatMap { module, addresses in
            zip(addresses, Self.lines(of: addresses, in: modules[module] ?? "")).compactMap { address, place in
                place.map { json(Place(address: "\(pid) \(module)+0x\(String(address.offset, radix: 16))", place: $0)) }
            }
        }
        all += found
        return found
    }

    private static func address(after mark: [UInt8], in line: ArraySlice<UInt8>, isCall: Bool) -> Address? {
        guard let start = line.firstRange(of: mark)?.upperBound,
            let end = line[start...].firstIndex(of: UInt8(ascii: "\""))
        else { return nil }
        let text = String(decoding: line[start..<end], as: UTF8.self)
        guard let plus = text.lastIndex(of: "+"), let offset = UInt64(text[plus...].dropFirst(3), radix: 16) else {
            return nil
        }
        return Address(module: String(text[..<plus]), offset: offset, isCall: isCall)
    }

    /// The files that the process has mapped, by their last names.
    private mutating func learnModules() {
        guard let file = fopen("/proc/\(pid)/maps", "re") else { return }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 4096)
        while fgets(&line, Int32(line.count), file) != nil {
            let text = String(
                decoding: line.prefix { $0 != 0 && $0 != 10 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            guard let slash = text.firstIndex(of: "/") else { continue }
            let path = String(text[slash...])
            modules[String(path.split(separator: "/").last ?? "")] = path
        }
    }

    /// A line for each address; nil where it is not known.
    private static func lines(of addresses: [Address], in path: String) -> [String?] {
        let none = [String?](repeating: nil, count: addresses.count)
        let calls = addresses.map { $0.isCall ? $0.offset &- 1 : $0.offset }
        guard path.hasPrefix("/"), calls.count <= 2000 else { return none }
        let arguments = ["addr2line", "-e", path] + calls.map { "0x" + String($0, radix: 16) }
        let said = output(of: arguments).split(separator: "\n", omittingEmptySubsequences: false)
        guard said.count >= calls.count else { return none }
        return said.prefix(calls.count).map { line in
            let place = line.prefix { $0 != " " }
            guard !place.hasPrefix("??"), !place.hasSuffix(":?"), !place.hasSuffix(":0") else { return nil }
            return place.split(separator: "/").suffix(2).joined(separator: "/")
        }
    }

    /// What a program prints, if there is one of that name.
    private static func output(of arguments: [String]) -> String {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return "" }
        // The page's sockets are not for it, and end with this process.
        for open in 3..<max(1024, ends[1] + 1) { _ = fcntl(open, F_SETFD, FD_CLOEXEC) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
        // Nor are the signals that are blocked here.
        var attributes = posix_spawnattr_t(), none = sigset_t()
        posix_spawnattr_init(&attributes)
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        let words = arguments.map { strdup($0) }
        var id: pid_t = 0
        let status = posix_spawnp(&id, arguments[0], &actions, &attributes, words + [nil], environ)
        words.forEach { free($0) }
        posix_spawn_file_actions_destroy(&actions)
        posix_spawnattr_destroy(&attributes)
        close(ends[1])
        defer { close(ends[0]) }
        guard status == 0 else { return "" }
        var text: [UInt8] = [], piece = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let length = read(ends[0], &piece, piece.count)
            guard length > 0 else { break }
            text += piece[..<length]
        }
        waitpid(id, nil, 0)
        return String(decoding: text, as: UTF8.self)
    }
}
