/// One row that is to be measured: who takes part, and with what.
struct Plan {
    let id: String
    let section: Int
    let title: String
    var unit = Row.Unit.nanoseconds
    var shape = Row.Shape.cost
    var entries: [Entry]
    /// Too large for a quick run.
    var isLong = false

    /// Somebody in the row. The floor is another entry's id.
    struct Entry {
        let id: String
        let program: String
        /// Of the program's; for a task "-".
        let peer: String
        let line: String
        var floor: String?
    }
}

extension Plan.Entry {
    init(_ peer: Contestant, _ line: String, floor: String? = nil) {
        self.init(id: peer.id, program: peer.program ?? "", peer: peer.id, line: line, floor: floor)
    }
}

/// The rows, in eleven sections, with those who are there.
struct Matrix {
    let contestants: [Contestant]

    struct Section {
        let number: Int
        let title: String
        let says: String
    }

    static let sections = [
        Section(
            number: 1, title: "A post that nobody hears",
            says:
                "Beside one other name, and beside 10,000. Floors: a load and a branch for prepared places, a hash probe "
                + "for names, hashing the text for strings."),
        Section(
            number: 2, title: "A post to 1, 2, 4 … 1024 observers",
            says: "Floor: a loop of indirect calls over packed {function, context}."),
        Section(
            number: 3, title: "A random name of many, cold",
            says: "Floor: the same places, each with its observer, without a table. It misses the cache as often."),
        Section(
            number: 4, title: "One object of a thousand",
            says:
                "A thousand observers of one name, each of an object of its own, and one of any name; posts to one object. "
                + "Floor: one hash probe and the call."),
        Section(
            number: 5, title: "Adding and removing",
            says: "The newest of so many observers. Floor: malloc, a releasing store, free; for removal that waits, "
                + "membarrier(2)."),
        Section(
            number: 6, title: "Threads",
            says:
                "Posts of all threads together, one observer, its count per thread. This machine's CPUs decide what can be "
                + "won: the floor is the loop of calls with as many threads."),
        Section(
            number: 7, title: "Churn",
            says:
                "Batches of 64 posts while another thread adds and removes observers of the same name; percentiles of "
                + "the batch's mean. Floor: the loop of calls in peace."),
        Section(
            number: 8, title: "At a pace",
            says:
                "200,000 posts a second on a schedule, each from the time at which it was due, whenever it could start "
                + "(no coordinated omission). Floor: the same harness around the loop of calls."),
        Section(
            number: 9, title: "Memory",
            says:
                "What malloc says is in use and what is mapped besides, and what malloc is asked for. Floors: 24 bytes for an observer; no allocation."
        ),
        Section(
            number: 10, title: "Swift, and other processes",
            says: "Each beside the first of its lines: its floor if it has one, else its peer."),
        Section(
            number: 11, title: "The network",
            says:
                "Two processes of this machine and a nats-server, 64 bytes with the same headers. Floor: libnats itself, "
                + "which sends as soon as it can."),
    ]

    var plans: [Plan] {
        nobody + observers + names + objects + changes + threads + churn + pace + memory + swift + host + network
    }

    /// Rows of which a plot is made are measured together, or a slow minute of the machine would bend its lines.
    static func groups(_ plans: [Plan]) -> [[Plan]] {
        var groups: [[Plan]] = []
        for plan in plans {
            let together = [2, 6, 7].contains(plan.section) && plan.shape != .size && plan.unit != .bytes
            if together, let last = groups.last?.last, last.section == plan.section, last.shape == plan.shape {
                groups[groups.count - 1].append(plan)
            } else {
                groups.append([plan])
            }
        }
        return groups
    }

    // ---- Who takes part

    /// Everybody who is a center.
    var centers: [Contestant] { contestants.filter { $0.role != .floor } }

    /// Without those that others stand for.
    private var once: [Contestant] { centers.filter { $0.like == nil } }

    /// Those with a place for each name: of a type there is one.
    private var named: [Contestant] { once.filter { $0.lookup != "type" } }

    private func some(_ ids: String...) -> [Contestant] { contestants.filter { ids.contains($0.id) } }
    private func peers(_ take: (Contestant) -> Bool) -> [Contestant] {
        once.filter { $0.role == .peer && take($0) }
    }

    private func floor(_ id: String, _ line: String) -> Plan.Entry {
        Plan.Entry(id: id, program: "floor", peer: id, line: line)
    }

    /// All with one line, beside one floor.
    private func all(
        _ line: String, beside id: String, _ contestants: [Contestant], floorLine: String? = nil
    ) -> [Plan.Entry] {
        [floor(id, floorLine ?? line)] + contestants.map { Plan.Entry($0, line, floor: id) }
    }

    /// Each beside itself with another line.
    private func each(_ line: String, besideItselfWith base: String, _ contestants: [Contestant]) -> [Plan.Entry] {
        contestants.flatMap { who -> [Plan.Entry] in
            let before = Plan.Entry(id: who.id + ".before", program: who.program ?? "", peer: who.id, line: base)
            return [before, Plan.Entry(who, line, floor: before.id)]
        }
    }

    // ---- Sections 1 to 4: posts

    private var nobody: [Plan] {
        [(1, "one other name"), (10000, "10,000 other names")].map { others, title in
            let line = "post observers=0 others=\(others)"
            let floors = ["name": "floor-probe", "type": "floor-probe", "string": "floor-string"]
            let entries = centers.map { Plan.Entry($0, line, floor: floors[$0.lookup ?? ""] ?? "floor-loop") }
            return Plan(
                id: "nobody.\(others)", section: 1, title: title,
                entries: ["floor-loop", "floor-probe", "floor-string"].map { floor($0, line) } + entries)
        }
    }

    static let observerCounts = [1, 2, 4, 8, 64, 1024]

    private var observers: [Plan] {
        Self.observerCounts.map { count in
            Plan(
                id: "post.\(count)", section: 2, title: "\(count)",
                entries: all("post observers=\(count)", beside: "floor-loop", centers))
        }
    }

    private var names: [Plan] {
        [(1000, "1,000"), (100_000, "100,000"), (1_000_000, "1,000,000")].map { count, title in
            Plan(
                id: "names.\(count)", section: 3, title: title,
                entries: all("names count=\(count)", beside: "floor-loop", named),
                isLong: count > 100_000)
        } + [
            Plan(
                id: "hot", section: 3, title: "one hot name of 1,000,000, beside one of 10",
                entries: each(
                    "post observers=1 others=1000000", besideItselfWith: "post observers=1 others=10", some("name")),
                isLong: true),
            Plan(
                id: "miss", section: 3, title: "a miss after 100,000 names came and went, beside none",
                entries: each("miss came=100000", besideItselfWith: "miss came=0", some("name"))),
            Plan(
                id: "misses", section: 3, title: "1024 misses in turn after that, beside none",
                entries: each(
                    "miss came=100000 unheard=1024", besideItselfWith: "miss came=0 unheard=1024", some("name"))),
        ]
    }

    private var objects: [Plan] {
        let about = named.filter { $0.objects == true }
        return [
            Plan(
                id: "object.1", section: 4, title: "one observer, of the object",
                entries: all("objects count=1 any=0", beside: "floor-loop", about)),
            Plan(
                id: "object.1000", section: 4, title: "1000 objects, and any",
                entries: all("objects count=1000", beside: "floor-probe", about)),
        ]
    }

    // ---- Section 5: changes

    private var waiters: [Contestant] { some("topic", "swift-type") + peers { $0.waits == true } }

    private var changes: [Plan] {
        let byToken = [(1, "1"), (1000, "1,000"), (100_000, "100,000")].map { count, title in
            Plan(
                id: "change.\(count)", section: 5, title: "of \(title)",
                entries: all("change observers=\(count) how=token", beside: "floor-change", once), isLong: count > 1000)
        }
        let byObserver = Plan(
            id: "change.observer", section: 5, title: "of 1,000, by observer",
            entries: all(
                "change observers=1000 how=observer", beside: "floor-change",
                some("name") + peers { $0.removesByObserver == true }))
        let posting = [(1, "1"), (1000, "1,000")].map { count, title in
            Plan(
                id: "change.posting.\(count)", section: 5, title: "of \(title), while a thread posts",
                entries: all(
                    "change observers=\(count) posting=1", beside: "floor-change", once,
                    floorLine: "change observers=\(count)"))
        }
        let waiting = ["sleep": "sleeps", "spin": "spins"].sorted { $0.key < $1.key }.map { other, title in
            Plan(
                id: "wait.\(other)", section: 5, title: "remove and wait, another thread \(title)",
                entries: all("wait other=\(other)", beside: "floor-change", waiters))
        }
        return byToken + [byObserver] + posting + waiting
    }

    // ---- Section 6: threads

    static let threadCounts = [1, 2, 4, 8]

    private var threads: [Plan] {
        ["hot": "one name", "own": "a name each"].sorted { $0.key < $1.key }.flatMap { kind, title in
            Self.threadCounts.map { count in
                Plan(
                    id: "threads.\(kind).\(count)", section: 6,
                    title: "\(count) thread\(count == 1 ? "" : "s"), \(title)",
                    unit: .rate, shape: .rate,
                    entries: all(
                        "threads count=\(count) hot=\(kind == "hot" ? 1 : 0)", beside: "floor-loop",
                        kind == "hot" ? once : named))
            }
        } + [
            Plan(
                id: "scaling", section: 6, title: "2 threads beside 1, one name", unit: .rate, shape: .rate,
                entries: each(
                    "threads count=2 hot=1", besideItselfWith: "threads count=1 hot=1",
                    some("topic", "name", "floor-loop")))
        ]
    }

    // ---- Sections 7 and 8: latency

    static let churnRates = [
        (0, "nobody changes"), (1000, "1,000 a second"), (100_000, "100,000 a second"), (-1, "flat out"),
    ]

    private var churn: [Plan] {
        let posts = Self.churnRates.map { rate, title in
            Plan(
                id: "churn.\(rate)", section: 7, title: title, shape: .latency,
                entries: all("churn rate=\(rate)", beside: "floor-loop", once, floorLine: "churn rate=0"))
        }
        return posts + [
            Plan(
                id: "churn.memory", section: 7, title: "memory waiting to be freed, flat out", unit: .bytes,
                entries: once.map { Plan.Entry($0, "churn_memory rate=-1") }),
            Plan(
                id: "churn.wait", section: 7, title: "removal that waits for calls of 10 µs", shape: .latency,
                entries: [task("floor-spin", "floor", "spin")]
                    + waiters.map { Plan.Entry($0, "waiting callback=10000", floor: "floor-spin") }),
        ]
    }

    private var pace: [Plan] {
        [
            Plan(
                id: "pace", section: 8, title: "200,000 a second", shape: .latency,
                entries: all("paced rate=200000", beside: "floor-loop", once))
        ]
    }

    // ---- Section 9: memory

    private var memory: [Plan] {
        func sizes(_ id: String, _ title: String, _ unit: Row.Unit, _ line: String, _ who: [Contestant]) -> Plan {
            Plan(
                id: id, section: 9, title: title, unit: unit, shape: .size,
                entries: who.map { Plan.Entry($0, line) })
        }
        return [
            sizes(
                "bytes.observer", "of an observer, of 10,000 of one name", .bytes, "bytes of=observer count=10000", once
            ),
            sizes("bytes.name", "of a name with one observer, of 10,000", .bytes, "bytes of=name count=10000", named),
            sizes(
                "bytes.center", "of an empty center, of 1,000", .bytes, "bytes of=center count=1000",
                some("name", "swift-name") + peers { $0.lookup == "name" }),
            sizes("allocations", "allocations of a post", .allocations, "allocations", centers),
            sizes("bytes.threads", "grown by 5,000 threads that post once", .bytes, "thread_memory threads=5000", once),
        ]
    }

    // ---- Section 10: Swift, and other processes

    private func task(
        _ id: String, _ program: String, _ name: String, beside floor: String? = nil,
        count: Int? = nil
    ) -> Plan.Entry {
        Plan.Entry(
            id: id, program: program, peer: "-", line: "task name=\(name)" + (count.map { " count_each=\($0)" } ?? ""),
            floor: floor)
    }

    private func swift(
        _ id: String, _ title: String, _ name: String, floor: String? = nil, peer: String,
        counts: (Int?, Int?) = (nil, nil)
    ) -> Plan {
        Plan(
            id: id, section: 10, title: title,
            entries: (floor.map { [task("floor", "SwiftPeers", $0)] } ?? []) + [
                task(
                    "herald", "SwiftPeers", name, beside: floor == nil ? "peer" : "floor", count: counts.0),
                task("peer", "SwiftPeers", peer, beside: floor == nil ? nil : "floor", count: counts.1),
            ])
    }

    private func block(_ id: String, _ title: String, _ who: [Contestant], floor: String) -> Plan {
        Plan(
            id: id, section: 10, title: title,
            entries: [task("floor", "SwiftPeers", floor)]
                + who.map { Plan.Entry($0, "post observers=1", floor: "floor") })
    }

    private var swift: [Plan] {
        let inSwift = peers { $0.program == "SwiftPeers" }
        return [
            block(
                "swift.typed", "typed block; floor: a closure called",
                some("topic", "name", "swift-topic", "swift-type", "swift-name") + inSwift, floor: "closure"),
            block(
                "swift.owner", "weak owner; floor: a weak reference loaded and called", some("swift-owner"),
                floor: "weak"),
            block(
                "swift.protocol", "protocol observer; floor: the same", some("swift-owner", "swift-protocol"),
                floor: "weak"),
            block(
                "swift.cf", "CFNotificationCenter; floor: a closure called",
                some("cf") + inSwift.filter { $0.lookup == "name" }, floor: "closure"),
            swift(
                "watched", "@Watched set, nobody watching, beside @Observable; floor: a store and a branch", "watched",
                floor: "store", peer: "observable"),
            swift(
                "watched.heard", "@Watched set, heard, beside @Observable tracked anew", "watched-heard",
                floor: "store",
                peer: "observable-heard"),
            swift(
                "actor", "post to an actor, poster's time, beside a task for each", "actor", peer: "task-each",
                counts: (5000, 500)),
            swift(
                "queue", "post through a queue, poster's time, beside queue.async for each", "queue",
                peer: "queue-each",
                counts: (5000, 5000)),
            swift(
                "messages", "element of messages on the main actor, beside AsyncStream", "messages", peer: "stream",
                counts: (20000, 2000)),
        ]
    }

    private var network: [Plan] {
        [
            Plan(
                id: "network.wake", section: 11, title: "network: another process hears", shape: .latency,
                entries: [task("floor", "nats", "raw"), task("herald", "nats", "network", beside: "floor")]),
            Plan(
                id: "network.many", section: 11, title: "network: posts one after the other, until the server has all",
                shape: .cost,
                entries: [task("floor", "nats", "raw-many"), task("herald", "nats", "network-many", beside: "floor")]),
            Plan(
                id: "network.add", section: 11, title: "network: add and remove an observer of a name", shape: .cost,
                entries: [task("herald", "nats", "network-add")]),
        ]
    }

    private var host: [Plan] {
        func host(_ id: String, _ title: String, _ name: String, _ floor: String, shape: Row.Shape = .cost) -> Plan {
            Plan(
                id: id, section: 10, title: title, shape: shape,
                entries: [
                    task("floor", "wake", floor), task("herald", "wake", name, beside: "floor"),
                ])
        }
        func crowd(_ id: String, _ title: String, _ name: String, _ few: String, shape: Row.Shape = .cost) -> Plan {
            Plan(
                id: id, section: 10, title: title, shape: shape,
                entries: [task("few", "wake", few), task("herald", "wake", name, beside: "few")])
        }
        func message(_ id: String, _ title: String, _ size: String) -> Plan {
            Plan(
                id: id, section: 10,
                title: "host: another process hears a message of \(title), beside a D-Bus signal; floor: a futex",
                shape: .latency,
                entries: [
                    task("floor", "wake", "futex"), task("name", "wake", "host", beside: "floor"),
                    task("herald", "wake", "message-\(size)", beside: "floor"),
                    task("dbus", "dbus", "dbus-\(size)", beside: "floor"),
                ])
        }
        return [
            host(
                "host.unknown", "host: post of a name nobody ever observed; floor: an atomic addition", "post-unknown",
                "atomic-add"),
            host("host.known", "host: post of a name nobody observes now; floor: the same", "post-known", "atomic-add"),
            host("host.check", "host: check; floor: a load", "check", "load"),
            Plan(
                id: "host.wake", section: 10,
                title: "host: another process hears, beside a D-Bus signal; floor: a futex",
                shape: .latency,
                entries: [
                    task("floor", "wake", "futex"), task("herald", "wake", "host", beside: "floor"),
                    task("dbus", "dbus", "dbus", beside: "floor"),
                ]),
            message("host.message.64", "64 bytes", "64"),
            message("host.message.16k", "16 KiB", "16k"),
            host(
                "host.message.unheard", "host: message of 64 bytes that nobody hears; floor: a post of a name",
                "unheard-64", "post-unknown"),
            host(
                "host.message.stopped.64", "host: message of 64 bytes, its reader is stopped; floor: a post of a name",
                "stopped-64", "stopped-0"),
            host(
                "host.message.stopped.1k", "host: message of 1 KiB, its reader is stopped; floor: a post of a name",
                "stopped-1k", "stopped-0"),
            host(
                "host.message.stopped.16k", "host: message of 16 KiB, its reader is stopped; floor: a post of a name",
                "stopped-16k", "stopped-0"),
            crowd(
                "host.crowd.post", "host: post nobody hears, 10,000 names in 50 processes, beside 200 in 1",
                "post-many",
                "post-few"),
            crowd(
                "host.crowd.wake", "host: one of the 50 hears, beside 1 with 200 names", "many", "few", shape: .latency),
            Plan(
                id: "host.crowd.needless", section: 10,
                title: "host: wakes of the 49 others in 500 posts, but the clock's",
                unit: .wakes, shape: .size, entries: [task("herald", "wake", "needless")]),
        ]
    }
}
