import Dispatch
import FlyingFox
import FlyingSocks
#if canImport(Glibc)
@preconcurrency import Glibc
#elseif canImport(Musl)
@preconcurrency import Musl
#endif
import Inspecting
import Synchronization

/// Serves the inspector's page on this machine, only to browsers that know the token in its address.
///
/// It uses FlyingFox's sockets and its HTTP types, but not its server. That reads lines of any length for any time, and
/// takes any number of connections, while any user of this machine can connect before the token is checked.
@main final class WebServer: Sendable {
    private let pages: WebPages
    /// Oldest first.
    private let connections = Mutex<[WebConnection]>([])
    private static let mostConnections = 32

    /// Arguments: the port, and the program that is shown at first.
    static func main() {
        let numbers = CommandLine.arguments.dropFirst().map { Int32($0) }
        begin()
        guard let first = numbers.first, let port = first.flatMap({ UInt16(exactly: $0) }), numbers.count <= 2,
            numbers.allSatisfy({ $0 != nil })
        else {
            fputs("herald-web: this is a part of 'herald inspect --web'\n", stderr)
            exit(EX_USAGE)
        }
        Task { await run(port: port, showing: numbers.count == 2 ? numbers[1] : nil) }
        dispatchMain()
    }

    /// Signals are blocked in this process until it has its handlers.
    private static func begin() {
        signal(SIGPIPE, SIG_IGN)  // a browser may go away
        if getpid() == 1 {  // no signal ends process 1 by default, and it inherits the children of other processes
            for number in [SIGINT, SIGTERM, SIGHUP, SIGQUIT] { signal(number) { _exit(128 + $0) } }
            signal(SIGCHLD, SIG_IGN)
        }
        var none = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, nil)
    }

    /// Prints the address, and serves until a signal ends the process.
    /// - Parameters:
    ///   - port: 0: any free port.
    ///   - pid: The program that the page shows at first; nil: all.
    private static func run(port: UInt16, showing pid: Int32?) async {
        do {
            let pool = HTTPServer.defaultPool()
            try await pool.prepare()
            let socket = try listen(port: port)
            guard case .ip4(_, let port) = try socket.sockname() else { return end("the page has no address") }
            let server = WebServer(port: port)
            Task {
                do { try await pool.run() } catch { end("the page's server has ended: \(reason(of: error))") }
            }
            print("http://127.0.0.1:\(port)/?token=\(server.pages.token)\(pid.map { "#\($0)" } ?? "")")
            fflush(stdout)
            await server.accept(from: try AsyncSocket(socket: socket, pool: pool))
        } catch {
            end("the page cannot be served on port \(port): \(reason(of: error))")
        }
    }

    private init(port: UInt16) { pages = WebPages(port: port) }

    private static func listen(port: UInt16) throws -> Socket {
        let socket = try Socket(domain: AF_INET)
        try socket.setValue(true, for: .localAddressReuse)
        try socket.bind(to: try sockaddr_in.inet(ip4: "127.0.0.1", port: port))
        try socket.listen()
        return socket
    }

    private func accept(from listener: AsyncSocket) async {
        while true {
            guard let socket = try? await listener.accept() else {  // perhaps too many files: some will be closed
                try? await Task.sleep(for: .milliseconds(100))
                continue
            }
            let connection = WebConnection(socket)
            admit(connection)
            Task {
                await connection.serve(pages)
                connections.withLock { $0.removeAll { $0 === connection } }
            }
        }
    }

    /// If there are too many, the oldest that is not a page's is ended.
    private func admit(_ connection: WebConnection) {
        connections.withLock { all in
            if all.count >= Self.mostConnections, let oldest = all.firstIndex(where: { !$0.isPage }) {
                all.remove(at: oldest).end()
            }
            all.append(connection)
        }
    }

    private static func end(_ reason: String) {
        fputs("herald: \(printable(reason))\n", stderr)
        exit(EX_UNAVAILABLE)
    }

    private static func reason(of error: any Error) -> String {
        guard case SocketError.failed(_, let number, _) = error else { return "\(error)" }
        return String(cString: strerror(number))
    }
}
