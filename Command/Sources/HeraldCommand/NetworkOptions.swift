import ArgumentParser
#if canImport(Glibc)
@preconcurrency import Glibc
#elseif canImport(Musl)
@preconcurrency import Musl
#endif
import Herald

/// A command that works on a network as on this machine.
protocol OnNetwork: ParsableCommand {
    var herald: Command { get }
}

extension OnNetwork {
    /// The center of `--network`; nil: the host center.
    /// - Parameter says: Whether its events are printed on stderr.
    func network(says: Bool) throws -> Network? {
        try herald.network.servers == nil ? nil : Network(herald.network, says: says)
    }
}

/// `--network`, and the options for its servers.
struct NetworkOptions: ParsableArguments {
    @Option(
        name: .customLong("network"),
        help: ArgumentHelp(
            """
            Post or watch on all machines, through these NATS servers, such as nats://a:4222,nats://b:4222 or \
            tls://user:password@c.
            """, valueName: "servers"))
    var servers: String?
    @Option(help: ArgumentHelp("A file of credentials (.creds) for the servers.", valueName: "path"))
    var credentials: String?
    @Option(help: ArgumentHelp("A file with the seed of an nkey.", valueName: "path")) var nkey: String?
    @Option(
        help: ArgumentHelp(
            "The authority that has signed the servers' certificates (PEM); the connection must be TLS.",
            valueName: "path"))
    var ca: String?
    @Option(help: ArgumentHelp("A certificate to show to the servers (PEM).", valueName: "path")) var cert: String?
    @Option(help: ArgumentHelp("The key of --cert (PEM).", valueName: "path")) var key: String?
    @Option(
        help: ArgumentHelp(
            "The beginning of the subjects on the servers (default: herald).", valueName: "text"))
    var networkPrefix: String?

    /// The first argument that is neither an option nor the value of one of these.
    static func firstWord(of arguments: some Sequence<String>) -> String? {
        let valued: Set = [
            "--network", "--credentials", "--nkey", "--ca", "--cert", "--key", "--network-prefix",
            "--generate-completion-script",
        ]
        var isValue = false
        for argument in arguments {
            if !isValue && !argument.hasPrefix("-") { return argument }
            isValue = valued.contains(argument)
        }
        return nil
    }

    func validate() throws {
        let others = [
            ("--credentials", credentials), ("--nkey", nkey), ("--ca", ca), ("--cert", cert), ("--key", key),
            ("--network-prefix", networkPrefix),
        ]
        for (option, value) in others where value != nil && servers == nil {
            throw ValidationError("\(option) needs --network")
        }
        guard (cert == nil) == (key == nil) else { throw ValidationError("--cert and --key need each other") }
    }

    /// Throws if `--network` was given to a command that is about this machine.
    static func check(_ command: any ParsableCommand) throws {
        guard !(command is any OnNetwork) else { return }
        guard !CommandLine.arguments.contains(where: { $0 == "--network" || $0.hasPrefix("--network=") }) else {
            throw ValidationError("--network is for post, watch, kept and stream")
        }
    }
}
