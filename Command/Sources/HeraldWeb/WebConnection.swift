import FlyingFox
import FlyingSocks
import FoundationEssentials
#if canImport(Glibc)
@preconcurrency import Glibc
#elseif canImport(Musl)
@preconcurrency import Musl
#endif
import Synchronization

/// A connection: one request, one answer, and the end. Unless it is a page's, it has ten seconds. Its request has at
/// most 8 KiB.
final class WebConnection: Sendable {
    private let socket: AsyncSocket
    private let isOpen = Mutex(true)
    private let staysOpen = Atomic(false)
    private static let patience = Duration.seconds(10), longest = 8192

    init(_ socket: AsyncSocket) { self.socket = socket }

    /// Whether it is a page's, which stays as long as it reads.
    var isPage: Bool { staysOpen.load(ordering: .relaxed) }

    /// Ends it: the task that reads or writes it gets an error, and closes it.
    func end() {
        isOpen.withLock { isOpen in
            if isOpen { _ = shutdown(socket.socket.file.rawValue, Int32(SHUT_RDWR)) }
        }
    }

    func serve(_ pages: WebPages) async {
        let timer = Task {
            try await Task.sleep(for: Self.patience)
            if !isPage { end() }
        }
        do {
            let answer = pages.answer(to: try await request(), on: self)
            staysOpen.store(answer.page != nil, ordering: .relaxed)
            defer { answer.page?.close() }
            try await socket.write(answer.bytes)
            if let page = answer.page { try await write(page) }
        } catch {}  // the browser has gone, or `end` was called
        timer.cancel()
        isOpen.withLock { isOpen in
            isOpen = false
            try? socket.close()
        }
    }

    /// Nil: the bytes are no request.
    private func request() async throws -> WebRequest? {
        var bytes: [UInt8] = []
        while true {
            if let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) { return WebRequest(bytes[..<end.lowerBound]) }
            guard bytes.count < Self.longest else { return nil }
            bytes += try await socket.read(atMost: Self.longest - bytes.count)
        }
    }

    private func write(_ page: WebPage) async throws {
        for await piece in page.pieces {
            try await socket.write(Data(piece))
            page.took(piece.count)
        }
    }
}

/// The parts of a browser's request that are used; the rest is ignored.
struct WebRequest {
    let method, path: String
    /// All that the request has, with repetitions.
    private(set) var tokens: [String] = [], hosts: [String] = []

    /// Nil: it is not a request.
    init?(_ head: ArraySlice<UInt8>) {
        let lines = String(decoding: head, as: UTF8.self).split(separator: "\r\n")
        let words = lines.first?.split(separator: " ", omittingEmptySubsequences: false) ?? []
        guard words.count == 3, words[2].hasPrefix("HTTP/1.") else { return nil }
        let target = words[1].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        (method, path) = (String(words[0]), String(target[0]))
        for item in target.dropFirst().joined().split(separator: "&") where item.hasPrefix("token=") {
            tokens.append(String(item.dropFirst("token=".count)))
        }
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { return nil }
            if line[..<colon].lowercased() == "host" {
                hosts.append(line[line.index(after: colon)...].trimmingPrefix { $0 == " " }.description)
            }
        }
    }
}

/// An answer to a browser.
struct WebAnswer {
    let status: HTTPStatusCode
    var headers: [(name: String, value: String)]
    var body = Data()
    /// If set, the body goes on with the events of this page.
    var page: WebPage?

    fileprivate var bytes: Data {
        var head = "HTTP/1.1 \(status.code) \(status.phrase)\r\nConnection: close\r\n"
        if page == nil { head += "Content-Length: \(body.count)\r\n" }
        for header in headers { head += "\(header.name): \(header.value)\r\n" }
        return Data("\(head)\r\n".utf8) + body
    }
}
