import Dispatch
import Herald
import Processes
import Testing

private final class Thing: Sendable {}

private struct Step: HeraldCenter.Message, Sendable {
    typealias Subject = Thing
}

private struct Drawn: HeraldCenter.MainActorMessage, Sendable {
    typealias Subject = Thing
}

private struct Shared: HeraldCenter.WireMessage, Codable {
    static let wireName: HeraldCenter.Name = "test.every.shared"
}

private struct Kept: HeraldCenter.KeptMessage, HeraldCenter.WireMessage, Codable {
    static let wireName: HeraldCenter.Name = "test.every.kept"
}

private final class Owner: Sendable {}
private struct Odd: Error {}
private actor Reader {}

private struct Inline: HeraldCenter.WorkScheduler {
    func schedule(_ work: @escaping @Sendable () -> Void) { work() }
}

/// What each form has heard: its label, once for each call.
private final class Forms: Sendable {
    let heard = Log<String>()
    let bag = ObservationBag()
    let owner = Owner()
    let reader = Reader()
    let queue = DispatchQueue(label: "every.form")

    func hear(_ form: String) { heard.append(form) }

    private let asked = Log<String>()

    /// A condition that holds once.
    func isFirst(_ form: String) -> Bool {
        if asked.values.contains(form) { return false }
        asked.append(form)
        return true
    }

    /// The observers retain this instance, so they are ended by hand.
    func end(_ center: HeraldCenter, _ host: HostCenter) {
        bag.cancelAll()
        center.removeObserver(owner)
        center.removeObserver(reader)
        center.removeObserver(self)
        host.removeObserver(owner)
        host.removeObserver(reader)
        host.removeObserver(self)
    }

    /// Whether the forms hear one call each, and no others hear.
    func expect(_ forms: [String], _ location: SourceLocation = #_sourceLocation) async {
        let all = await eventually { heard.count >= forms.count }
        #expect(all && heard.take().sorted() == forms.sorted(), "\(heard.values)", sourceLocation: location)
    }

    /// Posts until the task, which waits for the next, has got it. What the forms hear of that is still coming in
    /// afterwards.
    func until<T: Sendable>(_ task: Task<T?, Never>, _ post: @Sendable () async -> Void) async -> T? {
        let isDone = Flag()
        Task {
            _ = await task.value
            isDone.set()
        }
        while !isDone.isSet {
            await post()
            try? await Task.sleep(for: .milliseconds(1))
        }
        return await task.value
    }
}

private func about(_ forms: [String]) -> [String] { forms.map { "\($0), one" } }

/// Every form of every family (Scripts/forms) hears what it should: with a subject posts about this subject, and
/// without one all posts.
@Suite(.serialized, .timeLimit(.minutes(10))) struct EveryFormTests {
    private let center = HeraldCenter()
    private let host = HeraldCenter.host
    private let all = Forms()
    private let thing = Thing()

    init() { _ = hostFolder }

    @Test("Messages of a type")
    func R01_every_form_of_a_type_hears_its_subject() async {
        let all = all, (bag, owner, reader, queue) = (all.bag, all.owner, all.reader, all.queue)
        defer { all.end(center, host) }
        center.observe(Step.self) { _ in all.hear("token") }.store(in: bag)
        center.observe(Step.self, by: owner) { _, _ in all.hear("owner") }
        center.observe(Step.self, via: queue) { _ in all.hear("via") }.store(in: bag)
        center.observe(Step.self, via: .main) { _ in all.hear("main") }.store(in: bag)
        center.observe(Step.self, via: { $0() }) { _ in all.hear("closure") }.store(in: bag)
        center.observe(Step.self, async: { _ in all.hear("async") }).store(in: bag)
        center.observe(Step.self, async: { _ in throw Odd() }, failed: { _, _ in all.hear("failed") }).store(in: bag)
        center.observe(Step.self, on: reader) { _, _ in all.hear("actor") }
        center.observeOnce(Step.self) { _ in all.hear("once") }.store(in: bag)
        center.observe(Step.self, subject: thing) { _ in all.hear("token, one") }.store(in: bag)
        center.observe(Step.self, subject: thing, by: owner) { _, _ in all.hear("owner, one") }
        center.observe(Step.self, subject: thing, via: Inline()) { _ in all.hear("via, one") }.store(in: bag)
        center.observe(Step.self, subject: thing, via: { $0() }) { _ in all.hear("closure, one") }.store(in: bag)
        center.observe(Step.self, subject: thing, async: { _ in all.hear("async, one") }).store(in: bag)
        center.observe(
            Step.self, subject: thing, async: { _ in throw Odd() }, failed: { _, _ in all.hear("failed, one") }
        )
        .store(in: bag)
        center.observe(
            Step.self, subject: thing, by: all, async: { _, _ in throw Odd() },
            failed: { all, _, _ in all.hear("owner failed, one") })
        center.observe(Step.self, subject: thing, on: reader) { _, _ in all.hear("actor, one") }
        center.observeOnce(Step.self, subject: thing) { _ in all.hear("once, one") }.store(in: bag)
        center.observe(Step.self, while: { _ in all.isFirst("while") }) { _ in all.hear("while") }.store(in: bag)
        center.observe(Step.self, subject: thing, while: { _ in all.isFirst("while, one") }) { _ in
            all.hear("while, one")
        }.store(in: bag)
        let sequence = center.messages(Step.self).makeAsyncIterator()
        let ofOne = center.messages(Step.self, subject: thing).makeAsyncIterator()
        let heard = ["token", "owner", "via", "main", "closure", "async", "failed", "actor"]
        let one = ["token", "owner", "via", "closure", "async", "failed", "owner failed", "actor"]
        center.post(Step(), subject: thing)
        await all.expect(heard + ["once", "while"] + about(one + ["once", "while"]))
        center.post(Step())
        center.post(Step(), subject: Thing())
        await all.expect(heard + heard)
        #expect(await sequence.next() != nil)
        #expect(await ofOne.next() != nil)
        let next = Task { [center, thing] in await center.next(Step.self, subject: thing) }
        let got1 = await all.until(next) { center.post(Step(), subject: thing) }
        #expect(got1 != nil)
    }

    @Test("Main-actor messages, here and elsewhere") @MainActor
    func R01_every_form_of_a_main_actor_message_hears_its_subject() async {
        let all = all, (bag, owner, reader, queue) = (all.bag, all.owner, all.reader, all.queue)
        defer { all.end(center, host) }
        center.observe(Drawn.self) { _ in all.hear("token") }.store(in: bag)
        center.observe(Drawn.self, by: owner) { _, _ in all.hear("owner") }
        center.observe(Drawn.self, via: queue) { _ in all.hear("via") }.store(in: bag)
        center.observe(Drawn.self, via: { $0() }) { _ in all.hear("closure") }.store(in: bag)
        center.observe(Drawn.self, async: { _ in all.hear("async") }).store(in: bag)
        center.observe(Drawn.self, on: reader) { _, _ in all.hear("actor") }
        center.observeOnce(Drawn.self) { _ in all.hear("once") }.store(in: bag)
        center.observe(Drawn.self, subject: thing) { _ in all.hear("token, one") }.store(in: bag)
        center.observe(Drawn.self, subject: thing, by: owner) { _, _ in all.hear("owner, one") }
        center.observe(Drawn.self, subject: thing, via: queue) { _ in all.hear("via, one") }.store(in: bag)
        center.observe(Drawn.self, subject: thing, async: { _ in all.hear("async, one") }).store(in: bag)
        center.observe(Drawn.self, subject: thing, on: reader) { _, _ in all.hear("actor, one") }
        center.observeOnce(Drawn.self, subject: thing) { _ in all.hear("once, one") }.store(in: bag)
        center.observe(Drawn.self, while: { _ in all.isFirst("while") }) { _ in all.hear("while") }.store(in: bag)
        center.observe(Drawn.self, subject: thing, while: { _ in all.isFirst("while, one") }) { _ in
            all.hear("while, one")
        }.store(in: bag)
        let sequence = center.messages(Drawn.self, subject: thing).makeAsyncIterator()
        let heard = ["token", "owner", "via", "closure", "async", "actor"]
        center.post(Drawn(), subject: thing)
        await all.expect(
            heard + ["once", "while"] + about(["token", "owner", "via", "async", "actor", "once", "while"]))
        center.post(Drawn())
        await all.expect(heard)
        #expect(await sequence.next() != nil)
        let next = Task { [center, thing] in await center.next(Drawn.self, subject: thing) }
        let center = center, thing = thing
        let got2 = await all.until(next) { @MainActor in center.post(Drawn(), subject: thing) }
        #expect(got2 != nil)
    }

    @Test("A name, and the names below a prefix, of a center in the process")
    func R26_every_form_of_a_name_and_of_a_prefix_hears_its_subject() async {
        let all = all, (bag, owner, reader, queue) = (all.bag, all.owner, all.reader, all.queue)
        defer { all.end(center, host) }
        let name: HeraldCenter.Name = "every.form.name"
        center.observe(name) { _ in all.hear("token") }.store(in: bag)
        center.observe(name, by: owner) { _, _ in all.hear("owner") }
        center.observe(posts: .under("every.form"), by: owner) { _, _ in all.hear("owner") }
        center.observe(posts: .all, by: owner) { _, _ in all.hear("owner") }
        center.observe(posts: .under("every")) { _ in all.hear("token") }.store(in: bag)
        center.observe(posts: "every.form.name") { _ in all.hear("token") }.store(in: bag)
        center.observe(posts: .under("every.form"), via: queue) { _ in all.hear("via") }.store(in: bag)
        center.observe(posts: .under("every.form"), via: { $0() }) { _ in all.hear("closure") }.store(in: bag)
        center.observe(posts: .all, async: { _ in all.hear("async") }).store(in: bag)
        center.observe(posts: .all, async: { _ in throw Odd() }, failed: { _, _ in all.hear("failed") }).store(in: bag)
        center.observe(name, by: all, async: { _, _ in throw Odd() }, failed: { all, _, _ in all.hear("failed") })
        center.observe(posts: .under("every.form"), on: reader) { _, _ in all.hear("actor") }
        center.observeOnce(posts: .under("every.form")) { _ in all.hear("once") }.store(in: bag)
        center.observe(name, subject: thing, while: { _ in all.isFirst("while") }) { _ in all.hear("while") }
            .store(in: bag)
        center.observe(posts: .under("every"), while: { _ in all.isFirst("posts") }) { _ in all.hear("while") }
            .store(in: bag)
        center.observe(posts: .under("every.form"), subject: thing) { _ in all.hear("token, one") }.store(in: bag)
        center.observe(posts: .under("every.form"), subject: thing, by: owner) { _, _ in all.hear("owner, one") }
        center.observe(posts: .under("every.form"), subject: thing, via: queue) { _ in all.hear("via, one") }
            .store(in: bag)
        center.observe(posts: .all, subject: thing, async: { _ in all.hear("async, one") }).store(in: bag)
        center.observe(posts: .all, subject: thing, on: reader) { _, _ in all.hear("actor, one") }
        center.observe(posts: .under("every.for")) { _ in all.hear("stranger") }.store(in: bag)
        center.observe(posts: .under("every.form.name")) { _ in all.hear("stranger") }.store(in: bag)
        let sequence = center.messages(posts: .under("every"), subject: thing).makeAsyncIterator()
        let heard = [
            "token", "token", "token", "owner", "owner", "owner", "via", "closure", "async", "failed", "failed",
            "actor",
        ]
        let one = about(["token", "owner", "via", "async", "actor"])
        center.post(name, subject: thing)
        await all.expect(heard + ["once", "while", "while"] + one)
        center.post(name)
        await all.expect(heard)
        #expect(await sequence.next()?.name == name)

        center.removeObserver(owner, posts: .under("every.form"))
        center.removeObserver(owner, posts: .all)
        center.post(name, subject: thing)
        await all.expect(heard + one - ["owner", "owner", "owner, one"])
        center.removeObserver(owner, of: name)
        center.post(name)
        await all.expect(heard - ["owner", "owner", "owner"])

        let next = Task { [center] in await center.next(posts: .under("every"), where: { $0.userInfo as? Int == 3 }) }
        let third = await all.until(next) { [center] in center.post(name, userInfo: 3) }
        #expect(third?.userInfo as? Int == 3)
    }

    @Test("Between processes: messages of a type, and of any type")
    func R23_messages_between_processes_are_heard_in_every_form() async throws {
        let all = all, (bag, owner, reader, queue) = (all.bag, all.owner, all.reader, all.queue)
        defer { all.end(center, host) }
        host.observe(Shared.self) { _ in all.hear("token") }.store(in: bag)
        host.observe(Shared.self, by: owner) { _, _ in all.hear("owner") }
        host.observe(Shared.self, via: queue) { _ in all.hear("via") }.store(in: bag)
        host.observe(Shared.self, by: owner, via: { $0() }) { _, _ in all.hear("closure") }
        host.observe(Shared.self, async: { _ in all.hear("async") }).store(in: bag)
        host.observe(Shared.self, async: { _ in throw Odd() }, failed: { _, _ in all.hear("failed") }).store(in: bag)
        host.observe(Shared.self, on: reader) { _, _ in all.hear("actor") }
        host.observeOnce(Shared.self) { _ in all.hear("once") }.store(in: bag)
        host.observe(Shared.self, subject: "a") { _ in all.hear("token, one") }.store(in: bag)
        host.observeOnce(Shared.self, subject: "a") { _ in all.hear("once, one") }.store(in: bag)
        host.observe(Shared.self, while: { _ in all.isFirst("while") }) { _ in all.hear("while") }.store(in: bag)
        host.observe(Shared.self, subject: "a", while: { _ in all.isFirst("while, one") }) { _ in
            all.hear("while, one")
        }.store(in: bag)
        host.observe(messages: .under("test.every"), while: { _ in all.isFirst("bytes") }) { _ in
            all.hear("bytes while")
        }
        .store(in: bag)
        host.observe(messages: .under("test.every"), by: owner) { _, _ in all.hear("bytes owner") }
        host.observe(messages: "test.every.shared", via: queue) { _ in all.hear("bytes via") }.store(in: bag)
        host.observe(messages: .under("test.every"), async: { _ in all.hear("bytes async") }).store(in: bag)
        host.observe(
            messages: "test.every.shared", by: all, async: { _, _ in throw Odd() },
            failed: { all, _, _ in all.hear("bytes failed") })
        host.observe(messages: .named(Shared.wireName), on: reader) { _, _ in all.hear("bytes actor") }
        host.observeOnce(messages: .under("test.every")) { _ in all.hear("bytes once") }.store(in: bag)
        host.observe(messages: .named(Shared.wireName), subject: "a") { _ in all.hear("bytes, one") }.store(in: bag)
        let sequence = host.messages(messages: .under("test.every"), subject: "a").makeAsyncIterator()
        let heard = [
            "token", "closure", "via", "async", "failed", "actor", "bytes owner", "bytes via", "bytes async",
            "bytes failed",
            "bytes actor",
        ]
        try host.post(Shared(), subject: "a")
        await all.expect(
            heard + [
                "once", "while", "bytes once", "bytes while", "token, one", "once, one", "while, one", "bytes, one",
            ])
        try host.post(Shared())
        await all.expect(heard)
        #expect(await sequence.next()?.subject == "a")

        host.removeObserver(owner, messages: .under("test.every"))
        host.removeObserver(owner, of: Shared.self)
        try host.post(Shared())
        await all.expect(heard - ["closure", "bytes owner"])

        let next = Task { [host] in
            await host.next(messages: .under("test.every"), subject: "b", where: { $0.bytes != nil })
        }
        let got3 = await all.until(next) { [host] in try? host.post(Shared(), subject: "b") }
        #expect(got3?.subject == "b")
    }

    @Test("Between processes, beginning with what is kept: messages of a type and of any type, and a name")
    func R25_every_form_between_processes_begins_with_what_is_kept() async throws {
        let all = all, (bag, owner, reader, queue) = (all.bag, all.owner, all.reader, all.queue)
        defer { all.end(center, host) }
        let name: HeraldCenter.Name = "test.every.level", bytes = Kept.wireName
        try host.post(Kept(), subject: "a")
        try host.post(Kept(), subject: "b")
        try host.post(name, state: 3)
        let began: @Sendable (Int) -> Void = { if $0 == 2 { all.hear("began") } }
        host.observe(Kept.self, from: .kept, began: began) { _ in all.hear("token") }.store(in: bag)
        host.observe(Kept.self, from: .kept, by: owner, began: began) { _, _ in all.hear("owner") }
        host.observe(Kept.self, from: .kept, via: queue, began: began) { _ in all.hear("via") }.store(in: bag)
        host.observe(Kept.self, from: .kept, via: { $0() }, began: began) { _ in all.hear("closure") }.store(in: bag)
        host.observe(Kept.self, from: .kept, by: all, via: queue, began: began) { all, _ in all.hear("owner via") }
        host.observe(Kept.self, from: .kept, began: began, async: { _ in all.hear("async") }).store(in: bag)
        host.observe(
            Kept.self, from: .kept, began: began, async: { _ in throw Odd() }, failed: { _, _ in all.hear("failed") }
        ).store(in: bag)
        host.observe(Kept.self, from: .kept, on: reader, began: began) { _, _ in all.hear("actor") }
        let both = ["token", "owner", "via", "closure", "owner via", "async", "failed", "actor"]
        await all.expect(both + both + both.map { _ in "began" })

        host.observe(Kept.self, subject: "a", from: .kept) { _ in all.hear("token, one") }.store(in: bag)
        host.observe(Kept.self, subject: "a", from: .kept, by: owner) { _, _ in all.hear("owner, one") }
        host.observe(Kept.self, subject: "a", from: .kept, via: queue) { _ in all.hear("via, one") }.store(in: bag)
        host.observe(Kept.self, subject: "a", from: .kept, async: { _ in all.hear("async, one") }).store(in: bag)
        host.observe(Kept.self, subject: "a", from: .kept, on: reader) { _, _ in all.hear("actor, one") }
        host.observeOnce(Kept.self, from: .kept) { _ in all.hear("once") }.store(in: bag)
        host.observeOnce(Kept.self, subject: "a", from: .kept) { _ in all.hear("once, one") }.store(in: bag)
        host.observe(Kept.self, from: .kept, while: { _ in all.isFirst("while") }) { _ in all.hear("while") }
            .store(in: bag)
        host.observe(messages: bytes, from: .kept) { if $0.isKept { all.hear("bytes") } }.store(in: bag)
        host.observe(messages: bytes, subject: "b", from: .kept) { if $0.isKept { all.hear("bytes, one") } }
            .store(in: bag)
        host.observe(messages: bytes, from: .kept, by: owner) { _, _ in all.hear("bytes owner") }
        host.observe(messages: bytes, from: .kept, via: queue) { if $0.isKept { all.hear("bytes via") } }
            .store(in: bag)
        host.observe(messages: bytes, from: .kept, async: { if $0.isKept { all.hear("bytes async") } }).store(in: bag)
        host.observe(messages: bytes, from: .kept, on: reader) { if $1.isKept { all.hear("bytes actor") } }
        host.observeOnce(messages: bytes, from: .kept) { _ in all.hear("bytes once") }.store(in: bag)
        let bytesOfBoth = ["bytes", "bytes owner", "bytes via", "bytes async", "bytes actor"]
        await all.expect(
            about(["token", "owner", "via", "async", "actor", "once", "bytes"]) + ["once", "while", "bytes once"]
                + bytesOfBoth + bytesOfBoth)

        host.observe(name, from: .kept) { all.hear("name \($0.state ?? 0)") }.store(in: bag)
        host.observe(name, from: .kept, by: owner) { all.hear("name \($1.state ?? 0)") }
        host.observe(name, from: .kept, via: queue) { all.hear("name \($0.state ?? 0)") }.store(in: bag)
        host.observe(name, from: .kept, by: all, via: { $0() }) { all.hear("name \($1.state ?? 0)") }
        host.observe(name, from: .kept, async: { all.hear("name \($0.state ?? 0)") }).store(in: bag)
        host.observe(name, from: .kept, on: reader) { all.hear("name \($1.state ?? 0)") }
        host.observeOnce(name, from: .kept) { all.hear("name \($0.state ?? 0)") }.store(in: bag)
        host.observe(name, from: .kept, while: { _ in true }) { all.hear("name \($0.state ?? 0)") }.store(in: bag)
        await all.expect(Array(repeating: "name 3", count: 8))
        let sequence = host.messages(named: name, from: .kept).makeAsyncIterator()
        #expect(await sequence.next()?.state == 3)
        let messages = host.messages(messages: bytes, subject: "b", from: .kept).makeAsyncIterator()
        #expect(await messages.next()?.isKept == true)
        await host.withMessages(Kept.self, from: .kept) { messages in
            var count = 0
            for await _ in messages {
                count += 1
                if count == 2 { break }
            }
        }
    }

    @Test("Between processes: a name, whose posts are merged while one waits")
    func everyFormOfANameBetweenProcesses() async {
        let all = all, (bag, owner, reader, queue) = (all.bag, all.owner, all.reader, all.queue)
        defer { all.end(center, host) }
        let name: HeraldCenter.Name = "test.every.name"
        host.observe(name) { _ in all.hear("token") }.store(in: bag)
        host.observe(name, by: owner, via: queue) { _, _ in all.hear("owner via") }
        host.observe(name, by: reader, via: { $0() }) { _, _ in all.hear("owner closure") }
        host.observe(name, async: { _ in all.hear("async") }).store(in: bag)
        host.observe(name, async: { _ in throw Odd() }, failed: { _, _ in all.hear("failed") }).store(in: bag)
        host.observeOnce(name) { _ in all.hear("once") }.store(in: bag)
        host.observe(name, while: { _ in all.isFirst("while") }) { _ in all.hear("while") }.store(in: bag)
        let sequence = host.messages(named: name).makeAsyncIterator()
        let heard = ["token", "owner via", "owner closure", "async", "failed"]
        host.post(name)
        await all.expect(heard + ["once", "while"])
        #expect(await sequence.next()?.count == 1)
        queue.suspend()
        host.post(name)
        await all.expect(heard - ["owner via"])
        host.post(name)
        await all.expect(heard - ["owner via"])
        queue.resume()
        await all.expect(["owner via"])
        #expect(host.dropped(by: owner) == 0)
        let next = Task { [host] in await host.next(name, within: .seconds(60), where: { $0.count > 0 }) }
        let got4 = await all.until(next) { [host] in host.post(name) }
        #expect(got4?.name == name)
    }
}

extension [String] {
    /// Without one of each.
    fileprivate static func - (all: [String], gone: [String]) -> [String] {
        var all = all
        for one in gone { if let place = all.lastIndex(of: one) { all.remove(at: place) } }
        return all
    }
}
