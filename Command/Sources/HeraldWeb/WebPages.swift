import FlyingFox
import FlyingSocks
import FoundationEssentials
import Synchronization

/// Answers a browser: the page, and the stream of what the programs say.
///
/// Whoever asks must know the token, which is in the address that was printed, and must have found this machine by its
/// number or as `localhost`: a page of another site that has its own name point here (DNS rebinding) is refused.
final class WebPages: HTTPHandler {
    let token: String
    private let port = Mutex<UInt16>(0)
    private let feed = WebFeed()

    init() {
        var random = SystemRandomNumberGenerator()
        token = (0..<4).map { _ in hex(UInt32.random(in: .min ... .max, using: &random)) }.joined()
    }

    func serve(at number: UInt16) { port.withLock { $0 = number } }

    func handleRequest(_ request: HTTPRequest) async -> HTTPResponse {
        let port = port.withLock { $0 }
        let isHere = ["127.0.0.1:\(port)", "localhost:\(port)"].contains(request.headers[.host] ?? "")
        let said = request.query.filter { $0.name == "token" }.map(\.value)
        guard isHere, said.count == 1, isToken(said[0]) else {
            return refusal(.forbidden, "Open the address that 'herald inspect --web' has printed.")
        }
        guard request.method == .GET else {
            return refusal(.methodNotAllowed, "There is nothing but pages to get here.")
        }
        switch request.path {
        case "/": return page()
        case "/events": return events()
        default: return refusal(.notFound, "There is no such page.")
        }
    }

    /// Takes as long for any text of that length.
    private func isToken(_ text: String) -> Bool {
        let (text, token) = (Array(text.utf8), Array(token.utf8))
        return text.count == token.count && zip(text, token).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }

    // ---- Answers

    private static let headers: HTTPHeaders = [
        .cacheControl: "no-store", HTTPHeader("X-Content-Type-Options"): "nosniff",
        HTTPHeader("Referrer-Policy"): "no-referrer", HTTPHeader("Cross-Origin-Resource-Policy"): "same-origin",
        HTTPHeader("Cross-Origin-Opener-Policy"): "same-origin", HTTPHeader("X-Frame-Options"): "DENY",
    ]

    private func answer(_ status: HTTPStatusCode, _ type: String, _ more: [HTTPHeader: String] = [:]) -> HTTPResponse {
        var response = HTTPResponse(statusCode: status, headers: Self.headers)
        response.headers[.contentType] = type
        for (header, value) in more { response.headers[header] = value }
        return response
    }

    private func refusal(_ status: HTTPStatusCode, _ sentence: String) -> HTTPResponse {
        var response = answer(status, "text/plain; charset=utf-8", [.connection: "close"])
        response.payload = .httpBody(HTTPBodySequence(data: Data("\(sentence)\n".utf8)))
        return response
    }

    /// Its script and its style are its own, and it asks nobody but this server.
    private func page() -> HTTPResponse {
        var random = SystemRandomNumberGenerator()
        let nonce = hex(UInt64.random(in: .min ... .max, using: &random))
        var response = answer(
            .ok, "text/html; charset=utf-8",
            [
                HTTPHeader("Content-Security-Policy"): """
                default-src 'none'; script-src 'nonce-\(nonce)'; style-src 'nonce-\(nonce)'; connect-src 'self'; \
                img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
                require-trusted-types-for 'script'; trusted-types 'none'
                """
            ])
        let text = String(decoding: PackageResources.inspector_html, as: UTF8.self).replacing(
            "\"NONCE\"", with: "\"\(nonce)\"")
        response.payload = .httpBody(HTTPBodySequence(data: Data(text.utf8)))
        return response
    }

    private func events() -> HTTPResponse {
        guard let stream = feed.open() else { return refusal(.serviceUnavailable, "Too many pages are open.") }
        var response = answer(.ok, "text/event-stream")
        response.payload = .httpBody(HTTPBodySequence(from: Pieces(stream: stream)))
        return response
    }
}

/// A stream of pieces, as the server takes them.
private struct Pieces: AsyncBufferedSequence {
    typealias Element = UInt8
    let stream: AsyncStream<[UInt8]>

    func makeAsyncIterator() -> Iterator { Iterator(pieces: stream.makeAsyncIterator()) }

    struct Iterator: AsyncBufferedIteratorProtocol {
        var pieces: AsyncStream<[UInt8]>.Iterator

        mutating func nextBuffer(suggested count: Int) async -> [UInt8]? { await pieces.next() }

        /// The server reads pieces.
        mutating func next() async -> UInt8? { preconditionFailure("a byte of a stream of pieces was asked for") }
    }
}

private func hex(_ number: some FixedWidthInteger) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: number.bitWidth / 4 - digits.count) + digits
}
