import ArgumentParser
import CHeraldHost
import Dispatch
import FoundationEssentials
@preconcurrency import Glibc
import Herald
import Synchronization

struct Watch: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Say when names are posted.",
        discussion: """
            Prints a line for each time: the name and, when several posts came at once, how many. With --exec runs a \
            command instead, for one after the other; posts that come meanwhile are put together.
            """)

    @Argument(help: HostName.help, transform: HostName.check) var names: [String]
    @Option(
        help: ArgumentHelp(
            "Run a command with /bin/sh; HERALD_NAME and HERALD_POSTS in its environment say what was posted, and how often.",
            valueName: "command"))
    var exec: String?
    @Flag(help: "End after the first.") var once = false
    @Option(help: ArgumentHelp("End after this time; 1 is the exit status if nothing was heard.", valueName: "seconds"))
    var timeout: Double?
    @Flag(help: "Print a JSON object for each line: name, posts, time (seconds since 1970).") var json = false

    private struct Line: Encodable {
        let name: String
        let posts: Int
        let time: Double
    }

    func validate() throws {
        if let timeout, !(timeout > 0 && timeout <= 1e9) {
            throw ValidationError("--timeout is not a positive number of seconds")
        }
    }

    func run() throws {
        try checkThatAllCanBeWatched()
        let heard = Atomic(0)
        let done = DispatchSemaphore(value: 0)
        let bag = ObservationBag()
        for name in Set(names) {
            HeraldCenter.host.observe(HeraldCenter.Name(name)) { post in  // one at a time, on one thread
                if heard.add(1, ordering: .relaxed).oldValue == 0 || !once { tell(post) }
                if once { done.signal() }
            }.store(in: bag)
        }
        if let timeout {
            _ = done.wait(timeout: .now() + timeout)
        } else {
            done.wait()
        }
        bag.cancelAll()  // waits for a command that is running
        if heard.load(ordering: .relaxed) == 0 { throw ExitCode(1) }
    }

    /// The file, the name's place in it, a channel and a thread: else an observer would hear nothing, for ever.
    private func checkThatAllCanBeWatched() throws {
        for name in names {
            var descriptor: Int32 = -1
            var token: HeraldHostToken = 0
            try attempt(HeraldHostRegisterFileDescriptor(name, false, &descriptor, &token))
            try attempt(HeraldHostCancel(token))
        }
    }

    private func tell(_ post: HostCenter.Post) {
        unblockSignals()  // they are blocked on Herald's thread, where a reader that goes away must end us
        if let exec {
            execute(exec, post)
        } else if json {
            print(Self.encode(Line(name: "\(post.name)", posts: post.count, time: Date().timeIntervalSince1970)))
        } else {
            print(printable("\(post.name)") + (post.count > 1 ? " (\(post.count) posts)" : ""))
        }
    }

    private func execute(_ command: String, _ post: HostCenter.Post) {
        setenv("HERALD_NAME", "\(post.name)", 1)
        setenv("HERALD_POSTS", "\(post.count)", 1)
        let status = system(command)
        if status == -1 {
            fputs("herald: the command cannot be run: \(String(cString: strerror(errno)))\n", stderr)
        }
        // An interrupt from the terminal is for both; while a command runs we are deaf to it, and a shell tells by 128.
        for number in [SIGINT, SIGQUIT] where status & 0x7f == number || status >> 8 & 0xff == 128 + number {
            signal(number, SIG_DFL)
            kill(getpid(), number)
        }
    }

    static func encode(_ value: some Encodable) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }
}

/// A name as a terminal can show it: on one line, and without a say in the terminal's doings.
func printable(_ name: String) -> String {
    name.unicodeScalars.map { scalar in
        scalar.properties.generalCategory == .control ? "\\u{\(String(scalar.value, radix: 16))}" : String(scalar)
    }.joined()
}
