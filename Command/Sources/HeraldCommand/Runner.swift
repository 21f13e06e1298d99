import Dispatch
@preconcurrency import Glibc
import Herald
import Synchronization
import Inspecting

/// Runs a command for each post, one at a time.
///
/// *Threads.* Herald's thread hands a post over, and waits until its command has ended: posts that come meanwhile are
/// counted together. The thread that has made the runner does all else: it starts, signals and reaps commands, and
/// takes the signals that end the process, which stay blocked. So there is no signal handler, and no signal for a
/// process that has been reaped. *Progress.* It sleeps until a signal comes; SIGCHLD also says that a post was handed
/// over.
struct Runner {
    private let command: String
    /// Seconds that a command may run.
    private let limit: Double?
    private let handoff = Handoff()
    private let wanted: sigset_t

    private var child: Child?
    /// When the child is sent SIGTERM, because it runs too long, and SIGKILL.
    private var terminateAt: Double?, killAt: Double?
    private var isLate = false
    /// The signal that ends this process.
    private var ending: Int32?
    /// The exit status of the last command that has failed; 0: none has.
    private(set) var failure: Int32 = 0

    /// Signals are blocked from now on: made before other threads begin.
    init(_ command: String, limit: Double?) {
        self.command = command
        self.limit = limit
        signal(SIGCHLD, SIG_DFL)
        var wanted = sigset_t()
        sigemptyset(&wanted)
        sigaddset(&wanted, SIGCHLD)
        for number in [SIGTERM, SIGINT, SIGHUP, SIGQUIT] where !Self.isIgnored(number) { sigaddset(&wanted, number) }
        pthread_sigmask(SIG_BLOCK, &wanted, nil)
        self.wanted = wanted
    }

    /// What Herald's thread does with a post.
    var observer: @Sendable (WirePost) -> Void { { [handoff] in handoff.give($0) } }

    /// Runs commands until enough was heard, or the time is over and the last command has ended.
    mutating func run(_ tally: inout Tally, until end: Double?) {
        var isOver = false
        while true {
            if let status = child?.reap() { finish(status) }
            if child == nil {
                if let ending { Self.end(by: ending) }
                if isOver || tally.isEnough { return handoff.close() }
                if let post = handoff.take() {
                    tally.add(post.count)
                    start(post)
                    continue
                }
            }
            if let number = wait(until: [isOver ? nil : end, terminateAt, killAt].compactMap { $0 }.min()) {
                ending = ending ?? number
                child?.signal(number)
                if child != nil { killAt = killAt ?? secondsNow() + 5 }
            }
            if let end, secondsNow() >= end { isOver = true }
            checkTime()
        }
    }

    private mutating func start(_ post: WirePost) {
        do {
            child = try Child(command, for: post)
            terminateAt = limit.map { secondsNow() + $0 }
        } catch {
            fputs("herald: the command cannot be run: \((error as? Unusable)?.reason ?? "\(error)")\n", stderr)
            finish(126)
        }
    }

    private mutating func finish(_ status: Int32) {
        let status = isLate ? 124 : status
        if status != 0 { failure = status }
        child = nil
        (terminateAt, killAt, isLate) = (nil, nil, false)
        handoff.answer()
    }

    private mutating func checkTime() {
        if let time = terminateAt, secondsNow() >= time {
            terminateAt = nil
            isLate = true
            child?.signal(SIGTERM)
            killAt = min(killAt ?? .infinity, secondsNow() + 2)
        }
        if let time = killAt, secondsNow() >= time {
            child?.signal(SIGKILL)
            killAt = nil
        }
    }

    /// Sleeps until there is something to do, and returns a signal that ends this process.
    private func wait(until time: Double?) -> Int32? {
        var wanted = wanted
        guard let time else {
            let number = sigwaitinfo(&wanted, nil)
            return number > 0 && number != SIGCHLD ? number : nil
        }
        let left = max(0, time - secondsNow())
        var limit = timespec(tv_sec: Int(left), tv_nsec: Int(left.truncatingRemainder(dividingBy: 1) * 1e9))
        let number = sigtimedwait(&wanted, nil, &limit)
        return number > 0 && number != SIGCHLD ? number : nil
    }

    /// Ends this process as the signal does.
    private static func end(by number: Int32) -> Never {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, number)
        raise(number)
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        exit(128 + number)
    }

    private static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        sigaction(number, nil, &action)
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1  // SIG_IGN
    }
}

/// Where one thread gives another a post, and waits until it is done with.
private final class Handoff: Sendable {
    private struct Slot {
        var post: WirePost?
        var isOpen = true
    }

    private let slot = Mutex(Slot())
    private let done = DispatchSemaphore(value: 0)
    private let taker = pthread_self()

    func give(_ post: WirePost) {
        let isOpen = slot.withLock { slot in
            if slot.isOpen { slot.post = post }
            return slot.isOpen
        }
        guard isOpen else { return }
        pthread_kill(taker, SIGCHLD)
        done.wait()
    }

    func take() -> WirePost? { slot.withLock { $0.post.take() } }

    func answer() { done.signal() }

    /// From now on posts are dropped, also one that waits.
    func close() {
        let waits = slot.withLock { slot in
            slot.isOpen = false
            return slot.post.take() != nil
        }
        if waits { done.signal() }
    }
}
