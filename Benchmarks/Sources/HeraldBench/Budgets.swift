/// What Herald's figures must not exceed: the budgets of all its parts, measured again in each run.
struct Budget {
    let what: String
    let limit: String
    let holds: (Double) -> Bool
    let value: (Results) -> Double?
    var unit = ""
    /// Why it is sometimes missed.
    var reason: String?

    /// The value, and whether it holds; nil when its row is missing.
    func verdict(in results: Results) -> (value: Double, holds: Bool)? {
        value(results).map { ($0, holds($0)) }
    }
}

extension Budget {
    static let all: [Budget] = core + swift + host + network

    private static let slow =
        "in nanoseconds, while this machine has phases in which everything takes up to twice as long (see the floors)"

    private static let aligned =
        "the loops of both move by as much with where the linker has put them, and with the machine's phase"

    /// One contestant's best beside another's of the same row.
    private static func ratio(_ row: String, _ one: String, _ other: String) -> (Results) -> Double? {
        { results in
            guard let row = results[row], let value = row[one]?.undisturbed(row.shape),
                let base = row[other]?.undisturbed(row.shape),
                base > 0
            else { return nil }
            return value / base
        }
    }

    private static func best(_ row: String, _ one: String) -> (Results) -> Double? {
        { results in results[row].flatMap { row in row[one]?.undisturbed(row.shape) } }
    }

    private static func most(
        _ limit: Double, _ what: String, as text: String? = nil, unit: String = "×", because reason: String? = nil,
        _ value: @escaping (Results) -> Double?
    ) -> Budget {
        Budget(
            what: what, limit: "≤ " + (text ?? Page.number(limit) + (unit == "×" ? " ×" : " \(unit)")),
            holds: { $0 <= limit }, value: value, unit: unit, reason: reason)
    }

    private static var core: [Budget] {
        let changes = [("1", "1"), ("1000", "1,000"), ("100000", "100,000")].map { id, title in
            most(150, "add and remove the newest of \(title)", unit: "ns", because: slow, best("change.\(id)", "topic"))
        }
        let posting = [("1", "1"), ("1000", "1,000")].map { id, title in
            most(
                250, "add and remove the newest of \(title), while a thread posts", unit: "ns", because: slow,
                best("change.posting.\(id)", "topic"))
        }
        let waits = ["sleep", "spin"].map { other in
            most(
                300, "remove and wait, another thread \(other)s: more than membarrier", unit: "ns", because: slow,
                { results in
                    // Of each round by itself: what an interrupt costs changes by the second.
                    guard let row = results["wait.\(other)"], let ratio = row["topic"]?.ratio?.median,
                        let floor = row["floor-change"]?.median
                    else { return nil }
                    return (ratio - 1) * floor
                })
        }
        let scaling = ["topic", "name"].map { way in
            Budget(
                what: "two threads beside one, one hot \(way)", limit: "≥ 1.9 ×", holds: { $0 >= 1.9 },
                value: { $0["scaling"]?[way]?.ratio?.median }, unit: "×",
                reason: "the loop of calls, which shares nothing, says in the same row what a second CPU is worth here")
        }
        return [
            most(2, "post by topic, 1 observer, beside the loop", ratio("post.1", "topic", "floor-loop")),
            most(7, "post by name, 1 observer, beside the loop", ratio("post.1", "name", "floor-loop")),
            most(11, "post by name with an object, beside the loop", ratio("object.1", "name", "floor-loop")),
            most(
                1.3, "each observer more, by topic, beside the loop", because: aligned,
                ratio("slope", "topic", "floor-loop")),
            most(
                1.3, "each observer more, by name, beside the loop", because: aligned,
                ratio("slope", "name", "floor-loop")),
        ] + scaling + [
            most(1.5, "one hot name of 1,000,000, beside one of 10", ratio("hot", "name", "name.before"))
        ] + changes + posting + waits + [
            most(112, "memory of an observer", unit: "bytes", best("bytes.observer", "topic")),
            most(1.5, "a miss after 100,000 names came and went", ratio("miss", "name", "name.before")),
            most(1.5, "1024 misses in turn after that", ratio("misses", "name", "name.before")),
            most(0, "allocations of a post, by topic", unit: "allocations", best("allocations", "topic")),
            most(0, "allocations of a post, by name", unit: "allocations", best("allocations", "name")),
            most(65536, "heap grown by 5,000 threads", unit: "bytes", best("bytes.threads", "topic")),
        ]
    }

    private static var swift: [Budget] {
        [
            most(1.5, "Swift, by topic, beside C", ratio("swift.typed", "swift-topic", "topic")),
            most(1.3, "Swift, by type, beside C by name", ratio("swift.typed", "swift-type", "name")),
            most(1.25, "Swift, by name, beside C by name", ratio("swift.typed", "swift-name", "name")),
            most(
                1 / 12.0, "Swift, by type, beside Foundation", as: "1/12 ×",
                ratio("swift.typed", "swift-type", "foundation")),
            most(
                1 / 15.0, "Swift, by type, beside Foundation's typed", as: "1/15 ×",
                ratio("swift.typed", "swift-type", "foundation-typed")),
            most(
                0.5, "weak owner, beside a weak reference loaded and called",
                ratio("swift.owner", "swift-owner", "floor")),
            most(
                1.2, "protocol observer, beside a weak owner", ratio("swift.protocol", "swift-protocol", "swift-owner")),
            most(0, "allocations of a post, by type", unit: "allocations", best("allocations", "swift-type")),
            most(50, "post to an actor, poster's time", unit: "ns", because: slow, best("actor", "herald")),
            most(50, "post through a queue, poster's time", unit: "ns", because: slow, best("queue", "herald")),
            most(0.01, "element of messages, beside AsyncStream", as: "1/100 ×", ratio("messages", "herald", "peer")),
            most(
                0.1, "@Watched set, nobody watching, beside @Observable", as: "1/10 ×",
                ratio("watched", "herald", "peer")),
            most(3, "@Watched set, nobody watching", unit: "ns", best("watched", "herald")),
            most(0.2, "CFNotificationCenter, beside Foundation", as: "1/5 ×", ratio("swift.cf", "cf", "foundation")),
        ]
    }

    private static func percentile(
        _ name: String, of id: String = "host.wake", beside peer: String = "dbus"
    ) -> (Results) -> Double? {
        { results in
            guard let row = results[id], let mine = row["herald"]?.percentiles?[name],
                let peer = row[peer]?.percentiles?[name]
            else { return nil }
            return mine / peer
        }
    }

    private static var network: [Budget] {
        [
            most(
                1.5, "network: another process hears, p50, beside libnats",
                percentile("50", of: "network.wake", beside: "floor")),
            most(
                2, "network: another process hears, p99, beside libnats",
                percentile("99", of: "network.wake", beside: "floor")),
            most(
                1, "network: time of a post in a long row of them, beside libnats",
                ratio("network.many", "herald", "floor")),
            most(10000, "network: add and remove an observer", unit: "ns", best("network.add", "herald")),
        ]
    }

    private static var host: [Budget] {
        [
            most(
                20, "host: post of a name nobody ever observed", unit: "ns", because: slow,
                best("host.unknown", "herald")),
            most(
                20, "host: post of a name nobody observes now", unit: "ns", because: slow, best("host.known", "herald")),
            most(5, "host: check", unit: "ns", because: slow, best("host.check", "herald")),
            most(0.25, "host: another process hears, p50, beside D-Bus", as: "1/4 ×", percentile("50")),
            most(1, "host: another process hears, p99, beside D-Bus", percentile("99")),
            most(
                1.15, "host: message of 64 bytes, p50, beside a name",
                percentile("50", of: "host.message.64", beside: "name")),
            most(
                1.2, "host: message of 64 bytes, p50, beside a futex",
                percentile("50", of: "host.message.64", beside: "floor")),
            most(
                0.5, "host: message of 16 KiB, p50, beside D-Bus", as: "1/2 ×",
                percentile("50", of: "host.message.16k")),
            most(20, "host: message nobody hears", unit: "ns", because: slow, best("host.message.unheard", "herald")),
            most(
                60, "host: message of 64 bytes, reader stopped", unit: "ns", because: slow,
                best("host.message.stopped.64", "herald")),
            most(
                120, "host: message of 1 KiB, reader stopped", unit: "ns", because: slow,
                best("host.message.stopped.1k", "herald")),
            most(
                1500, "host: message of 16 KiB, reader stopped", unit: "ns", because: slow,
                best("host.message.stopped.16k", "herald")),
            most(1.5, "host: a post nobody hears, in a crowd", ratio("host.crowd.post", "herald", "few")),
            most(1.5, "host: one of 50 processes hears, p50", ratio("host.crowd.wake", "herald", "few")),
            most(0, "host: wakes of those not concerned", unit: "wakes", best("host.crowd.needless", "herald")),
        ]
    }
}
