// A mailbox is compiled for its message type: an optimised program looks up no type for a message that is sent or
// taken. If a generic function of Herald's is not inlinable it looks up types, which costs more than everything else.
import Lookups
import Herald

private struct Tick: HeraldCenter.Message, Sendable { var number = 1 }

private actor Reader {
    private(set) var count = 0
    func hear() { count += 1 }
}

private let most = 1000

@MainActor private func expectNone(_ what: String, _ body: () async -> Void) async {
    await body()  // the runtime caches a type that was looked up once
    let before = lookups()
    await body()
    let count = lookups() - before
    #if !DEBUG
    // A task and its closure are looked up once for many messages.
    if count > most / 10 {
        print("\(what): \(count) types are looked up for \(most) messages")
        failures += 1
    }
    #else
    _ = count
    #endif
}

@MainActor func checkLookups() async {
    let center = HeraldCenter()
    let messages = center.messages(Tick.self, buffer: .unbounded)
    await expectNone("a sequence") {
        for _ in 0..<most { center.post(Tick()) }
        var left = most
        for await tick in messages {
            left -= tick.number
            if left == 0 { break }
        }
    }
    messages.finish()
    let posts = center.messages(named: "lookups", buffer: .unbounded)
    await expectNone("a sequence of a name") {
        for _ in 0..<most { center.post("lookups") }
        var left = most
        for await _ in posts {
            left -= 1
            if left == 0 { break }
        }
    }
    posts.finish()
    let reader = Reader()
    center.observe(Tick.self, on: reader) { reader, _ in reader.hear() }
    await expectNone("an actor") {
        let end = await reader.count + most
        for _ in 0..<most { center.post(Tick()) }
        while await reader.count < end { await Task.yield() }
    }
    center.removeObserver(reader)
    let token = center.observe(Tick.self, via: { $0() }, { _ in })
    await expectNone("a scheduler") { for _ in 0..<most { center.post(Tick()) } }
    token.cancel()
}
