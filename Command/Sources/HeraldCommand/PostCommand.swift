import ArgumentParser
import CHeraldHost
@preconcurrency import Glibc

struct Post: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Post names.",
        discussion: """
            Returns when the posts are made, and does not wait for observers. An observer that is slow gets several posts \
            as one. It is no error to post a name that has no observer. With --stdin, a line that is not a name ends the \
            command with status 64; the lines before it have been posted.
            """)

    @Argument(help: HostName.help, transform: HostName.check) var names: [String] = []
    @Option(name: .shortAndLong, help: ArgumentHelp("Post each name this many times.", valueName: "n")) var count = 1
    @Flag(
        help:
            "For every line of standard input, post the names given or, if there are none, the line itself."
    )
    var stdin = false

    func validate() throws {
        guard !names.isEmpty || stdin else { throw ValidationError("a name to post is missing") }
        guard count > 0 else { throw ValidationError("--count is not a positive number") }
    }

    func run() throws {
        guard stdin else { return try names.forEach { try post($0) } }
        var input = Input()
        while let line = try input.next() {
            if names.isEmpty {
                let name: String
                do { name = try HostName.check(line.text()) } catch let error as ValidationError {
                    throw ValidationError("line \(line.number): \(error.message)")
                }
                try post(name)
            } else {
                try names.forEach { try post($0) }
            }
        }
    }

    private func post(_ name: String) throws {
        for _ in 0..<count { try attempt(HeraldHostPost(name)) }
    }
}

/// The lines of standard input, byte for byte.
private struct Input: ~Copyable {
    struct Line {
        let number: Int
        let bytes: [UInt8]

        func text() throws -> String {
            guard !bytes.contains(0), let text = String(validating: bytes, as: UTF8.self) else {
                throw ValidationError("it is not UTF-8, or has a NUL in it")
            }
            return text
        }
    }

    private var buffer: UnsafeMutablePointer<CChar>?
    private var size = 0
    private var number = 0

    mutating func next() throws -> Line? {
        let length = getline(&buffer, &size, stdin)
        guard length > 0, let buffer else { return nil }
        number += 1
        var bytes = UnsafeRawBufferPointer(start: buffer, count: length).map { $0 }
        if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
        return Line(number: number, bytes: bytes)
    }

    deinit { free(buffer) }
}
