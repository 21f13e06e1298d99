@preconcurrency import Glibc
import Herald
import Inspecting

/// What `watch` does with posts.
protocol WatchWork {
    /// What Herald's thread does with a post.
    var observer: @Sendable (WirePost) -> Void { get }
    var tally: Tally { get }
    /// Whether lines are printed, so that nothing is left to do when nobody reads them.
    var printsLines: Bool { get }
    /// When it wants to proceed, whatever happens.
    var deadline: Double? { get }
    /// The exit status of the last command that has failed; 0: none has.
    var failure: Int32 { get }

    /// Does what can be done now.
    /// - Parameter isOver: Nothing new begins.
    /// - Returns: Whether all is done.
    mutating func proceed(isOver: Bool) -> Bool
    /// A signal that is to end this process.
    mutating func pass(_ number: Int32)
    /// A child of this process has ended or stopped, as `waitpid` says.
    mutating func note(_ child: pid_t, _ status: Int32)
}

extension WatchWork {
    var deadline: Double? { nil }
    var failure: Int32 { 0 }
    mutating func pass(_ number: Int32) {}
    mutating func note(_ child: pid_t, _ status: Int32) {}
}

/// Waits while Herald's thread hears posts, on the thread that has begun: it reaps, takes signals, and ends.
///
/// *Progress.* It sleeps until a signal comes, `Signals.wake` is called, or a time has come.
struct Watcher {
    /// What ends it.
    private let end: Double?
    /// The command of `--then`, while it runs.
    private var then: Child?

    init(until end: Double?) { self.end = end }

    /// Everything is observed: takes signals, says so, and begins the command of `--then`. Before, a signal ends this
    /// process by itself: nobody looks for it while a server is waited for.
    mutating func begin(ready descriptor: Int32?, then command: String?) throws {
        try Signals.take(alsoWaking: [SIGCHLD, SIGCONT])
        if let descriptor { try Ready.write(to: descriptor) }
        Ready.notifyManager()
        then = try command.map { command in
            do { return try Child(command) } catch let error as Unusable {
                throw Unusable("the command of --then cannot be run: \(error.reason)", status: 126)
            }
        }
    }

    /// Returns when enough was heard, the time is over, or the command of `--then` has failed: its status then, or 0.
    mutating func run(_ work: inout some WatchWork) -> Int32 {
        var failure: Int32 = 0, isOver = false
        while true {
            while let (child, status) = Self.nextChild() {
                work.note(child, status)
                guard child == then?.id, let status = Self.exitStatus(status) else { continue }
                then = nil
                if status != 0 {
                    fputs("herald: the command of --then has failed with status \(status)\n", stderr)
                    failure = status
                }
            }
            if let end, secondsNow() >= end { isOver = true }
            if work.proceed(isOver: isOver || Signals.first != nil || failure != 0) {
                if let number = Signals.first { Signals.end(by: number) }
                return failure
            }
            let until = [isOver ? nil : end, work.deadline].compactMap { $0 }.min()
            let (signals, isOutputGone) = Signals.wait(until: until, output: work.printsLines)
            if isOutputGone { Signals.end(by: SIGPIPE) }
            for number in signals { work.pass(number) }
        }
    }

    /// A child that has ended or stopped. Of process 1 they are also those whose own parent has ended.
    private static func nextChild() -> (id: pid_t, status: Int32)? {
        var status: Int32 = 0
        let id = waitpid(-1, &status, WNOHANG | WUNTRACED)
        return id > 0 ? (id, status) : nil
    }

    /// The exit status of a child as a shell tells it; nil: it has only stopped.
    static func exitStatus(_ status: Int32) -> Int32? {
        let signal = status & 0x7f
        return signal == 0x7f ? nil : signal == 0 ? status >> 8 & 0xff : 128 + signal
    }
}
