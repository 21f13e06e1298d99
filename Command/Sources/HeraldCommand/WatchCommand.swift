import ArgumentParser
import CHeraldHost
import Dispatch
import FoundationEssentials
@preconcurrency import Glibc
import Herald
import Synchronization

struct Watch: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print names when they are posted.",
        discussion: """
            Prints a line for each post: the name and, if the line stands for several posts, their number. With --exec it \
            runs a command instead. It runs one command at a time; posts that come meanwhile are counted together.
            """)

    @Argument(help: HostName.help, transform: HostName.check) var names: [String]
    @Option(
        help: ArgumentHelp(
            "Run a command with /bin/sh. Its environment has HERALD_NAME, the name, and HERALD_POSTS, the number of posts.",
            valueName: "command"))
    var exec: String?
    @Flag(help: "End after the first post.") var once = false
    @Option(help: ArgumentHelp("End after this time; without a post the exit status is 1.", valueName: "seconds"))
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
        let received = Atomic(0)
        let done = DispatchSemaphore(value: 0)
        let bag = ObservationBag()
        for name in Set(names.map { HeraldCenter.Name($0) }) {
            HeraldCenter.host.observe(name) { post in  // one at a time, on one thread
                if received.add(1, ordering: .relaxed).oldValue == 0 || !once { report(post) }
                if once { done.signal() }
            }.store(in: bag)
        }
        if let timeout {
            _ = done.wait(timeout: .now() + timeout)
        } else {
            done.wait()
        }
        bag.cancelAll()  // waits for a command that is running
        if received.load(ordering: .relaxed) == 0 { throw ExitCode(1) }
    }

    /// Throws if the file, the name's entry, a channel or the thread is not to be had: an observer would never be
    /// called.
    private func checkThatAllCanBeWatched() throws {
        for name in names {
            var descriptor: Int32 = -1
            var token: HeraldHostToken = 0
            try attempt(HeraldHostRegisterFileDescriptor(name, false, &descriptor, &token))
            try attempt(HeraldHostCancel(token))
        }
    }

    private func report(_ post: HostCenter.Post) {
        unblockSignals()  // Herald's thread blocks them, but SIGPIPE must end this process
        if let exec {
            execute(exec, post)
        } else if json {
            print(HeraldCommand.json(Line(name: "\(post.name)", posts: post.count, time: Date().timeIntervalSince1970)))
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
        // An interrupt from the terminal is for this process too, but `system` ignores it while the command runs. The
        // command has ended by the signal, or its shell has exited with 128 and the signal's number.
        for number in [SIGINT, SIGQUIT] where status & 0x7f == number || status >> 8 & 0xff == 128 + number {
            signal(number, SIG_DFL)
            kill(getpid(), number)
        }
    }
}
