import Dispatch
import FoundationEssentials
#if canImport(Glibc)
@preconcurrency import Glibc
#elseif canImport(Musl)
@preconcurrency import Musl
#endif
import Inspecting
import Synchronization

/// Finds the files and lines of addresses, which a trace gives as `module+0xoffset`, by addr2line if it is installed.
///
/// A large program's table may take seconds to read. It is read on a queue, for one program after the other.
final class CodePlaces: Sendable {
    private struct Place: Encodable { let address, place: String }
    private struct Address: Hashable {
        let module: String
        let offset: UInt64
        let isCall: Bool  // a return address: the call is before it
    }
    private struct State {
        var known: Set<Address> = []
        /// Used on the queue only.
        var modules: [String: String] = [:]
        /// The places found so far, as JSON objects.
        var all: [String] = []
    }

    private let pid: Int32
    private let tell: @Sendable ([String]) -> Void
    private let state = Mutex(State())
    private static let most = 10_000, atOnce = 2000, patience = 30.0
    private static let queue = DispatchQueue(label: "herald.web.places")

    /// `tell` is called with the places found, as JSON objects: on this type's queue, and by `tellAll` on the caller's
    /// thread.
    init(of pid: Int32, tell: @escaping @Sendable ([String]) -> Void) {
        self.pid = pid
        self.tell = tell
    }

    /// Sends all places found so far.
    func tellAll() {
        let all = state.withLock { $0.all }
        if !all.isEmpty { tell(all) }
    }

    /// Looks up new addresses in these lines, under the key "caller" or "module".
    func find(_ key: String, in lines: [ArraySlice<UInt8>]) {
        var fresh: [String: [Address]] = [:]
        let mark = Array("\"\(key)\":\"".utf8)
        state.withLock { state in
            for line in lines where state.known.count < Self.most {
                guard let address = Self.address(after: mark, in: line, isCall: key == "caller"),
                    state.known.insert(address).inserted
                else { continue }
                fresh[address.module, default: []].append(address)
            }
        }
        for (module, addresses) in fresh {
            for start in stride(from: 0, to: addresses.count, by: Self.atOnce) {
                let some = Array(addresses[start..<min(start + Self.atOnce, addresses.count)])
                Self.queue.async { self.look(for: some, in: module) }
            }
        }
    }

    private func look(for addresses: [Address], in module: String) {
        let file = file(of: module)
        let found = zip(addresses, Self.lines(of: addresses, in: file)).compactMap { address, place in
            place.map { json(Place(address: "\(pid) \(module)+0x\(String(address.offset, radix: 16))", place: $0)) }
        }
        guard !found.isEmpty else { return }
        state.withLock { $0.all += found }
        tell(found)
    }

    /// The file of a module, as a path that this process can open; the program may have a root of its own.
    private func file(of module: String) -> String {
        if let known = state.withLock({ $0.modules[module] }) { return known }
        let files = Self.files(of: pid)
        // A library is known by the name of a link; the program by the name that it was called by.
        let file =
            files[module] ?? files.first { $0.key.hasPrefix("\(module).") }?.value
            ?? (Self.command(of: pid).hasSuffix(module) ? "/proc/\(pid)/exe" : "")
        state.withLock { $0.modules[module] = file }
        return file
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

    /// The files that the process has mapped, by the last parts of their paths. The process may see other files than
    /// this one.
    private static func files(of pid: Int32) -> [String: String] {
        var files: [String: String] = [:]
        for line in text(of: "/proc/\(pid)/maps").split(separator: "\n") {
            guard let slash = line.firstIndex(of: "/") else { continue }
            files[String(line[slash...].split(separator: "/").last ?? "")] = "/proc/\(pid)/root\(line[slash...])"
        }
        return files
    }

    private static func command(of pid: Int32) -> String {
        String(text(of: "/proc/\(pid)/cmdline").prefix { $0 != "\0" })
    }

    private static func text(of path: String) -> String {
        guard let file = fopen(path, "re") else { return "" }
        defer { fclose(file) }
        var text: [UInt8] = [], piece = [UInt8](repeating: 0, count: 1 << 16)
        while case let length = fread(&piece, 1, piece.count, file), length > 0 { text += piece[..<length] }
        return String(decoding: text, as: UTF8.self)
    }

    /// The address that the file was linked for: 0, unless it is a program with a fixed address.
    private static func base(of path: String) -> UInt64 {
        guard let file = fopen(path, "re") else { return 0 }
        defer { fclose(file) }
        var header = Elf64_Ehdr(), segment = Elf64_Phdr()
        guard fread(&header, MemoryLayout.size(ofValue: header), 1, file) == 1, header.e_type == ET_EXEC,
            fseek(file, Int(clamping: header.e_phoff), SEEK_SET) == 0
        else { return 0 }
        for _ in 0..<header.e_phnum where fread(&segment, MemoryLayout.size(ofValue: segment), 1, file) == 1 {
            if segment.p_type == PT_LOAD { return segment.p_vaddr &- segment.p_offset }
        }
        return 0
    }

    /// A place for each address; nil if it is not known.
    private static func lines(of addresses: [Address], in path: String) -> [String?] {
        let none = [String?](repeating: nil, count: addresses.count)
        guard path.hasPrefix("/") else { return none }
        let base = base(of: path)
        let calls = addresses.map { base &+ ($0.isCall ? $0.offset &- 1 : $0.offset) }
        let arguments = ["addr2line", "-e", path] + calls.map { "0x" + String($0, radix: 16) }
        let said = output(of: arguments).split(separator: "\n", omittingEmptySubsequences: false)
        guard said.count >= calls.count else { return none }
        return said.prefix(calls.count).map { line in
            let place = line.prefix { $0 != " " }
            guard !place.hasPrefix("??"), !place.hasSuffix(":?"), !place.hasSuffix(":0") else { return nil }
            return place.split(separator: "/").suffix(2).joined(separator: "/")
        }
    }

    /// The output of a program, if there is a program of that name.
    private static func output(of arguments: [String]) -> String {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return "" }
        // The program must not inherit the page's sockets, which must end with this process.
        for open in 3..<max(1024, ends[1] + 1) { _ = fcntl(open, F_SETFD, FD_CLOEXEC) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
        // It must not inherit blocked or ignored signals either.
        var attributes = posix_spawnattr_t(), none = sigset_t(), all = sigset_t()
        posix_spawnattr_init(&attributes)
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        sigfillset(&all)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
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
        let end = secondsNow() + patience
        while true {
            var waits = pollfd(fd: ends[0], events: Int16(POLLIN), revents: 0)
            guard poll(&waits, 1, Int32(max(0, end - secondsNow()) * 1000)) > 0 else {
                kill(id, SIGKILL)  // it takes too long
                break
            }
            let length = read(ends[0], &piece, piece.count)
            guard length > 0 else { break }
            text += piece[..<length]
        }
        waitpid(id, nil, 0)  // process 1 ignores SIGCHLD: there the system reaps it
        return String(decoding: text, as: UTF8.self)
    }
}
