import CHeraldHost
import FoundationEssentials
#if canImport(Glibc)
@preconcurrency import Glibc
#elseif canImport(Musl)
@preconcurrency import Musl
#endif

/// A line that a program's inspector sends. Its type decides which fields there are.
package struct Said: Codable {
    package var type = ""
    package var of: String?
    package var message: Number?
    package var request: String?
    // hello
    package var pid: Int32?
    package var program: String?
    package var tracing: Bool?
    // centers
    package var center: UInt64?
    package var centers: Int?
    package var observers: Int?
    package var label: String?
    package var kind: String?
    package var suspended: Bool?
    package var kept: UInt64?
    // observers
    package var id: String?
    package var order: UInt64?
    package var name: String?
    package var object: String?
    package var owner: String?
    package var alive: Bool?
    package var blocked: Bool?
    package var site: String?
    package var delivery: String?
    package var behavior: String?
    package var callback: String?
    package var module: String?
    package var queued: UInt64?
    package var waiting: UInt64?
    package var dropped: UInt64?
    // events
    package var span: String?
    package var parent: String?
    package var begin: UInt64?
    package var end: UInt64?
    package var thread: UInt32?
    package var outcome: String?
    package var caller: String?
    package var carrier: String?
    // counts, running
    package var window: UInt64?
    package var posts: UInt64?
    package var calls: UInt64?
    package var ns: UInt64?
    package var longest: UInt64?
    package var since: UInt64?
    package var count: UInt64?
    package var now: UInt64?

    /// The number of an event's message, or the text of an error.
    package enum Number: Codable {
        case number(UInt64), text(String)

        package init(from decoder: any Decoder) throws {
            let value = try decoder.singleValueContainer()
            if let number = try? value.decode(UInt64.self) {
                self = .number(number)
            } else {
                self = .text(try value.decode(String.self))
            }
        }
        package func encode(to encoder: any Encoder) throws {
            var value = encoder.singleValueContainer()
            switch self {
            case .number(let number): try value.encode(number)
            case .text(let text): try value.encode(text)
            }
        }
    }

    package init?(_ line: some Sequence<UInt8>) {
        guard let said = try? JSONDecoder().decode(Said.self, from: Data(line)) else { return nil }
        self = said
    }
}

/// A program that can be inspected: a connection to its inspector.
package final class Program {
    package let pid: Int32
    package private(set) var name = ""
    private let socket: Int32
    private var unread: [UInt8] = []
    package private(set) var isGone = false

    /// How long an answer may take.
    package static let patience = 0.5
    /// How long a whole answer may take, while its lines go on arriving: a million observers take some seconds.
    private static let longest = 30.0

    /// The numbers of all programs that have a socket, whether they answer or not.
    package static var all: [Int32] {
        Set(sockets.map(\.number)).sorted()
    }

    /// The sockets in the folder, each named by its program's number and identity. If containers share the folder, two
    /// programs can have the same number.
    private static var sockets: [(number: Int32, name: String)] {
        guard let folder, let entries = opendir(folder) else { return [] }
        defer { closedir(entries) }
        var sockets: [(number: Int32, name: String)] = []
        while let entry = readdir(entries) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            let parts = name.split(separator: ".", omittingEmptySubsequences: false)
            guard parts.count == 2, parts[1].count == 16, UInt64(parts[1], radix: 16) != nil,
                let number = Int32(parts[0]), number > 0
            else { continue }
            sockets.append((number, name))
        }
        return sockets
    }

    package static var folder: String? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 1024) { buffer in
            guard HeraldHostGetInspectorFolder(buffer.baseAddress, buffer.count) > 0 else { return nil }
            return buffer.baseAddress.map { String(cString: $0) }
        }
    }

    /// - Throws: ``Unusable``, if there is no such program, or it does not answer.
    package init(_ pid: Int32) throws {
        self.pid = pid
        guard let folder = Self.folder else { throw Self.absent(pid) }
        let directory = open(folder, O_DIRECTORY | O_CLOEXEC | O_RDONLY)
        defer { close(directory) }
        let names = Self.sockets.filter { $0.number == pid }.map(\.name)
        let reached = names.map { Self.reach($0, in: directory) }
        let connections = reached.compactMap { if case .connection(let socket) = $0 { socket } else { nil } }
        guard connections.count < 2 else {
            for socket in connections { close(socket) }
            throw Self.ambiguous(pid, names)
        }
        guard let socket = connections.first else {
            let isSilent = reached.contains { if case .silence = $0 { true } else { false } }
            throw isSilent ? Self.silent(pid) : Self.absent(pid)
        }
        self.socket = socket
        let said = try ask("hello", until: "hello") { greeting = String(decoding: $0, as: UTF8.self) }
        guard let hello = said.last, hello.type == "hello" else { throw Self.refused(pid, said.last) }
        name = hello.program ?? ""
        self.hello = hello
    }

    /// The result of an attempt to connect to a socket.
    private enum Reached {
        case connection(Int32)
        /// It has too many clients waiting.
        case silence
        case nobody
    }

    /// - Parameter name: The name of the socket. If a killed program has left it, it is removed.
    private static func reach(_ name: String, in directory: Int32) -> Reached {
        let socket = makeSocket(
            AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { path in
            path.copyBytes(from: "/proc/self/fd/\(directory)/\(name)".utf8)
        }
        let status = withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        if status == 0 { return .connection(socket) }
        let error = errno
        close(socket)
        if error == ECONNREFUSED { unlinkat(directory, name, 0) }
        return error == EAGAIN ? .silence : .nobody
    }

    /// Its first answer, and the line of that answer.
    package private(set) var hello: Said?
    package private(set) var greeting = ""

    deinit { close(socket) }

    /// What a list without a program says.
    package static let none =
        "no program can be inspected: start one with HERALD_INSPECT=1"

    package static func absent(_ pid: Int32) -> Unusable {
        Unusable(
            "program \(pid) cannot be inspected: call HeraldInspectorStart() in it, or start it with HERALD_INSPECT=1"
        )
    }
    private static func ambiguous(_ pid: Int32, _ names: [String]) -> Unusable {
        var error = Unusable(
            "\(names.count) programs have the number \(pid), in containers that share \(folder ?? "the folder"): \(names.sorted().joined(separator: ", "))"
        )
        error.how = "is the number of \(names.count) programs, in containers"
        return error
    }
    package static func silent(_ pid: Int32) -> Unusable { busy(pid, "does not answer") }
    private static func refused(_ pid: Int32, _ said: Said?) -> Unusable {
        guard said?.type == "error", case .text(let why) = said?.message else { return silent(pid) }
        return busy(pid, "says: \(why)")
    }
    private static func busy(_ pid: Int32, _ how: String) -> Unusable {
        var error = Unusable("program \(pid) \(how)")
        error.how = how
        return error
    }

    /// For `poll`.
    package var descriptor: pollfd { pollfd(fd: socket, events: Int16(POLLIN), revents: 0) }

    package func say(_ request: String) {
        let bytes = Array("\(request)\n".utf8)
        if send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL)) != bytes.count { isGone = true }
    }

    /// The lines that have arrived.
    /// - Parameter most: About how many bytes are read. If bytes are left unread, the program loses events, and counts
    ///   them.
    package func lines(most: Int = 1 << 22) -> [ArraySlice<UInt8>] {
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        var read = 0
        while read < most {  // a program that never stops must not keep others from being read
            let length = recv(socket, &piece, piece.count, 0)
            if length > 0 {
                unread += piece[..<length]
                read += length
                continue
            }
            if length == 0 || (errno != EAGAIN && errno != EINTR) { isGone = true }
            break
        }
        guard let last = unread.lastIndex(of: UInt8(ascii: "\n")) else {
            if unread.count > 1 << 20 { isGone = true }  // the program is not an inspector
            return []
        }
        let lines = unread[..<last].split(separator: UInt8(ascii: "\n"))
        unread.removeFirst(last + 1)
        return lines
    }

    /// Waits until there is something to read; false: there was nothing.
    package func wait(_ seconds: Double) -> Bool {
        var waits = [descriptor]
        return poll(&waits, 1, Int32(max(0, seconds) * 1000)) > 0
    }

    /// Sends a request, and reads until a line of that type, or until the end of such lines.
    /// - Parameter items: Lines of this type are passed on undecoded, because there may be a million.
    package func ask(
        _ request: String, until type: String, passing items: String? = nil,
        _ each: (ArraySlice<UInt8>) -> Void = { _ in }
    ) throws -> [Said] {
        let item = items.map { Array("{\"type\":\"\($0)\",".utf8) }
        var said: [Said] = []
        say(request)
        var end = secondsNow() + Self.patience
        let last = secondsNow() + Self.longest
        repeat {  // once more if the program has hung up: it may have sent the reason
            guard wait(end - secondsNow()) else { continue }
            for line in lines() {
                end = min(last, secondsNow() + Self.patience)  // the answer goes on
                if let item, line.starts(with: item) {
                    each(line)
                    continue
                }
                guard let one = Said(line) else {
                    throw Unusable("program \(pid) sends lines that are not an inspector's")
                }
                each(line)
                said.append(one)
                if one.type == type || one.type == "error" || (one.type == "end" && one.of == type) { return said }
            }
        } while !isGone && secondsNow() < end
        throw isGone ? Self.absent(pid) : Self.silent(pid)
    }

    package var observers: [Said] {
        get throws { try ask("observers", until: "observers").filter { $0.type == "observer" } }
    }
}
