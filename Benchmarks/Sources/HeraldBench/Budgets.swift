/// The budgets of all parts of Herald, measured again in each run. Instructions are callgrind's, as `make bench-check`
/// counts them.
extension Budget {
    static let all: [Budget] =
        core + texts + swift + swiftLists + moved + elsewhere + host + messages + inspector + network + signals

    private static func most(
        _ limit: Double, _ what: String, _ form: Form = .times, because reason: String,
        _ figure: @escaping (Results) -> Figure?
    ) -> Budget {
        Budget(what: what, limit: limit, form: form, figure: figure, reason: reason)
    }

    private static let ns = Form.unit("ns")
    private static let bytes = Form.unit("bytes")

    private static let slow =
        "it is in nanoseconds, and this machine has phases in which everything takes up to twice as long (see "
        + "the floors)"
    private static let each =
        "23 instructions for each observer where the loop has 12: its place in the list, whether it was removed "
        + "during the post (R6), whether the post is about its object, the frame that says who is being called"
    private static let cold =
        "what counts is cold memory: a name, its list, and its observer lie in pools of their own"

    private static var core: [Budget] {
        let changes = [("1", "1"), ("1000", "1,000"), ("100000", "100,000")].map { id, title in
            most(150, "add and remove the newest of \(title)", ns, because: slow) { $0.best("change.\(id)", "topic") }
        }
        let posting = [("1", "1"), ("1000", "1,000")].map { id, title in
            most(
                250, "add and remove the newest of \(title), while a thread posts", ns,
                because: slow
                    + "; a list that is posted to and changed at once goes from one CPU's cache to the other's"
            ) { $0.best("change.posting.\(id)", "topic") }
        }
        let waits = ["sleep", "spin"].map { other in
            // In each round by itself: the cost of an interrupt changes by the second.
            Budget(
                what: "remove and wait, another thread \(other)s: more than membarrier", limit: 300, form: ns,
                figure: { results in
                    guard let row = results["wait.\(other)"], let ratio = row["topic"]?.ratio?.median,
                        let floor = row["floor-change"]?.median
                    else { return nil }
                    return Figure((ratio - 1) * floor)
                },
                reason: slow, belowZero: "less than membarrier itself")
        }
        let scaling = ["topic", "name"].map { way in
            Budget(
                what: "two threads relative to one, one hot \(way)", limit: 1.9, isLeast: true,
                figure: { $0["scaling"]?[way]?.ratio.map { Figure($0.median) } },
                reason: "the loop of calls, which shares nothing, says in the same row what a second CPU is worth here")
        }
        return [
            most(
                2, "post by topic, 1 observer, relative to the loop with five arguments",
                because:
                    "89 instructions where the loop has 35: the section that a removal waits for, the list and its "
                    + "edition, the frame of the call, and the observer's own check"
            ) { $0.ratio("post.1", "topic", "floor-five") },
            most(
                7, "post by name, 1 observer, relative to the loop with five arguments",
                because: "161 instructions where the loop has 35: 72 of them look up the name and check the center"
            ) { $0.ratio("post.1", "name", "floor-five") },
            most(
                11, "post by name with an object, relative to the loop with five arguments",
                because: "the name is looked up with its object"
            ) { $0.ratio("object.1", "name", "floor-five") },
            most(1.3, "each observer more, by topic, relative to the loop with five arguments", because: each) {
                $0.ratio("slope", "topic", "floor-five")
            },
            most(1.3, "each observer more, by name, relative to the loop with five arguments", because: each) {
                $0.ratio("slope", "name", "floor-five")
            },
        ] + scaling + [
            most(1.5, "one hot name of 1,000,000, relative to one of 10", because: cold) {
                $0.ratio("hot", "name", "name.before")
            }
        ] + changes + posting + waits + [
            most(
                112, "memory of an observer", bytes,
                because: "it is what malloc has in use, of slots, buckets and indices that grow in steps"
            ) {
                $0.best("bytes.observer", "topic")
            },
            most(1.5, "a miss after 100,000 names came and went", because: cold) {
                $0.ratio("miss", "name", "name.before")
            },
            most(1.5, "1024 misses in turn after that", because: cold) { $0.ratio("misses", "name", "name.before") },
        ]
            + ["topic", "name", "swift-type"].map { way in
                most(
                    0, "allocations of a post, \(way == "swift-type" ? "in Swift by type" : "by " + way)",
                    .unit("allocations"), because: "a post must not allocate: `make bench-check` finds where"
                ) { $0.best("allocations", way) }
            } + [
                most(65536, "heap grown by 5,000 threads", bytes, because: "what threads leave is to be used again") {
                    $0.best("bytes.threads", "topic")
                }
            ]
    }

    private static var texts: [Budget] {
        Matrix.textLengths.map { length in
            most(
                2, "HeraldNameFind of \(length) bytes, relative to a post by name",
                because:
                    "the text's length is found, all of it is hashed, looked at for what is not ASCII, and compared"
            ) { $0.ratio("text.\(length)", "herald", "name") }
        }
    }

    private static var swift: [Budget] {
        [
            most(
                1.5, "Swift, by topic, relative to C",
                because: "119 instructions for 89: a thunk puts the message where a closure expects it"
            ) { $0.ratio("swift.typed", "swift-topic", "topic") },
            most(
                1.3, "Swift, by type, relative to C by name",
                because:
                    "some 30 instructions compared with C's 149: the same thunk, the type's name, the tag; it was set when a "
                    + "post by name in C took half as long again"
            ) { $0.ratio("swift.typed", "swift-type", "name") },
            most(
                1.25, "Swift, by name, relative to C by name",
                because:
                    "some 30 instructions compared with C's 149: a notice is made of the post; it was set when a post by name "
                    + "in C took half as long again"
            ) { $0.ratio("swift.typed", "swift-name", "name") },
            most(
                2, "Swift, a literal as the name, relative to C by name",
                because: "the literal is found in a table by its address, and compared, before what a name costs"
            ) { $0.ratio("swift.literal", "herald", "name") },
            most(
                5, "Swift, by name, nobody hears", ns,
                because: slow + "; nearly all of it is C's, to enter the section and look up the name"
            ) { $0.best("nobody.1", "swift-name") },
            most(1.5, "Swift, a random name of 1,000,000, relative to C", because: cold) {
                $0.ratio("names.1000000", "swift-name", "name")
            },
            most(1 / 12.0, "Swift, by type, relative to Foundation", .share, because: "Foundation has become faster") {
                $0.ratio("swift.typed", "swift-type", "foundation")
            },
            most(
                1 / 15.0, "Swift, by type, relative to Foundation's typed", .share,
                because: "Foundation has become faster"
            ) { $0.ratio("swift.typed", "swift-type", "foundation-typed") },
            most(
                0.5, "weak owner, relative to a weak reference loaded and called",
                because: "183 instructions for 189: what is saved is atomic operations, for a weak reference is loaded "
                    + "through a side table, and an owner is retained where it is"
            ) { $0.ratio("swift.owner", "swift-owner", "floor") },
            most(
                0.6, "weak owner that others reference weakly, relative to a weak reference loaded and called",
                because:
                    "its counts are in a side table; retaining and releasing it there are two locked instructions, and what "
                    + "loads a weak reference executes five"
            ) { $0.ratio("swift.owner.shared", "herald", "floor") },
            most(
                0.27, "Swift, by type, 1,024 observers, relative to an array of closures",
                because: "51 instructions for each observer, counted: 18 of the list, as in C, 15 that call the "
                    + "closure, 17 of the closure; and two and a half lines of memory for C's one and a quarter, because a "
                    + "closure's function and what it has captured are in two places"
            ) {
                $0.ratio("swift.closures.1024", "swift-type", "array")
            },
            most(0.45, "weak owner, 1,024 observers, relative to an array of weak references", because: slow) {
                $0.ratio("swift.references.1024", "swift-owner", "array")
            },
            most(
                1.2, "protocol observer, relative to a weak owner by type",
                because: "a closure that does not escape is handed to C as two words, and called once for each observer"
            ) { $0.ratio("swift.protocol", "swift-protocol", "swift-owner-type") },
            most(
                0.1, "@Watched set, nobody watching, relative to @Observable", .share,
                because: "@Observable has become faster"
            ) { $0.ratio("watched", "herald", "peer") },
            most(3, "@Watched set, nobody watching", ns, because: slow) { $0.best("watched", "herald") },
            most(0.2, "CFNotificationCenter, relative to Foundation", .share, because: "Foundation has become faster") {
                $0.ratio("swift.cf", "cf", "foundation")
            },
        ]
    }

    private static var swiftLists: [Budget] {
        let owned =
            "a record, what the closure has captured, and the token's memory: three more pieces of memory to take and "
            + "to give back"
        return ["in peace", "while a thread posts"].enumerated().map { posting, title in
            most(1.5, "Swift, observe and drop, relative to C with a release hook, \(title)", because: owned) {
                $0.ratio("change.owned.\(posting)", "swift-type", "name")
            }
        } + [
            most(
                160, "Swift, memory of an observer", bytes,
                because:
                    "the core's 88 bytes, its release hook, a record, what the closure has captured, and the token's "
                    + "memory; 160 (a test) where the body has captured one instance and the token is part of another"
            ) { $0.best("bytes.observer", "swift-type") },
            most(
                250, "Swift, memory of an observer by owner", bytes,
                because: "the same without a token, the owner's record, its entries in two tables, and the owner itself"
            ) { $0.best("bytes.owner", "swift-owner") },
        ]
    }

    /// Foundation's interface over Herald, relative to Foundation's own center.
    private static var moved: [Budget] {
        let interface =
            "what is left is the interface: each post finds the name by its text, makes a Notification, and hands a copy "
            + "to each observer"
        let counts: [(Int, String, Double)] = [
            (1, "1 observer", 0.3), (8, "8 observers", 0.36), (64, "64 observers", 0.55),
            (1024, "1,024 observers", 0.4),
        ]
        let posts = counts.map { count, title, limit in
            most(limit, "Foundation's interface, post to \(title), relative to Foundation", because: interface) {
                $0.ratio("moved.post.\(count)", "moved", "foundation")
            }
        }
        let message = most(
            0.5, "Foundation's interface, main-actor message to 8 observers, relative to Foundation",
            because: "the name of the message is made at each post, and found by its text"
        ) { $0.ratio("moved.typed", "moved-typed", "foundation-typed") }
        let changes = [("change", "an observer"), ("change.1000", "the newest of 1,000")].map { id, title in
            most(
                0.7, "Foundation's interface, add and remove \(title), relative to Foundation",
                because:
                    "the name is found by its text, and the core keeps the order, a token, and what the block holds"
            ) { $0.ratio("moved.\(id)", "moved", "foundation") }
        }
        return posts + [message] + changes
    }

    /// Signals in C++, relative to Boost.Signals2.
    private static var signals: [Budget] {
        let found =
            "574 instructions for Boost's 500. Half of Boost's are free(); its list is mended later (\"reconnect\" and "
            + "\"combined\" have that). Herald's look up the token, take the entry out of the list that posts read without "
            + "a lock, and look whether memory can be freed"
        let kept: [(String, String, String, Double, String)] = [
            (
                "connect.64", "signal", "connect, 64 slots", 0.4,
                "500 instructions for Boost's 1,051: a token, and a place in a list that grows by copies, because posts read it "
                    + "without a lock"
            ),
            ("disconnect.64", "signal", "disconnect, 64 slots", 0.45, found),
            (
                "disconnect.64", "signal.waiting", "disconnect and wait, 64 slots", 0.9,
                found
                    + ". With waiting it is 836: each disconnection makes sure by itself that no thread is in the slot, which "
                    + "Boost cannot"
            ),
            (
                "live", "signal", "a signal made, connected and gone", 0.1,
                "1,721 instructions for Boost's 4,089: a topic, its list, and a registration are made and given back"
            ),
        ]
        return kept.map { row, who, title, limit, reason in
            most(limit, "C++, \(title), relative to Boost.Signals2", because: reason) {
                $0.ratio("signals.\(row)", who, "boost")
            }
        }
    }

    private static var elsewhere: [Budget] {
        [
            most(
                50, "post to an actor, the poster's time", ns,
                because: slow
                    + "; the actor's turn runs on another CPU and takes from the same mailbox at the same time"
            ) { $0.best("actor", "herald") },
            most(
                50, "post through a queue, the poster's time", ns,
                because: slow
                    + "; the queue's turn runs on another CPU and takes from the same mailbox at the same time"
            ) { $0.best("queue", "herald") },
            most(
                60, "element of messages, of a backlog", ns,
                because:
                    "an element taken is some 50; its post, which puts it into the mailbox under a lock, is in the figure"
            ) { $0.best("messages", "herald") },
            most(
                0.01, "element of messages on the main actor, relative to AsyncStream", .share,
                because:
                    "it was set when each element of an AsyncStream on the main actor went through another thread and "
                    + "back; how often that is so the scheduler decides"
            ) { $0.ratio("messages", "herald", "stream") },
        ]
    }

    private static var host: [Budget] {
        [
            most(20, "host: post of a name nobody ever observed", ns, because: slow) {
                $0.best("host.unknown", "herald")
            },
            most(20, "host: post of a name nobody observes now", ns, because: slow) { $0.best("host.known", "herald") },
            most(5, "host: check", ns, because: slow) { $0.best("host.check", "herald") },
            most(
                0.25, "host: another process hears, p50, relative to D-Bus", .share, because: "D-Bus has become faster"
            ) {
                $0.percentile("50", of: "host.wake", "herald", beside: "dbus")
            },
            most(
                1, "host: another process hears, p99, relative to D-Bus", because: "the machine makes the tail of both"
            ) {
                $0.percentile("99", of: "host.wake", "herald", beside: "dbus")
            },
            most(
                1.5, "host: a post nobody hears, in a crowd", because: "more names, more memory, colder"
            ) { $0.ratio("host.crowd.post", "herald", "few") },
            most(1.5, "host: one of 50 processes hears, p50", because: "one of 50 lies colder than one of one") {
                $0.ratio("host.crowd.wake", "herald", "few")
            },
            most(
                0, "host: wakes of those not concerned", .unit("wakes"),
                because: "a process woke for a reason of its own, or was woken for nothing"
            ) { $0.best("host.crowd.needless", "herald") },
        ]
    }

    private static var messages: [Budget] {
        let stopped =
            slow + "; a message is a mutex, five locked operations, and two copies"
        return [
            most(
                1.15, "host: message of 64 bytes, p50, relative to a name",
                because: "its bytes are written by one process and read by the other: cold lines"
            ) { $0.percentile("50", of: "host.message.64", "herald", beside: "name") },
            most(
                1.2, "host: message of 64 bytes, p50, relative to a futex",
                because:
                    "a name alone is 1.3 to 1.5 times a bare futex: the watcher is armed before it sleeps, "
                    + "looks twice, and calls"
            ) { $0.percentile("50", of: "host.message.64", "herald", beside: "floor") },
            most(
                0.5, "host: message of 16 KiB, p50, relative to D-Bus", .share,
                because: "most of it is the copying of 16 KiB"
            ) {
                $0.percentile("50", of: "host.message.16k", "herald", beside: "dbus")
            },
            most(
                20, "host: message nobody hears", ns,
                because: "359 instructions for 205 of a post of a name: some 70 check the message, some 45 measure it"
            ) { $0.best("host.message.unheard", "herald") },
        ]
            + [("64", "64 bytes", 60.0), ("1k", "1 KiB", 120), ("16k", "16 KiB", 1500)].map { id, title, limit in
                most(limit, "host: message of \(title), reader stopped", ns, because: stopped) {
                    $0.best("host.message.stopped.\(id)", "herald")
                }
            }
    }

    private static var inspector: [Budget] {
        [
            most(
                250, "a post that is traced, one observer", ns,
                because: slow + "; 1,779 instructions for 161: four events, each with the clock and a call of the hook"
            ) { $0.best("inspector.traced", "herald") }
        ]
    }

    private static var network: [Budget] {
        [
            most(
                1.5, "network: another process hears, p50, relative to libnats",
                because: "libnats writes to the socket at once, Herald from a thread of its own"
            ) { $0.percentile("50", of: "network.wake", "herald", beside: "floor") },
            most(
                2, "network: another process hears, p99, relative to libnats",
                because: "the machine makes the tail of both"
            ) { $0.percentile("99", of: "network.wake", "herald", beside: "floor") },
            most(
                1, "network: time of a post in a long row of them, relative to libnats",
                because: "both send through one thread and one server, which are not this thread"
            ) { $0.ratio("network.many", "herald", "floor") },
            most(10000, "network: add and remove an observer", ns, because: slow) { $0.best("network.add", "herald") },
            most(
                1 / 0.9, "network: store a message and be told, relative to js_Publish",
                because: "its answer goes from libnats's thread by way of Herald's to the poster"
            ) { $0.ratio("network.store", "herald", "floor") },
            most(
                3, "network: a strict durable observer hears, p50, relative to a plain post",
                because: "the server writes the message to its file, and gives it to one that has asked"
            ) { $0.percentile("50", of: "network.durable.wake", "herald", beside: "floor") },
            most(
                1 / 0.9, "network: time of a message that a strict durable observer hears, relative to js_Publish",
                because: "each message is acknowledged before the next one comes, from a thread to the other"
            ) { $0.ratio("network.durable.strict", "herald", "floor") },
            most(
                1, "network: time of a message with 1,000 in flight, relative to a raw fetch",
                because: "both wait for the server"
            ) { $0.ratio("network.durable.many", "herald", "floor") },
        ]
    }
}
