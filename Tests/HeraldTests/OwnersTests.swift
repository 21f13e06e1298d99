import CHerald
import Foundation
import Herald
import Synchronization
import Testing

private struct Ping: HeraldCenter.Message, Sendable { var number = 0 }
private struct Pong: HeraldCenter.Message, Sendable {}
private struct Drawn: HeraldCenter.MainActorMessage {
    typealias Subject = View
}

private final class Owner: Sendable {}
private final class Subject: Sendable {}

/// Lives on the main actor, and records whether it dies on another thread than it was made on. Not Sendable.
private final class View {
    private let strays: Strays
    private let home = pthread_self()

    init(_ strays: Strays) { self.strays = strays }

    deinit { if pthread_self() != home { strays.add() } }
}

private final class Strays: Sendable {
    private let number = Atomic(0)
    var count: Int { number.load(ordering: .sequentiallyConsistent) }
    func add() { number.add(1, ordering: .sequentiallyConsistent) }
}

/// A message that is also an observer by its own type.
private final class Both: HeraldCenter.Message, Sendable {
    let log: Log<String>

    init(_ log: Log<String>) { self.log = log }

    func call() { log.append("call") }
}

private protocol Failing: Error {}
private protocol Plain: Sendable {}
private final class Failed: Failing, Plain {}
private struct Value: Plain { var number = 1 }

@Suite(.timeLimit(.minutes(10))) struct OwnersTests {
    let center = HeraldCenter()
    let log = Log<String>()
    let instances = Instances()
    private static let name: HeraldCenter.Name = "owners.name"

    private func named(_ name: HeraldCenter.Name = Self.name, about subject: AnyObject? = nil) -> Int {
        let object = subject.map { UnsafeRawPointer(Unmanaged.passUnretained($0).toOpaque()) }
        return HeraldCenterPostNotification(center.native, name.native, object, nil, true)
    }

    // ---- Where they die

    @MainActor @Test("Owners and subjects of the main actor die there, while another thread adds owners of its own")
    func diesAtHome() async {
        let strays = Strays()
        let isOver = Flag()
        let hasBegun = Signal()
        let adding = thread { [center] in
            hasBegun.send()
            while !isOver.isSet { center.observe(Ping.self, by: Owner()) { _, _ in } }
        }
        await withoutPool { hasBegun.wait() }
        for number in 0..<5000 {
            let owner = View(strays)
            let subject = View(strays)
            center.observe(Drawn.self, by: owner) { _, _ in }
            center.observe(Drawn.self, subject: subject, by: owner) { _, _ in }
            if number % 10 == 0 { center.post(Drawn(), subject: subject) }
            withExtendedLifetime((owner, subject)) {}
        }
        isOver.set()
        await withoutPool { adding.wait() }
        #expect(strays.count == 0)
    }

    // ---- How many there are

    @Test("Twenty thousand subjects that have died leave few registrations of their living owner, whose others work")
    func R14_subjects_that_have_died_take_few_registrations() {
        let owner = Owner()
        let living = Subject()
        center.observe(Ping.self, by: owner) { [log] _, _ in log.append("any") }
        center.observe(Ping.self, subject: living, by: owner) { [log] _, _ in log.append("living") }
        var most = 0
        for _ in 0..<20_000 {
            let capture = instances.make()
            center.observe(Ping.self, subject: Subject(), by: owner) { _, _ in withExtendedLifetime(capture) {} }
            most = max(most, instances.count)
        }
        #expect(most < 20)
        center.post(Ping(), subject: living)
        #expect(log.values == ["any", "living"])
        center.removeObserver(owner)
        #expect(instances.isEmpty)
        #expect(registrations(of: Ping.self, about: living, in: center) == 0)
    }

    @Test("Twenty thousand owners that have died leave few registrations, and the living one's work")
    func R14_owners_that_have_died_take_few_registrations() {
        let living = Owner()
        center.observe(Ping.self, by: living) { [log] _, _ in log.append("living") }
        center.observe(Self.name, by: living) { [log] _, _ in log.append("name") }
        var most = 0
        for _ in 0..<20_000 {
            let capture = instances.make()
            center.observe(Ping.self, by: Owner()) { _, _ in withExtendedLifetime(capture) {} }
            center.observe(Self.name, by: Owner()) { _, _ in withExtendedLifetime(capture) {} }
            most = max(most, instances.count)
        }
        #expect(most < 20)
        center.post(Ping())
        center.post(Self.name)
        #expect(instances.isEmpty)  // posts find the remaining ones
        #expect(log.values == ["living", "name"])
        #expect(registrations(of: Ping.self, in: center) == 1)
        #expect(named() == 1)
    }

    // ---- Which are removed

    @Test("Of many observations of one owner exactly the meant ones are removed, in whatever order")
    func R08_a_removal_matches_the_meant_observation_alone() {
        for step in [1, 3, 7, 11] {  // each step goes through all thirteen, in another order
            let owner = Owner()
            let subjects = (0..<13).map { _ in Subject() }
            for (number, subject) in subjects.enumerated() {
                center.observe(Ping.self, subject: subject, by: owner) { [log] _, _ in log.append("\(number)") }
                let end = Canary { [log] in log.append("end \(number)") }
                center.observe(Self.name, subject: subject, by: owner) { [log] _, _ in
                    log.append("n\(number)")
                    withExtendedLifetime(end) {}
                }
            }
            var left = Array(0..<13)
            for turn in 0..<13 {
                let number = turn * step % 13
                if turn % 2 == 0 { center.observe(Ping.self, subject: subjects[number], by: owner) { _, _ in } }
                center.removeObserver(owner, of: Ping.self, subject: subjects[number])
                left.removeAll { $0 == number }
                for subject in subjects { center.post(Ping(), subject: subject) }
                #expect(log.take() == left.map { "\($0)" })
            }
            for subject in subjects { center.post(Self.name, subject: subject) }
            #expect(log.take() == (0..<13).map { "n\($0)" })
            center.removeObserver(owner)
            #expect(log.take() == (0..<13).map { "end \($0)" })
            for subject in subjects { center.post(Self.name, subject: subject) }
            #expect(log.values == [])
        }
    }

    @Test("Removal about one subject leaves other subjects, all subjects, other types, names and owners")
    func R08_a_removal_about_a_subject_leaves_all_others() {
        let owner = Owner()
        let other = Owner()
        let one = Subject()
        let two = Subject()
        for (watcher, text) in [(owner, ""), (other, " other")] {
            center.observe(Ping.self, subject: one, by: watcher) { [log] _, _ in log.append("one" + text) }
            center.observe(Ping.self, subject: two, by: watcher) { [log] _, _ in log.append("two" + text) }
            center.observe(Ping.self, by: watcher) { [log] _, _ in log.append("any" + text) }
            center.observe(Pong.self, subject: one, by: watcher) { [log] _, _ in log.append("pong" + text) }
            center.observe(Self.name, subject: one, by: watcher) { [log] _, _ in log.append("n one" + text) }
            center.observe(Self.name, subject: two, by: watcher) { [log] _, _ in log.append("n two" + text) }
            center.observe(Self.name, by: watcher) { [log] _, _ in log.append("n any" + text) }
        }
        center.removeObserver(owner, of: Ping.self, subject: one)
        center.post(Ping(), subject: one)
        #expect(log.take() == ["any", "one other", "any other"])
        center.post(Ping(), subject: two)
        #expect(log.take() == ["two", "any", "two other", "any other"])
        center.post(Pong(), subject: one)
        #expect(log.take() == ["pong", "pong other"])
        center.removeObserver(owner, of: Self.name, subject: two)
        center.post(Self.name, subject: two)
        #expect(log.take() == ["n any", "n two other", "n any other"])
        center.post(Self.name, subject: one)
        #expect(log.take() == ["n one", "n any", "n one other", "n any other"])
        center.removeObserver(owner, of: Self.name)
        center.post(Self.name, subject: one)
        #expect(log.take() == ["n one other", "n any other"])
        center.post(Ping(), subject: two)
        #expect(log.take() == ["two", "any", "two other", "any other"])
        center.removeObserver(owner, of: Ping.self)
        center.post(Ping(), subject: two)
        center.post(Pong(), subject: one)
        #expect(log.take() == ["two other", "any other", "pong", "pong other"])
    }

    @Test("observeAll by owner: replaced, removed with everything of its owner, and ended by its death")
    func everything() {
        var owner: Owner? = Owner()
        let capture = Box<Counted?>(instances.make())
        func observe(_ text: String) {
            let held = capture.value
            center.observeAll(by: owner!) { [log] _, _ in
                log.append(text)
                withExtendedLifetime(held) {}
            }
        }
        observe("first")
        capture.put(nil)
        center.post(Self.name)
        center.post(Ping())
        center.notify((any Plain).self) { _ in }
        #expect(log.take() == ["first", "first", "first"])
        #expect(instances.count == 1)
        observe("second")
        #expect(instances.isEmpty)
        center.post(Ping())
        #expect(log.take() == ["second"])
        let subject = Subject()
        center.observeAll(subject: subject, by: owner!) { [log] _, _ in log.append("about") }
        center.removeObserver(owner!, of: Self.name)
        center.removeObserver(owner!, of: Ping.self)
        center.post(Ping(), subject: subject)
        #expect(log.take() == ["second", "about"])
        center.removeObserver(owner!)
        center.post(Ping(), subject: subject)
        #expect(log.take() == [])
        observe("third")
        withExtendedLifetime(owner) {}
        owner = nil
        center.post(Ping())
        #expect(log.take() == [])
        #expect(registrations(of: Ping.self, in: center) == 0)
    }

    // ---- One center, several handles

    @Test("Two handles on a center of C's share its owners, and release it in the end")
    func handles() {
        let native = HeraldCenterCreate(nil)!
        let owner = Owner()
        var options = HeraldObserverOptions()
        options.size = MemoryLayout<HeraldObserverOptions>.size
        options.release = { Unmanaged<Counted>.fromOpaque($0!).release() }
        let context = Unmanaged.passRetained(instances.make()).toOpaque()
        let name = Self.name.native
        _ = HeraldCenterAddObserverWithOptions(native, context, { _, _, _, _, _ in }, name, nil, &options, nil)
        func use() {
            let one = HeraldCenter(retaining: native)
            let two = HeraldCenter(retaining: native)
            let capture = instances.make()
            one.observe(Ping.self, by: owner) { [log] _, _ in
                log.append("first")
                withExtendedLifetime(capture) {}
            }
            two.observe(Ping.self, by: owner) { [log] _, _ in log.append("second") }
            one.post(Ping())
            #expect(log.take() == ["second"])
            one.removeObserver(owner, of: Ping.self)
            two.post(Ping())
            #expect(log.values == [])
            let kept = instances.make()
            one.observe(Ping.self, by: owner) { [log] _, _ in
                log.append("third")
                withExtendedLifetime(kept) {}
            }
        }
        use()
        #expect(instances.count == 2)  // C still has a reference
        do {
            let center = HeraldCenter(retaining: native)
            center.post(Ping())
            #expect(log.take() == ["third"])
            HeraldCenterRelease(native)
            #expect(instances.count == 2)  // and now only the handle has one
            center.post(Ping())
            #expect(log.take() == ["third"])
        }
        #expect(instances.isEmpty)
        withExtendedLifetime(owner) {}
    }

    // ---- Kinds

    @Test("A class that is a message, and called as itself: the two do not touch each other")
    func R08_a_removal_of_a_message_leaves_the_call_of_the_same_class() {
        let both = Both(log)
        center.addObserver(both, as: Both.self)
        center.observe(Both.self, by: both) { [log] _, _ in log.append("message") }
        center.addObserver(both, as: Both.self)
        center.observe(Both.self, by: both) { [log] _, _ in log.append("message again") }
        func hear() -> [String] {
            center.post(both)
            center.notify(Both.self) { $0.call() }
            return log.take()
        }
        #expect(hear() == ["message again", "call"])
        center.removeObserver(both, of: Both.self)
        #expect(hear() == ["call"])
        center.observe(Both.self, by: both) { [log] _, _ in log.append("message") }
        center.removeObserver(both, as: Both.self)
        #expect(hear() == ["message"])
        center.addObserver(both, as: Both.self)
        center.removeObserver(both)
        #expect(hear() == [])
    }

    @Test("A post of C under a protocol's own key, and a message of the same type, are not calls")
    func R21_a_foreign_post_under_the_key_of_a_protocol_is_no_call() {
        let plain = Failed()
        center.addObserver(plain, as: (any Plain).self)
        let key = HeraldNameForAddress(unsafeBitCast((any Plain).self as Any.Type, to: UnsafeRawPointer.self))
        var words = (0, 0, 0, 0)  // not a closure
        let called = withUnsafePointer(to: &words) { HeraldCenterPostNotification(center.native, key, nil, $0, true) }
        #expect(called == 1)
        center.notify((any Plain).self) { [log] _ in log.append("call") }
        #expect(log.values == ["call"])
    }

    @Test("A struct is refused as an observer; an instance of a class is not")
    func structs() async {
        await #expect(processExitsWith: .failure) {
            HeraldCenter().addObserver(Value(), as: (any Plain).self)
        }
        await #expect(processExitsWith: .success) {
            let observer = Failed()
            HeraldCenter().addObserver(observer, as: (any Plain).self)
        }
    }

    @Test("any Error, which keeps even an instance in a box, is refused")
    func anyError() async {
        await #expect(processExitsWith: .failure) {
            let observer: any Error = Failed()
            HeraldCenter().addObserver(observer, as: (any Error).self)
        }
    }

    @Test("A protocol that refines Error is a protocol as any other: it is heard, and its observer is held weakly")
    func refinedError() {
        var observer: Failed? = Failed()
        center.addObserver(observer!, as: (any Failing).self)
        center.notify((any Failing).self) { [log] in log.append("\($0 is Failed)") }
        #expect(log.take() == ["true"])
        withExtendedLifetime(observer) {}
        observer = nil
        center.notify((any Failing).self) { [log] _ in log.append("dead") }
        #expect(log.values == [])
    }

    // ---- Threads

    @Test("Many threads add while owners are removed: the tables have room for all")
    func addsAndRemovals() {
        for round in 0..<40 {
            let old = (0..<6).map { _ in Owner() }, new = (0..<32).map { _ in Owner() }
            for owner in old { center.observe(Ping.self, by: owner) { _, _ in } }
            let came = onThreads(33) { [center] thread in
                if thread == 32 {
                    for owner in old { center.removeObserver(owner) }
                } else {
                    center.observe(Ping.self, by: new[thread]) { _, _ in }
                }
            }
            #expect(came, "round \(round)")
            #expect(registrations(of: Ping.self, in: center) == 32)
            for owner in new { center.removeObserver(owner) }
            #expect(registrations(of: Ping.self, in: center) == 0)
        }
    }

    @Test("Two threads add the same observer of a protocol: it is called once")
    func addedTwice() {
        let observer = Failed()
        let calls = Atomic(0)
        for _ in 0..<300 {
            let came = onThreads(2) { [center] _ in center.addObserver(observer, as: (any Plain).self) }
            #expect(came)
            center.notify((any Plain).self) { _ in calls.add(1, ordering: .relaxed) }
            center.removeObserver(observer, as: (any Plain).self)
        }
        #expect(calls.load(ordering: .relaxed) == 300)
    }

    @Test("An owner that observes in its own deinit is never called, and nothing is left, beside threads that post")
    func observesInDeinit() {
        let leave: @Sendable (Leaving) -> Void = { [center, instances] owner in
            let capture = instances.make()
            center.observe(Ping.self, by: owner) { _, _ in
                withExtendedLifetime(capture) {}
                fatalError("called")
            }
        }
        let begun = Flag(), stop = Flag()
        let poster = thread { [center] in
            while !stop.isSet {
                center.post(Ping())
                begun.set()
            }
        }
        while !begun.isSet { sched_yield() }
        for _ in 0..<3000 { _ = Leaving(leave) }
        stop.set()
        #expect(poster.wait())
        center.post(Ping())
        #expect(instances.isEmpty)
        #expect(registrations(of: Ping.self, in: center) == 0)
    }

    @Test("Observing again in the same file replaces; what another file registered stays")
    func replacesWithinTheFile() {
        let owner = Owner(), subject = Subject()
        for number in 1...2 {
            center.observe(Ping.self, by: owner) { [log] _, _ in log.append("here \(number)") }
            center.observe(Self.name, subject: subject, by: owner) { [log] _, _ in log.append("name \(number)") }
        }
        observeElsewhere(Ping.self, Self.name, subject, by: owner, in: center, log)
        center.post(Ping())
        #expect(log.take() == ["here 2", "elsewhere"])
        center.post(Self.name, subject: subject)
        #expect(log.take() == ["name 2", "elsewhere"])

        observeElsewhere(Ping.self, Self.name, subject, by: owner, in: center, log)
        center.observe(Ping.self, by: owner) { [log] _, _ in log.append("last") }
        center.post(Ping())
        #expect(log.take() == ["elsewhere", "last"])
        // Files are compared by their texts, for each module has literals of its own.
        center.observe(
            Ping.self, by: owner, { [log] _, _ in log.append("copy") }, file: "HeraldTests/OwnersTests.swift")
        center.post(Ping())
        #expect(log.take() == ["elsewhere", "copy"])

        center.removeObserver(owner, of: Self.name, subject: subject)
        center.removeObserver(owner, of: Ping.self)
        center.post(Ping())
        center.post(Self.name, subject: subject)
        #expect(log.values == [])
    }

    @Test("Removing what no name can begin with removes nothing, not even an observer of all posts")
    func R15_removing_what_is_no_prefix_removes_nothing() {
        let owner = Owner()
        center.observe(posts: .all, by: owner) { [log] _, _ in log.append("all") }
        for text in ["", "com.", "a\u{600}.", String(repeating: "a", count: 512), "a\0b"] {
            center.observe(posts: .under(text), by: owner) { [log] _, _ in log.append("never") }
            center.removeObserver(owner, posts: .under(text))
        }
        center.post(Self.name)
        #expect(log.take() == ["all"])
        center.removeObserver(owner, posts: .all)
        center.post(Self.name)
        #expect(log.values == [])
    }

    @Test("A subclass that observes by self replaces its base; with an owner of its own, or a token, both hear")
    func baseAndSubclass() {
        enum Way: CaseIterable { case itself, owner, token }
        class Base: @unchecked Sendable {
            func start(_ center: HeraldCenter, _ log: Log<String>) {
                center.observe(Ping.self, by: self) { _, _ in log.append("base") }
            }
        }
        final class Derived: Base, @unchecked Sendable {
            let way: Way
            private let owner = Owner()
            private var token: HeraldCenter.ObservationToken?

            init(_ way: Way) { self.way = way }

            override func start(_ center: HeraldCenter, _ log: Log<String>) {
                super.start(center, log)
                switch way {
                case .itself: center.observe(Ping.self, by: self) { _, _ in log.append("derived") }
                case .owner: center.observe(Ping.self, by: owner) { _, _ in log.append("derived") }
                case .token: token = center.observe(Ping.self) { _ in log.append("derived") }
                }
            }
        }
        for way in Way.allCases {
            let derived = Derived(way)
            derived.start(center, log)
            center.post(Ping())
            #expect(log.take() == (way == .itself ? ["derived"] : ["base", "derived"]))
            withExtendedLifetime(derived) {}
        }
    }

    /// If each were searched for among the others, eight times as many would take 64 times as long.
    @Test("Removing one by one takes time that grows with their number")
    func R14_removal_costs_the_same_whatever_the_number() {
        func removing(_ number: Int) -> Double {
            let owner = Owner()
            let subjects = (0..<number).map { _ in Subject() }
            for subject in subjects { center.observe(Self.name, subject: subject, by: owner) { _, _ in } }
            defer { #expect(named(about: subjects[0]) == 0 && named(about: subjects[number - 1]) == 0) }
            return processorTime {
                for subject in subjects { center.removeObserver(owner, of: Self.name, subject: subject) }
            }
        }
        let few = (0..<3).map { _ in removing(5_000) }.max()!
        #expect(removing(40_000) < 30 * few)
    }
}
