import CHerald
import Foundation
import Herald
import Observation

/// Measures what Herald costs, next to floors (the least that the work can cost) and peers (Foundation and others).
/// In most measurements, short batches of Herald and of a floor or a peer alternate, so that both are measured under
/// the same conditions. The best batch of each counts.
struct Costs {
    private struct Row {
        let what: String
        let cost: Double
        let peer: String
        let peerCost: Double
        var ratio: Double { cost / peerCost }
    }
    private var rows: [Row] = []

    static func measure() async -> Costs {
        var costs = Costs()
        costs.measurePosts()
        await costs.measureFoundationsMessages()
        await costs.measureElsewhere()
        costs.measureWatched()
        return costs
    }

    func print() {
        Swift.print("\nWhat it costs here, in nanoseconds, with one observer:\n")
        func line(_ what: String, _ cost: String, _ peer: String, _ peerCost: String, _ ratio: String) {
            let cells = [(what, 34, false), (cost, 9, true), (peer, 37, false), (peerCost, 9, true), (ratio, 8, true)]
            Swift.print(
                "  "
                    + cells.map { text, width, isNumber in
                        let space = String(repeating: " ", count: max(0, width - text.count))
                        return isNumber ? space + text : text + space
                    }.joined(separator: " "))
        }
        for row in rows {
            line(
                row.what, String(format: "%.1f", row.cost), "  " + row.peer, String(format: "%.1f", row.peerCost),
                row.ratio > 0.1 ? String(format: "%.2f", row.ratio) : String(format: "1/%.0f", 1 / row.ratio))
        }
    }

    private mutating func add(_ what: String, _ cost: Double, _ peer: String, _ peerCost: Double) {
        rows.append(Row(what: what, cost: cost, peer: peer, peerCost: peerCost))
    }

    // ---- Posts

    private mutating func measurePosts() {
        let word = UnsafeMutablePointer<Int>.allocate(capacity: 1)
        word.initialize(to: 0)
        defer { word.deallocate() }
        nonisolated(unsafe) let sum = word

        let plain = HeraldCenterCreate(nil)!
        defer { HeraldCenterRelease(plain) }
        let name = HeraldNameCreate("tour.cost")
        guard HeraldCenterAddObserver(plain, word, addOne, name, nil, HeraldSuspensionDrop) == HeraldOK else { return }
        let plainTopic = HeraldTopicCreate(plain, name, nil)
        defer { HeraldTopicRelease(plainTopic) }

        let center = HeraldCenter()
        let topic = center.topic(for: Tick.self)
        let token = center.observe(Tick.self) { sum.pointee &+= $0.value }
        let owned = HeraldCenter()
        let ownedTopic = owned.topic(for: Tick.self)
        let owner = Owner(word)
        owned.observe(Tick.self, by: owner) { owner, tick in owner.word.pointee &+= tick.value }
        let looseOwner = Owner(word)  // not `owner`: a weak reference makes retaining its object slower
        let loose = Loose(looseOwner) { owner, tick in owner.word.pointee &+= tick.value }
        let foundation = NotificationCenter()
        let foundationName = Notification.Name("tour.cost")
        let observer = foundation.addObserver(forName: foundationName, object: nil, queue: nil) { _ in sum.pointee &+= 1
        }
        defer { foundation.removeObserver(observer) }

        let best = bestOfBatches([
            (2000, { for _ in 0..<$0 { HeraldTopicPost(plainTopic, nil) } }),
            (2000, { for _ in 0..<$0 { topic.post(Tick(value: 1)) } }),
            (2000, { for _ in 0..<$0 { center.post(Tick(value: 1)) } }),
            (200, { for _ in 0..<$0 { foundation.post(name: foundationName, object: nil) } }),
            (2000, { for _ in 0..<$0 { ownedTopic.post(Tick(value: 1)) } }),
            (2000, { for _ in 0..<$0 { loose.call(Tick(value: 1)) } }),
        ])
        token.cancel()
        withExtendedLifetime((owner, looseOwner)) {}
        add("post by topic", best[1], "the same in C", best[0])
        add("post by type", best[2], "Foundation's post", best[3])
        add("post by topic to a weak owner", best[4], "a weak reference loaded and called", best[5])
    }

    @MainActor private mutating func measureFoundationsMessages() {
        let center = HeraldCenter()
        let token = center.observe(Tick.self) { Owner.blackHole.word.pointee &+= $0.value }
        let foundation = NotificationCenter()
        let subject = Owner.blackHole
        let observer = foundation.addObserver(of: subject, for: FoundationTick.self) { tick in
            Owner.blackHole.word.pointee &+= tick.value
        }
        let best = bestOfBatches([
            (2000, { for _ in 0..<$0 { center.post(Tick(value: 1)) } }),
            (100, { for _ in 0..<$0 { foundation.post(FoundationTick(value: 1), subject: subject) } }),
        ])
        foundation.removeObserver(observer)
        token.cancel()
        add("post by type", best[0], "Foundation's typed post", best[1])
    }

    // ---- Elsewhere

    private mutating func measureElsewhere() async {
        let center = HeraldCenter()
        let counter = Counter()
        center.observe(Tick.self, on: counter) { counter, tick in counter.sum &+= tick.value }
        let actor = bestOfBatches([(5000, { for _ in 0..<$0 { center.post(Tick(value: 1)) } })], batches: 40)[0]
        center.removeObserver(counter)
        add("post to an actor, poster's time", actor, "a task for each message", await tasks(counter))

        let queue = DispatchQueue(label: "tour.cost")
        let token = center.observe(Tick.self, via: { queue.async(execute: $0) }) { tick in
            Owner.blackHole.word.pointee &+= tick.value
        }
        let queued = bestOfBatches([(5000, { for _ in 0..<$0 { center.post(Tick(value: 1)) } })], batches: 40)[0]
        token.cancel()
        let one = { @Sendable in Owner.blackHole.word.pointee &+= 1 }
        let bare = bestOfBatches([(5000, { for _ in 0..<$0 { queue.async(execute: one) } })], batches: 10)[0]
        queue.sync {}
        add("post through a queue, poster's time", queued, "queue.async for each message", bare)

        let (messages, stream) = await elements()
        add("element of messages, main actor", messages, "element of an AsyncStream", stream)
    }

    private func tasks(_ counter: Counter) async -> Double {
        bestOfBatches([(500, { for _ in 0..<$0 { Task.detached { await counter.add(1) } } })], batches: 10)[0]
    }

    @MainActor private func elements() async -> (Double, Double) {
        var best = (Double.infinity, Double.infinity)
        let center = HeraldCenter()
        for _ in 0..<5 {
            let messages = center.messages(Tick.self, buffer: .unbounded)
            for _ in 0..<20_000 { center.post(Tick(value: 1)) }
            best.0 = min(best.0, await timePerElement(messages, 20_000))
            let (stream, continuation) = AsyncStream<Tick>.makeStream()
            for _ in 0..<2000 { continuation.yield(Tick(value: 1)) }
            best.1 = min(best.1, await timePerElement(stream, 2000))
        }
        return best
    }

    @MainActor private func timePerElement(_ ticks: some AsyncSequence<Tick, Never>, _ count: Int) async -> Double {
        let start = DispatchTime.now().uptimeNanoseconds
        var received = 0
        for await tick in ticks {
            received += tick.value
            if received == count { break }
        }
        return Double(DispatchTime.now().uptimeNanoseconds - start) / Double(count)
    }

    // ---- Properties

    private mutating func measureWatched() {
        let watched = WatchedModel()
        let observable = ObservableModel()
        let best = bestOfBatches([
            (5000, { for next in 0..<$0 { watched.value = next } }),
            (2000, { for next in 0..<$0 { observable.value = next } }),
        ])
        var sum = 0
        let token = watched.$value.observe { _, new in sum &+= new }
        let observed = bestOfBatches([(2000, { for next in 0..<$0 { watched.value = next } })])[0]
        token.cancel()
        add(
            "@Watched set, without an observer", best[0], "@Observable set, without an observer", best[1])
        add("@Watched set, one observer", observed, "@Observable set, without an observer", best[1])
    }
}

private struct Tick: HeraldCenter.Message, Sendable {
    let value: Int
}

private struct FoundationTick: NotificationCenter.MainActorMessage {
    typealias Subject = Owner
    static var name: Notification.Name { Notification.Name("tour.cost.typed") }
    let value: Int
}

private let addOne: HeraldCallback = { _, observer, _, _, _ in
    observer.unsafelyUnwrapped.assumingMemoryBound(to: Int.self).pointee &+= 1
}

private final class Owner: @unchecked Sendable {
    static let blackHole = Owner(.allocate(capacity: 1))
    let word: UnsafeMutablePointer<Int>
    init(_ word: UnsafeMutablePointer<Int>) { self.word = word }
}

/// A body with a weak owner, called without a center: the least that an observer with an owner can cost.
private final class Loose {
    private weak let owner: Owner?
    private let body: (Owner, Tick) -> Void

    init(_ owner: Owner, _ body: @escaping (Owner, Tick) -> Void) {
        self.owner = owner
        self.body = body
    }

    func call(_ tick: Tick) { if let owner { body(owner, tick) } }
}

private actor Counter {
    var sum = 0
    func add(_ value: Int) { sum &+= value }
}

private final class WatchedModel {
    @Watched var value = 0
}

@Observable private final class ObservableModel {
    var value = 0
}

/// Returns the best time of each body, in nanoseconds for one iteration. The body's argument is the number of
/// iterations in a batch.
private func bestOfBatches(_ bodies: [(iterations: Int, body: (Int) -> Void)], batches: Int = 200) -> [Double] {
    var best = [Double](repeating: .infinity, count: bodies.count)
    for _ in 0..<batches {
        for (index, (iterations, body)) in bodies.enumerated() {
            let start = DispatchTime.now().uptimeNanoseconds
            body(iterations)
            best[index] = min(best[index], Double(DispatchTime.now().uptimeNanoseconds - start) / Double(iterations))
        }
    }
    return best
}
