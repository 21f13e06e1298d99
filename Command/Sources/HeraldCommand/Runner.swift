import ArgumentParser
import Dispatch
#if canImport(Glibc)
@preconcurrency import Glibc
#elseif canImport(Musl)
@preconcurrency import Musl
#endif
import Herald
import Synchronization
import Inspecting

/// How a post is treated while the command of another runs.
enum Busy: String, ExpressibleByArgument, CaseIterable {
    case queue, drop, restart
}

/// Runs a command for each post, one at a time.
///
/// *Threads.* Herald's thread hands a post over. With `--busy queue` it waits until the post's command has ended; posts
/// that come in the meantime are counted together. The thread that has made the runner starts, signals and reaps
/// commands. The system does not reuse a group's number while the shell is not reaped or another process of the group
/// lives.
struct Runner: WatchWork {
    private let command: String
    /// Seconds that a command may run.
    private let limit: Double?
    private let busy: Busy
    private let handoff: Handoff

    private var child: Child?
    private var terminal = Terminal()
    /// The child waits for the terminal, and a line on stderr has reported it.
    private var lacksTerminal = false
    /// When the child is sent SIGTERM because it runs too long, and when it is sent SIGKILL.
    private var terminateAt: Double?, killAt: Double?
    /// The exit status of the child's shell, once it has ended. If the child was sent a signal, it has not ended before
    /// its whole group has.
    private var shellStatus: Int32?
    private var isLate = false
    /// It is ended for another post.
    private var isReplaced = false
    private(set) var tally: Tally
    private(set) var failure: Int32 = 0

    init(_ command: String, limit: Double?, busy: Busy, _ tally: Tally) {
        self.command = command
        self.limit = limit
        self.busy = busy
        self.tally = tally
        handoff = Handoff(busy)
    }

    let printsLines = false
    var observer: @Sendable (WirePost) -> Heard { { [handoff] in handoff.give($0) } }
    /// No signal reports that the terminal is free, or that the last process of a group has ended, so this thread
    /// polls.
    var deadline: Double? {
        let look = shellStatus != nil ? 0.02 : lacksTerminal ? 0.5 : nil
        return [terminateAt, killAt, look.map { secondsNow() + $0 }].compactMap { $0 }.min()
    }

    mutating func proceed(isOver: Bool) -> Bool {
        checkTime()
        if let shellStatus, let child, killAt == nil || !child.isAlive { finish(shellStatus, isOver) }
        let isOver = isOver || Signals.first != nil  // `finish` may have raised a signal
        while child == nil {
            if isOver || tally.isEnough {
                handoff.close()
                return true
            }
            guard let (post, missed) = handoff.take() else { return false }
            tally.add(post.count)
            start(post, missed, isOver)
        }
        if lacksTerminal { lendTerminal() }
        if busy == .restart, !isReplaced, !isOver, !tally.isEnough, handoff.hasPost {
            isReplaced = true
            terminate()
        }
        return false
    }

    mutating func pass(_ number: Int32) {
        guard let child else { return }
        child.signal(number)
        killAt = killAt ?? secondsNow() + 5
    }

    mutating func note(_ id: pid_t, _ status: Int32) {
        guard let child, child.id == id else { return }
        if let status = Watcher.exitStatus(status) {
            shellStatus = status  // `proceed` comes next
            terminateAt = nil
            return
        }
        switch status >> 8 & 0xff {
        case SIGTTIN, SIGTTOU: lendTerminal()
        case SIGTSTP where terminal.borrower == id:
            // The user has stopped it from the terminal. So this process stops, too: it is the one that the user's
            // shell continues.
            terminal.takeBack()
            kill(0, SIGTSTP)
            lendTerminal()
            kill(-id, SIGCONT)
        default: break
        }
    }

    private mutating func lendTerminal() {
        guard let child else { return }
        if terminal.lend(to: child.id) {
            lacksTerminal = false
            kill(-child.id, SIGCONT)
        } else if !lacksTerminal {
            lacksTerminal = true
            fputs(
                "herald: the command waits for the terminal, which 'watch' does not have in the background: "
                    + "bring it to the foreground, or give the command other input\n", stderr)
        }
    }

    private mutating func start(_ post: WirePost, _ missed: Int, _ isOver: Bool) {
        do {
            child = try Child(command, for: post, missed: missed)
            terminateAt = limit.map { secondsNow() + $0 }
        } catch {
            fputs("herald: the command cannot be run: \((error as? Unusable)?.reason ?? "\(error)")\n", stderr)
            finish(126, isOver)
        }
    }

    private mutating func finish(_ status: Int32, _ isOver: Bool) {
        // A user who interrupts a command that has the terminal means this process, too, which did not get the signal.
        let isInterrupted = terminal.borrower != nil && (status == 128 + SIGINT || status == 128 + SIGQUIT)
        terminal.takeBack()
        if isInterrupted { raise(status - 128) }
        let status = isLate ? 124 : isReplaced ? 0 : status
        if status != 0 { failure = status }
        child = nil
        shellStatus = nil
        (terminateAt, killAt, isLate, isReplaced, lacksTerminal) = (nil, nil, false, false, false)
        let isLast = isOver || tally.isEnough || Signals.first != nil
        handoff.answer(Heard(isDone: status == 0, isLast: isLast))
    }

    private mutating func terminate() {
        child?.signal(SIGTERM)
        killAt = min(killAt ?? .infinity, secondsNow() + 2)
    }

    private mutating func checkTime() {
        if let time = terminateAt, secondsNow() >= time {
            terminateAt = nil
            isLate = true
            terminate()
        }
        if let time = killAt, secondsNow() >= time {
            child?.signal(SIGKILL)
            killAt = nil
        }
    }
}

/// Hands a post from one thread to another. With `queue` the first waits until the second is done with it.
private final class Handoff: Sendable {
    private struct Slot {
        var post: WirePost?
        /// The messages that were lost since the post that was taken last.
        var missed = 0
        /// A post was given, and its command has not ended.
        var isBusy = false
        /// What has become of the post that was given last.
        var heard = Heard(isDone: false, isLast: true)
        var isOpen = true
    }

    private let busy: Busy
    private let slot = Mutex(Slot())
    private let done = DispatchSemaphore(value: 0)

    init(_ busy: Busy) { self.busy = busy }

    /// - Returns: With `queue`, what has become of the post.
    func give(_ post: WirePost) -> Heard {
        let isTaken = slot.withLock { slot in
            slot.missed += post.missed
            guard slot.isOpen, busy != .drop || !slot.isBusy else { return false }
            slot.post = post
            slot.isBusy = true
            slot.heard = Heard(isDone: false, isLast: true)
            return true
        }
        guard isTaken else { return Heard(isDone: false, isLast: !slot.withLock { $0.isOpen }) }
        Signals.wake()
        guard busy == .queue else { return Heard(isDone: false, isLast: false) }
        done.wait()
        return slot.withLock { $0.heard }
    }

    var hasPost: Bool { slot.withLock { $0.post != nil } }

    func take() -> (post: WirePost, missed: Int)? {
        slot.withLock { slot in
            guard let post = slot.post.take() else { return nil }
            defer { if post.bytes != nil { slot.missed = 0 } }  // the command of a name alone is not given the number
            return (post, slot.missed)
        }
    }

    /// The command of the post that was taken has ended.
    func answer(_ heard: Heard) {
        slot.withLock { slot in
            slot.isBusy = slot.post != nil
            slot.heard = heard
        }
        if busy == .queue { done.signal() }
    }

    /// From now on posts are dropped, including a waiting one.
    func close() {
        let waits = slot.withLock { slot in
            slot.isOpen = false
            return slot.post.take() != nil
        }
        if waits && busy == .queue { done.signal() }
    }
}
