import CHerald
import Herald
import HeraldTestSupport
import Testing

private class Animal: @unchecked Sendable {}
private final class Dog: Animal, @unchecked Sendable {}

/// About animals.
private struct Seen: HeraldCenter.Message, Sendable {
    typealias Subject = Animal
    var number = 0
}

/// About anything.
private struct Told: HeraldCenter.Message, Sendable {}

private final class Owner: Sendable {}
private actor Kennel {}

/// A subject in a variable that is nil is a subject that nothing has, no matter how it became nil: its observer hears
/// nothing. A literal is not a variable. The compiler decides where the call is written which of the two it is, so each
/// form is written out for each call.
@Suite(.timeLimit(.minutes(10))) struct SubjectTests {
    let center = HeraldCenter()
    let log = Log<String>()
    private let owner = Owner()
    private let dog = Dog()
    private let kennel = Kennel()
    private let gone: Dog? = nil
    private let none: [Dog] = []
    private let nobody: Animal? = nil
    private let nothing: AnyObject? = nil

    private static let name: HeraldCenter.Name = "subject.name"

    /// Posts everything that could be heard, without a subject and about some.
    private func postAll() {
        center.post(Seen())
        center.post(Seen(), subject: dog)
        center.post(Seen(), subject: gone)
        center.post(Told())
        center.post(Told(), subject: dog)
        center.post(Told(), subject: gone)
        center.post(Self.name)
        center.post(Self.name, subject: dog)
        center.post(Self.name, subject: gone)
    }

    /// The observers that would hear a post about the dog: of either type, of the name, or of everything.
    private func listeners() -> Int {
        let object = UnsafeRawPointer(Unmanaged.passUnretained(dog).toOpaque())
        return registrations(of: Seen.self, about: dog, in: center)
            + registrations(of: Told.self, about: dog, in: center)
            + HeraldCenterPostNotification(center.native, Self.name.native, object, nil, true)
    }

    private func expectSilence(_ location: SourceLocation = #_sourceLocation) {
        #expect(listeners() == 0, sourceLocation: location)
        postAll()
        #expect(log.values == [], sourceLocation: location)
    }

    // ---- A variable that is nil

    @Test("Typed, with a token: nil variables are never heard of")
    func R01_a_nil_variable_matches_nothing_by_token() {
        let bag = ObservationBag()
        center.observe(Seen.self, subject: gone) { [log] _ in log.append("gone") }.store(in: bag)
        center.observe(Seen.self, subject: none.first) { [log] _ in log.append("first") }.store(in: bag)
        center.observe(Seen.self, subject: nobody) { [log] _ in log.append("nobody") }.store(in: bag)
        center.observe(Told.self, subject: gone) { [log] _ in log.append("told gone") }.store(in: bag)
        center.observe(Told.self, subject: none.first) { [log] _ in log.append("told first") }.store(in: bag)
        center.observe(Told.self, subject: nothing) { [log] _ in log.append("nothing") }.store(in: bag)
        center.observe(Told.self, subject: gone as AnyObject?) { [log] _ in log.append("as") }.store(in: bag)
        expectSilence()
    }

    @Test("Typed, by owner: nil variables are never heard of")
    func R01_a_nil_variable_matches_nothing_by_owner() {
        center.observe(Seen.self, subject: gone, by: owner) { [log] _, _ in log.append("gone") }
        center.observe(Seen.self, subject: none.first, by: owner) { [log] _, _ in log.append("first") }
        center.observe(Told.self, subject: nothing, by: owner) { [log] _, _ in log.append("nothing") }
        center.observe(Told.self, subject: gone as AnyObject?, by: owner) { [log] _, _ in log.append("as") }
        expectSilence()
    }

    @Test("Through a scheduler: nil variables are never heard of")
    func R01_a_nil_variable_matches_nothing_through_a_scheduler() {
        let bag = ObservationBag()
        center.observe(Seen.self, subject: gone, via: { $0() }) { [log] _ in log.append("gone") }.store(in: bag)
        center.observe(Seen.self, subject: none.first, via: { $0() }) { [log] _ in log.append("a") }.store(in: bag)
        center.observe(Told.self, subject: nothing, via: { $0() }) { [log] _ in log.append("b") }.store(in: bag)
        center.observe(Self.name, subject: gone, via: { $0() }) { [log] _ in log.append("c") }.store(in: bag)
        center.observe(Self.name, subject: none.first, via: { $0() }) { [log] _ in log.append("d") }.store(in: bag)
        center.observe(Self.name, subject: nothing, via: { $0() }) { [log] _ in log.append("e") }.store(in: bag)
        expectSilence()
    }

    @Test("On actors, by token, by owner and on the actor itself: nil variables are never heard of")
    func R01_a_nil_variable_matches_nothing_on_an_actor() {
        let bag = ObservationBag()
        center.observe(Seen.self, subject: gone, async: { [log] _ in log.append("a") }).store(in: bag)
        center.observe(Seen.self, subject: none.first, async: { [log] _ in log.append("b") }).store(in: bag)
        center.observe(Told.self, subject: nothing, async: { [log] _ in log.append("c") }).store(in: bag)
        center.observe(Seen.self, subject: gone, by: owner, async: { [log] _, _ in log.append("d") })
        center.observe(Told.self, subject: nothing, by: owner, async: { [log] _, _ in log.append("e") })
        center.observe(Seen.self, subject: none.first, on: kennel) { [log] _, _ in log.append("f") }
        center.observe(Told.self, subject: nothing, on: kennel) { [log] _, _ in log.append("g") }
        expectSilence()
    }

    @Test("In sequences: nil variables are never heard of")
    func R01_a_nil_variable_matches_nothing_in_a_sequence() {
        let seen = [center.messages(Seen.self, subject: gone), center.messages(Seen.self, subject: none.first)]
        let told = [center.messages(Told.self, subject: nothing), center.messages(Told.self, subject: gone)]
        let posted = [
            center.messages(named: Self.name, subject: gone), center.messages(named: Self.name, subject: none.first),
            center.messages(named: Self.name, subject: nothing),
        ]
        expectSilence()
        withExtendedLifetime((seen, told, posted)) {}
    }

    @Test("next(_:) about a nil variable waits until its task is cancelled, whatever is posted")
    func R01_a_nil_variable_matches_nothing_for_next() async {
        let executor = HeldExecutor()
        let busy = Busy(executor)
        let dog = gone
        let task = Task { [center] in await busy.next(in: center, about: dog) }
        #expect(await executor.hasWork())
        executor.run()  // waits now
        postAll()
        #expect(executor.count == 0)
        task.cancel()
        let isDone = Flag()
        let waiting = Task {
            let seen = await task.value
            isDone.set()
            return seen
        }
        #expect(await executor.run { isDone.isSet })
        #expect(await waiting.value == nil)
    }

    @Test("Names, by token and by owner: nil variables are never heard of")
    func R01_a_nil_variable_matches_nothing_of_a_name() {
        let bag = ObservationBag()
        center.observe(Self.name, subject: gone) { [log] _ in log.append("a") }.store(in: bag)
        center.observe(Self.name, subject: none.first) { [log] _ in log.append("b") }.store(in: bag)
        center.observe(Self.name, subject: nothing) { [log] _ in log.append("c") }.store(in: bag)
        center.observe(Self.name, subject: gone, by: owner) { [log] _, _ in log.append("d") }
        center.observe(Self.name, subject: none.first, by: owner) { [log] _, _ in log.append("e") }
        center.observe(Self.name, subject: nothing, by: owner) { [log] _, _ in log.append("f") }
        expectSilence()
    }

    @Test("Every name, by token and by owner: nil variables are never heard of")
    func R01_a_nil_variable_matches_nothing_of_every_name() {
        let bag = ObservationBag()
        center.observeAll(subject: gone) { [log] _ in log.append("a") }.store(in: bag)
        center.observeAll(subject: none.first) { [log] _ in log.append("b") }.store(in: bag)
        center.observeAll(subject: nothing) { [log] _ in log.append("c") }.store(in: bag)
        center.observeAll(subject: gone, by: owner) { [log] _, _ in log.append("d") }
        center.observeAll(subject: nothing, by: owner) { [log] _, _ in log.append("e") }
        expectSilence()
    }

    @Test("In tests: expectMessage, expectNoMessage and a recorder about a nil variable")
    func R01_a_nil_variable_matches_nothing_in_test_helpers() async throws {
        let gone = gone
        let none = none
        await withKnownIssue {
            try await expectMessage(Seen.self, on: center, subject: gone, within: .milliseconds(1)) { postAll() }
        }
        await withKnownIssue {
            try await expectMessage(Seen.self, on: center, subject: none.first, within: .milliseconds(1)) { postAll() }
        }
        try await expectNoMessage(Seen.self, on: center, subject: gone, within: .milliseconds(1)) { postAll() }
        let recorder = MessageRecorder(Seen.self, on: center, subject: gone)
        postAll()
        #expect(recorder.messages.isEmpty)
    }

    @Test("A nil variable does not replace what the owner observes without a subject")
    func nilReplacesNothing() {
        center.observe(Seen.self, by: owner) { [log] _, _ in log.append("seen") }
        center.observe(Self.name, by: owner) { [log] _, _ in log.append("name") }
        center.observe(Seen.self, subject: gone, by: owner) { [log] _, _ in log.append("wrong") }
        center.observe(Self.name, subject: gone, by: owner) { [log] _, _ in log.append("wrong") }
        center.post(Seen())
        center.post(Self.name)
        #expect(log.values == ["seen", "name"])
    }

    // ---- A literal, or nothing

    @Test("A literal nil, and no subject at all, are all subjects")
    func R01_a_literal_nil_matches_all_subjects() async throws {
        let bag = ObservationBag()
        center.observe(Seen.self, subject: nil) { [log] _ in log.append("token") }.store(in: bag)
        center.observe(Seen.self) { [log] _ in log.append("token") }.store(in: bag)
        center.observe(Seen.self, subject: nil, by: owner) { [log] _, _ in log.append("owner") }
        center.observe(Seen.self, subject: nil, via: { $0() }) { [log] _ in log.append("via") }.store(in: bag)
        center.observe(Self.name, subject: nil) { [log] _ in log.append("name") }.store(in: bag)
        center.observe(Self.name, subject: nil, by: owner) { [log] _, _ in log.append("name owner") }
        center.observe(Self.name, subject: nil, via: { $0() }) { [log] _ in log.append("name via") }.store(in: bag)
        center.observeAll(subject: nil) { [log] _ in log.append("all") }.store(in: bag)
        center.observeAll(subject: nil, by: owner) { [log] _, _ in log.append("all owner") }
        let seen = ["token", "token", "owner", "via", "all", "all owner"]
        center.post(Seen())
        #expect(log.take() == seen)
        center.post(Seen(), subject: dog)
        #expect(log.take() == seen)
        let named = ["name", "name owner", "name via", "all", "all owner"]
        center.post(Self.name)
        #expect(log.take() == named)
        center.post(Self.name, subject: dog)
        #expect(log.take() == named)
    }

    @Test("A literal nil is all subjects on actors, in sequences and in tests too")
    func R01_a_literal_nil_matches_all_subjects_on_actors_and_in_sequences() async throws {
        let heard = Log<String>()
        let token = center.observe(Seen.self, subject: nil, async: { _ in heard.append("token") })
        center.observe(Seen.self, subject: nil, by: owner, async: { _, _ in heard.append("owner") })
        center.observe(Seen.self, subject: nil, on: kennel) { _, _ in heard.append("actor") }
        let sequence = center.messages(Seen.self, subject: nil).makeAsyncIterator()
        let named = center.messages(named: Self.name, subject: nil).makeAsyncIterator()
        let recorder = MessageRecorder(Seen.self, on: center, subject: nil)
        center.post(Seen(number: 1))
        center.post(Seen(number: 2), subject: dog)
        center.post(Self.name, subject: dog, userInfo: 3)
        #expect(await eventually { heard.count == 6 })
        #expect(heard.values.sorted() == ["actor", "actor", "owner", "owner", "token", "token"])
        #expect([await sequence.next()?.number, await sequence.next()?.number] == [1, 2])
        #expect(await named.next()?.userInfo as? Int == 3)
        #expect(recorder.messages.map(\.number) == [1, 2])
        let found = try await expectMessage(Seen.self, on: center, subject: nil) {
            center.post(Seen(number: 4), subject: dog)
        }
        #expect(found.number == 4)
        token.cancel()
    }

    // ---- Somebody

    @Test("An instance of a subclass, in whatever variable, is heard of, and nobody else")
    func R01_an_instance_matches_itself_in_whatever_variable() async throws {
        let kept: Dog? = dog
        let dogs = [dog]
        let object: AnyObject? = dog
        let bag = ObservationBag()
        center.observe(Seen.self, subject: dog) { [log] _ in log.append("dog") }.store(in: bag)
        center.observe(Seen.self, subject: kept) { [log] _ in log.append("kept") }.store(in: bag)
        center.observe(Seen.self, subject: dogs.first) { [log] _ in log.append("first") }.store(in: bag)
        center.observe(Told.self, subject: object) { [log] _ in log.append("object") }.store(in: bag)
        center.observe(Seen.self, subject: kept, by: owner) { [log] _, _ in log.append("owner") }
        center.observe(Seen.self, subject: kept, via: { $0() }) { [log] _ in log.append("via") }.store(in: bag)
        center.observe(Self.name, subject: kept) { [log] _ in log.append("name") }.store(in: bag)
        center.observe(Self.name, subject: dogs.first, by: owner) { [log] _, _ in log.append("name owner") }
        center.observe(Self.name, subject: kept, via: { $0() }) { [log] _ in log.append("name via") }.store(in: bag)
        center.observeAll(subject: kept) { [log] _ in log.append("all") }.store(in: bag)
        center.observeAll(subject: object, by: owner) { [log] _, _ in log.append("all owner") }
        center.post(Seen(), subject: Dog())
        center.post(Seen())
        center.post(Told(), subject: Animal())
        center.post(Self.name, subject: Dog())
        center.post(Self.name)
        #expect(log.take() == [])
        center.post(Seen(), subject: kept)
        #expect(log.take() == ["dog", "kept", "first", "owner", "via", "all", "all owner"])
        center.post(Told(), subject: dog)
        #expect(log.take() == ["object", "all", "all owner"])
        center.post(Self.name, subject: dogs.first)
        #expect(log.take() == ["name", "name owner", "name via", "all", "all owner"])
        let found = try await expectMessage(Seen.self, on: center, subject: kept) {
            center.post(Seen(number: 1))
            center.post(Seen(number: 2), subject: kept)
        }
        #expect(found.number == 2)
    }

    @Test("A sequence of a name about an instance passes over others, and lasts as long as it is held")
    func R01_a_sequence_of_a_name_hears_its_subject_alone() async {
        do {
            let posted = center.messages(named: Self.name, subject: dog)
            let iterator = posted.makeAsyncIterator()
            center.post(Self.name, userInfo: 1)
            center.post(Self.name, subject: Dog(), userInfo: 2)
            center.post("subject.other", subject: dog, userInfo: 3)
            center.post(Self.name, subject: dog, userInfo: 4)
            center.post(Self.name, subject: dog)
            let first = await iterator.next()
            #expect(first?.userInfo as? Int == 4)
            #expect(first?.name == Self.name)
            let second = await iterator.next()
            #expect(second != nil && second?.userInfo == nil)
            #expect(posted.dropped == 0)
            #expect(listeners() == 1)
        }
        #expect(listeners() == 0)
    }

    @Test("Posts about self from a deinit, held by a suspended center, are heard about nobody")
    func R16_a_held_post_from_a_deinit_is_about_nobody() {
        final class Leaving: Sendable {
            let center: HeraldCenter
            init(_ center: HeraldCenter) { self.center = center }
            deinit { center.post(SubjectTests.name, subject: self, userInfo: "left") }
        }
        let token = center.observe(Self.name, whileSuspended: .hold) { [log] in
            log.append("\($0.userInfo ?? "") \($0.subject == nil) \($0.rawSubject == nil)")
        }
        center.isSuspended = true
        for _ in 0..<3 { _ = Leaving(center) }
        #expect(log.values == [])
        center.isSuspended = false
        #expect(log.take() == ["left true true", "left true true", "left true true"])
        _ = Leaving(center)  // not suspended: the center still exists
        #expect(log.values == ["left false false"])
        token.cancel()
    }
}

extension Busy {
    fileprivate func next(in center: HeraldCenter, about dog: Dog?) async -> Int? {
        await center.next(Seen.self, subject: dog)?.number
    }
}
