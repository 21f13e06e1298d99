#if os(Linux) && Instrumentation
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif
import Synchronization
import Tracing

typealias Timestamp = DefaultTracerClock.Timestamp

/// Converts times of `CLOCK_MONOTONIC`, which traces use, to the time of day. The offset between the two clocks is
/// measured at most once a second.
final class Clock: Sendable {
    struct Offset {
        var nanoseconds: UInt64 = 0, at: UInt64 = 0
    }
    private let offset = Mutex(Offset())

    subscript(monotonic: UInt64) -> Timestamp {
        let nanoseconds = offset.withLock { offset in
            if offset.at == 0 || monotonic > offset.at + 1_000_000_000 {
                let now = read(CLOCK_MONOTONIC)
                offset = Offset(nanoseconds: read(CLOCK_REALTIME) &- now, at: now)
            }
            return offset.nanoseconds
        }
        return Timestamp(nanosecondsSinceEpoch: monotonic &+ nanoseconds)
    }

    private func read(_ clock: clockid_t) -> UInt64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
#endif
