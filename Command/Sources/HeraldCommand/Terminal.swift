#if canImport(Glibc)
@preconcurrency import Glibc
#elseif canImport(Musl)
@preconcurrency import Musl
#endif

/// The terminal of this process, which it lends to a command that wants it. A command is in a process group of its own,
/// and the system stops a group that reads the terminal while another group has it.
struct Terminal {
    private let descriptor = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
    private let own = getpgrp()
    /// The process group that has it.
    private(set) var borrower: pid_t?

    /// - Returns: Whether the group has it now. This process must have it itself: it runs in the foreground.
    mutating func lend(to group: pid_t) -> Bool {
        guard descriptor >= 0, tcgetpgrp(descriptor) == own, give(to: group) else { return false }
        borrower = group
        return true
    }

    mutating func takeBack() {
        if let borrower, tcgetpgrp(descriptor) == borrower { _ = give(to: own) }
        borrower = nil
    }

    /// Blocks SIGTTOU: the system would stop a process that gives the terminal away without having it.
    private func give(to group: pid_t) -> Bool {
        var output = sigset_t(), before = sigset_t()
        sigemptyset(&output)
        sigaddset(&output, SIGTTOU)
        pthread_sigmask(SIG_BLOCK, &output, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        return tcsetpgrp(descriptor, group) == 0
    }
}
