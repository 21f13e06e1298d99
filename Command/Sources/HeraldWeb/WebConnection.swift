import FlyingFox
import FlyingSocks
import FoundationEssentials
@preconcurrency import Glibc
import Synchronization

/// A connection: one request, one answer, and the end. Unless it is a page's it has ten seconds, and its request 8 KiB.
final class WebConnection: Sendable {
    private let socket: AsyncSocket
    private let isOpen = Mutex(true)
    private let staysOpen = Atomic(false)
    private static let patience = Duration.seconds(10), longest = 8192

    init(_ socket: AsyncSocket) { self.socket = socket }

    /// It is a page's, which stays as long as it reads.
    var isPage: Bool { staysOpen.load(ordering: .relaxed) }

    /// Whoever reads or writes it is told so, and closes it.
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
        } catch {}  // it has gone, or had to
        timer.cancel()
        isOpen.withLock { isOpen in
            isOpen = false
            try? socket.close()
        }
    }

    /// Nil: it is none.
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

/// What a browser asks: of the rest of its request nothing is looked at.
struct WebRequest {
    let method, path: String
    /// As often as they were said.
    private(set) var tokens: [String] = [], hosts: [String] = []

    /// Nil: it is no request.
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

/// What it is told.
struct WebAnswer {
    let status: HTTPStatusCode
    var headers: [(name: String, value: String)]
    var body = Data()
    /// The body is what this one is told from now on.
    var page: WebPage?

    fileprivate var bytes: Data {
        var head = "HTTP/1.1 \(status.code) \(status.phrase)\r\nConnection: close\r\n"
        if page == nil { head += "Content-Length: \(body.count)\r\n" }
        for header in headers { head += "\(header.name): \(header.value)\r\n" }
        return Data("\(head)\r\n".utf8) + body
    }
}
