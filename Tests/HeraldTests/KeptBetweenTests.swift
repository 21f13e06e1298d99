import CHerald
import Foundation
import Herald
import Processes
import Testing

/// A message that is kept. Each test has a type, and so a name, of its own, because the tests share the center.
private protocol Numbered: HeraldCenter.KeptMessage, HeraldCenter.WireMessage, Codable, Equatable {
    var number: Int { get }
}
extension Numbered {
    static var wireName: HeraldCenter.Name { HeraldCenter.Name("test.between.\(Self.self)") }
}

private final class Owner: Sendable {}

/// What is kept between processes (R25), in Swift. `KeptTests` is about centers in the process.
@Suite(.serialized, .timeLimit(.minutes(10))) struct KeptBetweenTests {
    private let host = HeraldCenter.host
    private let bag = ObservationBag()

    init() { _ = hostFolder }

    private struct First: Numbered { var number: Int }

    @Test("A latecomer hears what is kept, marked, then how much that was, then what is posted")
    func R25_a_latecomer_hears_what_is_kept_and_then_what_is_posted() async throws {
        try host.post(First(number: 1))
        try host.post(First(number: 2))
        #expect(host.kept(First.self) == First(number: 2))
        let heard = Log<String>()
        host.observe(First.self, from: .kept, began: { heard.append("began \($0)") }) {
            heard.append("\($0.number) \(HeraldCenter.currentPostIsKept)")
        }.store(in: bag)
        host.observe(messages: First.wireName, from: .kept) { heard.append("bytes \($0.isKept)") }.store(in: bag)
        #expect(await eventually { heard.count == 3 })
        #expect(heard.take() == ["2 true", "began 1", "bytes true"])
        #expect(!HeraldCenter.currentPostIsKept)
        try host.post(First(number: 3))
        #expect(await eventually { heard.count == 2 })
        #expect(heard.take() == ["3 false", "bytes false"])
    }

    private struct Next: Numbered { var number: Int }

    @Test("Who does not ask for what is kept hears what is posted, and no beginning")
    func R25_who_does_not_ask_hears_nothing_kept() async throws {
        try host.post(Next(number: 1))
        let heard = Log<Int>()
        host.observe(Next.self) { heard.append($0.number) }.store(in: bag)
        host.observe(Next.self, from: .next, began: { _ in heard.append(-1) }) { heard.append($0.number) }
            .store(in: bag)
        try host.post(Next(number: 2))
        #expect(await eventually { heard.count == 2 } && heard.take() == [2, 2])
    }

    private struct About: Numbered { var number: Int }

    @Test("One message is kept for each subject, and the oldest is heard first")
    func R25_one_message_is_kept_for_each_subject() async throws {
        try host.post(About(number: 1), subject: "a")
        try host.post(About(number: 2), subject: "b")
        try host.post(About(number: 3))
        try host.post(About(number: 4), subject: "a")
        #expect(host.kept(About.self, subject: "a") == About(number: 4))
        #expect(host.kept(About.self, subject: "b") == About(number: 2))
        #expect(host.kept(About.self) == About(number: 3))
        #expect(host.kept(About.self, subject: "c") == nil && host.kept(About.self, subject: "a\0b") == nil)
        let heard = Log<Int>(), ofOne = Log<Int>(), began = Log<Int>()
        host.observe(About.self, from: .kept, began: { began.append($0) }) { heard.append($0.number) }.store(in: bag)
        host.observe(About.self, subject: "b", from: .kept, began: { began.append($0) }) { ofOne.append($0.number) }
            .store(in: bag)
        #expect(await eventually { began.count == 2 })
        #expect(heard.take() == [2, 3, 4] && ofOne.take() == [2] && began.take() == [3, 1])

        #expect(host.forget(About.self, subject: "a") && !host.forget(About.self, subject: "a"))
        #expect(host.forget(About.self) && !host.forget(About.self, subject: "a\0b"))
        host.observe(About.self, subject: "a\0b", from: .kept, began: { began.append($0) }) { _ in }.store(in: bag)
        #expect(began.take() == [0])  // no message is about such a subject
        #expect(host.kept(About.self) == nil)
        host.observe(About.self, from: .kept, began: { began.append($0) }) { ofOne.append($0.number) }.store(in: bag)
        #expect(await eventually { began.count == 1 })
        #expect(ofOne.take() == [2] && heard.values.isEmpty)  // forgetting calls nobody
    }

    private struct Nothing: Numbered { var number: Int }
    private struct Plain: HeraldCenter.WireMessage, Codable {
        static let wireName: HeraldCenter.Name = "test.between.plain"
    }

    @Test("Nothing is kept of a type that was not posted, and of one that is no KeptMessage")
    func R25_nothing_is_kept_of_plain_messages() async throws {
        let began = Log<Int>(), heard = Log<String>()
        host.observe(Nothing.self, from: .kept, began: { began.append($0) }) { _ in heard.append("kept") }
            .store(in: bag)
        let posted = Log<Int>()
        host.observe(Plain.self) { _ in heard.append("plain") }.store(in: bag)
        host.observe(messages: .named(Plain.wireName)) { posted.append($0.bytes!.count) }.store(in: bag)
        try host.post(Plain())
        try host.post(messageNamed: Plain.wireName, [1])
        #expect(await eventually { began.count == 1 && posted.values.last == 1 })
        host.observe(messages: Plain.wireName, from: .kept, began: { began.append($0) }) { _ in heard.append("bytes") }
            .store(in: bag)
        #expect(await eventually { began.count == 2 })
        #expect(began.take() == [0, 0] && heard.take() == ["plain"])
        try host.post(messageNamed: Plain.wireName, Array("{}".utf8), keeping: true)
        #expect(await eventually { heard.count == 2 })
        host.observe(messages: Plain.wireName, from: .kept, began: { began.append($0) }) {
            heard.append("\($0.bytes!)")
        }
        .store(in: bag)
        #expect(await eventually { began.take() == [1] })
        #expect(heard.take().sorted() == ["[123, 125]", "bytes", "plain"].sorted())
    }

    private struct Strange: Numbered { var number: Int }

    @Test(
        "What is kept and cannot be decoded is not heard and not among those that were kept, and asking for it gives nil"
    )
    func R25_what_is_kept_and_cannot_be_decoded_is_not_heard() async throws {
        try host.post(messageNamed: Strange.wireName, Array("{}".utf8), type: "application/json", keeping: true)
        try host.post(Strange(number: 2), subject: "a")
        let before = host.statistics.undecodable, events = host.events
        #expect(host.kept(Strange.self) == nil && host.statistics.undecodable == before + 1)
        let began = Log<Int>(), heard = Log<Int>()
        host.observe(Strange.self, from: .kept, began: { began.append($0) }) { heard.append($0.number) }.store(in: bag)
        #expect(await eventually { began.count == 1 })
        #expect(began.take() == [1] && heard.take() == [2])
        #expect(host.statistics.undecodable == before + 2)
        events.finish()
        var reported = 0
        for await event in events { if case .undecodable(Strange.wireName, _, _) = event { reported += 1 } }
        #expect(reported == 1)
    }

    private struct Many: Numbered { var number: Int }

    @Test("A sequence, a queue and an actor get what is kept first, and have room for it")
    func R25_what_is_kept_has_room_in_every_buffer() async throws {
        for number in 1...5 { try host.post(Many(number: number), subject: "\(number)") }
        let began = Log<Int>(), queued = Log<Int>(), queue = DispatchQueue(label: "kept")
        queue.suspend()
        let messages = host.messages(Many.self, from: .kept, buffer: .newest(1), began: { began.append($0) })
        host.observe(Many.self, from: .kept, via: queue, buffer: .oldest(1), began: { began.append($0) }) {
            queued.append($0.number)
        }.store(in: bag)
        #expect(await eventually { began.count == 2 } && began.take() == [5, 5])
        queue.resume()
        #expect(await eventually { queued.count == 5 } && queued.take() == [1, 2, 3, 4, 5])
        #expect(messages.dropped == 0)
        let iterator = messages.makeAsyncIterator()
        for number in 1...5 { #expect(await iterator.next() == Many(number: number)) }
        try await host.withMessages(Many.self, from: .kept) { messages in
            try host.post(Many(number: 6), subject: "6")
            var numbers: [Int] = []
            for await message in messages {
                numbers.append(message.number)
                if message.number == 6 { break }
            }
            #expect(numbers == [1, 2, 3, 4, 5, 6])
        }
    }

    private struct Owned: Numbered { var number: Int }

    @Test("An owner's observer begins again when it is replaced, and after the owner nothing is called")
    func R25_an_owner_begins_again_when_it_is_replaced() async throws {
        try host.post(Owned(number: 1))
        let heard = Log<String>(), instances = Instances()
        var owner: Owner? = Owner()
        for round in 1...2 {
            host.observe(
                Owned.self, from: .kept, by: owner!,
                began: { [captured = instances.make()] _ in
                    keepAlive(captured)
                    heard.append("began \(round)")
                }
            ) { _, owned in heard.append("\(owned.number), \(round)") }
            #expect(await eventually { heard.count == 2 * round })
        }
        #expect(heard.take() == ["1, 1", "began 1", "1, 2", "began 2"])
        try host.post(Owned(number: 2))
        #expect(await eventually { heard.count == 1 } && heard.take() == ["2, 2"])
        host.removeObserver(owner!, of: Owned.self)
        #expect(await eventually { instances.isEmpty })
        owner = nil
    }

    // ---- Names and their states

    @Test("A name is posted with its state, and who comes late is called with it")
    func R25_a_name_is_kept_with_its_state() async throws {
        let name: HeraldCenter.Name = "test.between.number"
        let heard = Log<UInt64?>(), began = Log<Int>()
        host.observe(name, from: .kept, began: { began.append($0) }) { heard.append($0.state) }.store(in: bag)
        #expect(await eventually { began.count == 1 })
        #expect(began.take() == [0])
        host.post(name)
        #expect(await eventually { heard.take() == [nil] })
        try host.post(name, state: 7)
        #expect(await eventually { heard.take() == [7] })
        #expect(try host.state(of: name) == 7)
        let late = Log<String>()
        host.observe(name, from: .kept, by: Keeper.one, began: { began.append($0) }) { _, post in
            late.append("\(post.state ?? 0) \(HeraldCenter.currentPostIsKept)")
        }
        #expect(await eventually { began.count == 1 })
        #expect(began.take() == [1])
        #expect(late.take() == ["7 true"])
        try host.post(name, state: .max)
        #expect(await eventually { heard.count == 1 && late.count == 1 })
        #expect(heard.take() == [.max] && late.take() == ["\(UInt64.max) false"])
        host.removeObserver(Keeper.one, of: name)
        #expect(throws: HostCenter.Unavailable.self) {
            try host.post(HeraldCenter.Name(String(repeating: "n", count: 513)), state: 1)
        }
    }

    private final class Keeper: Sendable {
        static let one = Keeper()
    }

    @Test("A queue that is slow gets the newest state, in one post")
    func R25_posts_that_wait_have_the_newest_state_kept() async throws {
        let name: HeraldCenter.Name = "test.between.merged"
        try host.post(name, state: 1)
        let heard = Log<UInt64?>(), direct = Log<UInt64?>(), began = Log<Int>(), queue = DispatchQueue(label: "kept")
        queue.suspend()
        host.observe(name, from: .kept, via: queue, began: { began.append($0) }) { heard.append($0.state) }
            .store(in: bag)
        host.observe(name) { direct.append($0.state) }.store(in: bag)
        #expect(await eventually { began.count == 1 })
        for state: UInt64 in 2...9 { try host.post(name, state: state) }
        #expect(await eventually { direct.values.last == 9 })
        queue.resume()
        #expect(await eventually { heard.count > 0 })
        #expect(heard.take() == [9])  // what was kept has been joined, as any post that waits
    }

    // ---- Two processes

    private struct PeerLevel: HeraldCenter.KeptMessage, HeraldCenter.WireMessage, Codable {
        static let wireName: HeraldCenter.Name = "test.peer.level"
        var number: Int
    }

    @Test("What a process has kept before it ended, another hears; what this one keeps, a later process hears")
    func R25_what_is_kept_outlives_its_process() async throws {
        func peer(_ mode: String) async throws -> ProcessOutput {
            try await run(productFolder.appendingPathComponent("HeraldWirePeer"), [mode])
        }
        let keeping = try await peer("keep")
        #expect(keeping.status == 0 && keeping.text == "kept\n", "\(keeping.text)\(keeping.errors)")
        let heard = Log<Int>(), began = Log<Int>(), states = Log<UInt64?>()
        host.observe(PeerLevel.self, from: .kept, began: { began.append($0) }) { heard.append($0.number) }
            .store(in: bag)
        host.observe("test.peer.state", from: .kept) { states.append($0.state) }.store(in: bag)
        #expect(await eventually { began.count == 1 && states.count == 1 })
        #expect(began.take() == [2] && heard.take() == [3, 4] && states.take() == [5])
        try host.post(PeerLevel(number: 6))
        try host.post("test.peer.state", state: 7)
        let late = try await peer("late")
        let lines = Set(late.text.split(separator: "\n"))
        #expect(lines == ["4 kept", "6 kept", "began 2", "state 7 kept"], "\(late.text)\(late.errors)")
        #expect(try await peer("forget").text == "true\n")
        #expect(host.kept(PeerLevel.self) == nil)
    }
}

// ---- A beginning that fails

/// A center over a transport that hands in what the test says.
private final class Lower: WireCenter {
    let wire: Wire
    private let center: HeraldCenter
    private let end: End

    private final class End: Sendable {
        /// The registrations that wait for their beginning, by their tokens.
        let waiting = Guarded<[HeraldToken]>([])
        let refusal = Guarded<String?>(nil)
        /// Called when a registration waits, before the call that adds it returns.
        let added = Guarded<(@Sendable () -> Void)?>(nil)
    }

    init() {
        let end = End()
        var transport = HeraldTransport()
        transport.size = MemoryLayout<HeraldTransport>.size
        transport.context = Unmanaged.passRetained(end).toOpaque()
        transport.observed = { context, _, _, isObserved, _ in
            let refusal = Unmanaged<End>.fromOpaque(context!).takeUnretainedValue().refusal.withLock { $0 }
            return refusal.map { HeraldSetErrorDescription(HeraldTransportFailed, $0) } ?? HeraldOK
        }
        transport.post = { _, _, _, _, _, _, _ in 0 }
        transport.postMessage = { _, _, _, _ in HeraldOK }
        transport.begin = { context, _, _, _, token in
            let end = Unmanaged<End>.fromOpaque(context!).takeUnretainedValue()
            end.waiting.withLock { $0.append(token) }
            end.added.withLock { $0 }?()
        }
        transport.destroy = { Unmanaged<End>.fromOpaque($0!).release() }
        var native: HeraldCenterRef?
        let status = HeraldCenterCreateWithTransport(nil, &transport, &native)
        precondition(status == HeraldOK)
        center = HeraldCenter(retaining: native!)
        HeraldCenterRelease(native)
        wire = Wire(center, limit: 65_536)
        self.end = end
    }

    /// From now on, another thread begins each registration before the call that adds it returns.
    func beginAtOnce(_ name: HeraldCenter.Name, with number: Int) {
        let begin: @Sendable () -> Void = { [weak self] in
            let lower = self
            _ = onThreads(1) { _ in lower?.begin(name, with: number) }
        }
        end.added.withLock { $0 = begin }
    }

    func refuse(_ reason: String) { end.refusal.withLock { $0 = reason } }

    /// Calls the function with a message that has this number.
    private func with(_ number: Int, _ body: (UnsafePointer<HeraldMessage>) -> Void) {
        let bytes = Array("{\"number\":\(number)}".utf8)
        bytes.withUnsafeBytes { bytes in
            var message = HeraldMessage()
            message.size = MemoryLayout<HeraldMessage>.size
            message.bytes = bytes.baseAddress
            message.length = bytes.count
            message.sequence = UInt64(number)
            body(&message)
        }
    }

    func deliver(_ name: HeraldCenter.Name, _ number: Int) {
        with(number) { _ = HeraldCenterDeliverKept(center.native, name.native, $0, UInt64(number)) }
    }

    func begin(_ name: HeraldCenter.Name, with number: Int) {
        with(number) { message in
            var kept = HeraldKeptPost(message: message, number: UInt64(number))
            for token in end.waiting.withLock({ $0 }) {
                HeraldCenterBegin(center.native, name.native, token, &kept, 1, 0, HeraldOK)
            }
        }
    }

    func fail(_ name: HeraldCenter.Name, _ reason: String) {
        for token in end.waiting.withLock({ $0 }) {
            _ = HeraldSetErrorDescription(HeraldTransportFailed, reason)
            HeraldCenterBegin(center.native, name.native, token, nil, 0, 0, HeraldTransportFailed)
        }
    }
}

private struct Level: Numbered { var number: Int }

@Suite struct KeptFailureTests {
    private let lower = Lower()
    private let heard = Log<String>()

    @Test("A beginning that fails says why, later posts are heard, and it is tried again")
    func R25_a_beginning_that_fails_says_so_and_begins_again() {
        let heard = heard, owner = Owner(), bag = ObservationBag()
        lower.observe(
            Level.self, from: .kept, began: { heard.append("began \($0)") }, cannotBegin: { heard.append("\($0)") }
        ) { heard.append("\($0.number)") }.store(in: bag)
        lower.observe(
            Level.self, from: .kept, by: owner, began: { heard.append("owner: began \($0)") },
            cannotBegin: { heard.append("owner: \($0)") }
        ) { _, level in heard.append("owner: \(level.number)") }
        #expect(heard.values.isEmpty)
        lower.fail(Level.wireName, "no stream")
        #expect(heard.take() == ["no stream", "owner: no stream"])
        lower.deliver(Level.wireName, 1)
        #expect(heard.take() == ["1", "owner: 1"])
        lower.begin(Level.wireName, with: 2)
        #expect(heard.take() == ["2", "began 1", "owner: 2", "owner: began 1"])
        lower.begin(Level.wireName, with: 3)
        #expect(heard.take() == [])  // it has begun
        lower.deliver(Level.wireName, 4)
        #expect(heard.take() == ["4", "owner: 4"])
        keepAlive(owner)
    }

    @Test("Nothing is called for an owner that has gone before the beginning")
    func R25_an_owner_that_is_gone_does_not_begin() {
        let heard = heard
        do {
            let owner = Owner()
            lower.observe(
                Level.self, from: .kept, by: owner, began: { heard.append("\($0)") },
                cannotBegin: { heard.append("\($0)") }
            ) { _, _ in heard.append("heard") }
            keepAlive(owner)
        }
        lower.fail(Level.wireName, "no stream")
        lower.begin(Level.wireName, with: 1)
        #expect(heard.take() == [])
    }

    @Test("An observer that is refused says why, on its thread")
    func R25_a_refused_observer_does_not_begin_and_says_why() {
        let heard = heard
        lower.refuse("no room")
        lower.observe(
            Level.self, from: .kept, began: { heard.append("\($0)") }, cannotBegin: { heard.append("\($0)") }
        ) { _ in heard.append("heard") }.keep()
        lower.observe(Level.self, from: .kept, by: Keeper.one, cannotBegin: { heard.append("\($0)") }) { _, _ in }
        #expect(heard.take() == ["no room", "no room"])
    }

    private final class Keeper: Sendable {
        static let one = Keeper()
    }

    @Test("A registration may end, on another thread, before the call that adds it returns")
    func R06_ended_by_its_first_call_before_the_add_returns() {
        let heard = heard, instances = Instances()
        lower.beginAtOnce(Level.wireName, with: 1)
        for _ in 0..<100 {
            let token = lower.observeOnce(Level.self, from: .kept) { [captured = instances.make()] in
                keepAlive(captured)
                heard.append("\($0.number)")
            }
            #expect(heard.take() == ["1"])
            #expect(instances.isEmpty)
            token.cancel()
        }
        lower.deliver(Level.wireName, 2)
        #expect(heard.values == [])
    }

    @Test("An owner's registration that has ended before the call that adds it returns is in no table")
    func R06_ended_by_a_dying_owner_before_the_add_returns() {
        let instances = Instances(), owner = Owner(), heard = heard
        let leave: @Sendable (Leaving) -> Void = { [lower] owner in
            lower.observe(Level.self, from: .kept, by: owner) { [captured = instances.make()] _, _ in
                keepAlive(captured)
                fatalError("called")
            }
        }
        lower.beginAtOnce(Level.wireName, with: 1)
        for _ in 0..<100 {
            _ = Leaving(leave)
            #expect(instances.isEmpty)
            // Each add looks at two registrations of the tables.
            lower.observe(Level.self, from: .kept, by: owner) { _, level in heard.append("\(level.number)") }
            #expect(heard.take() == ["1"])
        }
        lower.deliver(Level.wireName, 2)
        #expect(heard.take() == ["2"])
        keepAlive(owner)
    }

    @Test("What began has captured is given back with its registration")
    func R10_what_a_beginning_captures_is_released() {
        let instances = Instances()
        let token = lower.observe(
            Level.self, from: .kept, began: { [captured = instances.make()] _ in keepAlive(captured) }
        ) { _ in }
        lower.begin(Level.wireName, with: 1)
        #expect(!instances.isEmpty)
        token.cancel()
        #expect(instances.isEmpty)
    }
}
