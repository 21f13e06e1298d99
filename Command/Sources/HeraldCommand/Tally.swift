/// Counts what `watch` has heard, and knows whether it is enough.
struct Tally: Sendable {
    /// Whether one line is enough.
    let once: Bool
    /// How many posts are enough.
    let count: Int?
    private(set) var lines = 0
    private(set) var posts = 0

    init(once: Bool, count: Int?) {
        self.once = once
        self.count = count
    }

    mutating func add(_ more: Int) {
        lines += 1
        posts = posts.addingReportingOverflow(more).overflow ? .max : posts + more
    }

    var isEnough: Bool { once && lines > 0 || count.map { posts >= $0 } ?? false }

    /// Whether fewer posts were heard in the time than were asked for.
    var isTooLittle: Bool { lines == 0 || count != nil && !isEnough }
}
