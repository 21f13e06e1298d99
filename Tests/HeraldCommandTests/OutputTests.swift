import Foundation
import Glibc
import Processes
import Testing

/// The command's output for arbitrary texts and numbers.
@Suite final class OutputTests {
    private let scratch: Scratch
    private var folder: String { scratch.path }

    init() throws { scratch = try Scratch("output") }

    private func script(_ text: String) async throws -> ProcessOutput {
        try await scratch.run(text)
    }

    /// Control characters, including C1 and DEL; those of bidirectional text; separators of lines and paragraphs; tags.
    private func isHidden(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case ..<0x20, 0x7f...0x9f, 0x61c, 0x200e, 0x200f, 0x2028...0x202e, 0x2066...0x2069, 0xe0000...0xe007f: true
        default: false
        }
    }

    /// The text that a line shows in escaped form.
    private func text(of line: ArraySlice<UInt8>) -> [UInt8] {
        var text: [UInt8] = [], rest = line
        while let start = rest.firstRange(of: Array("\\u{".utf8)),
            let end = rest[start.upperBound...].firstIndex(of: 0x7d)
        {
            let digits = String(decoding: rest[start.upperBound..<end], as: UTF8.self)
            text += rest[..<start.lowerBound]
            text += UInt32(digits, radix: 16).flatMap(Unicode.Scalar.init).map { Array(String($0).utf8) } ?? []
            rest = rest[(end + 1)...]
        }
        return text + rest
    }

    @Test("All code points are one line, which stands for no other text, as a line and as JSON")
    func codePoints() async throws {
        var pieces = [[UInt8]()]
        for value in UInt32(0)...0x10ffff where value != 0x0d {
            guard let scalar = Unicode.Scalar(value) else { continue }
            pieces[pieces.count - 1] += Array(String(scalar).utf8)
            if pieces[pieces.count - 1].count > 60_000 { pieces.append([]) }
        }
        pieces.append(Array("\r\n\\u{a}\\u{d}\\u00e9\\n\\".utf8))
        for (index, piece) in pieces.enumerated() {
            try Data(piece).write(to: URL(fileURLWithPath: "\(folder)/\(index)"))
        }
        let output = try await script(
            """
            mkfifo ready ready--json
            for form in '' --json; do
                herald watch a $form --count \(pieces.count) --timeout 200 --ready-fd 3 3> ready$form > lines$form & read -r line < ready$form
            done
            for i in $(seq 0 \(pieces.count - 1)); do
                herald post a --message @$i
                # No faster than they hear it.
                [ $((i % 8)) = 7 ] && for form in '' --json; do
                    until [ $(wc -l < lines$form) -gt $i ]; do sleep 0.01; done
                done
            done
            wait
            """)
        #expect(output.text.isEmpty && output.errors.isEmpty, "\(output.text)\(output.errors)")
        for form in ["", "--json"] {
            let said = try String(contentsOfFile: "\(folder)/lines\(form)", encoding: .utf8)
            let lines = Array(said.utf8).split(separator: UInt8(ascii: "\n"))
            try #require(lines.count == pieces.count)
            #expect(!said.unicodeScalars.contains { isHidden($0) && $0 != "\n" })
            for (line, piece) in zip(lines, pieces) {
                if form.isEmpty {
                    #expect(text(of: line.dropFirst(3)) == piece)
                } else {
                    let object = try JSONSerialization.jsonObject(with: Data(line)) as? [String: Any]
                    #expect((object?["message"] as? String).map { Array($0.utf8) } == piece)
                }
            }
        }
    }

    @Test("No output of any command has a text that controls the terminal, and names that only look alike are two")
    func names() async throws {
        let name = #"$'a\e\x7f\xc2\x9b\u061c\u202e\u2066\u2028\U000e0041\n'"#
        let output = try await script(
            """
            name=\(name); mkfifo ready
            HERALD_INSPECT=1 herald watch "$name" $'e\\xcc\\x81' $'\\xc3\\xa9' -v --ready-fd 3 3> ready > lines & program=$!
            read -r line < ready
            (until [ -e over ]; do herald post "$name" --message "$name" --object "$name" --type x; sleep 0.01; done) &
            ask inspect $program > inspect; ask inspect $program --json > inspect.json; herald inspect --json > all
            ask trace $program --limit 2 > trace; ask trace $program --limit 2 --json > trace.json
            herald top --once > top; timeout 250 herald top --json | head -n 1 > top.json; touch over; wait %2
            herald state "$name" 18446744073709551615; herald list > list; herald list --json > list.json
            herald post "$name" -v 2> post; herald state "$name" "$name" 2> state
            mkdir "$name"; HERALD_HOST_DIRECTORY="$PWD/$name" herald path > path
            kill $program; wait $program
            grep -c 'observers of 3 names' inspect; grep -o '"stateText":"[0-9]*"' list.json
            for file in inspect inspect.json trace trace.json top top.json list list.json post state path lines; do
                grep -q 'u{\\?0*1b' $file || echo "$file has no name"
            done
            """)
        #expect(output.text == "1\n\"stateText\":\"18446744073709551615\"\n", "\(output.text)\(output.errors)")
        for file in try FileManager.default.contentsOfDirectory(atPath: folder) {
            guard let bytes = FileManager.default.contents(atPath: "\(folder)/\(file)"), !file.hasPrefix("herald")
            else {
                continue
            }
            let text = String(decoding: bytes, as: UTF8.self)
            #expect(!text.unicodeScalars.contains { isHidden($0) && $0 != "\n" }, "\(file): \(text.debugDescription)")
        }
    }

    @Test("A program that says the largest numbers ends nobody", arguments: ["18446744073709551615", "0"])
    func liar(_ number: String) async throws {
        let liar = try Liar(in: folder, numbers: number)
        defer { liar.end() }
        let output = try await script(
            """
            for command in 'top --once' 'inspect' 'inspect \(getpid())' 'inspect \(getpid()) --json' \\
                'trace \(getpid()) --limit 2' 'trace \(getpid()) --limit 2 --json' \\
                'trace \(getpid()) --limit 2 --perfetto file'; do
                ask $command > out 2> errors || echo "$command: $? $(cat errors)"
            done
            """)
        #expect(output.text.isEmpty, "\(output.text)\(output.errors)")
    }
}

/// Answers like an inspector, with false numbers.
private final class Liar: Sendable {
    private let listener: Int32
    private let numbers: String

    init(in folder: String, numbers: String) throws {
        self.numbers = numbers
        let sockets = "\(folder)/herald-inspect"
        try FileManager.default.createDirectory(
            atPath: sockets, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: "\(sockets)/\(getpid())".utf8) }
        let status = withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        // If sockets have the process's identity in their names, the name has it, too.
        link("\(sockets)/\(getpid())", "\(sockets)/\(getpid()).0123456789abcdef")
        try #require(status == 0 && listen(listener, 16) == 0)
        Thread { [self] in
            while case let client = accept(listener, nil, nil), client >= 0 { Thread { self.serve(client) }.start() }
        }.start()
    }

    func end() {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }

    private func serve(_ client: Int32) {
        guard let input = fdopen(client, "r") else { return }
        defer { fclose(input) }
        var line = [CChar](repeating: 0, count: 256)
        while fgets(&line, 256, input) != nil {
            let request = String(decoding: line.prefix { $0 > 32 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            guard send(Array(answer(to: request).utf8), to: client) else { return }
        }
    }

    /// Sends one part at a time, because this process may be stopped in between.
    private func send(_ bytes: [UInt8], to client: Int32) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let now = bytes[sent...].withUnsafeBytes {
                Glibc.send(client, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if now < 0 { return false }
            sent += now
        }
        return true
    }

    private func answer(to request: String) -> String {
        let n = numbers, end = "{\"type\":\"end\",\"of\":\"\(request)\",\"count\":\(n)}\n"
        func twice(_ line: String) -> String { "\(line)\n\(line)\n" }
        switch request {
        case "hello":
            return
                "{\"type\":\"hello\",\"pid\":1,\"program\":\"liar\",\"observers\":1,\"centers\":9223372036854775807}\n"
        case "centers":
            return twice("{\"type\":\"center\",\"center\":\(n),\"queued\":\(n),\"dropped\":\(n),\"kind\":\"host\"}")
                + end
        case "observers":
            return twice(
                "{\"type\":\"observer\",\"center\":\(n),\"id\":\"1\",\"order\":\(n),\"name\":\"n\",\"queued\":\(n),\"waiting\":\(n)}"
            ) + end
        case "running":
            return twice("{\"type\":\"running\",\"center\":\(n),\"id\":\"1\",\"since\":\(n)}")
                + "{\"type\":\"running\",\"center\":\(n),\"id\":\"1\",\"since\":1}\n" + end
        case "counts":
            return twice(
                "{\"type\":\"count\",\"window\":\(n),\"center\":\(n),\"name\":\"n\",\"posts\":\(n),\"calls\":\(n),\"ns\":\(n),\"longest\":\(n)}"
            ) + end
        case "trace":
            // Nested calls are reported as they end: the innermost first.
            let chain = (0..<60_000).map { level in
                "{\"type\":\"post\",\"span\":\"c\(level)\",\"parent\":\"c\(level + 1)\",\"name\":\"n\",\"begin\":\(n),\"end\":0}\n"
            }.joined()
            let event = "\"parent\":\"0\",\"center\":\(n),\"id\":\"1\",\"name\":\"n\",\"thread\":4294967295"
            return "{\"type\":\"lost\",\"posts\":\(n),\"calls\":\(n)}\n"
                + "{\"type\":\"queued\",\"span\":\"1\",\(event),\"carrier\":\"c\",\"message\":\(n),\"begin\":\(n),\"end\":0}\n"
                + "{\"type\":\"heard\",\"span\":\"2\",\(event),\"carrier\":\"c\",\"message\":\(n),\"begin\":\(n),\"end\":0}\n"
                + chain + "{\"type\":\"post\",\"span\":\"c60000\",\(event),\"begin\":\(n),\"end\":0}\n"
                + "{\"type\":\"post\",\"span\":\"4\",\(event),\"begin\":0,\"end\":\(n)}\n"
        default: return ""
        }
    }
}
