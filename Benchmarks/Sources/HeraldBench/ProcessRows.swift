/// The rows about other processes, other machines, and the inspection of a process.
extension Matrix {
    private func row(
        _ section: Int, _ id: String, _ title: String, _ name: String, beside floor: String,
        shape: Row.Shape = .cost, as floorID: String = "floor"
    ) -> Plan {
        Plan(
            id: id, section: section, title: title, shape: shape,
            entries: [task(floorID, "wake", floor), task("herald", "wake", name, beside: floorID)])
    }

    var host: [Plan] {
        [
            row(
                12, "host.unknown", "post of a name nobody ever observed; floor: an atomic addition", "post-unknown",
                beside: "atomic-add"),
            row(
                12, "host.known", "post of a name nobody observes now; floor: the same", "post-known",
                beside: "atomic-add"),
            row(12, "host.check", "check; floor: a load", "check", beside: "load"),
            row(
                12, "host.crowd.post", "post nobody hears, 10,000 names in 50 processes, relative to 200 in 1",
                "post-many",
                beside: "post-few", as: "few"),
            Plan(
                id: "host.crowd.needless", section: 12,
                title: "wakes of the 49 others in 500 posts, but the clock's",
                unit: .wakes, shape: .size, entries: [task("herald", "wake", "needless")]),
            Plan(
                id: "host.wake", section: 12,
                title: "another process hears, relative to a D-Bus signal; floor: a futex",
                shape: .latency,
                entries: [
                    task("floor", "wake", "futex"), task("herald", "wake", "host", beside: "floor"),
                    task("dbus", "dbus", "dbus", beside: "floor"),
                ]),
            row(
                12, "host.round", "there and back, both asleep before; floor: two futexes", "round",
                beside: "futex-round", shape: .latency),
            row(
                12, "host.rounds", "there and back again and again, a round; floor: two futexes", "rounds",
                beside: "futex-rounds"),
            Plan(
                id: "host.renewed", section: 12,
                title: "the shared file is replaced, until another process has moved to it and hears", shape: .latency,
                entries: [task("herald", "wake", "renewed")]),
            row(
                12, "host.crowd.wake", "one of the 50 hears, relative to 1 with 200 names", "many", beside: "few",
                shape: .latency, as: "few"),
        ]
    }

    var messages: [Plan] {
        func wake(_ id: String, _ title: String, _ size: String) -> Plan {
            Plan(
                id: id, section: 13,
                title: "another process hears a message of \(title), relative to a D-Bus signal; floor: a futex",
                shape: .latency,
                entries: [
                    task("floor", "wake", "futex"), task("name", "wake", "host", beside: "floor"),
                    task("herald", "wake", "message-\(size)", beside: "floor"),
                    task("dbus", "dbus", "dbus-\(size)", beside: "floor"),
                ])
        }
        func stopped(_ id: String, _ title: String) -> Plan {
            row(
                13, "host.message.stopped.\(id)", "message of \(title), its reader is stopped; floor: a post of a name",
                "stopped-\(id)", beside: "stopped-0")
        }
        func heard(_ id: String, _ title: String) -> Plan {
            row(
                13, "host.message.heard.\(id)",
                "message of \(title), until a reader that runs has heard it; floor: the same, its reader is stopped",
                "heard-\(id)", beside: "stopped-\(id)")
        }
        return [
            row(
                13, "host.message.unheard", "message of 64 bytes that nobody hears; floor: a post of a name",
                "unheard-64", beside: "post-unknown"),
            stopped("64", "64 bytes"), stopped("1k", "1 KiB"), stopped("16k", "16 KiB"),
            heard("64", "64 bytes"), heard("1k", "1 KiB"), heard("16k", "16 KiB"),
            wake("host.message.64", "64 bytes", "64"), wake("host.message.16k", "16 KiB", "16k"),
        ]
    }

    var inspector: [Plan] {
        func traced(_ id: String, _ title: String, _ name: String) -> Plan {
            Plan(
                id: id, section: 14, title: title,
                entries: [task("quiet", "herald", "post-quiet"), task("herald", "herald", name, beside: "quiet")]
            ).placed
        }
        return [
            traced("inspector.elsewhere", "post while another center is traced", "post-traced-elsewhere"),
            traced("inspector.traced", "post that is traced", "post-traced"),
        ]
    }

    var network: [Plan] {
        [
            Plan(
                id: "network.wake", section: 15, title: "another process hears", shape: .latency,
                entries: [task("floor", "nats", "raw"), task("herald", "nats", "network", beside: "floor")]),
            Plan(
                id: "network.many", section: 15, title: "posts one after the other, until the server has all",
                shape: .cost,
                entries: [task("floor", "nats", "raw-many"), task("herald", "nats", "network-many", beside: "floor")]),
            Plan(
                id: "network.add", section: 15, title: "add and remove an observer of a name", shape: .cost,
                entries: [task("herald", "nats", "network-add")]),
            Plan(
                id: "network.store", section: 15, title: "store a message, and be told, one after the other",
                shape: .cost,
                entries: [task("floor", "durable", "raw-store"), task("herald", "durable", "store", beside: "floor")]),
            Plan(
                id: "network.durable.wake", section: 15,
                title: "a strict durable observer in another process hears; floor: a plain post", shape: .latency,
                entries: [task("floor", "nats", "network"), task("herald", "durable", "wake", beside: "floor")]),
            Plan(
                id: "network.durable.strict", section: 15,
                title: "posts until a strict durable observer has heard all, each; floor: messages stored one by one",
                shape: .cost,
                entries: [
                    task("floor", "durable", "raw-store"), task("herald", "durable", "strict", beside: "floor"),
                ]),
            Plan(
                id: "network.durable.many", section: 15,
                title: "posts until a durable observer with 1,000 in flight has heard all, each; floor: fetched",
                shape: .cost,
                entries: [
                    task("floor", "durable", "raw-fetch"), task("herald", "durable", "each", beside: "floor"),
                    task("alone", "durable", "alone", beside: "floor"),
                ]),
        ]
    }
}
