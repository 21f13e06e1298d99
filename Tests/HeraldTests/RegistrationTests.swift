import CHerald
import Foundation
import Herald
import Testing

/// Registrations of every kind: which posts their filters let through, where they are heard, and when they end.
/// YBNotificationCenter offered this, all of NSNotificationCenter; its bugs are tests of their own.
@Suite struct RegistrationTests {
    let center = HeraldCenter()
    private let log = Log<String>()
    private let bag = ObservationBag()
    private let document = Document()
    private let other = Document()

    // ---- Who hears what

    @Test("The four kinds of registration hear what their filters say, in the order of registration: names")
    func R01_the_four_registrations_of_names_hear_what_matches() {
        center.observe("saved", subject: document) { [log] _ in log.append("saved, document") }.store(in: bag)
        center.observe("saved") { [log] _ in log.append("saved, any") }.store(in: bag)
        center.observeAll(subject: document) { [log] _ in log.append("any, document") }.store(in: bag)
        center.observeAll { [log] _ in log.append("any, any") }.store(in: bag)
        center.post("saved", subject: document)
        #expect(log.take() == ["saved, document", "saved, any", "any, document", "any, any"])
        center.post("saved", subject: other)
        #expect(log.take() == ["saved, any", "any, any"])
        center.post("saved")
        #expect(log.take() == ["saved, any", "any, any"])
        center.post("closed", subject: document)
        #expect(log.take() == ["any, document", "any, any"])
        center.post("closed")
        #expect(log.take() == ["any, any"])
    }

    @Test("The four kinds of registration hear what their filters say, in the order of registration: messages")
    func R01_the_four_registrations_of_messages_hear_what_matches() {
        center.observeAll { [log] _ in log.append("any, any") }.store(in: bag)
        center.observeAll(subject: document) { [log] _ in log.append("any, document") }.store(in: bag)
        center.observe(DocumentSaved.self) { [log] _ in log.append("saved, any") }.store(in: bag)
        center.observe(DocumentSaved.self, subject: document) { [log] in log.append("saved, \($0.path)") }.store(
            in: bag)
        center.post(DocumentSaved(path: "a"), subject: document)
        #expect(log.take() == ["any, any", "any, document", "saved, any", "saved, a"])
        center.post(DocumentSaved(path: "b"), subject: other)
        #expect(log.take() == ["any, any", "saved, any"])
        center.post(DocumentSaved(path: "c"))
        #expect(log.take() == ["any, any", "saved, any"])
        center.post(DocumentClosed(), subject: document)
        #expect(log.take() == ["any, any", "any, document"])
    }

    @Test("A notice carries name, subject and userInfo; one of a message carries the message")
    func notices() {
        center.observeAll { [log, document] notice in
            let info = notice.userInfo.map { "\($0)" } ?? "nothing"
            let message = (notice.message as? DocumentSaved)?.path ?? "no message"
            log.append("\(notice.subject === document), \(info), \(message)")
        }.store(in: bag)
        center.observeAll { [log] in log.append("\($0.name)") }.store(in: bag)
        center.post("saved", subject: document, userInfo: ["path": "a"])
        #expect(log.take() == [#"true, ["path": "a"], no message"#, "saved"])
        center.post("saved", userInfo: 3)
        #expect(log.take() == ["false, 3, no message", "saved"])
        center.post(DocumentSaved(path: "b"), subject: document)
        #expect(log.take().first == "true, nothing, b")
        center.post("saved")
        #expect(log.take() == ["false, nothing, no message", "saved"])
    }

    @Test("A post about nobody is not about an instance", arguments: ObserverKind.allCases)
    func R01_a_post_about_nobody_matches_no_subject(kind: ObserverKind) {
        let window = DocumentWindow(log)
        let other = Document()
        kind.observe(center, other, bag, window) { [log] in log.append("heard") }
        kind.post(center, nil)
        kind.post(center, document)
        #expect(log.count == 0)
        keepAlive((window, other))
    }

    // ---- Queues

    @Test("Through a dispatch queue: on the queue, in posting order; the post does not wait")
    func dispatchQueue() {
        let key = DispatchSpecificKey<String>()
        let queue = DispatchQueue(label: "documents")
        queue.setSpecific(key: key, value: "there")
        let token = center.observe(DocumentSaved.self, subject: document, via: { queue.async(execute: $0) }) { [log] in
            log.append("\($0.path) \(DispatchQueue.getSpecific(key: key) ?? "elsewhere")")
        }
        queue.suspend()
        for index in 0..<100 { center.post(DocumentSaved(path: "\(index)"), subject: document) }
        center.post(DocumentSaved(path: "other"), subject: other)
        #expect(log.count == 0)
        queue.resume()
        #expect(eventually { log.count == 100 })
        #expect(log.values == (0..<100).map { "\($0) there" })
        token.cancel()
    }

    @Test("Through an operation queue, however wide: one at a time, in posting order")
    func operationQueue() {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 4
        let token = center.observe(DocumentSaved.self, via: { queue.addOperation($0) }) { [log] in
            log.append("\($0.path) \(OperationQueue.current === queue)")
        }
        for index in 0..<100 { center.post(DocumentSaved(path: "\(index)")) }
        #expect(eventually { log.count == 100 })
        #expect(log.values == (0..<100).map { "\($0) true" })
        token.cancel()
    }

    @Test("What waits in a queue when its observation ends does not run")
    func queuedIsDropped() {
        let queue = OperationQueue()
        queue.isSuspended = true
        let token = center.observe(DocumentSaved.self, via: { queue.addOperation($0) }) { [log] in log.append($0.path) }
        center.post(DocumentSaved(path: "a"))
        token.cancel()
        queue.isSuspended = false
        queue.waitUntilAllOperationsAreFinished()
        #expect(log.count == 0)
    }

    @Test("What is on its way to a queue does not run either when its observation ends meanwhile")
    func R06_work_of_an_observation_removed_during_its_post_does_not_run() {
        let work = Box<@Sendable () -> Void>({})
        let scheduler: @Sendable (@escaping @Sendable () -> Void) -> Void = { [bag] turn in
            bag.cancelAll()  // inside the post, so the observation itself cannot be released yet
            turn()
            work.put(turn)
        }
        center.observe(DocumentSaved.self, via: scheduler) { [log] in log.append($0.path) }.store(in: bag)
        center.post(DocumentSaved(path: "a"))
        work.value()
        #expect(log.count == 0)
        work.put {}  // the turn holds its scheduler, and that holds the box
    }

    // ---- Ending

    @Test("Removal by owner, by name and by type; tokens, other names and other owners stay")
    func R08_a_removal_matches_owner_name_and_type() {
        let window = DocumentWindow(log)
        let second = DocumentWindow(log)
        func observeAll() {
            for (name, owner) in [("1", window), ("2", second)] {
                center.observe("saved", by: owner) { me, _ in me.log.append("saved \(name)") }
                center.observe("saved", subject: document, by: owner) { me, _ in me.log.append("document \(name)") }
                center.observe(DocumentSaved.self, by: owner) { me, _ in me.log.append("message \(name)") }
                center.observe(DocumentClosed.self, by: owner) { me, _ in me.log.append("closed \(name)") }
            }
        }
        func post() -> Set<String> {
            center.post("saved", subject: document)
            center.post(DocumentSaved(path: ""))
            center.post(DocumentClosed())
            return Set(log.take())
        }
        let all: Set = ["saved", "document", "message", "closed"]
        let others = Set(all.map { $0 + " 2" })
        let cases: [(remove: () -> Void, left: Set<String>)] = [
            ({ center.removeObserver(window, of: "saved") }, ["message", "closed"]),
            ({ center.removeObserver(window, of: DocumentSaved.self) }, ["saved", "document", "closed"]),
            ({ center.removeObserver(window, of: DocumentClosed.self) }, ["saved", "document", "message"]),
            ({ center.removeObserver(window, of: "unknown") }, all),
            ({ center.removeObserver(document) }, all),
            ({ center.removeObserver(window) }, []),
        ]
        for (remove, left) in cases {
            observeAll()
            remove()
            #expect(post() == others.union(left.map { $0 + " 1" }))
        }
        keepAlive(window, second)
    }

    @Test("Tokens: cancel() ends, a second time does nothing; leaving the scope ends; a bag ends all it holds")
    func R09_a_token_ends_its_observation_once() {
        let first = center.observe("saved") { [log] _ in log.append("first") }
        do {
            let second = center.observe("saved") { [log] _ in log.append("second") }
            center.post("saved")
            #expect(log.take() == ["first", "second"])
            _ = second
        }
        center.post("saved")
        #expect(log.take() == ["first"])
        first.cancel()
        first.cancel()
        for index in 0..<3 { center.observe("saved") { [log] _ in log.append("\(index)") }.store(in: bag) }
        center.post("saved")
        #expect(log.take() == ["0", "1", "2"])
        bag.cancelAll()
        center.post("saved")
        #expect(log.take() == [])
    }

    @Test("Observers are weak, and end with their owner, wherever it dies")
    func weakObservers() {
        let center = center
        let returned = onThreads(2) { [log] _ in
            for _ in 0..<200 {
                var window: DocumentWindow? = DocumentWindow(log)
                weak let weakly = window
                center.observe("saved", by: window!) { me, _ in keepAlive(me) }
                center.observe(DocumentSaved.self, by: window!) { me, _ in keepAlive(me) }
                center.addObserver(window!, as: DocumentObserver.self)
                window = nil
                // Another thread's post or add may hold it for a moment.
                if !eventually({ weakly == nil }) { log.append("kept") }
                center.post("saved")
            }
        }
        #expect(returned)
        #expect(log.count == 0)
    }

    @Test("Dead owners whose names nobody posts do not pile up")
    func R14_dead_owners_of_unposted_names_take_no_memory() {
        let alive = Box(0)
        let most = Box(0)
        for turn in 0..<1000 {
            let window = DocumentWindow(log)
            let canary = Canary { alive.put(alive.value - 1) }
            alive.put(alive.value + 1)
            most.put(max(most.value, alive.value))
            center.observe(HeraldCenter.Name("RegistrationTests.\(turn % 10)"), by: window) { [canary] _, _ in
                keepAlive(canary)
            }
            keepAlive(window)
        }
        #expect(most.value < 20)
    }

    // ---- Bugs of the original

    @Test("Bug: a dead filter subject turns into a wildcard. It does not", arguments: ObserverKind.allCases)
    func R12_a_dead_subject_is_no_wildcard(kind: ObserverKind) async {
        let window = DocumentWindow(log)
        var subject: Document? = Document()
        weak let weakly = subject
        kind.observe(center, subject!, bag, window) { [log] in log.append("heard") }
        kind.post(center, subject)
        #expect(await eventually { log.count == 1 })
        subject = nil
        #expect(weakly == nil)
        kind.post(center, nil)
        kind.post(center, document)
        await MainActor.run {}  // after everything that may have been sent there
        #expect(log.count == 1)
        keepAlive(window)
    }

    @Test("Bug: a new object at a dead filter subject's address is never heard", arguments: ObserverKind.allCases)
    func R12_a_new_object_at_the_address_of_a_dead_subject_is_not_heard(kind: ObserverKind) async {
        let window = DocumentWindow(log)
        var subjects: [Document?] = (0..<100).map { _ in Document() }
        let addresses = Set(subjects.map { ObjectIdentifier($0!) })
        for subject in subjects {
            kind.observe(center, subject!, bag, window) { [log] in log.append("heard") }
        }
        for index in subjects.indices { subjects[index] = nil }
        // Far more of the same size than have died, so that the allocator would reuse their addresses if it could.
        let newcomers = (0..<20_000).map { _ in Document() }
        for newcomer in newcomers { kind.post(center, newcomer) }
        await MainActor.run {}
        #expect(log.count == 0)
        #expect(addresses.isDisjoint(with: newcomers.map { ObjectIdentifier($0) }))
        keepAlive(window, newcomers)
    }

    @Test("Bug: any-name observers never fire. They hear names, messages and calls, whatever the subject")
    func R01_observers_of_any_name_hear_every_kind_of_post() {
        let window = DocumentWindow(log)
        center.addObserver(window, as: DocumentObserver.self)
        center.observeAll { [log] _ in log.append("heard") }.store(in: bag)
        center.post("saved")
        center.post("saved", subject: document)
        center.post(DocumentSaved(path: ""))
        #expect(log.take() == ["heard", "heard", "heard"])
        center.notify(DocumentObserver.self) { $0.renamed() }
        #expect(log.take() == ["renamed", "heard"])
        HeraldCenterPostNotification(center.native, HeraldNameCreate("from C"), nil, nil, true)
        #expect(log.take() == ["heard"])
        keepAlive(window)
    }

    @Test("Bug: blocks ignore the object. They hear their own subject only", arguments: ObserverKind.allCases)
    func R01_observers_of_a_subject_hear_it_alone(kind: ObserverKind) async {
        let window = DocumentWindow(log)
        kind.observe(center, document, bag, window) { [log] in log.append("heard") }
        kind.post(center, other)
        kind.post(center, nil)
        kind.post(center, document)
        #expect(await eventually { log.count > 0 })
        await MainActor.run {}
        #expect(log.count == 1)
        keepAlive(window)
    }

    @Test("Bug: dropping a token leaks the block. It is released", arguments: ObserverKind.allCases)
    func R10_captures_are_released_with_token_and_owner(kind: ObserverKind) async {
        let window = DocumentWindow(log)
        var canary: Canary? = Canary()
        weak let weakly = canary
        kind.observe(center, document, bag, window) { [log, canary] in
            log.append("heard")
            keepAlive(canary)
        }
        canary = nil
        kind.post(center, document)
        #expect(await eventually { log.count == 1 })
        #expect(weakly != nil)
        bag.cancelAll()
        center.removeObserver(window)
        // At once, except for a body that may just be returning from its actor.
        #expect(await eventually { weakly == nil })
        keepAlive(window)
    }

    @Test("Bug: several centers share state. Posts, owners, removal, suspension and tokens are each center's own")
    func centersShareNothing() {
        let second = HeraldCenter()
        let window = DocumentWindow(log)
        for (name, center) in [("1", center), ("2", second)] {
            center.observe("saved", by: window) { me, _ in me.log.append("name \(name)") }
            center.observe(DocumentSaved.self, by: window) { me, _ in me.log.append("message \(name)") }
            center.addObserver(window, as: DocumentObserver.self)
        }
        center.post("saved")
        center.post(DocumentSaved(path: ""))
        center.notify(DocumentObserver.self) { $0.renamed() }
        #expect(log.take() == ["name 1", "message 1", "renamed"])
        second.removeObserver(window)
        second.isSuspended = true
        #expect(!center.isSuspended)
        center.post("saved")
        second.post("saved")
        #expect(log.take() == ["name 1"])
        #expect(center != second)
        keepAlive(window)
    }
}
