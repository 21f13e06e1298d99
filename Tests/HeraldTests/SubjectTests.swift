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

/// An observer of one subject hears posts about it, in whatever variable the poster has it, and no others: not those
/// about nobody. (A nil variable in the observer's call does not compile: Tests/Misuse.)
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

    /// The observers that would hear a post about the dog: of either type, of the name, or of everything.
    private func listeners() -> Int {
        let object = UnsafeRawPointer(Unmanaged.passUnretained(dog).toOpaque())
        return registrations(of: Seen.self, about: dog, in: center)
            + registrations(of: Told.self, about: dog, in: center)
            + HeraldCenterPostNotification(center.native, Self.name.native, object, nil, true)
    }

    // ---- Posts about nobody

    @Test("A post about a nil variable, however it became nil, is about nobody: observers of an instance hear nothing")
    func R01_a_post_about_a_nil_variable_matches_no_subject() async {
        let bag = ObservationBag()
        center.observe(Seen.self, subject: dog) { [log] _ in log.append("token") }.store(in: bag)
        center.observe(Told.self, subject: dog) { [log] _ in log.append("told") }.store(in: bag)
        center.observe(Seen.self, subject: dog, by: owner) { [log] _, _ in log.append("owner") }
        center.observe(Seen.self, subject: dog, via: { $0() }) { [log] _ in log.append("via") }.store(in: bag)
        center.observe(Self.name, subject: dog) { [log] _ in log.append("name") }.store(in: bag)
        center.observe(Self.name, subject: dog, by: owner) { [log] _, _ in log.append("name owner") }
        center.observeAll(subject: dog) { [log] _ in log.append("all") }.store(in: bag)
        center.post(Seen(), subject: gone)
        center.post(Seen(), subject: none.first)
        center.post(Seen(), subject: nobody)
        center.post(Told(), subject: gone)
        center.post(Told(), subject: nothing)
        center.post(Self.name, subject: gone)
        center.post(Self.name, subject: nothing)
        center.post(Seen())
        center.post(Self.name)
        #expect(log.values == [])
    }

    // ---- All subjects

    @Test("No subject is all subjects")
    func R01_no_subject_matches_all_subjects() async throws {
        let bag = ObservationBag()
        center.observe(Seen.self) { [log] _ in log.append("token") }.store(in: bag)
        center.observe(Seen.self, by: owner) { [log] _, _ in log.append("owner") }
        center.observe(Seen.self, via: { $0() }) { [log] _ in log.append("via") }.store(in: bag)
        center.observe(Self.name) { [log] _ in log.append("name") }.store(in: bag)
        center.observe(Self.name, by: owner) { [log] _, _ in log.append("name owner") }
        center.observe(Self.name, via: { $0() }) { [log] _ in log.append("name via") }.store(in: bag)
        center.observeAll { [log] _ in log.append("all") }.store(in: bag)
        center.observeAll(by: owner) { [log] _, _ in log.append("all owner") }
        let seen = ["token", "owner", "via", "all", "all owner"]
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

    @Test("No subject is all subjects on actors, in sequences and in tests too")
    func R01_no_subject_matches_all_subjects_on_actors_and_in_sequences() async throws {
        let heard = Log<String>()
        let token = center.observe(Seen.self, async: { _ in heard.append("token") })
        center.observe(Seen.self, by: owner, async: { _, _ in heard.append("owner") })
        center.observe(Seen.self, on: kennel) { _, _ in heard.append("actor") }
        let sequence = center.messages(Seen.self).makeAsyncIterator()
        let named = center.messages(named: Self.name).makeAsyncIterator()
        let recorder = MessageRecorder(Seen.self, on: center)
        center.post(Seen(number: 1))
        center.post(Seen(number: 2), subject: dog)
        center.post(Self.name, subject: dog, userInfo: 3)
        #expect(await eventually { heard.count == 6 })
        #expect(heard.values.sorted() == ["actor", "actor", "owner", "owner", "token", "token"])
        #expect([await sequence.next()?.number, await sequence.next()?.number] == [1, 2])
        #expect(await named.next()?.userInfo as? Int == 3)
        #expect(recorder.messages.map(\.number) == [1, 2])
        let found = try await expectMessage(Seen.self, on: center) {
            center.post(Seen(number: 4), subject: dog)
        }
        #expect(found.number == 4)
        token.cancel()
    }

    // ---- Somebody

    @Test("An instance of a subclass, in whatever variable, is heard of, and nobody else")
    func R01_an_instance_matches_itself_in_whatever_variable() async throws {
        let kept: Animal = dog
        let dogs = [dog]
        let object: AnyObject = dog
        let perhaps: Dog? = dog
        let bag = ObservationBag()
        center.observe(Seen.self, subject: dog) { [log] _ in log.append("dog") }.store(in: bag)
        center.observe(Seen.self, subject: kept) { [log] _ in log.append("kept") }.store(in: bag)
        center.observe(Seen.self, subject: dogs[0]) { [log] _ in log.append("first") }.store(in: bag)
        center.observe(Told.self, subject: object) { [log] _ in log.append("object") }.store(in: bag)
        center.observe(Seen.self, subject: kept, by: owner) { [log] _, _ in log.append("owner") }
        center.observe(Seen.self, subject: kept, via: { $0() }) { [log] _ in log.append("via") }.store(in: bag)
        center.observe(Self.name, subject: kept) { [log] _ in log.append("name") }.store(in: bag)
        center.observe(Self.name, subject: dogs[0], by: owner) { [log] _, _ in log.append("name owner") }
        center.observe(Self.name, subject: kept, via: { $0() }) { [log] _ in log.append("name via") }.store(in: bag)
        center.observeAll(subject: kept) { [log] _ in log.append("all") }.store(in: bag)
        center.observeAll(subject: object, by: owner) { [log] _, _ in log.append("all owner") }
        center.post(Seen(), subject: Dog())
        center.post(Seen())
        center.post(Told(), subject: Animal())
        center.post(Self.name, subject: Dog())
        center.post(Self.name)
        #expect(log.take() == [])
        center.post(Seen(), subject: perhaps)
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
        let leave: @Sendable (Leaving) -> Void = { [center] in
            center.post(SubjectTests.name, subject: $0, userInfo: "left")
        }
        let token = center.observe(Self.name, whileSuspended: .hold) { [log] in
            log.append("\($0.userInfo ?? "") \($0.subject == nil) \($0.rawSubject == nil)")
        }
        center.isSuspended = true
        for _ in 0..<3 { _ = Leaving(leave) }
        #expect(log.values == [])
        center.isSuspended = false
        #expect(log.take() == ["left true true", "left true true", "left true true"])
        _ = Leaving(leave)  // not suspended: the center still exists
        #expect(log.values == ["left false false"])
        token.cancel()
    }
}
