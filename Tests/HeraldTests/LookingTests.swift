import CHerald
import Dispatch
import Foundation
import Herald
import Testing

/// Inspection: observations, traces, and messages followed through mailboxes.
@Suite struct LookingTests {
    private struct Saved: HeraldCenter.Message { var path = "" }
    private final class Index: Sendable {}
    private protocol Refreshing: AnyObject, Sendable { func refresh() }
    private final class Screen: Refreshing { func refresh() {} }

    @Test("A center says what observes it: what, who, where, and how much waits")
    func R24_a_center_shows_its_observations() async throws {
        let center = HeraldCenter(), queue = DispatchQueue(label: "looking"), index = Index(), screen = Screen()
        #expect(center.observations.isEmpty && center.label == "")
        center.label = "mine"
        let direct = center.observe(Saved.self) { _ in }
        center.observe(Saved.self, by: index) { (_: Index, _: borrowing Saved) in }
        let queued = center.observe(Saved.self, via: queue) { (_: Saved) in }
        let names = center.observe("looking.name", subject: index) { _ in }
        let sequence = center.messages(Saved.self)
        center.addObserver(screen, as: (any Refreshing).self)
        let all = center.observations
        #expect(all.map(\.delivery) == ["direct", "direct", "queue", "direct", "sequence", "direct"])
        #expect(all.map(\.kind) == ["message", "message", "message", "notice", "message", "call"])
        #expect(all.map(\.owner) == [nil, "Index", nil, nil, nil, "Screen"])
        #expect(all[0].name == "Saved" && all[3].name == "looking.name" && all[5].name == "Refreshing")
        #expect(all[3].hasSubject && !all[0].hasSubject && all.allSatisfy(\.isAlive))
        queue.suspend()
        center.post(Saved())
        center.post(Saved())
        #expect(center.observations[2].waiting == 2 && center.observations[4].waiting == 2)
        #expect("\(center.observations[2])".hasPrefix("Saved, queue, HeraldTests/LookingTests.swift:"))
        #expect("\(center.observations[2])".hasSuffix(", 2 waiting"))
        queue.resume()
        #expect(
            center.debugDescription.hasPrefix(
                "HeraldCenter mine: 6 observations\n  Saved, direct, HeraldTests/LookingTests.swift:"))
        withExtendedLifetime((sequence, index, screen)) {}
        direct.cancel()
        queued.cancel()
        names.cancel()
    }

    @Test("An owner that is gone is said to be so")
    func R24_an_observation_shows_that_its_owner_is_gone() {
        let center = HeraldCenter()
        do {
            let index = Index()
            center.observe(Saved.self, by: index) { (_: Index, _: borrowing Saved) in }
        }
        let all = center.observations
        #expect(all.isEmpty || (all.count == 1 && !all[0].isAlive && all[0].owner == "Index"))
        if !all.isEmpty { #expect("\(all[0])".hasPrefix("Saved by Index (gone), direct")) }
    }

    private struct Wired: HeraldCenter.WireMessage, Codable {
        static let wireName: HeraldCenter.Name = "places.wired"
        var path = ""
    }
    private actor Keeper {}
    private final class Model {
        @Watched var title = ""
    }

    @Test("An observation says where in the source it was made, whichever way")
    func R24_an_observation_shows_where_it_was_made() async throws {
        let center = HeraldCenter(), queue = DispatchQueue(label: "places"), index = Index(), screen = Screen()
        let keeper = Keeper(), other = Index(), bag = ObservationBag(), first = #line + 1
        center.observe(Saved.self) { _ in }.store(in: bag)
        center.observe(Saved.self, subject: index) { _ in }.store(in: bag)
        center.observe(Saved.self, by: index) { _, _ in }
        center.observe(Saved.self, via: queue) { (_: Saved) in }.store(in: bag)
        center.observe(Saved.self, by: other, via: { $0() }) { (_: Index, _: Saved) in }
        center.observe(Saved.self, async: { (_: Saved) in }).store(in: bag)
        center.observe(Saved.self, on: keeper) { (_: isolated Keeper, _: Saved) in }
        center.observeOnce(Saved.self) { _ in }.store(in: bag)
        center.observe("places.name") { _ in }.store(in: bag)
        center.observe("places.name", by: index) { (_: Index, _: HeraldCenter.Notice) in }
        center.observe("places.name", via: queue) { (_: HeraldCenter.Posted) in }.store(in: bag)
        center.observeAll { _ in }.store(in: bag)
        center.observeOnce("places.name") { _ in }.store(in: bag)
        let sequence = center.messages(Saved.self)
        let names = center.messages(named: "places.name")
        center.addObserver(screen, as: (any Refreshing).self)
        let places = center.observations.map { $0.place ?? "" }
        #expect(places == (0..<16).map { "HeraldTests/LookingTests.swift:\(first + $0)" })
        let waits = Task { await center.next(Saved.self, within: .seconds(60), where: { $0.path == "x" }) }
        #expect(await eventually { center.observations.count == 17 })
        #expect(center.observations.last?.place == "HeraldTests/LookingTests.swift:\(#line - 2)")
        waits.cancel()
        withExtendedLifetime((sequence, names, index, other, screen, keeper)) {}
    }

    @Test("Also where it was made on a center that leaves the process")
    func R24_an_observation_of_a_transport_shows_where_it_was_made() throws {
        let host = HeraldCenter.host, index = Index(), first = #line + 1
        let tokens = ObservationBag()
        host.observe(Wired.self) { _ in }.store(in: tokens)
        host.observe("places.host") { _ in }.store(in: tokens)
        host.observe("places.host", by: index) { _, _ in }
        host.observe(messages: "places.host") { _ in }.store(in: tokens)
        host.observe(messages: .under("places")) { _ in }.store(in: tokens)
        let sequence = host.messages(Wired.self)
        let places = Set(host.observations.compactMap(\.place))
        #expect(places.isSuperset(of: (0...5).map { "HeraldTests/LookingTests.swift:\(first + 1 + $0)" }), "\(places)")
        withExtendedLifetime((sequence, index)) {}
        host.removeObserver(index)
    }

    @Test("A place beyond what a record holds is told as the last that it holds")
    func R24_a_late_line_is_shown_as_the_last_that_a_record_holds() {
        let center = HeraldCenter()
        let late = center.observe(Saved.self, { _ in }, line: 1_000_000)
        #expect(center.observations[0].place == "HeraldTests/LookingTests.swift:32767+")
        late.cancel()
    }

    @Test("A trace tells of posts and calls, in C's words; it ends with what owns it")
    func R24_a_trace_is_told_of_posts_and_calls_until_it_ends() async throws {
        let center = HeraldCenter(), events = Log<HeraldCenter.TraceEvent>()
        let token = center.observe(Saved.self) { _ in }
        do {
            let trace = center.trace { events.append($0) }
            center.post(Saved())
            center.post("looking.unheard")
            trace.stop()
        }
        center.post(Saved())
        let told = events.values
        #expect(told.map(\.phase) == [.postBegin, .callBegin, .callEnd, .postEnd, .postBegin, .postEnd])
        #expect(
            told[0].name == "Saved" && told[3].calls == 1 && told[5].name == "looking.unheard" && told[5].calls == 0)
        #expect(told[1].parent == told[0].span && told[2].registration != 0 && told[2].end >= told[2].begin)
        let one = center.trace("looking.named") { events.append($0) }
        center.post(Saved())
        center.post("looking.named")
        #expect(events.count == 8 && !HeraldTraceIsOn() == false)
        one.stop()
        token.cancel()
    }

    private actor Counter {
        var count = 0
        func add() { count += 1 }
    }

    @Test("Messages are followed through mailboxes: what was queued is heard, dropped, merged or ended")
    func R24_a_trace_follows_messages_through_mailboxes() async throws {
        let center = HeraldCenter(), events = Log<HeraldCenter.TraceEvent>(), counter = Counter()
        let queue = DispatchQueue(label: "looking.boxes")
        let trace = center.trace { events.append($0) }
        let queued = center.observe(Saved.self, via: queue) { (_: Saved) in }
        center.observe(Saved.self, on: counter) { counter, _ in counter.add() }
        let few = center.observe(Saved.self, via: queue, buffer: .newest(2)) { (_: Saved) in }
        let sequence = center.messages(Saved.self)
        for _ in 0..<20 { center.post(Saved()) }
        while await counter.count < 20 { await Task.yield() }
        await withCheckedContinuation { done in queue.async { done.resume() } }
        let iterator = sequence.makeAsyncIterator()
        _ = await iterator.next()
        queue.suspend()
        for _ in 0..<5 { center.post(Saved()) }
        queued.cancel()
        few.cancel()
        queue.resume()
        while await counter.count < 25 { await Task.yield() }
        sequence.finish()
        while await iterator.next() != nil {}
        #expect(await eventually { Self.isBalanced(events.values) }, "\(Self.sums(events.values))")
        let sums = Self.sums(events.values)
        #expect(sums.queued == 25 * 4 && sums.dropped > 0 && sums.ended > 0 && sums.heard > 50)
        let heard = events.values.filter { $0.phase == .heard && $0.outcome == .returned }
        let began = Dictionary(
            events.values.filter { $0.phase == .queued }.map { ("\($0.carrier) \($0.message)", $0) },
            uniquingKeysWith: { one, _ in one })
        #expect(began.count == 100)
        #expect(heard.allSatisfy { began["\($0.carrier) \($0.message)"] != nil && $0.name == "Saved" })
        trace.stop()
    }

    private static func sums(_ events: [HeraldCenter.TraceEvent]) -> (
        queued: Int, heard: Int, dropped: Int, merged: Int, ended: Int
    ) {
        func count(_ outcome: HeraldCenter.TraceEvent.Outcome) -> Int {
            events.count { $0.phase == .heard && $0.outcome == outcome }
        }
        return (
            events.count { $0.phase == .queued }, count(.returned), count(.dropped), count(.merged), count(.ended)
        )
    }

    private static func isBalanced(_ events: [HeraldCenter.TraceEvent]) -> Bool {
        let sums = sums(events)
        return sums.queued == sums.heard + sums.dropped + sums.merged + sums.ended
    }

    @Test("A limit of observers, and the inspector, can be set from Swift")
    func limits() throws {
        let center = HeraldCenter()
        center.setObserverLimit(10)
        center.setObserverLimit(nil)
        try HeraldCenter.startInspector()
        HeraldCenter.stopInspector()
    }
}
