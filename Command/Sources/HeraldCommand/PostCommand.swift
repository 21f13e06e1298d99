import ArgumentParser
import CHerald
import CHeraldHost
#if canImport(Glibc)
@preconcurrency import Glibc
#elseif canImport(Musl)
@preconcurrency import Musl
#endif
import Herald
import Inspecting

struct Post: OnNetwork {
    static let configuration = CommandConfiguration(
        abstract: "Post names, or messages.",
        usage: """
            herald post [<names> ...] [--message <text>] [--type <media-type>] [--object <text>] [--keep]
                        [--store] [--count <n>] [--stdin] [--verbose]
            """,
        discussion: """
            Returns when the posts are made, and does not wait for observers. It is no error to post a name that has \
            no observer. A post is the name alone, and an observer that is slow gets several as one; with --message it \
            carries bytes, at most 65536, and each observer gets each message. With --stdin, a line that is not a name \
            ends the command with status 64; the lines before it have been posted. With --message - each line is a \
            message of the names given. With --network it returns when a server has confirmed the posts, and fails \
            when posts may be lost; a message is as large as the server takes. With --store it returns when a stream has \
            stored each message, and fails if that is not known: it may be stored then.
            """)

    @ParentCommand var herald: Command
    @Argument(help: HostName.help, transform: HostName.check) var names: [String] = []
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            """
            Post a message with this text. With @ before it, it is the path of a file whose bytes are the message; - \
            is standard input, and with --stdin each line of it.
            """, valueName: "text"))
    var message: String?
    @Option(
        help: ArgumentHelp("The media type of the message, such as application/json.", valueName: "media-type"))
    var type: String?
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The object of the message. With the type at most 1024 bytes.", valueName: "text"))
    var object: String?
    @Flag(
        help: """
            Keep the message for observers that come later, in place of what was kept of the name and the object: \
            'herald watch --kept' and programs hear it first.
            """
    )
    var keep = false
    @Flag(
        help: """
            Wait until a stream has stored the message: 'herald stream create' makes one. With --verbose, print on \
            stderr the number that it has there. Needs --network and --message.
            """
    )
    var store = false
    @Option(
        name: .shortAndLong, parsing: .unconditional,
        help: ArgumentHelp("Post each name this many times.", valueName: "n")) var count = 1
    @Flag(
        help:
            "For every line of standard input, post the names given or, if there are none, the line itself."
    )
    var stdin = false
    @Flag(
        name: .shortAndLong,
        help: """
            Print on stderr how many processes observe each name when it is posted first, and whether others observe \
            a prefix or all names. With --network, what happens to the connection.
            """)
    var verbose = false

    func validate() throws {
        guard !names.isEmpty || stdin else { throw ValidationError("a name to post is missing") }
        guard count > 0 else { throw ValidationError("--count \(count) is not a positive number") }
        guard message != nil || type == nil else { throw ValidationError("--type needs --message") }
        guard message != nil || object == nil else { throw ValidationError("--object needs --message") }
        guard message != nil || !keep else {
            throw ValidationError(
                "--keep needs --message: of a name alone nothing is kept but its number, which 'herald state' sets")
        }
        guard message != nil || !store else { throw ValidationError("--store needs --message") }
        guard !store || !keep else {
            throw ValidationError("--store stores each message, and --keep the newest alone: give one of them")
        }
        guard !isMessageALine || !names.isEmpty else {
            throw ValidationError("with --stdin and --message - each line is a message: the names to post are missing")
        }
        if let type, let scalar = type.unicodeScalars.first(where: { $0.properties.generalCategory == .control }) {
            let number = String(scalar.value, radix: 16, uppercase: true)
            throw ValidationError(
                "--type has the control character U+00\(scalar.value < 16 ? "0" : "")\(number): a media type is one line, such as text/plain"
            )
        }
    }

    /// Whether each line of standard input is a message.
    private var isMessageALine: Bool { stdin && message == "-" }

    func run() throws {
        let network = try network(says: verbose)
        guard network != nil || !store else {
            throw ValidationError("--store needs --network: on this machine no messages are stored")
        }
        var poster = Poster(
            message: try isMessageALine
                ? nil
                : message.map {
                    try Message($0, object: object, type: type, isKept: keep)
                },
            count: count, isVerbose: verbose, stores: store, network: network)
        do {
            try postAll(&poster)
        } catch {
            try? network?.end()  // earlier posts are still sent
            throw error
        }
        try network?.end()
    }

    private func postAll(_ poster: inout Poster) throws {
        guard stdin else { return try names.forEach { try poster.post($0) } }
        var input = Input()
        while let line = try input.next() {
            if isMessageALine { poster.message = Message(line.bytes, object: object, type: type, isKept: keep) }
            if names.isEmpty {
                let name: String
                do { name = try HostName.check(line.text()) } catch let error as ValidationError {
                    throw ValidationError("line \(line.number): \(error.message)")
                }
                try poster.post(name)
            } else {
                do { try names.forEach { try poster.post($0) } } catch let error as Unusable where isMessageALine {
                    throw Unusable("line \(line.number): \(error.reason)", status: error.status)
                }
            }
        }
    }
}

private struct Poster {
    var message: Message?
    let count: Int
    let isVerbose: Bool
    /// Whether each message waits until it is stored.
    let stores: Bool
    /// Nil: the host center.
    let network: Network?
    private var told: Set<HeraldCenter.Name> = []

    init(message: Message?, count: Int, isVerbose: Bool, stores: Bool, network: Network?) {
        self.message = message
        self.count = count
        self.isVerbose = isVerbose
        self.stores = stores
        self.network = network
    }

    mutating func post(_ name: String) throws {
        let isFirst = isVerbose && network == nil && told.insert(HeraldCenter.Name(exactly: name)).inserted
        let audience = isFirst ? try Audience(of: name) : nil
        for _ in 0..<count {
            if let network, stores, let message {
                let number = try network.store(name, message)
                if isVerbose { fputs("herald: \(printable(name)): stored as \(number)\n", stderr) }
            } else if let network {
                try network.post(name, message)
            } else if let message {
                try message.post(name)
            } else {
                try attempt(HeraldHostPost(name))
            }
        }
        if let audience { fputs("herald: \(printable(name)): \(audience)\n", stderr) }
    }
}

/// The processes that would hear a post of a name.
private struct Audience: CustomStringConvertible {
    private let watchers: UInt32
    /// Processes that observe any prefix, or all names.
    private let wide: UInt32

    init(of name: String) throws {
        watchers = try Table.row(of: name)?.watchers ?? 0
        wide = HeraldHostGetPrefixWatcherCount()
    }

    var description: String {
        let byName = watchers == 1 ? "1 process observes it" : "\(watchers) processes observe it"
        if wide == 0 { return byName }
        let byPrefix =
            wide == 1 ? "1 process observes a prefix or all names" : "\(wide) processes observe a prefix or all names"
        return watchers == 0 ? byPrefix : "\(byName) by name, and \(byPrefix)"
    }
}
