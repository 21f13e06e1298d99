import Dispatch
import FlyingFox
import FlyingSocks
import FoundationEssentials
@preconcurrency import Glibc
import Inspecting

/// Serves the inspector's page on this machine: to who knows the token in its address, and to nobody else.
@main struct WebServer {
    /// Arguments: the port, and the program that is shown at first.
    static func main() {
        let numbers = CommandLine.arguments.dropFirst().map { Int32($0) }
        guard let first = numbers.first, let port = first.flatMap({ UInt16(exactly: $0) }), numbers.count <= 2,
            numbers.allSatisfy({ $0 != nil })
        else {
            fputs("herald-web: this is a part of 'herald inspect --web'\n", stderr)
            exit(EX_USAGE)
        }
        do {
            try run(port: port, showing: numbers.count == 2 ? numbers[1] : nil)
        } catch {
            end("\(error)")
        }
    }

    /// Prints the address, and serves until a signal ends the process.
    /// - Parameters:
    ///   - port: 0: one that is free.
    ///   - pid: The program that the page shows at first; nil: all.
    /// - Throws: ``Unusable``, when the port is taken.
    static func run(port: UInt16, showing pid: Int32?) throws {
        signal(SIGPIPE, SIG_IGN)  // browsers go away
        let pages = WebPages()
        let address = try sockaddr_in.inet(ip4: "127.0.0.1", port: port)
        let server = HTTPServer(address: address, logger: .disabled, handler: pages)
        Task {
            do {
                try await server.run()
                end("the page's server has ended")
            } catch {
                end("the page cannot be served on port \(port): \(reason(of: error))")
            }
        }
        Task {
            try await server.waitUntilListening()
            guard case .ip4(_, let port) = await server.listeningAddress else { return end("the page has no address") }
            pages.serve(at: port)
            print("http://127.0.0.1:\(port)/?token=\(pages.token)\(pid.map { "#\($0)" } ?? "")")
            fflush(stdout)
        }
        dispatchMain()
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
