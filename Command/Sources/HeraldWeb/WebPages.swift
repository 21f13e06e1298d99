import FlyingFox
import FoundationEssentials
import Synchronization

/// Answers a browser: with the page, and with the stream of events.
///
/// A request must have the token that is in the printed address, and must name this machine as 127.0.0.1 or
/// `localhost`. So a page of another site whose name points here (DNS rebinding) is refused.
final class WebPages: Sendable {
    let token: String
    private let port: UInt16
    private let feed = WebFeed()

    init(port: UInt16) {
        self.port = port
        var random = SystemRandomNumberGenerator()
        token = (0..<4).map { _ in hex(UInt32.random(in: .min ... .max, using: &random)) }.joined()
    }

    /// - Parameter request: Nil: the bytes were no request.
    func answer(to request: WebRequest?, on connection: WebConnection) -> WebAnswer {
        guard let request else { return refusal(.badRequest, "This is no request.") }
        let isHere = request.hosts == ["127.0.0.1:\(port)"] || request.hosts == ["localhost:\(port)"]
        guard isHere, request.tokens.count == 1, isToken(request.tokens[0]) else {
            return refusal(.forbidden, "Open the address that 'herald inspect --web' has printed.")
        }
        guard request.method == "GET" else {
            return refusal(.methodNotAllowed, "There is nothing but pages to get here.")
        }
        switch request.path {
        case "/": return page()
        case "/events": return events(on: connection)
        default: return refusal(.notFound, "There is no such page.")
        }
    }

    /// Takes the same time for every text of that length.
    private func isToken(_ text: String) -> Bool {
        let (text, token) = (Array(text.utf8), Array(token.utf8))
        return text.count == token.count && zip(text, token).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }

    // ---- Answers

    private func answer(_ status: HTTPStatusCode, _ type: String, body: String = "") -> WebAnswer {
        WebAnswer(
            status: status,
            headers: [
                ("Content-Type", "\(type); charset=utf-8"), ("Cache-Control", "no-store"),
                ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"),
                ("Cross-Origin-Resource-Policy", "same-origin"), ("Cross-Origin-Opener-Policy", "same-origin"),
                ("X-Frame-Options", "DENY"),
            ], body: Data(body.utf8))
    }

    private func refusal(_ status: HTTPStatusCode, _ sentence: String) -> WebAnswer {
        answer(status, "text/plain", body: "\(sentence)\n")
    }

    /// The page runs its own script and style only, and connects to this server only.
    private func page() -> WebAnswer {
        var random = SystemRandomNumberGenerator()
        let nonce = hex(UInt64.random(in: .min ... .max, using: &random))
        let text = String(decoding: PackageResources.inspector_html, as: UTF8.self)
        var page = answer(.ok, "text/html", body: text.replacing("\"NONCE\"", with: "\"\(nonce)\""))
        page.headers.append(
            (
                "Content-Security-Policy",
                """
                default-src 'none'; script-src 'nonce-\(nonce)'; style-src 'nonce-\(nonce)'; connect-src 'self'; \
                img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
                require-trusted-types-for 'script'; trusted-types 'none'
                """
            ))
        return page
    }

    private func events(on connection: WebConnection) -> WebAnswer {
        guard let page = feed.open(connection) else { return refusal(.serviceUnavailable, "Too many pages are open.") }
        var events = answer(.ok, "text/event-stream")
        events.page = page
        return events
    }
}

private func hex(_ number: some FixedWidthInteger) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: number.bitWidth / 4 - digits.count) + digits
}
