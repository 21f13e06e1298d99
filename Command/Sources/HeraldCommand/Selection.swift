import CHerald
import CHeraldHost
#if canImport(Glibc)
@preconcurrency import Glibc
#elseif canImport(Musl)
@preconcurrency import Musl
#endif
import Herald
import Inspecting
import Synchronization

/// The posts that `watch` observes.
struct Selection {
    private let names: Set<HeraldCenter.Name>
    private let prefixes: [String]
    private let isAll: Bool
    /// Nil: posts about any object.
    private let object: String?
    /// Whether the names begin with what is kept.
    private let isKept: Bool
    /// Whether a line on stderr says how much was kept.
    private let saysKept: Bool
    /// Nil: no durable observer.
    private let durable: DurableWish?

    init(
        names: [String], prefixes: [String], isAll: Bool, object: String?, isKept: Bool, saysKept: Bool,
        durable: DurableWish?
    ) {
        self.durable = durable
        self.isKept = isKept
        self.saysKept = saysKept
        self.names = Set(names.map { HeraldCenter.Name(exactly: $0) })
        self.prefixes = prefixes
        self.isAll = isAll
        self.object = object
    }

    /// Whether one observer hears all names, so that a name that is selected twice is heard once. Not needed if there
    /// are only names.
    private var isWide: Bool { isAll || !prefixes.isEmpty }

    /// Throws if the file, a name's entry, a channel or the thread cannot be had: an observer would never be called.
    func check() throws {
        guard !isWide else {
            var token = HeraldToken()
            try attempt(HeraldHostAddObserverUnder(nil, { _, _, _, _, _ in }, "herald", nil, &token))
            HeraldCenterRemoveTokenAndWait(HeraldCenterGetHostCenter(), token)
            return
        }
        for name in names {
            var descriptor: Int32 = -1
            var token: HeraldHostToken = 0
            try attempt(HeraldHostRegisterFileDescriptor("\(name)", false, &descriptor, &token))
            try attempt(HeraldHostCancel(token))
        }
    }

    /// - Parameters:
    ///   - network: Nil: this machine.
    ///   - work: Called for one post after the other, on one thread.
    func observe(in bag: ObservationBag, on network: Network?, _ work: @escaping @Sendable (WirePost) -> Heard) throws {
        let object = object.map { ExactText($0) }
        let body: @Sendable (WirePost) -> Void = { post in
            if object == nil || post.subject.map({ ExactText($0) }) == object { _ = work(post) }
        }
        if let network, let durable {
            observe(durable, in: bag, on: network, work)
            try network.begin()
        } else if let network {
            observe(in: bag, at: network.center, body)
            try network.begin()
        } else if isWide {
            HeraldCenter.host.observe(messages: .all) { if wants($0.name) { body($0) } }.store(in: bag)
        } else {
            observe(names, in: bag, at: HeraldCenter.host, body)
        }
    }

    /// Observes durably until the last post, and ends before the servers learn that this one was heard: else they would
    /// give out another one for nothing.
    private func observe(
        _ durable: DurableWish, in bag: ObservationBag, on network: Network,
        _ work: @escaping @Sendable (WirePost) -> Heard
    ) {
        let end = LastPost(bag)
        network.observe(durableNames, durable) { post in
            let heard = work(post)
            if heard.isLast { end.come() }
            return heard.isDone
        }.store(in: bag)
        end.follow()
    }

    /// What a durable observer watches: one of these alone.
    private var durableNames: HeraldCenter.Names {
        if let name = names.first { return .named(name) }
        return prefixes.first.map { .under(HeraldCenter.Name(exactly: $0)) } ?? .all
    }

    /// Observes so that only selected posts come in, each for one observer.
    private func observe(
        in bag: ObservationBag, at center: any WireCenter, _ body: @escaping @Sendable (WirePost) -> Void
    ) {
        guard !isAll else { return center.observe(messages: .all, body).store(in: bag) }
        let widest = Set(prefixes.map { ExactText($0) }).filter { !isCovered($0.text) }
        for prefix in widest {
            center.observe(messages: .under(HeraldCenter.Name(exactly: prefix.text)), body).store(in: bag)
        }
        observe(names.filter { !isCovered("\($0)") }, in: bag, at: center, body)
    }

    private func observe(
        _ names: Set<HeraldCenter.Name>, in bag: ObservationBag, at center: any WireCenter,
        _ body: @escaping @Sendable (WirePost) -> Void
    ) {
        for name in names {
            guard isKept else {
                center.observe(messages: .named(name), body).store(in: bag)
                continue
            }
            center.observe(
                messages: name, from: .kept, began: { [saysKept] in if saysKept { Self.say(name, $0) } },
                cannotBegin: { Self.say(name, $0) }, body
            ).store(in: bag)
        }
    }

    /// Called after what is kept of a name was heard.
    private static func say(_ name: HeraldCenter.Name, _ count: Int) {
        fputs("herald: \(printable("\(name)")): \(count) kept message\(count == 1 ? "" : "s")\n", stderr)
    }

    /// Called with the reason why what is kept of a name cannot be had now.
    private static func say(_ name: HeraldCenter.Name, _ error: WireError) {
        fputs("herald: what is kept of \(printable("\(name)")) cannot be had: \(printable("\(error)"))\n", stderr)
    }

    /// Whether a name, or all of a prefix, is under one of the prefixes.
    private func isCovered(_ text: String) -> Bool { prefixes.contains { HostName.isUnder($0, text) } }

    private func wants(_ name: HeraldCenter.Name) -> Bool {
        isAll || names.contains(name) || isCovered("\(name)")
    }
}

/// Ends observations in the call for the last post, which may come before they are in the bag.
private final class LastPost: Sendable {
    private let bag: ObservationBag
    private let hasCome = Mutex(false)
    init(_ bag: ObservationBag) { self.bag = bag }

    func come() {
        hasCome.withLock { $0 = true }
        bag.cancelAll()
    }

    /// They are in the bag.
    func follow() {
        if hasCome.withLock({ $0 }) { bag.cancelAll() }
    }
}

extension HeraldCenter.Name {
    /// The name with these bytes. (`Name(_: String)` makes one name of all texts that are equal in Swift.)
    init(exactly text: String) {
        guard let name = HeraldNameCreate(text) else { fatalError("out of memory") }
        self.init(name)
    }
}
