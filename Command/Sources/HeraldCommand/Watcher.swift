#if canImport(Glibc)
@preconcurrency import Glibc
#elseif canImport(Musl)
@preconcurrency import Musl
#endif
import Herald
import Inspecting

/// What has become of a post.
struct Heard: Sendable {
    /// The work was done.
    let isDone: Bool
    /// No further post is wanted.
    let isLast: Bool
}

/// The work of `watch`: printing lines or running commands.
protocol WatchWork {
    /// The observer that Herald's thread calls with each post.
    var observer: @Sendable (WirePost) -> Heard { get }
    var tally: Tally { get }
    /// Whether lines are printed. Then there is nothing left to do when nobody reads them.
    var printsLines: Bool { get }
    /// The time at which `proceed` must be called even if nothing happens.
    var deadline: Double? { get }
    /// The exit status of the last command that has failed; 0 if none has.
    var failure: Int32 { get }

    /// Does all work that can be done now.
    /// - Parameter isOver: Whether nothing new may begin.
    /// - Returns: Whether all is done.
    mutating func proceed(isOver: Bool) -> Bool
    /// Called with a signal that is to end this process.
    mutating func pass(_ number: Int32)
    /// Called when a child of this process has ended or stopped, with the status of `waitpid`.
    mutating func note(_ child: pid_t, _ status: Int32)
}

extension WatchWork {
    var deadline: Double? { nil }
    var failure: Int32 { 0 }
    mutating func pass(_ number: Int32) {}
    mutating func note(_ child: pid_t, _ status: Int32) {}
}

/// Waits on the process's first thread while Herald's thread hears posts: it reaps children, takes signals, and ends.
///
/// *Progress.* It sleeps until a signal comes, `Signals.wake` is called, or a time has come.
struct Watcher {
    /// The time at which it ends; nil: none.
    private let end: Double?
    /// The command of `--then`, while it runs.
    private var then: Child?
    /// Nobody reads standard output any more.
    private(set) var isOutputGone = false

    init(until end: Double?) { self.end = end }

    /// Called when everything is observed: catches signals, reports that it is ready, and starts the command of
    /// `--then`. Before this, a signal ends the process by default, because nobody looks for signals while the process
    /// waits for a server.
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

    /// Returns when enough was heard, when the time is over, when a signal is to end this process, when nobody reads its output, or
    /// when the command of `--then` has failed: then its status, else 0.
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
            if work.proceed(isOver: isOver || isOutputGone || Signals.first != nil || failure != 0) {
                return failure
            }
            let until = [isOver ? nil : end, work.deadline].compactMap { $0 }.min()
            let signals: [Int32]
            (signals, isOutputGone) = Signals.wait(until: until, output: work.printsLines)
            for number in signals { work.pass(number) }
        }
    }

    /// A child that has ended or stopped. For process 1, these include processes whose own parent has ended.
    private static func nextChild() -> (id: pid_t, status: Int32)? {
        var status: Int32 = 0
        let id = waitpid(-1, &status, WNOHANG | WUNTRACED)
        return id > 0 ? (id, status) : nil
    }

    /// The exit status of a child as a shell reports it; nil: it has only stopped.
    static func exitStatus(_ status: Int32) -> Int32? {
        let signal = status & 0x7f
        return signal == 0x7f ? nil : signal == 0 ? status >> 8 & 0xff : 128 + signal
    }
}
