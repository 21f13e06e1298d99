import Glibc

/// A signal that wants the command to end, and lets it end in order.
enum Interruption {
    nonisolated(unsafe) private static var signalled: sig_atomic_t = 0

    static var hasCome: Bool { signalled != 0 }

    /// From now on the signals end nothing by themselves.
    static func expect() {
        for number in [SIGINT, SIGTERM, SIGHUP] { signal(number) { _ in Interruption.signalled = 1 } }
    }
}
