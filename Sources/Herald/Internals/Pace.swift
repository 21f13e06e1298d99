#if os(Linux)
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif
import Synchronization

/// Limits how long a task stays on a shared actor while it has more to do: 5 ms. The clock is coarse: it ticks every 4
/// ms, and costs almost nothing. So other tasks wait at most 9 ms plus the time of one body.
@usableFromInline struct Pace: Sendable {
    fileprivate var began: Int

    @usableFromInline init() { began = Self.now() }

    fileprivate init(since began: Int) { self.began = began }

    /// Whether the task must let other tasks in now. If so, the 5 ms start again.
    @usableFromInline mutating func isOver() -> Bool {
        let now = Self.now()
        guard now - began > 5_000_000 else { return false }
        began = now
        return true
    }

    private static func now() -> Int {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }
}

/// The pace of one loop. Relaxed: only one task at a time uses an instance.
@usableFromInline final class SharedPace: Sendable {
    private let began = Atomic(Pace().began)

    @usableFromInline init() {}

    @usableFromInline func isOver() -> Bool {
        var pace = Pace(since: began.load(ordering: .relaxed))
        let isOver = pace.isOver()
        if isOver { began.store(pace.began, ordering: .relaxed) }
        return isOver
    }
}
#endif
