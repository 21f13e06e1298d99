import ArgumentParser
import CHeraldHost
#if canImport(Glibc)
@preconcurrency import Glibc
#elseif canImport(Musl)
@preconcurrency import Musl
#endif
import Herald
import Inspecting

struct Watch: OnNetwork {
    static let configuration = CommandConfiguration(
        abstract: "Print names and messages when they are posted.",
        usage: """
            herald watch [<names> ...] [--prefix <prefix> ...] [--all] [--object <text>] [--kept]
                         [--exec <command>] [--busy queue|drop|restart] [--exec-timeout <seconds>]
                         [--then <command>] [--ready-fd <n>] [--once] [--count <n>]
                         [--timeout <seconds>] [--json] [--verbose]
            herald --network <servers> watch (<name> | --prefix <prefix> | --all) --durable <observer>
                         [--stream <stream>] [--from next|beginning|<n>] [--attempts <n>] ...
            """,
        discussion: """
            Prints a line for each post. For a name alone it is the name and, if the line stands for several posts, \
            their number; for a message it is the name, what the message is about, and its text. With --exec it runs a \
            command instead, one at a time; posts of a name that come while it runs are counted together; with \
            --prefix or --all each is heard by itself. Messages are heard one by one, and the oldest are lost if it is \
            too slow.

            The command of --exec has in its environment HERALD_NAME and HERALD_POSTS, the number of posts. For a \
            message it has HERALD_OBJECT and HERALD_TYPE if the message has them, HERALD_LENGTH, HERALD_SEQUENCE (its \
            place in the order of messages), HERALD_MISSED (messages lost since the one before), HERALD_SENDER (a \
            process number), HERALD_KEPT=1 if it is what was kept, and, if it is UTF-8 without a NUL, HERALD_MESSAGE; where that is more than the environment has \
            room for it has HERALD_MESSAGE_LENGTH in its place. Its standard input is the message, or empty. A command \
            that reads the terminal gets it while 'watch' runs in the foreground.

            A post that is made before 'watch' observes is not heard, except that --kept begins with the messages that \
            are kept of the names (and with their numbers, on this machine). --then runs a command that may make it, and \
            --ready-fd writes a newline when all is observed; where NOTIFY_SOCKET is set, the service manager gets \
            READY=1.

            The exit status is that of the last command that failed: 128 and the signal's number if a signal ended it, \
            124 if it ran out of time. A signal that ends this process is sent to the command first, which has five \
            seconds to end.

            With --network it watches what is posted on all machines, HERALD_SENDER is a random number, and what \
            happens to the connection is printed on stderr. It waits five seconds for the first server, and without a \
            limit for one that comes back. A name that the servers do not allow ends it with 77.

            With --durable it watches what a stream stores (see 'herald stream'), also what was posted while it did not \
            run. The servers remember what the observer of this name has heard: a post, when its line is printed; with \
            --exec, when its command has ended with 0. Otherwise it comes again, after 100 ms, 200 ms and so on up to 30 \
            seconds, before later ones. Watchers and programs with one name share the posts, one at a time. The command has \
            HERALD_STORED, the post's number in the stream, and HERALD_DELIVERIES, which is more than 1 if it was given \
            out before. Why it cannot begin or go on is a line on stderr, and it tries again.
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
    @Option(
        parsing: .unconditional, help: ArgumentHelp("Watch only messages about this text.", valueName: "text"))
    var object: String?
    @Flag(
        help: """
            Print what is kept of the names first, marked with (kept), and then what is posted. With --verbose, print on \
            stderr how much that was.
            """
    )
    var kept = false
    @Option(
        help: ArgumentHelp(
            "Watch what a stream stores, as the durable observer of this name. Needs --network.", valueName: "observer"),
        transform: StreamName.check)
    var durable: String?
    @Option(
        help: ArgumentHelp(
            "The stream of --durable; without it, the one that stores what is watched.", valueName: "stream"),
        transform: StreamName.check)
    var stream: String?
    @Option(
        help: ArgumentHelp(
            """
            With what a durable observer begins that the servers do not know yet: next, with the next post; beginning, \
            with the oldest one; or with the post that has this number in the stream. next unless it is given.
            """, valueName: "next|beginning|n"))
    var from: DurableWish.Start?
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            """
            Give a post up that was given out so often and not heard: a line on stderr says so, and it does not come \
            again. Without this it comes until it is heard.
            """, valueName: "n"))
    var attempts: Int?
    @Option(help: ArgumentHelp("Run a command with /bin/sh.", valueName: "command"))
    var exec: String?
    @Option(
        help: ArgumentHelp(
            """
            How a post is treated while the command of another runs: queue, its command runs after that; drop, it is \
            not heard; restart, the command that runs is sent SIGTERM and, two seconds later, SIGKILL, and the newest \
            post has the next. queue unless it is given.
            """, valueName: "queue|drop|restart"))
    var busy: Busy?
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Send a command that runs longer SIGTERM and, two seconds later, SIGKILL.", valueName: "seconds"))
    var execTimeout: Double?
    @Option(
        help: ArgumentHelp(
            """
            Run a command with /bin/sh when everything is observed: its posts are heard. If it fails, the watching ends \
            with its exit status; it is not waited for.
            """, valueName: "command"))
    var then: String?
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Write a newline to this descriptor when everything is observed, and close it.", valueName: "n"))
    var readyFd: Int32?
    @Flag(help: "End after the first line.") var once = false
    @Option(
        name: .shortAndLong, parsing: .unconditional,
        help: ArgumentHelp("End after this many posts.", valueName: "n"))
    var count: Int?
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "End after this time; without a post, or with fewer than --count, the exit status is 1.",
            valueName: "seconds"))
    var timeout: Double?
    @Flag(
        help: """
            Print a JSON object for each line: name, time (seconds since 1970) and posts or, for a message, object, \
            type, length, sequence, missed, sender and message, or base64 if it is not UTF-8; kept, if it is what was \
            kept; with --durable stored, its number in the stream, and deliveries.
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
        for name in names { try HostName.checkNoPattern(name) }
        if all, let other = names.first ?? prefix.first {
            throw ValidationError(
                "--all watches all names, \(other) too: give --all alone, or \(other) without it")
        }
        if kept, all || !prefix.isEmpty {
            throw ValidationError(
                "--kept begins with what is kept of names: give names, and no \(all ? "--all" : "--prefix")")
        }
        try checkDurable()
        if let count {
            guard count > 0 else { throw ValidationError("--count \(count) is not a positive number") }
            guard !once else {
                throw ValidationError(
                    "--once ends after the first line, --count after \(count) posts: give one of them")
            }
        }
        guard exec == nil || !json else {
            throw ValidationError(
                "--json is about the lines that --exec does not print: its command has the post in its environment and its input"
            )
        }
        for (option, isGiven) in [("--exec-timeout", execTimeout != nil), ("--busy", busy != nil)] {
            guard exec != nil || !isGiven else { throw ValidationError("\(option) needs --exec") }
        }
        for (option, seconds) in [("--timeout", timeout), ("--exec-timeout", execTimeout)] {
            if let seconds, !(seconds > 0 && seconds <= 1e9) {
                let given = Int(exactly: seconds).map(String.init) ?? "\(seconds)"
                throw ValidationError("\(option) \(given) is not a positive number of seconds")
            }
        }
        if let readyFd { try Ready.check(readyFd) }
    }

    private func checkDurable() throws {
        guard durable != nil else {
            for (option, isGiven) in [
                ("--stream", stream != nil), ("--from", from != nil), ("--attempts", attempts != nil),
            ] where isGiven {
                throw ValidationError("\(option) needs --durable")
            }
            return
        }
        guard names.count + prefix.count + (all ? 1 : 0) == 1 else {
            throw ValidationError("a durable observer watches one name, one --prefix or --all")
        }
        for (option, isGiven) in [
            ("--kept", kept), ("--busy", busy != nil), ("--object", object != nil),
        ] where isGiven {
            throw ValidationError("\(option) is not for --durable, which hears each stored post, one after the other")
        }
        if let attempts, !(1...Int(UInt32.max)).contains(attempts) {
            throw ValidationError("--attempts \(attempts) is not a positive number")
        }
    }

    func run() throws {
        let end = timeout.map { secondsNow() + $0 }
        let tally = Tally(once: once, count: count)
        var watcher = Watcher(until: end)
        let network = try network(says: true)
        guard network != nil || durable == nil else {
            throw ValidationError("--durable needs --network: on this machine no messages are stored")
        }
        if durable != nil { signal(SIGPIPE, SIG_IGN) }  // a line that cannot be printed was not heard
        if let exec {
            // While a command has the terminal, this process is in the background and must not be stopped.
            for number in [SIGTTIN, SIGTTOU] { signal(number, SIG_IGN) }
            var runner = Runner(exec, limit: execTimeout, busy: busy ?? .queue, tally)
            try watch(&runner, with: &watcher, on: network)
        } else {
            let showsState = verbose && network == nil
            var printer = Printer(tally) { line($0, showsState) }
            try watch(&printer, with: &watcher, on: network)
        }
    }

    private func watch(_ work: inout some WatchWork, with watcher: inout Watcher, on network: Network?) throws {
        let selection = Selection(
            names: names, prefixes: prefix, isAll: all, object: object, isKept: kept, saysKept: verbose,
            durable: durable.map {
                DurableWish(name: $0, stream: stream, start: from ?? .next, attempts: attempts)
            })
        let bag = ObservationBag()
        if network == nil { try selection.check() }
        try selection.observe(in: bag, on: network, work.observer)
        try watcher.begin(ready: readyFd, then: then)
        let failure = watcher.run(&work)
        var ending: (any Error)?
        if durable != nil {
            Signals.endBySecond()
            do { try network?.end() } catch { ending = error }  // the servers are told what was heard
        }
        if watcher.isOutputGone { Signals.end(by: SIGPIPE) }
        Signals.release()  // `cancelAll` may wait for a callback that waits for a reader of the output
        bag.cancelAll()
        guard ferror(stdout) == 0 else { return }  // `main` reports it
        if failure != 0 { throw ExitCode(failure) }
        if work.tally.isTooLittle { throw ExitCode(1) }
        if work.failure != 0 { throw ExitCode(work.failure) }
        if let ending { throw ending }
    }

    private func line(_ post: WirePost, _ showsState: Bool) -> String {
        let line = Line(
            post: post, showsTime: verbose,
            state: showsState ? (try? Table.row(of: "\(post.name)"))??.state ?? 0 : nil)
        return json ? line.json : line.text
    }
}
