import ArgumentParser
import CHerald
import CHeraldHost
import FoundationEssentials
#if canImport(Glibc)
@preconcurrency import Glibc
#elseif canImport(Musl)
@preconcurrency import Musl
#endif
import Herald
import Inspecting

/// `herald kept`: the messages that are kept for observers that come later.
struct KeptCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "kept",
        abstract: "List or forget the messages that are kept for observers that come later.",
        usage: "herald [--network <servers>] kept <subcommand>",
        discussion: """
            'herald post --keep' and programs keep messages: the newest one of each name and object. 'herald watch \
            --kept' hears them first.

            EXAMPLES
              herald post com.acme.settings --keep --message @settings.json
              herald watch --kept com.acme.settings
              herald kept list --prefix com.acme
              herald kept forget com.acme.settings
              herald --network nats://a:4222 kept create --replicas 3
            """,
        subcommands: [KeptList.self, KeptForget.self, KeptCreate.self])

    @ParentCommand var herald: Command
}

struct KeptList: OnNetwork {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the kept messages.",
        discussion: """
            A line for each message: its name, its object or -, the media type of its bytes or -, and their number.
            """)

    @ParentCommand var parent: KeptCommand
    var herald: Command { parent.herald }
    @Option(
        help: ArgumentHelp(
            "List the names that begin with this prefix and a dot, not the prefix itself.", valueName: "prefix"),
        transform: HostName.checkPrefix)
    var prefix: String?
    @Flag(
        help: """
            Print a JSON array of objects: name, object, type, length and message, or base64 if it is not UTF-8.
            """)
    var json = false

    func run() throws {
        let network = try network(says: false)
        var all = try network.map { try Kept.all(of: $0) } ?? Kept.all()
        if let prefix { all.removeAll { !HostName.isUnder(prefix, $0.name) } }
        if json { return print(Inspecting.json(all)) }
        printTable(
            ["NAME", "OBJECT", "TYPE", "BYTES"],
            all.map { [$0.name, $0.object ?? "-", $0.type ?? "-", "\($0.length)"] }, numbers: 3...3)
    }
}

struct KeptForget: OnNetwork {
    static let configuration = CommandConfiguration(
        commandName: "forget",
        abstract: "Forget a kept message.",
        usage: "herald kept forget <name> [--object <text>]",
        discussion: """
            Observers that come later begin without it; no observer is called. Without --object it is the message that \
            was posted without one. If nothing is kept, the exit status is 1.
            """)

    @ParentCommand var parent: KeptCommand
    var herald: Command { parent.herald }
    @Argument(help: HostName.help, transform: HostName.check) var name: String
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The object that the message is about.", valueName: "text"))
    var object: String?

    func run() throws {
        try HostName.checkNoPattern(name)
        let isForgotten = try network(says: false).map { try $0.forget(name, object) } ?? Kept.forget(name, object)
        if !isForgotten {
            let about = object.map { " about \($0)" } ?? ""
            throw Unusable("nothing is kept of \(name)\(about)", status: 1)
        }
    }
}

struct KeptCreate: OnNetwork {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Make the stream in which the servers of a network keep messages.",
        usage: "herald kept create --network <servers> [--replicas <n>]",
        discussion: """
            An operator does this once for each prefix. The servers need JetStream. It is no error if the stream is there.
            """)

    @ParentCommand var parent: KeptCommand
    var herald: Command { parent.herald }
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "On how many servers the stream is, 1 to 5: as many as 3 if the cluster has them.", valueName: "n"))
    var replicas = 1

    func validate() throws {
        guard (1...5).contains(replicas) else {
            throw ValidationError("--replicas \(replicas) is not a number from 1 to 5")
        }
    }

    func run() throws {
        guard let network = try network(says: false) else {
            throw ValidationError("kept create needs --network: on this machine messages are kept without it")
        }
        try network.createKept(replicas)
    }
}

/// A message that the host center keeps.
struct Kept: Encodable {
    let name: String
    let object: String?
    let type: String?
    let length: Int
    let message: String?
    let base64: String?

    private init(_ name: HeraldNameRef, _ message: HeraldMessage) {
        let bytes = Array(UnsafeRawBufferPointer(start: message.bytes, count: message.length))
        self.name = String(cString: HeraldNameGetUTF8String(name))
        object = message.object.map { String(cString: $0) }
        type = message.type.map { String(cString: $0) }
        length = bytes.count
        self.message = String(validating: bytes, as: UTF8.self)
        base64 = self.message == nil ? Data(bytes).base64EncodedString() : nil
    }

    /// All of this machine, sorted.
    static func all() throws -> [Kept] {
        try attempt(HeraldHostVisitNames({ _, _ in }, nil))  // the reason, if the file cannot be used
        return all(of: HeraldCenterGetHostCenter())
    }

    /// All of a network, sorted.
    static func all(of network: Network) throws -> [Kept] {
        try network.begin()
        HeraldSetErrorDescription(HeraldOK, "")  // a visit returns no status, but sets the reason if it fails
        let all = all(of: network.native)
        let reason = String(cString: HeraldGetErrorDescription())
        if !reason.isEmpty { throw Unusable(reason) }
        return all
    }

    private static func all(of center: HeraldCenterRef) -> [Kept] {
        var all: [Kept] = []
        withUnsafeMutablePointer(to: &all) { all in
            HeraldCenterVisitKept(
                center,
                { all, name, _, message, _ in
                    guard let all, let name, let message else { return }
                    let kept = Kept(name, message.assumingMemoryBound(to: HeraldMessage.self).pointee)
                    all.assumingMemoryBound(to: [Kept].self).pointee.append(kept)
                }, all)
        }
        return all.sorted { ($0.name, $0.object ?? "") < ($1.name, $1.object ?? "") }
    }

    static func forget(_ name: String, _ object: String?) throws -> Bool {
        try attempt(HeraldHostVisitNames({ _, _ in }, nil))
        guard let native = HeraldNameCreate(name) else { throw Unusable("out of memory") }
        guard let object else { return HeraldCenterForget(HeraldCenterGetHostCenter(), native, nil) }
        guard let text = HeraldObjectForString(object) else { throw Unusable("out of memory") }
        return HeraldCenterForget(HeraldCenterGetHostCenter(), native, text)
    }
}
