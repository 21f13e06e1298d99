import CHerald
import CHeraldHost
import Dispatch
import Glibc
import Herald
import Processes
import Testing

private final class Thing: Counted, @unchecked Sendable {}

private struct Settings: HeraldCenter.KeptMessage {
    typealias Subject = Thing
    var number = 0
    var load: Counted?
}

private protocol Numbered: HeraldCenter.Message, Sendable { var number: Int { get } }

private struct Level: HeraldCenter.KeptMessage, HeraldCenter.WireMessage, Codable, Numbered {
    static let wireName: HeraldCenter.Name = "test.kept.here"
    var number = 0
}

private struct Saved: HeraldCenter.Message, Sendable, Numbered { var number = 0 }
private struct Ready: HeraldCenter.KeptMessage {}
private enum Link: HeraldCenter.KeptMessage, Equatable { case down, up(String) }
private struct Wide: HeraldCenter.KeptMessage {
    var lanes = SIMD64<Double>(repeating: 1)
    var text = "wide"
    var more = [1, 2, 3]
}
private struct Loose: HeraldCenter.KeptMessage { var value: any Sendable }
private final class Shared: Counted, HeraldCenter.KeptMessage, @unchecked Sendable {}
private struct Generic<Value: Sendable>: HeraldCenter.KeptMessage { var value: Value }

private protocol Whole {}
extension Int: Whole {}
private struct Later<Value>: HeraldCenter.Message, @unchecked Sendable { var value: Value }
extension Later: HeraldCenter.KeptMessage where Value: Whole {}

private final class Owner: Sendable {}
private actor Reader {}
private struct Odd: Error {}

private func postPlainly<M: HeraldCenter.Message & ~Copyable>(_ message: borrowing M, to center: HeraldCenter) {
    center.post(message)
}

private func postAny(_ message: any HeraldCenter.Message & Sendable, to center: HeraldCenter) { center.post(message) }

/// Not specialised, as code of another module that is not inlinable.
@_optimize(none) @inline(never)
private func postOpaquely<M: HeraldCenter.Message>(_ message: M, about subject: M.Subject?, to center: HeraldCenter) {
    center.post(message, subject: subject)
}

private func some(_ number: Int) -> some HeraldCenter.Message & Sendable { Level(number: number) }

/// What is kept for observers that come later (R25).
@Suite(.timeLimit(.minutes(10))) struct KeptTests {
    let center = HeraldCenter()
    let log = Log<String>()
    let bag = ObservationBag()
    let instances = Instances()
    private let owner = Owner()

    init() { _ = hostFolder }

    private func hear(_ text: String) -> @Sendable (borrowing Settings) -> Void {
        { [log] settings in
            log.append("\(text) \(settings.number)\(HeraldCenter.currentPostIsKept ? " kept" : "")")
        }
    }

    // ---- What is kept

    @Test func R25_a_post_is_kept_until_a_newer_one_takes_its_place_or_it_is_forgotten() {
        #expect(center.kept(Settings.self) == nil && !center.forget(Settings.self))
        center.post(Settings(number: 1))
        #expect(center.kept(Settings.self)?.number == 1)
        center.post(Settings(number: 2))
        #expect(center.kept(Settings.self)?.number == 2 && center.kept(Settings.self)?.number == 2)
        #expect(HeraldCenter().kept(Settings.self) == nil)
        #expect(center.forget(Settings.self) && !center.forget(Settings.self))
        #expect(center.kept(Settings.self) == nil)
        center.observe(Settings.self, from: .kept, began: { log.append("\($0)") }, hear("late")).store(in: bag)
        #expect(log.values == ["0"])
        center.post(Settings(number: 3))
        #expect(center.kept(Settings.self)?.number == 3 && log.values == ["0", "late 3"])
    }

    @Test func R25_a_type_is_kept_through_generics_any_opaque_types_and_topics() {
        postPlainly(Level(number: 1), to: center)
        #expect(center.kept(Level.self)?.number == 1)
        postAny(Level(number: 2), to: center)
        #expect(center.kept(Level.self)?.number == 2)
        postOpaquely(Level(number: 3), about: nil, to: center)
        #expect(center.kept(Level.self)?.number == 3)
        center.post(some(4))
        #expect(center.kept(Level.self)?.number == 4)
        let numbered: any Numbered = Level(number: 5)
        center.post(numbered)
        #expect(center.kept(Level.self)?.number == 5)
        center.topic(for: Level.self).post(Level(number: 6))
        #expect(center.kept(Level.self)?.number == 6)
        func generic<M: HeraldCenter.Message>(_ message: M) { center.topic(for: M.self).post(message) }
        generic(Level(number: 7))
        #expect(center.kept(Level.self)?.number == 7)
        postPlainly(Saved(number: 8), to: center)
        center.post(Generic(value: "a"))
        center.post(Generic(value: 9))
        #expect(center.kept(Generic<String>.self)?.value == "a" && center.kept(Generic<Int>.self)?.value == 9)
    }

    @Test func R25_a_subject_has_a_kept_message_of_its_own() {
        let one = Thing(instances), other = Thing(instances)
        center.post(Settings(number: 1), subject: one)
        center.topic(for: Settings.self, subject: other).post(Settings(number: 2))
        center.post(Settings(number: 3), subject: nil)
        #expect(center.kept(Settings.self, subject: one)?.number == 1)
        #expect(center.kept(Settings.self, subject: other)?.number == 2)
        #expect(center.kept(Settings.self)?.number == 3)
        center.observe(Settings.self, from: .kept, began: { log.append("\($0)") }, hear("all")).store(in: bag)
        #expect(log.take() == ["all 1 kept", "all 2 kept", "all 3 kept", "3"])
        center.observe(
            Settings.self, subject: other, from: .kept, began: { log.append("\($0)") }, hear("other")
        ).store(in: bag)
        #expect(log.take() == ["other 2 kept", "1"])
        center.post(Settings(number: 4), subject: one)
        center.post(Settings(number: 5), subject: other)
        #expect(log.take() == ["all 4", "all 5", "other 5"])
        #expect(center.forget(Settings.self, subject: one) && !center.forget(Settings.self, subject: one))
        #expect(center.kept(Settings.self)?.number == 3)
        center.observe(Settings.self, from: .kept, began: { log.append("\($0)") }, hear("late")).store(in: bag)
        #expect(log.take() == ["late 3 kept", "late 5 kept", "2"], "the oldest first")
    }

    @Test func R25_messages_of_every_shape_are_kept() {
        center.post(Ready())
        #expect(center.kept(Ready.self) != nil)
        center.post(Link.up("eth0"))
        #expect(center.kept(Link.self) == .up("eth0"))
        center.post(Wide())
        let wide = center.kept(Wide.self)
        #expect(wide?.lanes == SIMD64(repeating: 1) && wide?.text == "wide" && wide?.more == [1, 2, 3])
        center.post(Loose(value: "text"))
        #expect(center.kept(Loose.self)?.value as? String == "text")
        let shared = Shared(instances)
        center.post(shared)
        #expect(center.kept(Shared.self) === shared)
        center.observe(Ready.self, from: .kept) { [log] _ in log.append("ready") }.store(in: bag)
        center.observe(Link.self, from: .kept) { [log] link in log.append("\(copy link)") }.store(in: bag)
        center.observe(Wide.self, from: .kept) { [log] wide in log.append(wide.text) }.store(in: bag)
        center.observe(Loose.self, from: .kept) { [log] loose in log.append("\(loose.value)") }.store(in: bag)
        center.observe(Shared.self, from: .kept) { [log] _ in log.append("shared") }.store(in: bag)
        #expect(log.take() == ["ready", "up(\"eth0\")", "wide", "text", "shared"])
        center.post(Ready())
        center.post(Link.down)
        #expect(log.take() == ["ready", "down"])
    }

    // ---- Beginning with what is kept

    private static let forms = [
        "token", "owner", "via", "viaClosure", "ownerVia", "ownerViaClosure", "async", "ownerAsync", "throwing",
        "ownerThrowing", "actor", "sequence", "scope", "once", "conditional",
    ]

    /// Begins each form, and posts a later message. `count` is what `began` has said; `heard` what the form has heard
    /// before and after that post, if it is called by posts.
    private func begin(
        _ thing: Thing?, _ reader: Reader, _ queue: DispatchQueue, _ counts: Log<String>, _ heard: Log<String>
    ) async {
        func began(_ form: String) -> (Int) -> Void { { counts.append("\(form) \($0)") } }
        func hear(_ form: String) -> @Sendable (borrowing Settings) -> Void {
            { heard.append("\(form) \($0.number)") }
        }
        func hearOwned(_ form: String) -> @Sendable (Owner, borrowing Settings) -> Void {
            { heard.append("\(form) \($1.number)") }
        }
        let throwing: @Sendable (String) -> @Sendable (Settings) async throws -> Void = { form in
            {
                heard.append("\(form) \($0.number)")
                throw Odd()
            }
        }
        let copied: @Sendable (String) -> @Sendable (Settings) -> Void = { form in
            { heard.append("\(form) \($0.number)") }
        }
        let ownedAndCopied: @Sendable (String) -> @Sendable (Owner, Settings) -> Void = { form in
            { heard.append("\(form) \($1.number)") }
        }
        let inline: @Sendable (@escaping @Sendable () -> Void) -> Void = { work in queue.async(execute: work) }
        // An owner has one registration for a type, a subject and a file.
        let owners = (0..<6).map { _ in Owner() }
        if let thing {
            center.observe(Settings.self, subject: thing, from: .kept, began: began("token"), hear("token"))
                .store(in: bag)
            center.observe(
                Settings.self, subject: thing, from: .kept, by: owners[0], began: began("owner"), hearOwned("owner"))
            center.observe(
                Settings.self, subject: thing, from: .kept, via: queue, began: began("via"), copied("via")
            ).store(in: bag)
            center.observe(
                Settings.self, subject: thing, from: .kept, via: inline, began: began("viaClosure"),
                copied("viaClosure")
            ).store(in: bag)
            center.observe(
                Settings.self, subject: thing, from: .kept, by: owners[1], via: queue, began: began("ownerVia"),
                ownedAndCopied("ownerVia"))
            center.observe(
                Settings.self, subject: thing, from: .kept, by: owners[2], via: inline,
                began: began("ownerViaClosure"), ownedAndCopied("ownerViaClosure"))
            center.observe(
                Settings.self, subject: thing, from: .kept, began: began("async"),
                async: { heard.append("async \($0.number)") }
            ).store(in: bag)
            center.observe(
                Settings.self, subject: thing, from: .kept, by: owners[3], began: began("ownerAsync"),
                async: { heard.append("ownerAsync \($1.number)") })
            center.observe(
                Settings.self, subject: thing, from: .kept, began: began("throwing"), async: throwing("throwing"),
                failed: { _, _ in }
            ).store(in: bag)
            center.observe(
                Settings.self, subject: thing, from: .kept, by: owners[4], began: began("ownerThrowing"),
                async: { try await throwing("ownerThrowing")($1) }, failed: { _, _, _ in })
            center.observe(
                Settings.self, subject: thing, from: .kept, on: reader, began: began("actor"),
                { heard.append("actor \($1.number)") })
            center.observeOnce(Settings.self, subject: thing, from: .kept, began: began("once"), hear("once"))
                .store(in: bag)
            center.observe(
                Settings.self, subject: thing, from: .kept, began: began("conditional"),
                while: { $0.number < 2 }, hear("conditional")
            ).store(in: bag)
        } else {
            center.observe(Settings.self, from: .kept, began: began("token"), hear("token")).store(in: bag)
            center.observe(Settings.self, from: .kept, by: owners[0], began: began("owner"), hearOwned("owner"))
            center.observe(Settings.self, from: .kept, via: queue, began: began("via"), copied("via")).store(in: bag)
            center.observe(
                Settings.self, from: .kept, via: inline, began: began("viaClosure"), copied("viaClosure")
            ).store(in: bag)
            center.observe(
                Settings.self, from: .kept, by: owners[1], via: queue, began: began("ownerVia"),
                ownedAndCopied("ownerVia"))
            center.observe(
                Settings.self, from: .kept, by: owners[2], via: inline, began: began("ownerViaClosure"),
                ownedAndCopied("ownerViaClosure"))
            center.observe(
                Settings.self, from: .kept, began: began("async"), async: { heard.append("async \($0.number)") }
            ).store(in: bag)
            center.observe(
                Settings.self, from: .kept, by: owners[3], began: began("ownerAsync"),
                async: { heard.append("ownerAsync \($1.number)") })
            center.observe(
                Settings.self, from: .kept, began: began("throwing"), async: throwing("throwing"),
                failed: { _, _ in }
            ).store(in: bag)
            center.observe(
                Settings.self, from: .kept, by: owners[4], began: began("ownerThrowing"),
                async: { try await throwing("ownerThrowing")($1) }, failed: { _, _, _ in })
            center.observe(
                Settings.self, from: .kept, on: reader, began: began("actor"),
                { heard.append("actor \($1.number)") })
            center.observeOnce(Settings.self, from: .kept, began: began("once"), hear("once")).store(in: bag)
            center.observe(
                Settings.self, from: .kept, began: began("conditional"), while: { $0.number < 2 },
                hear("conditional")
            ).store(in: bag)
        }
        let sequence =
            if let thing {
                center.messages(Settings.self, subject: thing, from: .kept, began: began("sequence"))
            } else {
                center.messages(Settings.self, from: .kept, began: began("sequence"))
            }
        let takeTwo: (String, Messages<Settings>) async -> Void = { form, messages in
            let iterator = messages.makeAsyncIterator()
            for _ in 0..<2 {
                guard let next = await iterator.next() else { return }
                heard.append("\(form) \(next.number)")
                if next.number == 1 && form == "scope" { self.center.post(Settings(number: 2), subject: thing) }
            }
        }
        if let thing {
            await center.withMessages(Settings.self, subject: thing, from: .kept, began: began("scope")) {
                await takeTwo("scope", $0)
            }
        } else {
            await center.withMessages(Settings.self, from: .kept, began: began("scope")) { await takeTwo("scope", $0) }
        }
        await takeTwo("sequence", sequence)
        _ = await eventually { heard.count >= Self.forms.count * 2 - 2 }
        keepAlive(owners)
    }

    @Test(arguments: [false, true])
    func R25_every_form_begins_with_what_is_kept_and_goes_on_with_what_comes(_ isOfOne: Bool) async {
        let thing = isOfOne ? Thing(instances) : nil
        let counts = Log<String>(), heard = Log<String>(), reader = Reader()
        center.post(Settings(number: 0), subject: thing)
        center.post(Settings(number: 1), subject: thing)
        await begin(thing, reader, DispatchQueue(label: "kept"), counts, heard)
        // An observer that has ended in the call for what is kept is not told that it has begun.
        #expect(counts.values.sorted() == Self.forms.filter { $0 != "once" }.map { "\($0) 1" }.sorted())
        let all = heard.values
        for form in Self.forms {
            let once = form == "once" || form == "conditional"
            let expected = once ? ["\(form) 1"] : ["\(form) 1", "\(form) 2"]
            #expect(all.filter { $0.hasPrefix("\(form) ") } == expected, "\(form)")
        }
        center.removeObserver(reader)
    }

    @Test func R25_without_a_start_and_from_the_next_post_an_observer_begins_with_nothing_that_is_kept() async {
        center.post(Settings(number: 1))
        center.observe(Settings.self, hear("plain")).store(in: bag)
        center.observe(Settings.self, from: .next, began: { log.append("\($0)") }, hear("next")).store(in: bag)
        center.observe(Settings.self, from: .next, by: owner, began: { log.append("\($0)") }) { [log] _, settings in
            log.append("owner \(settings.number)")
        }
        let sequence = center.messages(Settings.self, from: .next)
        #expect(log.take() == [])
        center.post(Settings(number: 2))
        #expect(log.take() == ["plain 2", "next 2", "owner 2"])
        let iterator = sequence.makeAsyncIterator()
        #expect(await iterator.next()?.number == 2)
    }

    @Test func R25_what_is_posted_within_the_kept_calls_comes_after_them_and_after_began() {
        let things = (0..<2).map { _ in Thing(instances) }
        center.post(Settings(number: 1), subject: things[0])
        center.post(Settings(number: 2), subject: things[1])
        center.observe(Settings.self, from: .kept, began: { log.append("\($0)") }) { [log, center] settings in
            log.append("\(settings.number) \(HeraldCenter.currentPostIsKept)")
            if settings.number == 1 {
                center.post(Settings(number: 3), subject: things[0])
                #expect(HeraldCenter.currentPostIsKept && center.kept(Settings.self, subject: things[0])?.number == 3)
            }
            log.append("over")
        }.store(in: bag)
        #expect(
            log.values == ["1 true", "over", "2 true", "over", "2", "3 false", "over"])
    }

    @Test func R25_only_the_calls_for_what_is_kept_are_marked() {
        #expect(!HeraldCenter.currentPostIsKept)
        center.post(Settings(number: 1))
        center.observe(Saved.self) { [log] _ in log.append("saved \(HeraldCenter.currentPostIsKept)") }.store(in: bag)
        center.observe(Level.self) { [log] _ in log.append("level \(HeraldCenter.currentPostIsKept)") }.store(in: bag)
        center.observe(
            Settings.self, from: .kept, began: { _ in log.append("began \(HeraldCenter.currentPostIsKept)") }
        ) { [log, center] settings in
            log.append("\(settings.number) \(HeraldCenter.currentPostIsKept)")
            center.post(Saved())
            center.post(Level())
            log.append("\(settings.number) \(HeraldCenter.currentPostIsKept)")
        }.store(in: bag)
        #expect(log.take() == ["1 true", "saved false", "level false", "1 true", "began false"])
        center.post(Settings(number: 2))
        #expect(log.take() == ["2 false", "saved false", "level false", "2 false"])
        #expect(!HeraldCenter.currentPostIsKept)
    }

    @Test func R25_an_observer_that_is_added_within_a_call_begins_with_what_is_kept() {
        center.post(Level(number: 1))
        center.post(Settings(number: 1))
        center.observe(Saved.self) { [log, center, bag, hear = hear("inner")] saved in
            center.observe(Settings.self, from: .kept, began: { log.append("\($0)") }, hear).store(in: bag)
            log.append("added \(saved.number)")
        }.store(in: bag)
        center.post(Saved(number: 1))
        #expect(log.take() == ["inner 1 kept", "1", "added 1"])
        center.observe(Level.self, from: .kept) { [log, center, bag, hear = hear("deep")] level in
            center.observe(Settings.self, from: .kept, began: { log.append("\($0)") }, hear).store(in: bag)
            log.append("level \(level.number) \(HeraldCenter.currentPostIsKept)")
        }.store(in: bag)
        #expect(log.take() == ["deep 1 kept", "1", "level 1 true"])
        center.post(Settings(number: 2))
        #expect(log.take() == ["inner 2", "deep 2"])
    }

    @Test func R25_an_owner_may_be_removed_in_its_kept_call() {
        for number in 1...2 { center.post(Settings(number: number), subject: Thing(instances)) }
        center.observe(Settings.self, from: .kept, by: owner, began: { log.append("\($0)") }) {
            [log, center] owner, settings in
            log.append("\(settings.number)")
            center.removeObserver(owner)
        }
        #expect(log.take() == ["1"])
        center.post(Settings(number: 3))
        #expect(log.values == [] && center.observations.isEmpty)
        center.observe(Settings.self, from: .kept, by: owner, began: { log.append("\($0)") }) {
            [log, center] owner, settings in
            log.append("\(settings.number)")
            center.removeObserver(owner, of: Settings.self)
        }
        #expect(log.take() == ["1"] && center.observations.isEmpty)
    }

    @Test func R25_an_owner_that_observes_again_begins_again_with_what_is_kept() {
        center.post(Settings(number: 1))
        for time in 1...2 {
            center.observe(Settings.self, from: .kept, by: owner) { [log] _, settings in
                log.append("\(time): \(settings.number)")
            }
        }
        #expect(log.take() == ["1: 1", "2: 1"])
        center.post(Settings(number: 2))
        #expect(log.take() == ["2: 2"])
        // Within the kept call, too: the inner one takes the place of the outer one.
        center.observe(Settings.self, from: .kept, by: owner) { [log, center] owner, settings in
            log.append("outer \(settings.number)")
            center.observe(Settings.self, from: .kept, by: owner) { [log] _, settings in
                log.append("inner \(settings.number)")
            }
        }
        #expect(log.take() == ["outer 2", "inner 2"] && center.observations.count == 1)
        center.post(Settings(number: 3))
        #expect(log.take() == ["inner 3"])
    }

    @Test func R25_one_kept_message_is_enough_for_an_observer_of_one() {
        for number in 1...3 { center.post(Settings(number: number), subject: Thing(instances)) }
        center.observeOnce(Settings.self, from: .kept, began: { log.append("\($0)") }, hear("once")).store(in: bag)
        center.observe(
            Settings.self, from: .kept, began: { log.append("\($0)") }, while: { $0.number < 2 }, hear("while")
        ).store(in: bag)
        #expect(log.take() == ["once 1 kept", "while 1 kept"])
        center.post(Settings(number: 4))
        #expect(log.take() == [] && center.observations.isEmpty)
    }

    @Test func R25_the_buffer_has_room_for_what_is_kept() async {
        for number in 1...3 { center.post(Settings(number: number), subject: Thing(instances)) }
        let small = center.messages(Settings.self, from: .kept, buffer: .newest(1)),
            none = center.messages(Settings.self, from: .kept, buffer: .oldest(0)),
            large = center.messages(Settings.self, from: .kept, buffer: .newest(4))
        center.post(Settings(number: 4))
        for (messages, expected) in [(small, [2, 3, 4]), (none, [1, 2, 3]), (large, [1, 2, 3, 4])] {
            messages.finish()
            var heard: [Int] = []
            for await settings in messages { heard.append(settings.number) }
            #expect(heard == expected)
        }
        let work = HeldWork()
        center.observe(Settings.self, from: .kept, via: work.scheduler, buffer: .newest(1)) { [log] settings in
            log.append("\(settings.number)")
        }.store(in: bag)
        work.run()
        #expect(log.values == ["1", "2", "3", "4"])
        #expect(small.dropped == 1 && none.dropped == 1 && large.dropped == 0)
    }

    @Test func R25_a_body_in_a_queue_hears_what_is_kept_before_the_queues_later_work() {
        let queue = DispatchQueue(label: "kept.queue")
        center.post(Settings(number: 1))
        center.observe(Settings.self, from: .kept, via: queue) { [log] settings in
            log.append("\(settings.number) \(HeraldCenter.currentPostIsKept)")
        }.store(in: bag)
        queue.async { [log] in log.append("work") }
        center.post(Settings(number: 2))
        queue.sync {}
        #expect(log.values == ["1 false", "work", "2 false"] || log.values == ["1 false", "2 false", "work"])
    }

    @Test func R25_observers_of_posts_and_protocols_hear_kept_posts_as_any_posts() {
        center.post(Level(number: 1))
        center.observe(posts: .all) { [log] notice in
            #expect(notice.message is Level && notice.name.description.contains("Level"))
            #expect(notice.userInfo == nil && notice.rawUserInfo == nil && notice.rawTag == nil)
            log.append("all \((notice.message as? Level)?.number ?? -1) \(HeraldCenter.currentPostIsKept)")
        }.store(in: bag)
        center.observe(conforming: (any Numbered).self) { [log] message in log.append("any \(message.number)") }
            .store(in: bag)
        #expect(log.take() == [])
        center.observe(Level.self, from: .kept) { _ in }.store(in: bag)
        #expect(log.take() == [], "what is kept is no post")
        center.post(Level(number: 2))
        #expect(log.take() == ["all 2 false", "any 2"])
        center.forget(Level.self)
        #expect(log.take() == [], "nor is forgetting")
        let outlives = Log<HeraldCenter.Notice>()
        center.observe(posts: .all) { outlives.append($0) }.store(in: bag)
        center.post(Level(number: 3))
        #expect(outlives.values.first?.message == nil, "a notice that is kept has no message")
    }

    @Test func R25_types_that_share_a_mailbox_and_traces_hear_kept_posts() {
        let work = HeldWork(), traced = Log<String>()
        let trace = center.trace { event in
            if event.phase == .postBegin { traced.append(event.name) }
        }
        let together = center.observe(via: work.scheduler) {
            $0.on(Level.self) { [log] level in log.append("level \(level.number)") }
            $0.on(Saved.self) { [log] saved in log.append("saved \(saved.number)") }
        }
        center.post(Level(number: 1))
        center.post(Saved(number: 2))
        center.post(Level(number: 3))
        work.run()
        #expect(log.values == ["level 1", "saved 2", "level 3"])
        #expect(traced.values.filter { $0.contains("Level") }.count == 2)
        trace.stop()
        together.cancelAll()
    }

    @Test func R25_a_post_that_is_kept_is_waited_for() async {
        let work = HeldWork()
        center.observe(Level.self, via: work.scheduler) { [log] level in log.append("\(level.number)") }.store(in: bag)
        let posted = Task { [center] in await center.postAndWait(Level(number: 1)) }
        #expect(await eventually { work.count > 0 })
        #expect(center.kept(Level.self)?.number == 1 && log.values == [])
        work.run()
        await posted.value
        #expect(log.values == ["1"])
    }

    // ---- While others post

    /// A body that does not keep up loses the oldest messages, which are counted: then there is a gap.
    @Test func R25_every_message_after_the_kept_one_is_heard_once_in_order() async {
        await withoutPool { [center] in
            let posts = 4_000
            let over = Flag()
            center.post(Level(number: 0))
            let poster = thread {
                for number in 1...posts { center.post(Level(number: number)) }
                over.set()
            }
            var missing: UInt64 = 0
            repeat {
                let heard = Log<Int>()
                let token = center.observe(Level.self, from: .kept) { heard.append($0.number) }
                token.cancel()
                let all = heard.values
                #expect(!all.isEmpty && all == Set(all).sorted(), "\(all)")
                missing += UInt64((all.last ?? 0) + 1 - (all.first ?? 0) - all.count)
            } while !over.isSet
            #expect(poster.wait())
            #expect(missing <= HeraldCenterGetDroppedPostCount(center.native))
            #expect(center.kept(Level.self)?.number == posts)
        }
    }

    @Test func R25_an_observer_that_begins_with_the_kept_message_while_others_post_ends_with_the_newest() async {
        await withoutPool { [center] in
            for _ in 0..<50 {
                center.post(Level(number: 0))
                let heard = Log<Int>()
                let posters = (1...2).map { poster in
                    thread { for number in 1...50 { center.post(Level(number: poster * 100 + number)) } }
                }
                let token = center.observe(Level.self, from: .kept) { heard.append($0.number) }
                for poster in posters { #expect(poster.wait()) }
                #expect(heard.values.last == center.kept(Level.self)?.number)
                for poster in 1...2 {
                    let own = heard.values.filter { $0 / 100 == poster }
                    #expect(own == own.sorted() && Set(own).count == own.count)
                }
                token.cancel()
            }
        }
    }

    // ---- Suspension

    @Test func R25_a_suspended_center_keeps_and_holds_kept_messages() {
        center.observe(Settings.self, from: .kept, hear("message")).store(in: bag)
        center.observe(posts: .all, whileSuspended: .hold) { [log] notice in
            log.append("held \((notice.message as? Settings)?.number ?? -1)")
        }.store(in: bag)
        center.isSuspended = true
        center.post(Settings(number: 1))
        #expect(log.take() == ["message 1"])
        #expect(center.kept(Settings.self)?.number == 1)
        center.isSuspended = false
        #expect(log.take() == ["held 1"], "a held post keeps its message")
    }

    @Test func R25_an_observer_that_begins_in_a_suspended_center_hears_what_is_kept_once() {
        center.post(Settings(number: 1))
        center.isSuspended = true
        center.observe(Settings.self, from: .kept, hear("late")).store(in: bag)
        center.isSuspended = false
        #expect(log.take() == ["late 1 kept"])
        center.post(Settings(number: 2))
        #expect(log.take() == ["late 2"])
    }

    // ---- Memory

    @Test func R25_a_kept_message_is_released_when_it_is_replaced_or_forgotten() {
        center.post(Settings(load: instances.make()))
        #expect(instances.count == 1)
        center.post(Settings(load: instances.make()))
        #expect(instances.count == 1, "replaced")
        #expect(center.kept(Settings.self)?.load != nil && instances.count == 1)
        center.observe(Settings.self, from: .kept) { _ in }.store(in: bag)
        center.post(Settings(load: instances.make()))
        #expect(instances.count == 1, "replaced, and heard")
        center.forget(Settings.self)
        #expect(instances.isEmpty, "forgotten")
        center.post(Settings(load: instances.make()))
        bag.cancelAll()
        #expect(instances.count == 1)
        let held = center.kept(Settings.self)
        center.forget(Settings.self)
        #expect(instances.count == 1, "what was read stays")
        keepAlive(held)
    }

    @Test func R25_a_subject_is_retained_as_long_as_its_message_is_kept() {
        weak var seen: Thing?
        do {
            let thing = Thing(instances)
            seen = thing
            center.post(Settings(number: 1), subject: thing)
        }
        #expect(seen != nil && instances.count == 1)
        center.observe(Settings.self, from: .kept, hear("late")).store(in: bag)
        #expect(log.take() == ["late 1 kept"])
        if let thing = seen {
            center.post(Settings(number: 2), subject: thing)
            #expect(log.take() == ["late 2"])
            center.forget(Settings.self, subject: thing)
        }
        #expect(seen == nil && instances.isEmpty)
    }

    @Test func R25_a_center_gives_back_what_it_has_kept() {
        do {
            let center = HeraldCenter()
            center.post(Settings(load: instances.make()), subject: Thing(instances))
            center.post(Settings(load: instances.make()))
            let token = center.observe(Settings.self, from: .kept) { _ in }
            #expect(instances.count == 3)
            token.cancel()
        }
        #expect(instances.isEmpty)
    }

    @Test func R25_mailboxes_and_sequences_give_back_what_was_kept() async {
        center.post(Settings(load: instances.make()))
        let work = HeldWork()
        var token: AnyObservation? = center.observe(Settings.self, from: .kept, via: work.scheduler) { _ in }.erased()
        var sequence: Messages<Settings>? = center.messages(Settings.self, from: .kept)
        center.forget(Settings.self)
        #expect(instances.count == 1)
        token?.cancel()
        token = nil
        #expect(instances.count == 1 && sequence != nil)
        sequence = nil
        #expect(instances.isEmpty)
        work.run()
    }

    @Test func R25_what_the_closure_for_the_kept_count_captures_is_given_back() {
        var count = -1
        do {
            let capture = instances.make()
            center.observe(
                Settings.self, from: .kept,
                began: { [capture] kept in
                    withExtendedLifetime(capture) { count = kept }
                }
            ) { _ in }.store(in: bag)
        }
        #expect(count == 0 && instances.isEmpty)
    }

    /// A post about an instance in its `deinit` is made, and nothing is kept.
    @Test func R25_a_message_about_a_dying_subject_is_posted_and_not_kept() {
        final class Mortal: Sendable {
            let center: HeraldCenter
            init(_ center: HeraldCenter) { self.center = center }
            deinit { center.post(Last(), subject: self) }
        }
        struct Last: HeraldCenter.KeptMessage { typealias Subject = Mortal }
        center.observe(Last.self) { [log] _ in log.append("last") }.store(in: bag)
        _ = Mortal(center)
        #expect(log.values == ["last"])
        center.observe(Last.self, from: .kept, began: { log.append("\($0)") }) { _ in }.store(in: bag)
        #expect(log.values == ["last", "0"])
    }

    // ---- Elsewhere

    @Test func R25_posts_from_c_under_a_types_name_are_not_taken_for_kept_messages() {
        let name = HeraldNameForAddress(unsafeBitCast(Level.self as Any.Type, to: UnsafeRawPointer.self))
        center.observe(Level.self, from: .kept) { [log] level in log.append("\(level.number)") }.store(in: bag)
        HeraldCenterPostNotification(center.native, name, nil, nil, false)
        #expect(log.values == [] && center.kept(Level.self) == nil)
        #expect(HeraldCenterPostKept(center.native, name, nil, nil, nil, 0, nil) == HeraldOK)
        #expect(log.values == [] && center.kept(Level.self) == nil)
    }

    @Test func R25_a_center_that_keeps_as_many_as_it_may_posts_and_does_not_keep() {
        var options = HeraldCenterOptions()
        options.size = MemoryLayout<HeraldCenterOptions>.size
        options.keptPostLimit = 1
        guard let native = HeraldCenterCreate(&options) else { return }
        let center = HeraldCenter(retaining: native)
        HeraldCenterRelease(native)
        center.observe(Settings.self, hear("all")).store(in: bag)
        let thing = Thing(instances), topic = center.topic(for: Settings.self, subject: thing)
        center.post(Settings(number: 1))
        center.post(Settings(number: 2), subject: thing)
        topic.post(Settings(number: 3))
        #expect(center.kept(Settings.self)?.number == 1 && center.kept(Settings.self, subject: thing) == nil)
        center.post(Settings(number: 4))
        #expect(center.kept(Settings.self)?.number == 4, "a newer one takes the place of an older one")
        center.forget(Settings.self)
        topic.post(Settings(number: 5))
        #expect(center.kept(Settings.self, subject: thing)?.number == 5)
        #expect(log.values == (1...5).map { "all \($0)" })
    }

    @Test func R25_observers_that_begin_with_what_is_kept_are_shown_as_others() {
        center.observe(Settings.self, from: .kept) { _ in }.store(in: bag)
        center.observe(Settings.self, from: .kept, by: owner) { _, _ in }
        center.observe(Settings.self, from: .kept, via: .main) { _ in }.store(in: bag)
        center.observeOnce(Settings.self, from: .kept) { _ in }.store(in: bag)
        let all = center.observations
        #expect(all.map(\.kind) == Array(repeating: "message", count: 4))
        #expect(all.map(\.delivery) == ["direct", "direct", "queue", "direct"])
        #expect(all.map(\.owner) == [nil, "Owner", nil, nil] && all.allSatisfy { $0.name == "Settings" })
    }

    /// The closure of `began:` is on the stack of the thread that adds, which the child does not have.
    @Test func R25_a_child_of_a_fork_goes_on_with_a_beginning_of_another_thread() async {
        await #expect(processExitsWith: .success) {
            let center = HeraldCenter(), inside = DispatchSemaphore(value: 0), goesOn = DispatchSemaphore(value: 0)
            center.post(Link.down)
            DispatchQueue.global().async {
                center.observe(Link.self, from: .kept, began: { _ in }) { link in
                    guard case .down = link else { return }
                    inside.signal()
                    goesOn.wait()
                }.keep()
            }
            inside.wait()
            typealias Fork = @convention(c) () -> Int32
            let child = unsafeBitCast(dlsym(nil, "fork"), to: Fork.self)()
            if child == 0 {
                center.post(Link.up("child"))
                _exit(0)
            }
            var status: Int32 = 1
            waitpid(child, &status, 0)
            goesOn.signal()
            exit(status == 0 ? 0 : 1)
        }
    }

    @Test func R25_a_center_over_a_transport_posts_and_does_not_keep() {
        let host = HeraldCenter(retaining: HeraldCenterGetHostCenter())
        host.post(Settings(number: 1))
        #expect(host.kept(Settings.self) == nil)
    }

    /// Posts find the conformance to Message, and that does not know of the one to KeptMessage: another module has added
    /// it, or, as here, it has a condition.
    @Test func R25_a_type_that_is_posted_plainly_is_not_asked_for_what_is_kept() async {
        await #expect(processExitsWith: .failure) { _ = HeraldCenter().kept(Later<Int>.self) }
        await #expect(processExitsWith: .failure) { HeraldCenter().forget(Later<Int>.self) }
        await #expect(processExitsWith: .failure) {
            HeraldCenter().observe(Later<Int>.self, from: .kept) { _ in }.keep()
        }
        await #expect(processExitsWith: .success) { HeraldCenter().post(Later(value: 1)) }
    }

    @Test func R25_a_wire_message_is_kept_by_the_center_to_which_it_is_posted() throws {
        try HeraldCenter.host.post(Level(number: 1))
        #expect(HeraldCenter.local.kept(Level.self) == nil && center.kept(Level.self) == nil)
        center.post(Level(number: 2))
        #expect(center.kept(Level.self)?.number == 2)
        #expect(HeraldCenter.host.kept(Level.self)?.number == 1)
    }
}
