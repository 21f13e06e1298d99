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
