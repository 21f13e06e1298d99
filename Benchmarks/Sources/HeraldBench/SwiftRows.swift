/// The rows about Swift, and about texts.
extension Matrix {
    func task(
        _ id: String, _ program: String, _ name: String, beside floor: String? = nil, count: Int? = nil
    ) -> Plan.Entry {
        Plan.Entry(
            id: id, program: program, peer: "-", line: "task name=\(name)" + (count.map { " count_each=\($0)" } ?? ""),
            floor: floor)
    }

    /// A floor with several ways.
    private func floor(_ names: String...) -> Plan.Entry {
        var entry = task("floor", "SwiftPeers", names[0])
        entry.others = names.dropFirst().map { (peer: "-", line: "task name=\($0)") }
        return entry
    }

    private func block(_ id: String, _ title: String, _ who: [Contestant], floor: Plan.Entry) -> Plan {
        Plan(
            id: id, section: 10, title: title,
            entries: [floor] + who.map { Plan.Entry($0, "post observers=1", floor: "floor") }
        ).placed
    }

    private func watched(_ id: String, _ title: String, _ name: String, beside peer: String) -> Plan {
        Plan(
            id: id, section: 10, title: title,
            entries: [
                floor("store", "store-bare"), task("herald", "SwiftPeers", name, beside: "floor"),
                task("peer", "SwiftPeers", peer, beside: "floor"),
            ]
        ).placed
    }

    /// Herald and others that do the same: (id, the program's task, how many at a time).
    private func beside(_ id: String, _ title: String, _ name: String, _ peers: (String, String, Int)...) -> Plan {
        Plan(
            id: id, section: 10, title: title,
            entries: [task("herald", "SwiftPeers", name, beside: peers[0].0, count: 5000)]
                + peers.enumerated().map { number, peer in
                    task(peer.0, "SwiftPeers", peer.1, beside: number == 0 ? nil : peers[0].0, count: peer.2)
                })
    }

    var swift: [Plan] {
        let inSwift = peers { $0.program == "SwiftPeers" }
        let closure = floor("closure", "closure-here")
        return [
            block(
                "swift.typed", "typed block; floor: a closure called",
                some("topic", "name", "swift-topic", "swift-type", "swift-name") + inSwift, floor: closure),
            block(
                "swift.owner", "weak owner; floor: a weak reference loaded and called", some("swift-owner"),
                floor: floor("weak")),
            Plan(
                id: "swift.owner.shared", section: 10,
                title: "weak owner that others reference weakly, too; floor: a weak reference loaded and called",
                entries: [floor("weak"), task("herald", "SwiftPeers", "owner-shared", beside: "floor")]
            ).placed,
            block(
                "swift.protocol", "protocol observer; floor: the same", some("swift-owner-type", "swift-protocol"),
                floor: floor("weak")),
            Plan(
                id: "swift.literal", section: 10, title: "a literal as the name; floor: a closure called",
                entries: [closure] + some("name").map { Plan.Entry($0, "post observers=1", floor: "floor") } + [
                    task("herald", "SwiftPeers", "literal", beside: "floor")
                ]
            ).placed,
            block(
                "swift.cf", "CFNotificationCenter; floor: a closure called",
                some("cf") + inSwift.filter { $0.lookup == "name" }, floor: closure),
            watched(
                "watched", "@Watched set, nobody watching, relative to @Observable; floor: a store and a branch",
                "watched",
                beside: "observable"),
            watched(
                "watched.heard", "@Watched set, heard, relative to @Observable tracked again", "watched-heard",
                beside: "observable-heard"),
            beside(
                "actor", "post to an actor, the poster's time", "actor", ("each", "actor-tasks", 500),
                ("stream", "actor-stream", 5000)),
            beside(
                "actor.heard", "post to an actor, until all was heard", "actor-heard",
                ("stream", "actor-stream-heard", 5000), ("each", "actor-tasks-heard", 500)),
            beside("queue", "post through a queue, the poster's time", "queue", ("async", "queue-each", 5000)),
            beside(
                "queue.heard", "post through a queue, until all was heard", "queue-heard",
                ("async", "queue-each-heard", 5000)),
            Plan(
                id: "messages", section: 10, title: "element of messages, of a backlog, on the main actor",
                entries: [
                    task("herald", "SwiftPeers", "messages", beside: "stream", count: 20000),
                    task("stream", "SwiftPeers", "stream", count: 2000),
                ]),
            beside(
                "messages.detached", "element of messages, of a backlog, in a detached task", "messages-detached",
                ("stream", "stream-detached", 5000)),
            beside(
                "messages.running",
                "element of messages, until all was heard by a detached task that runs all the time",
                "messages-running", ("stream", "stream-running", 5000)),
        ] + moved + latecomers + arrays
    }

    /// Foundation's interface over Herald, relative to Foundation's own center.
    private var moved: [Plan] {
        func plan(
            _ id: String, _ title: String, _ line: String, _ own: String = "moved",
            beside foundation: String = "foundation"
        ) -> Plan {
            Plan(
                id: "moved.\(id)", section: 10, title: "Foundation's interface, \(title), relative to Foundation",
                entries: some(foundation).map { Plan.Entry($0, line) }
                    + some(own).map { Plan.Entry($0, line, floor: foundation) })
        }
        let counts = [
            (0, "nobody"), (1, "1 observer"), (8, "8 observers"), (64, "64 observers"), (1024, "1,024 observers"),
        ]
        let posts = counts.map { count, title in
            plan("post.\(count)", "post to \(title)", "post observers=\(count)").placed
        }
        let message = plan(
            "typed", "main-actor message to 8 observers", "post observers=8", "moved-typed", beside: "foundation-typed"
        ).placed
        return posts + [
            message, plan("change", "add and remove an observer", "change observers=1 how=token"),
            plan("change.1000", "add and remove the newest of 1,000", "change observers=1000 how=token"),
        ]
    }

    /// The last value for observers that come late, relative to OpenCombine's CurrentValueSubject.
    private var latecomers: [Plan] {
        func plan(_ id: String, _ title: String, _ follower: Plan.Entry? = nil) -> Plan {
            Plan(
                id: id, section: 10, title: title + ", relative to OpenCombine's CurrentValueSubject",
                entries: [task("herald", "SwiftPeers", "kept-\(id.dropFirst(5))", beside: "current")]
                    + [follower].compactMap { $0 } + [
                        task("current", "SwiftPeers", "kept-\(id.dropFirst(5))-combine"),
                        task("byhand", "SwiftPeers", "kept-\(id.dropFirst(5))-locked", beside: "current"),
                    ])
        }
        return [
            plan(
                "kept.post", "kept post to 1 observer",
                task("follower", "SwiftPeers", "kept-post-follower", beside: "current")),
            plan("kept.read", "the kept message read"),
            plan("kept.begin", "observe, hear the kept message, and end"),
        ]
    }

    /// Compared with what is written in Swift without a center.
    private var arrays: [Plan] {
        [1, 64, 1024].flatMap { count -> [Plan] in
            func plan(_ id: String, _ who: [Contestant], _ title: String) -> Plan {
                let number = count == 1 ? "1 observer" : "\(Page.number(Double(count))) observers"
                return Plan(
                    id: "swift.\(id).\(count)", section: 10, title: "\(number), \(title)",
                    entries: [task("array", "SwiftPeers", "\(id)-\(count)")]
                        + who.map { Plan.Entry($0, "post observers=\(count)", floor: "array") }
                ).placed
            }
            return [
                plan(
                    "closures", some("swift-topic", "swift-type"),
                    "typed blocks, relative to an array of closures"),
                plan(
                    "references", some("swift-owner"),
                    "weak owners, relative to an array of weak references"),
            ]
        }
    }

    static let textLengths = [8, 16, 24, 40]

    var texts: [Plan] {
        Self.textLengths.map { length in
            var floor = task("floor", "floor", "count-\(length)")
            floor.others = [(peer: "-", line: "task name=find-\(length)")]
            return Plan(
                id: "text.\(length)", section: 11, title: "HeraldNameFind of \(length) bytes",
                entries: [floor, task("herald", "herald", "find-\(length)", beside: "floor")]
                    + some("name").map { Plan.Entry($0, "post observers=1", floor: "floor") }
            ).placed
        }
    }
}
