import ArgumentParser
import CHeraldHost
import Dispatch
@preconcurrency import Glibc
import Herald
import Synchronization
import Inspecting

struct Watch: OnNetwork {
    static let configuration = CommandConfiguration(
        abstract: "Print names and messages when they are posted.",
        usage: """
            herald watch [<names> ...] [--prefix <prefix> ...] [--all] [--exec <command>]
                         [--exec-timeout <seconds>] [--once] [--count <n>] [--timeout <seconds>]
                         [--json] [--verbose]
            """,
        discussion: """
            Prints a line for each post. For a name alone it is the name and, if the line stands for several posts, \
            their number; for a message it is the name, what the message is about, and its text. With --exec it runs a \
            command instead, one at a time; posts of a name that come meanwhile are counted together, but with \
            --prefix or --all each is heard by itself. Messages are heard one by one, and the oldest are lost if it is \
            too slow.

            The command of --exec has in its environment HERALD_NAME and HERALD_POSTS, the number of posts. For a \
            message it has HERALD_OBJECT and HERALD_TYPE if the message has them, HERALD_LENGTH, HERALD_SEQUENCE (its \
            place in the order of messages), HERALD_MISSED (messages lost since the one before), HERALD_SENDER (a \
            process number) and, if it is UTF-8 without a NUL, HERALD_MESSAGE. Its standard input is the message, \
            or empty.

            The exit status is that of the last command that failed: 128 and the signal's number if a signal ended it, \
            124 if it ran out of time. A signal that ends this process is sent to the command first, which has five \
            seconds to end.

            With --network it watches what is posted on all machines, HERALD_SENDER is a random number, and what \
            happens to the connection is said on stderr. It waits five seconds for a server to begin with, and as long \
            as need be for one that comes back. A name that the servers do not allow ends it with 77.
            """)

    @ParentCommand var herald: Command
    @Argument(help: HostName.help, transform: HostName.check) var names: [String] = []
    @Option(
        parsing: .singleValue,
        help: ArgumentHelp(
            "Watch the names that begin with this prefix and a dot, not the prefix itself.", valueName: "prefix"),
        transform: HostName.checkPrefix)
    var prefix: [String] = []
    @Flag(help: "Watch all names.") var all = false
    @Option(help: ArgumentHelp("Run a command with /bin/sh.", valueName: "command"))
    var exec: String?
    @Option(
        help: ArgumentHelp(
            "Send a command that runs longer SIGTERM and, two seconds later, SIGKILL.", valueName: "seconds"))
    var execTimeout: Double?
    @Flag(help: "End after the first line.") var once = false
    @Option(name: .shortAndLong, help: ArgumentHelp("End after this many posts.", valueName: "n"))
    var count: Int?
    @Option(
        help: ArgumentHelp(
            "End after this time; without a post, or with fewer than --count, the exit status is 1.",
            valueName: "seconds"))
    var timeout: Double?
    @Flag(
        help: """
            Print a JSON object for each line: name, time (seconds since 1970) and posts or, for a message, object, \
            type, length, sequence, missed, sender and message, or base64 if it is not UTF-8.
            """)
    var json = false
    @Flag(
        name: .shortAndLong,
        help: "Print the time of each line before it and, on this machine, the name's number after it.")
    var verbose = false

    func validate() throws {
        guard !names.isEmpty || !prefix.isEmpty || all else {
            throw ValidationError("there is nothing to watch: give names, --prefix or --all")
        }
        if let count, count <= 0 { throw ValidationError("--count is not a positive number") }
        guard exec != nil || execTimeout == nil else { throw ValidationError("--exec-timeout needs --exec") }
        for (option, seconds) in [("--timeout", timeout), ("--exec-timeout", execTimeout)] {
            if let seconds, !(seconds > 0 && seconds <= 1e9) {
                throw ValidationError("\(option) is not a positive number of seconds")
            }
        }
    }

    func run() throws {
        let end = timeout.map { secondsNow() + $0 }
        let selection = Selection(names: names, prefixes: prefix, isAll: all)
        let bag = ObservationBag()
        var tally = Tally(once: once, count: count)
        var runner = exec.map { Runner($0, limit: execTimeout) }
        let network = try network(says: true)
        if network == nil { try selection.check() }
        if let observer = runner?.observer {
            try selection.observe(in: bag, on: network, observer)
            runner?.run(&tally, until: end)
        } else {
            tally = try printPosts(of: selection, in: bag, on: network, tally, until: end)
        }
        bag.cancelAll()
        if tally.isTooLittle { throw ExitCode(1) }
        if let failure = runner?.failure, failure != 0 { throw ExitCode(failure) }
    }

    private func printPosts(
        of selection: Selection, in bag: ObservationBag, on network: Network?, _ begin: Tally, until end: Double?
    ) throws -> Tally {
        let tally = Mutex(begin)
        let done = DispatchSemaphore(value: 0)
        let showsState = verbose && network == nil
        try selection.observe(in: bag, on: network) { post in  // one at a time, on one thread
            guard !tally.withLock({ $0.isEnough }) else { return }
            report(post, showsState)
            let isEnough = tally.withLock { tally in
                tally.add(post.count)
                return tally.isEnough
            }
            if isEnough { done.signal() }
        }
        if let end {
            _ = done.wait(timeout: .now() + max(0, end - secondsNow()))
        } else {
            done.wait()
        }
        bag.cancelAll()
        return tally.withLock { $0 }
    }

    private func report(_ post: WirePost, _ showsState: Bool) {
        unblockSignals()  // Herald's thread blocks them, but SIGPIPE must end this process
        let line = Line(
            post: post, showsTime: verbose,
            state: showsState ? (try? Table.row(of: "\(post.name)"))??.state ?? 0 : nil)
        print(json ? line.json : line.text)
    }
}
