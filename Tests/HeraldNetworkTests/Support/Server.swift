#if Network
import Foundation

/// A time limit that only a fault reaches.
let long = Duration.seconds(60)

/// Polls until the condition holds. Returns false if it does not in that time.
func eventually(_ condition: () -> Bool) async -> Bool {
    let end = ContinuousClock.now + long
    while ContinuousClock.now < end {
        if condition() { return true }
        try? await Task.sleep(for: .milliseconds(2))
    }
    return condition()
}

/// A nats-server for one test, on this machine's loopback. It ends with its last reference.
final class Server: @unchecked Sendable {
    let port: Int
    var url: String { "nats://127.0.0.1:\(port)" }
    private let process = Process()

    init(_ arguments: [String] = []) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("herald-nats-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.environment = ["PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin"]
        process.arguments =
            ["nats-server", "-a", "127.0.0.1", "-p", "-1", "--ports_file_dir", folder.path] + arguments
        process.standardError = FileHandle.nullDevice
        try process.run()
        port = try Self.port(in: folder)
    }

    deinit { end() }

    func end() {
        guard process.isRunning else { return }
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    struct NotThere: Error {}

    private static func port(in folder: URL) throws -> Int {
        let end = ContinuousClock.now + long
        while ContinuousClock.now < end {
            for file in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            where file.pathExtension == "ports" {
                let text = try String(contentsOf: file, encoding: .utf8)
                if let match = text.firstMatch(of: /nats:\/\/127\.0\.0\.1:(\d+)/) { return Int(match.1)! }
            }
            usleep(5000)
        }
        throw NotThere()
    }
}

/// A server with JetStream, and its folder.
final class Keeper {
    let server: Server
    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("herald-kept-\(UUID())")
        server = try Server(["-js", "-sd", folder.path])
    }

    deinit {
        server.end()
        try? FileManager.default.removeItem(at: folder)
    }
}

/// A client that speaks NATS's protocol over a socket, like a program in another language.
final class RawClient {
    private let socket: Int32
    private var received = Data()

    init(_ port: Int) throws {
        socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(INADDR_LOOPBACK).bigEndian
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 else { throw Server.NotThere() }
        send("CONNECT {\"verbose\":false,\"headers\":true}\r\n")
        flush()
    }

    deinit { close(socket) }

    func send(_ text: String) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let sent = rest.withUnsafeBytes {
                Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard sent > 0 else { return }
            rest = rest.dropFirst(sent)
        }
    }

    /// Returns when the server has taken everything that was sent before.
    func flush() {
        send("PING\r\n")
        _ = text(until: "PONG\r\n")
    }

    /// The text up to `mark`, or up to a minute without more text.
    func text(until mark: String) -> String {
        while true {
            if let end = received.range(of: Data(mark.utf8))?.upperBound {
                defer { received.removeSubrange(received.startIndex..<end) }
                return String(decoding: received[..<end], as: UTF8.self)
            }
            var waiting = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
            guard poll(&waiting, 1, 60_000) == 1 else { return String(decoding: received, as: UTF8.self) }
            var bytes = [UInt8](repeating: 0, count: 4096)
            let count = recv(socket, &bytes, bytes.count, 0)
            guard count > 0 else { return String(decoding: received, as: UTF8.self) }
            received.append(contentsOf: bytes.prefix(count))
        }
    }
}

/// The elements that were heard, on any thread.
final class Log<Element: Sendable>: @unchecked Sendable {
    private let lock = NSLock()
    private var elements: [Element] = []

    func append(_ element: Element) { lock.withLock { elements.append(element) } }
    var all: [Element] { lock.withLock { elements } }

    /// All elements, as soon as there are so many; or after a minute.
    func first(_ count: Int) async -> [Element] {
        _ = await eventually { all.count >= count }
        return all
    }
}
#endif
