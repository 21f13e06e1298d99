import Glibc
import Synchronization

/// How long a task may stay on a shared actor while there is more to do: 5 ms, measured by a coarse clock that ticks
/// every 4 ms and costs almost nothing. So other tasks wait at most 9 ms plus the time of one body.
@usableFromInline struct Pace: Sendable {
    fileprivate var began: Int

    @usableFromInline init() { began = Self.now() }

    fileprivate init(since began: Int) { self.began = began }

    /// Whether it is time to let other tasks in. If so, the time starts again.
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

/// The pace of one loop. Only one task at a time uses it, so relaxed accesses suffice.
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
