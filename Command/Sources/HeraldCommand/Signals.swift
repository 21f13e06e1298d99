#if canImport(Glibc)
@preconcurrency import Glibc
#elseif canImport(Musl)
@preconcurrency import Musl
#endif
import Inspecting

/// Catches signals, so that a command can clean up before it ends: a handler writes into a pipe, for which `poll` can
/// wait.
///
/// *Ordering.* A handler stores the signal before it writes. *Progress.* The pipe never blocks; if a byte does not fit
/// into it, its reader is awake already.
enum Signals {
    nonisolated(unsafe) private static var ending: sig_atomic_t = 0
    nonisolated(unsafe) private static var taken: [Int32] = []
    nonisolated(unsafe) private static var patience: UInt32 = 0
    /// The terminal's settings, to be restored at the end.
    nonisolated(unsafe) static var terminal: termios?
    nonisolated(unsafe) private static var readEnd: Int32 = -1
    nonisolated(unsafe) private static var writeEnd: Int32 = -1

    /// From now on the signals that end this process are caught. Ignored signals stay ignored.
    /// - Parameters:
    ///   - others: Signals that only wake.
    ///   - ignored: A signal that is caught even if it is ignored. A script's shell ignores SIGINT in commands that it
    ///     starts with &.
    ///   - seconds: If this process has not ended this long after the signal, the signal ends it: nobody may be reading
    ///     its output. 0: no limit.
    static func take(
        alsoWaking others: [Int32] = [], evenIgnored ignored: Int32? = nil, endingWithin seconds: UInt32 = 0
    ) throws {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw Unusable("there is no pipe: \(String(cString: strerror(errno)))") }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        (readEnd, writeEnd) = (ends[0], ends[1])
        patience = seconds
        if seconds > 0 {
            signal(SIGALRM) { _ in
                if var terminal = Signals.terminal { tcsetattr(STDIN_FILENO, TCSANOW, &terminal) }
                Signals.end(by: Signals.ending == 0 ? SIGALRM : Signals.ending)
            }
        }
        taken = [SIGINT, SIGTERM, SIGHUP, SIGQUIT].filter { $0 == ignored || !isIgnored($0) }
        for number in taken {
            signal(number) { number in
                if Signals.ending == 0 {
                    Signals.ending = number
                    if Signals.patience > 0 { alarm(Signals.patience) }
                }
                Signals.wake(UInt8(truncatingIfNeeded: number))
            }
        }
        for number in others { signal(number) { _ in Signals.wake() } }
    }

    /// The first signal that was to end this process.
    static var first: Int32? { ending == 0 ? nil : ending }

    /// Wakes `wait`. Async-signal-safe.
    static func wake(_ byte: UInt8 = 0) {
        let before = errno
        var byte = byte
        _ = write(writeEnd, &byte, 1)
        errno = before
    }

    /// Sleeps until `wake` is called, until that time, or until nobody reads standard output any more.
    /// - Returns: The signals that were to end this process, and whether nobody reads the output.
    static func wait(until time: Double?, output: Bool) -> (signals: [Int32], isOutputGone: Bool) {
        var waits = [
            pollfd(fd: readEnd, events: Int16(POLLIN), revents: 0),
            pollfd(fd: output ? STDOUT_FILENO : -1, events: 0, revents: 0),
        ]
        let left = time.map { Int32(min(1e6, max(0, $0 - secondsNow()) * 1000).rounded(.up)) } ?? -1
        guard poll(&waits, 2, left) > 0 else { return ([], false) }
        var bytes = [UInt8](repeating: 0, count: 256), signals: [Int32] = []
        while case let count = read(readEnd, &bytes, bytes.count), count > 0 {
            signals += bytes[..<count].filter { $0 != 0 }.map { Int32($0) }
        }
        return (signals, waits[1].revents != 0)
    }

    /// Whether nobody reads standard output any more.
    static var isOutputGone: Bool {
        var output = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
        return poll(&output, 1, 0) > 0
    }

    /// Ends this process as the signal does by default. Process 1, which no signal ends by default, exits with the same
    /// status.
    static func end(by number: Int32) -> Never {
        signal(number, SIG_DFL)
        unblockSignals()
        raise(number)
        _exit(128 + number)  // another thread may be printing, and hold the output
    }

    /// Process 1 gets no signal that it has no handler for, and becomes the parent of processes whose own parent has
    /// ended.
    static func prepareFirstProcess() {
        guard getpid() == 1 else { return }
        for number in [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE] { signal(number) { _exit(128 + $0) } }
        signal(SIGCHLD, SIG_IGN)
    }

    /// A signal that comes after the first one ends this process by default again.
    static func endBySecond() { if first != nil { restoreDefaults() } }

    /// The caught signals end this process by default again. A signal that has come already ends it now.
    static func release() {
        restoreDefaults()
        if let number = first { end(by: number) }
    }

    private static func restoreDefaults() {
        for number in taken { signal(number, getpid() == 1 ? { _exit(128 + $0) } : SIG_DFL) }
    }

    private static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        sigaction(number, nil, &action)
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1  // SIG_IGN
    }
}

/// Unblocks all signals. A parent may have started this process with signals blocked, as threads of libraries do.
/// Commands that `watch` runs must not inherit that.
func unblockSignals() {
    var none = sigset_t()
    sigemptyset(&none)
    pthread_sigmask(SIG_SETMASK, &none, nil)
}
