import ArgumentParser
import FoundationEssentials
import Inspecting

/// `herald stream`: the streams in which the servers of a network store messages.
struct StreamCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stream",
        abstract: "Make, list and remove the streams that store messages on a network.",
        usage: "herald stream --network <servers> <subcommand>",
        discussion: """
            A stream stores all that is posted of its names, for durable observers: 'herald watch --durable' and \
            programs hear it later, also what was posted while they did not run. The servers need JetStream.

            EXAMPLES
              herald --network nats://a:4222 stream create SAVED --names com.acme.saved --replicas 3 --age 7d
              herald --network nats://a:4222 post com.acme.saved --store --message @notes.txt
              herald --network nats://a:4222 watch com.acme.saved --durable indexer --exec ./index
              herald --network nats://a:4222 stream observers SAVED
            """,
        subcommands: [
            StreamCreate.self, StreamList.self, StreamInfo.self, StreamRemove.self, StreamObservers.self,
            StreamForget.self,
        ])

    @ParentCommand var herald: Command
}

/// A command about the streams of a network.
protocol OnStreams: OnNetwork {
    var parent: StreamCommand { get }
}

extension OnStreams {
    var herald: Command { parent.herald }

    func streams() throws -> Network {
        guard let network = try network(says: false) else {
            throw ValidationError("stream needs --network: on this machine no messages are stored")
        }
        return network
    }
}

struct StreamCreate: OnStreams {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Make a stream that stores what is posted of names.",
        usage: """
            herald stream create --network <servers> <stream> [--names <name> ...]
                                 [--prefix <prefix> ...] [--all] [--replicas <n>]
                                 [--age <time>] [--bytes <size>] [--refuse-when-full]
            """,
        discussion: """
            An operator does this once. The messages are in files. They stay until they are too old (--age), or too \
            much (--bytes); without these, for ever. It is no error if the stream is there as it is asked for.
            """)

    @ParentCommand var parent: StreamCommand
    @Argument(help: "The stream's name, of 1 to 128 bytes.", transform: StreamName.check) var stream: String
    @Option(
        parsing: .singleValue,
        help: ArgumentHelp("Store the posts of this name. It may be given several times.", valueName: "name"),
        transform: HostName.check)
    var names: [String] = []
    @Option(
        parsing: .singleValue,
        help: ArgumentHelp(
            "Store the posts of the names that begin with this prefix and a dot. It may be given several times.",
            valueName: "prefix"),
        transform: HostName.checkPrefix)
    var prefix: [String] = []
    @Flag(help: "Store the posts of all names.") var all = false
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "On how many servers the stream is, 1 to 5: as many as 3 if the cluster has them.", valueName: "n"))
    var replicas = 1
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Discard messages that are older: a number of seconds, or with s, m, h or d, as 7d.", valueName: "time"),
        transform: Self.seconds)
    var age: Double?
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Hold so many bytes, and then discard the oldest messages: a number, or with K, M or G, as 10G.",
            valueName: "size"),
        transform: Self.size)
    var bytes: Int64?
    @Flag(help: "When --bytes are full, refuse new messages, and tell their posters, in place of discarding old ones.")
    var refuseWhenFull = false

    func validate() throws {
        for name in names { try HostName.checkNoPattern(name) }
        guard all || !names.isEmpty || !prefix.isEmpty else {
            throw ValidationError("there is nothing to store: give --names, --prefix or --all")
        }
        if all, let other = names.first ?? prefix.first {
            throw ValidationError("--all stores all names, \(other) too: give --all alone, or \(other) without it")
        }
        guard (1...5).contains(replicas) else {
            throw ValidationError("--replicas \(replicas) is not a number from 1 to 5")
        }
        guard !refuseWhenFull || bytes != nil else {
            throw ValidationError("--refuse-when-full needs --bytes: without a limit the stream is never full")
        }
    }

    func run() throws {
        let network = try streams()
        let subjects = try subjects(on: network)
        let age = Int64((age ?? 0) * 1e9), twoMinutes: Int64 = 120_000_000_000
        let config = StreamConfig(
            name: stream, subjects: subjects, retention: "limits", storage: "file", replicas: replicas,
            age: age, bytes: bytes ?? -1, discard: refuseWhenFull ? "new" : "old",
            window: age == 0 ? twoMinutes : min(age, twoMinutes))
        _ = try network.call("STREAM.CREATE.\(stream)", json(config), as: Stream.self)
    }

    /// Each post has one of these subjects: a server refuses those that overlap.
    private func subjects(on network: Network) throws -> [String] {
        if all { return [try network.subject(of: nil, under: "")] }
        let widest = unique(prefix).filter { text in !prefix.contains { HostName.isUnder($0, text) } }
        let single = unique(names).filter { text in !prefix.contains { HostName.isUnder($0, text) } }
        return try single.flatMap {
            let subject = try network.subject(of: $0, under: nil)
            // Messages about an object have subjects below the name, as if it were a prefix.
            let isPrefix = widest.map { ExactText($0) }.contains(ExactText($0))
            return isPrefix ? [subject] : [subject, "\(subject).%.*"]
        } + widest.map { try network.subject(of: nil, under: $0) }
    }

    private func unique(_ texts: [String]) -> [String] {
        var known: Set<ExactText> = []
        return texts.filter { known.insert(ExactText($0)).inserted }
    }

    /// Reads a time, such as 90, 90s, 15m, 12h or 7d.
    @Sendable private static func seconds(_ text: String) throws -> Double {
        let units: [Character: Double] = ["s": 1, "m": 60, "h": 3600, "d": 86400]
        let unit = text.last.flatMap { units[$0] }
        let digits = unit == nil ? text : String(text.dropLast())
        guard
            digits.utf8.allSatisfy({ $0 == UInt8(ascii: ".") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let number = Double(digits), number > 0
        else {
            throw ValidationError("--age \(text) is not a time, such as 90s, 15m, 12h or 7d")
        }
        let seconds = number * (unit ?? 1)
        guard (0.1...1e9).contains(seconds) else {
            throw ValidationError("--age \(text) is not a time from 0.1 seconds to 11,000 days")
        }
        return seconds
    }

    /// Reads a number of bytes, such as 1000000, 500M or 10G.
    @Sendable private static func size(_ text: String) throws -> Int64 {
        let units: [Character: Int64] = ["K": 1 << 10, "M": 1 << 20, "G": 1 << 30]
        let unit = text.last.flatMap { units[$0] }
        guard let number = Int64(unit == nil ? text : String(text.dropLast())), number > 0 else {
            throw ValidationError("--bytes \(text) is not a size, such as 500M or 10G")
        }
        let (size, isTooLarge) = number.multipliedReportingOverflow(by: unit ?? 1)
        guard !isTooLarge else { throw ValidationError("--bytes \(text) is too large") }
        return size
    }
}

struct StreamList: OnStreams {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the streams.",
        discussion: """
            A line for each stream of the account, with its messages, their bytes, its observers and its subjects, also \
            for streams of other programs.
            """)

    @ParentCommand var parent: StreamCommand
    @Flag(help: "Print a JSON array of objects, as 'herald stream info --json' prints one.") var json = false

    func run() throws {
        let all = try streams().all("STREAM.LIST", of: { (page: Streams) in page.streams ?? [] })
            .sorted { $0.config.name < $1.config.name }
        if json { return print(Inspecting.json(all.map { StreamSaid($0) })) }
        printTable(
            ["STREAM", "MESSAGES", "BYTES", "OBSERVERS", "SUBJECTS"],
            all.map {
                [
                    $0.config.name, "\($0.state.messages)", "\($0.state.bytes)", "\($0.state.observers)",
                    ($0.config.subjects ?? []).joined(separator: " "),
                ]
            }, numbers: 1...3)
    }
}

struct StreamInfo: OnStreams {
    static let configuration = CommandConfiguration(
        commandName: "info", abstract: "Show a stream: what it stores, its limits, and what it has.")

    @ParentCommand var parent: StreamCommand
    @Argument(help: "The stream's name.", transform: StreamName.check) var stream: String
    @Flag(
        help: """
            Print a JSON object: stream, subjects, replicas, age (seconds) and bytesLimit, if it has these limits, \
            refusesWhenFull, messages, bytes, first, last, observers and, in a cluster, leader.
            """)
    var json = false

    func run() throws {
        let said = StreamSaid(try streams().call("STREAM.INFO.\(stream)", as: Stream.self))
        if json { return print(Inspecting.json(said)) }
        let full = said.refusesWhenFull ? "new messages are refused" : "the oldest are discarded"
        let rows = [
            ("stream", said.stream), ("subjects", said.subjects.joined(separator: " ")),
            ("replicas", "\(said.replicas)"), ("leader", said.leader ?? "-"),
            ("age", said.age.map { "\(Column.number($0)) s" } ?? "no limit"),
            ("size", said.bytesLimit.map { "\($0) bytes, then \(full)" } ?? "no limit"),
            ("messages", "\(said.messages)"), ("bytes", "\(said.bytes)"),
            ("numbers", said.messages == 0 ? "-" : "\(said.first) to \(said.last)"),
            ("observers", "\(said.observers)"),
        ]
        for (word, value) in rows {
            print(word + String(repeating: " ", count: 11 - word.count) + printable(value))
        }
    }
}

struct StreamRemove: OnStreams {
    static let configuration = CommandConfiguration(
        commandName: "rm", abstract: "Remove a stream, its messages, and what the servers know of its observers.")

    @ParentCommand var parent: StreamCommand
    @Argument(help: "The stream's name.", transform: StreamName.check) var stream: String

    func run() throws {
        _ = try streams().call("STREAM.DELETE.\(stream)", as: Done.self)
    }
}

struct StreamObservers: OnStreams {
    static let configuration = CommandConfiguration(
        commandName: "observers",
        abstract: "List the durable observers of a stream.",
        discussion: """
            A line for each: HEARD is the number of the last message up to which it has heard all; WAITING, how many \
            messages it has not been given yet; GIVEN, how many it has been given and has not heard yet; AGAIN, how many \
            of these were given more than once; and LISTENING, how many processes ask for messages now.
            """)

    @ParentCommand var parent: StreamCommand
    @Argument(help: "The stream's name.", transform: StreamName.check) var stream: String
    @Flag(help: "Print a JSON array of objects: observer, heard, waiting, given, again and listening.") var json = false

    func run() throws {
        let all = try streams().all("CONSUMER.LIST.\(stream)", of: { (page: Consumers) in page.consumers ?? [] })
            .map { ObserverSaid($0) }.sorted { $0.observer < $1.observer }
        if json { return print(Inspecting.json(all)) }
        printTable(
            ["OBSERVER", "HEARD", "WAITING", "GIVEN", "AGAIN", "LISTENING"],
            all.map { [$0.observer, "\($0.heard)", "\($0.waiting)", "\($0.given)", "\($0.again)", "\($0.listening)"] },
            numbers: 1...5)
    }
}

struct StreamForget: OnStreams {
    static let configuration = CommandConfiguration(
        commandName: "forget",
        abstract: "Let the servers forget a durable observer.",
        usage: "herald stream forget --network <servers> [<stream>] <observer>",
        discussion: """
            An observer of this name that comes later is a new one. One that is still there begins again. Without \
            <stream> it is the one stream that has an observer of this name.
            """)

    @ParentCommand var parent: StreamCommand
    @Argument(
        help: ArgumentHelp("The stream's name, and the observer's.", valueName: "stream> <observer"),
        transform: StreamName.check)
    var names: [String]

    func validate() throws {
        guard names.count <= 2 else { throw ValidationError("there are two names: a stream's and an observer's") }
    }

    func run() throws {
        let network = try streams()
        if names.count == 1 { return try network.forget(durable: names[0], stream: nil) }
        _ = try network.call("CONSUMER.DELETE.\(names[0]).\(names[1])", as: Done.self)
    }
}
