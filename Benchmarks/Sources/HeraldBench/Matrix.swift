/// The rows, in sections, with the contestants that are there.
struct Matrix {
    let contestants: [Contestant]

    struct Section {
        let number: Int
        let title: String
        let says: String
        /// How many rows are the columns of a table; nil: a row has lines of its own.
        var columns: Int? { number == 17 ? 6 : number < 10 ? 8 : nil }
    }

    static let sections = [
        Section(
            number: 1, title: "A post that nobody hears",
            says:
                "With one other name, and with 10,000. Floors: the loop of calls for prepared places, a hash probe "
                + "for names, hashing and comparing the text for strings; each the best of several."),
        Section(
            number: 2, title: "A post to 1, 2, 4 … 1024 observers",
            says:
                "Floor: the best of four loops of indirect calls over packed {function, context}, one call at a time "
                + "in place and as a function, four and eight in a turn. Beside it a loop whose calls have the five "
                + "arguments that Herald's callbacks have."),
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
                "Posts while another thread adds and removes observers of the same name: batches of 64, percentiles of "
                + "the batch's mean; and single posts, each timed by itself, with what the clock costs in all "
                + "values. Floor: the loop of calls in peace, with the same clock."),
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
            number: 10, title: "Swift",
            says:
                "Each relative to the first of its lines: its floor if it has one, else its peer. What goes to "
                + "actors, queues and sequences: the time of the poster, and the time until all was heard by a "
                + "consumer that runs all the time, relative to the same of an AsyncStream."),
        Section(
            number: 11, title: "Texts",
            says:
                "HeraldNameFind of names of several lengths, relative to a post by name to one observer. Floor: the text's "
                + "length, a hash of many bytes at a time, a probe, a comparison."),
        Section(
            number: 12, title: "Other processes",
            says:
                "Names through the host center. Floors: a futex on shared memory for wakes, one shared access for the "
                + "rest."),
        Section(
            number: 13, title: "Messages between processes",
            says: "Floors: a futex for wakes, a post of a name for the rest."),
        Section(
            number: 14, title: "The inspector",
            says:
                "A post by name to one observer: quiet, while another center is traced, and while it is traced itself "
                + "by a hook that counts: four events."),
        Section(
            number: 15, title: "The network",
            says:
                "Two processes of this machine and a nats-server, 64 bytes with the same headers. Floor: libnats itself, "
                + "which sends as soon as it can."),
        Section(
            number: 16, title: "The machine",
            says:
                "What much of the rest hangs on: a retain, a lock and a post of a thread that is asked have locked instructions, "
                + "a removal has fences. And what the record of a thread costs, which its first post takes."),
        Section(
            number: 17, title: "Signals in C++",
            says:
                "The rows of the public comparison of C++ libraries of signals, with 2, 8 and 64 slots: objects whose "
                + "methods are connected to a signal, and which disconnect when they end; of one signal, or, where nothing "
                + "is connected, one. Relative to Boost.Signals2. Herald's objects end without "
                + "waiting for calls on other threads, as those of all others do, and once more with "
                + "herald::scoped_connection, which waits. Combined is all of it together; threaded the same, while "
                + "another thread does it with the same signal."),
    ]

    var plans: [Plan] {
        machine + nobody + observers + names + objects + changes + threads + churn + pace + memory + swift + texts
            + host
            + messages + inspector + network + signals
    }

    /// The rows of one plot are measured together. Otherwise a slow minute of the machine would bend its lines.
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

    /// All contestants that are centers.
    var centers: [Contestant] { contestants.filter { $0.role != .floor } }

    /// All centers except those that another one stands for.
    private var once: [Contestant] { centers.filter { $0.like == nil } }

    /// Centers with a place for each name: a type has one place.
    private var named: [Contestant] { once.filter { $0.lookup != "type" } }

    func some(_ ids: String...) -> [Contestant] { contestants.filter { ids.contains($0.id) } }
    func peers(_ take: (Contestant) -> Bool) -> [Contestant] {
        once.filter { $0.role == .peer && take($0) }
    }

    /// Which loop, or which hash, is the fastest depends on the row.
    private static let ways = [
        "floor-loop": ["floor-here", "floor-fours", "floor-eights"], "floor-string": ["floor-words", "floor-bytes"],
    ]

    /// How many of a floor's other ways take part. With one observer, ways that call several in a turn do the same;
    /// with a million places only memory counts.
    private enum Ways: Int { case none, one, all }

    private func floor(_ id: String, _ line: String, _ ways: Ways) -> Plan.Entry {
        var entry = Plan.Entry(id: id, program: "floor", peer: id, line: line)
        let others = Self.ways[id] ?? []
        entry.others = others.prefix(ways == .all ? others.count : ways.rawValue).map { ($0, line) }
        return entry
    }

    /// All contestants with the same line, against one floor.
    private func all(
        _ line: String, beside id: String, _ contestants: [Contestant], floorLine: String? = nil, ways: Ways = .one
    ) -> [Plan.Entry] {
        [floor(id, floorLine ?? line, ways)] + contestants.map { Plan.Entry($0, line, floor: id) }
    }

    /// Each contestant against itself with another line.
    private func each(_ line: String, besideItselfWith base: String, _ contestants: [Contestant]) -> [Plan.Entry] {
        contestants.flatMap { who -> [Plan.Entry] in
            let before = Plan.Entry(id: who.id + ".before", program: who.program ?? "", peer: who.id, line: base)
            return [before, Plan.Entry(who, line, floor: before.id)]
        }
    }

    // ---- Sections 1 to 4: posts

    /// Basic costs on which many other figures depend.
    private var machine: [Plan] {
        [
            Plan(
                id: "machine", section: 16, title: "an instruction, of one thread alone",
                entries: [task("locked", "floor", "locked"), task("fence", "floor", "fence")]),
            Plan(
                id: "begin", section: 16,
                title:
                    "a program with a center, an observer and a post, from its start to its end, relative to one without",
                entries: [
                    task("floor", "herald", "begin-empty"), task("herald", "herald", "begin-posting", beside: "floor"),
                ]),
            Plan(
                id: "thread", section: 16, title: "a thread that posts once, relative to one that does nothing",
                entries: [task("floor", "herald", "thread"), task("herald", "herald", "thread-post", beside: "floor")]
            ),
        ]
    }

    private var nobody: [Plan] {
        [(1, "one other name"), (10000, "10,000 other names")].map { others, title in
            let line = "post observers=0 others=\(others)"
            let floors = ["name": "floor-probe", "type": "floor-probe", "string": "floor-string"]
            let entries = centers.map { Plan.Entry($0, line, floor: floors[$0.lookup ?? ""] ?? "floor-loop") }
            return Plan(
                id: "nobody.\(others)", section: 1, title: title,
                entries: ["floor-loop", "floor-probe", "floor-string"].map { floor($0, line, .all) } + entries
            ).placed
        }
    }

    static let observerCounts = [1, 2, 4, 8, 64, 1024]

    private var observers: [Plan] {
        Self.observerCounts.map { count in
            Plan(
                id: "post.\(count)", section: 2, title: "\(count)",
                entries: all("post observers=\(count)", beside: "floor-loop", some("floor-five") + centers, ways: .all)
            ).placed
        }
    }

    private var names: [Plan] {
        [(1000, "1,000"), (100_000, "100,000"), (1_000_000, "1,000,000")].map { count, title in
            Plan(
                id: "names.\(count)", section: 3, title: title,
                entries: all("names count=\(count)", beside: "floor-loop", named, ways: count > 100_000 ? .none : .one),
                isLong: count > 100_000)
        } + [
            Plan(
                id: "hot", section: 3, title: "one hot name of 1,000,000, relative to one of 10",
                entries: each(
                    "post observers=1 others=1000000", besideItselfWith: "post observers=1 others=10", some("name")),
                isLong: true
            ).placed,
            Plan(
                id: "miss", section: 3, title: "a miss after 100,000 names came and went, relative to none",
                entries: each("miss came=100000", besideItselfWith: "miss came=0", some("name"))),
            Plan(
                id: "misses", section: 3, title: "1024 misses in turn after that, relative to none",
                entries: each(
                    "miss came=100000 unheard=1024", besideItselfWith: "miss came=0 unheard=1024", some("name"))),
        ] + thinned
    }

    private var thinned: [Plan] {
        [("front", "first"), ("middle", "middle"), ("end", "last")].map { place, which in
            Plan(
                id: "gone.\(place)", section: 3, title: "9 observers of which the \(which) 3 have gone, relative to 9",
                entries: each(
                    "post observers=9 gone=3 at=\(place)", besideItselfWith: "post observers=9", some("topic", "name"))
            ).placed
        }
    }

    private var objects: [Plan] {
        let about = named.filter { $0.objects == true }
        return [
            Plan(
                id: "object.1", section: 4, title: "one observer, of the object",
                entries: all("objects count=1 any=0", beside: "floor-loop", some("floor-five") + about)
            ).placed,
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
        // A closure in Swift is released with its observer, so it is compared with C that does the same.
        let owned = [(0, "in peace"), (1, "while a thread posts")].map { posting, title in
            Plan(
                id: "change.owned.\(posting)", section: 5, title: "of 1,000, with a release hook in C, \(title)",
                entries: some("name").map {
                    Plan.Entry($0, "change observers=1000 how=owned posting=\(posting)")
                }
                    + some("swift-type", "swift-name").map {
                        Plan.Entry($0, "change observers=1000 how=token posting=\(posting)", floor: "name")
                    })
        }
        let waiting = ["sleep": "sleeps", "spin": "spins"].sorted { $0.key < $1.key }.map { other, title in
            Plan(
                id: "wait.\(other)", section: 5, title: "remove and wait, another thread \(title)",
                entries: all("wait other=\(other)", beside: "floor-change", waiters))
        }
        return byToken + [byObserver] + posting + owned + waiting
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
                id: "scaling", section: 6, title: "2 threads relative to 1, one name", unit: .rate, shape: .rate,
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
        let singles = [(0, "nobody changes"), (100_000, "100,000 a second"), (-1, "flat out")].map { rate, title in
            Plan(
                id: "single.\(rate)", section: 7, title: "single posts, \(title)", shape: .latency,
                entries: all("single rate=\(rate)", beside: "floor-loop", once, floorLine: "single rate=0"))
        }
        return posts + singles + [
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
            sizes(
                "bytes.owner", "of an observer by owner, of 10,000", .bytes, "bytes of=observer count=10000",
                some("swift-owner")),
            sizes("bytes.name", "of a name with one observer, of 10,000", .bytes, "bytes of=name count=10000", named),
            sizes(
                "bytes.center", "of an empty center, of 1,000", .bytes, "bytes of=center count=1000",
                some("name", "swift-name") + peers { $0.lookup == "name" || $0.lookup == "string" }),
            sizes("allocations", "allocations of a post", .allocations, "allocations", centers),
            sizes("bytes.threads", "grown by 5,000 threads that post once", .bytes, "thread_memory threads=5000", once),
        ]
    }
}
