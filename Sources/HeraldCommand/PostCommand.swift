import ArgumentParser
import CHeraldHost

struct Post: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Post names.",
        discussion: """
            Returns when the posts are made; observers hear them in their own time, and one that is slow hears several as \
            one. A name that nobody observes is posted to nobody, which is no error.
            """)

    @Argument(help: HostName.help, transform: HostName.check) var names: [String] = []
    @Option(name: .shortAndLong, help: ArgumentHelp("Post each name this often.", valueName: "n")) var count = 1
    @Flag(
        help:
            "Post once for every line that is read from standard input: the names given, or, if there are none, the line."
    )
    var stdin = false

    func validate() throws {
        guard !names.isEmpty || stdin else { throw ValidationError("a name to post is missing") }
        guard count > 0 else { throw ValidationError("--count is not a positive number") }
    }

    func run() throws {
        guard stdin else { return try names.forEach { try post($0) } }
        var number = 0
        while let line = readLine() {
            number += 1
            if !names.isEmpty {
                try names.forEach { try post($0) }
            } else if let name = try? HostName.check(line) {
                try post(name)
            } else {
                throw ValidationError("line \(number): a name has 1 to 512 bytes")
            }
        }
    }

    private func post(_ name: String) throws {
        for _ in 0..<count { try attempt(HeraldHostPost(name)) }
    }
}
