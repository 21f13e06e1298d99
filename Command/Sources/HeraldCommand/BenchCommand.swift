import ArgumentParser
import CHerald
import CHeraldHost
import Dispatch
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif
import Herald
import Inspecting

private let ping: HeraldCenter.Name = "bench.ping"
private let pong: HeraldCenter.Name = "bench.pong"

struct Bench: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Measure posts on this machine.",
        discussion: """
            Measures the cost of a post without observers, the cost of a check, and the time from a post until the \
            observer in a sleeping process is called. Uses a shared file of its own. Each post waits until the other \
            process has answered the one before with a post.
            """)

    @Option(parsing: .unconditional, help: ArgumentHelp("Posts to the other process.", valueName: "n"))
    var rounds = 10_000
    @Flag(help: "Print a JSON object.") var json = false

    private struct Figures: Encodable {
        var postNobodyHears = 0.0
        var check = 0.0
        var oneWay = Percentiles()
        var roundTrip = Percentiles()
    }

    private struct Percentiles: Encodable {
        var p50 = 0, p90 = 0, p99 = 0, p999 = 0, max = 0

        init() {}

        init(_ samples: [Int]) {
            let sorted = samples.sorted()
            func at(_ part: Double) -> Int { sorted[min(sorted.count - 1, Int(Double(sorted.count) * part))] }
            (p50, p90, p99, p999, max) = (at(0.5), at(0.9), at(0.99), at(0.999), sorted.last!)
        }
    }

    func validate() throws {
        guard (1...10_000_000).contains(rounds) else {
            throw ValidationError("--rounds \(rounds) is not a number from 1 to 10000000")
        }
    }

    func run() throws {
        var template = Array("/dev/shm/herald-bench-\(getpid())-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw Unusable("cannot make a folder in /dev/shm: \(String(cString: strerror(errno)))")
        }
        let folder = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
        setenv("HERALD_HOST_DIRECTORY", folder, 1)
        leftovers = (strdup(HeraldHostGetPath()), strdup(folder))
        for number in [SIGINT, SIGTERM, SIGHUP] {
            signal(number) { number in
                removeLeftovers()
                signal(number, SIG_DFL)
                raise(number)
            }
        }
        defer { removeLeftovers() }
        var figures = Figures()
        try measureAlone(&figures)
        try measureTogether(&figures)
        report(figures)
    }

    private func measureAlone(_ figures: inout Figures) throws {
        let host = HeraldCenterGetHostCenter()
        let unobserved = HeraldCenter.Name("bench.nobody").native
        var token: HeraldHostToken = 0
        var posts: UInt64 = 0
        try attempt(HeraldHostRegisterCheck("bench.check", &token))
        figures.postNobodyHears = cost { HeraldCenterPostNotification(host, unobserved, nil, nil, false) }
        figures.check = cost { HeraldHostCheck(token, &posts) }
    }

    /// Nanoseconds for one call, in the best of twenty batches.
    private func cost(_ work: () -> Void) -> Double {
        let count = 200_000
        return (0..<20).map { _ in
            let begin = now()
            for _ in 0..<count { work() }
            return Double(now() - begin) / Double(count)
        }.min()!
    }

    private func measureTogether(_ figures: inout Figures) throws {
        var clock: HeraldHostToken = 0
        try attempt(HeraldHostRegisterCheck("\(ping)", &clock))
        let answers = DispatchSemaphore(value: 0)
        let token = HeraldCenter.host.observe(pong) { _ in answers.signal() }
        let other = try start()
        defer {
            kill(other, SIGKILL)
            waitpid(other, nil, 0)
            token.cancel()
        }
        guard answers.wait(timeout: .now() + 10) == .success else { throw ExitCode(1) }  // the other process has begun
        var oneWay: [Int] = []
        var roundTrip: [Int] = []
        for _ in 0..<rounds {
            usleep(50)  // so that both processes sleep when the round begins
            let begin = now()
            HeraldCenter.host.post(ping)
            guard answers.wait(timeout: .now() + 10) == .success else {
                throw Unusable("the other process has stopped answering")
            }
            roundTrip.append(now() - begin)
            var called: UInt64 = 0
            try attempt(HeraldHostGetState(clock, &called))
            oneWay.append(Int(clamping: called).minus(begin))
        }
        figures.oneWay = Percentiles(oneWay)
        figures.roundTrip = Percentiles(roundTrip)
    }

    private func start() throws -> pid_t {
        var other: pid_t = 0
        let arguments = [strdup("herald"), strdup("bench-answer"), nil]
        defer { arguments.forEach { free($0) } }
        let error = posix_spawn(&other, "/proc/self/exe", nil, nil, arguments, environ)
        guard error == 0 else {
            throw Unusable("the other process cannot be started: \(String(cString: strerror(error)))")
        }
        return other
    }

    private func report(_ figures: Figures) {
        if json { return print(Inspecting.json(figures)) }
        func tenths(_ nanoseconds: Double) -> String { "\((nanoseconds * 10).rounded() / 10) ns" }
        func line(_ label: String, _ value: String) {
            print("  " + label + String(repeating: " ", count: max(1, 34 - label.count)) + value)
        }
        func line(_ label: String, _ values: Percentiles) {
            func micro(_ nanoseconds: Int) -> String { "\((Double(nanoseconds) / 100).rounded() / 10)" }
            line(
                label,
                "p50 \(micro(values.p50))  p90 \(micro(values.p90))  p99 \(micro(values.p99))  "
                    + "p99.9 \(micro(values.p999))  max \(micro(values.max)) us")
        }
        line("a post that nobody hears", tenths(figures.postNobodyHears))
        line("a check", tenths(figures.check))
        line("to a process that sleeps", figures.oneWay)
        line("and back", figures.roundTrip)
    }
}

/// The file and the folder that a bench makes. Written before the signal handlers that read them are installed.
private nonisolated(unsafe) var leftovers: (file: UnsafeMutablePointer<CChar>?, folder: UnsafeMutablePointer<CChar>?)

/// Removes them. Async-signal-safe.
private func removeLeftovers() {
    if let file = leftovers.file { unlink(file) }
    if let folder = leftovers.folder { rmdir(folder) }
}

/// The other process of `bench`: stores the time at which its observer is called in the state of the name, and answers.
struct BenchAnswer: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "bench-answer", shouldDisplay: false)

    func run() throws {
        var clock: HeraldHostToken = 0
        try attempt(HeraldHostRegisterCheck("\(ping)", &clock))
        let token = clock
        HeraldCenter.host.observe(ping) { _ in
            HeraldHostSetState(token, UInt64(now()))
            HeraldCenter.host.post(pong)
        }.keep()
        let parent = getppid()
        HeraldCenter.host.post(pong)
        while getppid() == parent { sleep(1) }
    }
}

private func now() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
}
