import CHerald
import Herald
import Testing

private struct MarketChanged: HeraldCenter.Message, Equatable {
    var name: String
    var age: Int
}

private enum One {
    struct Changed: HeraldCenter.Message { var value: Int }
}

private enum Other {
    struct Changed: HeraldCenter.Message { var value: String }  // the same last name as that of One
}

private struct Filled<Value: Sendable>: HeraldCenter.Message { var value: Value }
private struct Closed: HeraldCenter.Message, ~Copyable { var reason: String }
private enum Step: HeraldCenter.Message {
    case begun
    case done(Int)
}
private class Event: HeraldCenter.Message { var text: String { "event" } }
private final class Alarm: Event { override var text: String { "alarm" } }
private struct Redrawn: HeraldCenter.MainActorMessage { var count: Int }
private struct Touched: HeraldCenter.Message {
    typealias Subject = Owner
    var place = 0
}
private struct Empty: HeraldCenter.Message {}

private final class Owner: Sendable {
    let name: String
    let log: Log<String>

    init(_ name: String, _ log: Log<String>) {
        self.name = name
        self.log = log
    }
}

/// Messages keyed by their type: what arrives, of which types, and how an owner's observer replaces the one before.
/// SwiftyNotification offered this, a type for each notification; its bugs are tests of their own.
@Suite struct TypedMessageTests {
    let center = HeraldCenter()
    private let log = Log<String>()

    @Test("The payload arrives as it was posted, on the posting thread, before the post returns")
    func R03_a_message_is_heard_before_the_post_returns() {
        let heard = Log<MarketChanged>()
        let token = center.observe(MarketChanged.self) { heard.append($0) }
        center.post(MarketChanged(name: "a", age: 3))
        #expect(heard.values == [MarketChanged(name: "a", age: 3)])
        keepAlive(heard)
        token.cancel()
    }

    @Test("Enums, classes, generic types and types that cannot be copied are messages")
    func kindsOfMessages() {
        let tokens = ObservationBag()
        center.observe(Step.self) { [log] step in if case .done(let count) = step { log.append("done \(count)") } }
            .store(in: tokens)
        center.observe(Closed.self) { [log] closed in log.append(closed.reason) }.store(in: tokens)
        center.observe(Event.self) { [log] event in log.append(event.text) }.store(in: tokens)
        center.observe(Filled<Int>.self) { [log] in log.append("int \($0.value)") }.store(in: tokens)
        center.observe(Filled<String>.self) { [log] in log.append("string \($0.value)") }.store(in: tokens)
        center.post(Step.begun)
        center.post(Step.done(2))
        center.post(Closed(reason: "tired"))
        center.post(Event())
        center.post(Filled(value: 1))
        center.post(Filled(value: "x"))
        #expect(log.values == ["done 2", "tired", "event", "int 1", "string x"])
        keepAlive(tokens)
    }

    @Test("A message known only as some message is posted as what it is")
    func opened() {
        let token = center.observe(MarketChanged.self) { [log] in log.append($0.name) }
        let messages: [any HeraldCenter.Message] = [MarketChanged(name: "a", age: 1), Step.begun]
        for message in messages { center.post(message) }
        #expect(log.values == ["a"])
        token.cancel()
    }

    @Test("An observer without an owner lasts as long as its token; with keep(), as long as the center")
    func always() {
        var canary: Canary? = Canary()
        weak let weakly = canary
        do {
            let center = HeraldCenter()
            center.observe(MarketChanged.self) { [log, canary] _ in
                log.append("kept")
                keepAlive(canary)
            }.keep()
            do {
                let token = center.observe(MarketChanged.self) { [log] _ in log.append("token") }
                center.post(MarketChanged(name: "a", age: 1))
                keepAlive(center)
                token.cancel()
            }
            center.post(MarketChanged(name: "b", age: 1))
            canary = nil
            #expect(weakly != nil)
        }
        #expect(log.values == ["kept", "token", "kept"])
        #expect(weakly == nil)
    }

    @Test("An observer with an owner is called with it, and ends with it")
    func owned() {
        var owner: Owner? = Owner("o", log)
        weak let weakly = owner
        center.observe(MarketChanged.self, by: owner!) { me, changed in me.log.append("\(me.name) \(changed.name)") }
        center.post(MarketChanged(name: "a", age: 1))
        owner = nil
        #expect(weakly == nil)
        center.post(MarketChanged(name: "b", age: 1))
        #expect(log.values == ["o a"])
    }

    @Test("Main-actor messages are heard on the main actor before the post returns")
    @MainActor func R03_main_actor_messages_are_heard_before_the_post_returns() {
        let center = HeraldCenter()
        var count = 0
        let token = center.observe(Redrawn.self) { count += $0.count }
        center.post(Redrawn(count: 2))
        center.post(Redrawn(count: 3))
        #expect(count == 5)
        token.cancel()
    }

    @Test("A task can wait for the next message")
    func next() async {
        let task = Task { [center] in await center.next(MarketChanged.self) }
        let key = HeraldNameForAddress(unsafeBitCast(MarketChanged.self as Any.Type, to: UnsafeRawPointer.self))
        #expect(await eventually { HeraldCenterHasObservers(center.native, key) })
        center.post(MarketChanged(name: "a", age: 1))
        center.post(MarketChanged(name: "b", age: 1))
        #expect(await task.value?.name == "a")
    }

    @Test("A topic posts as the center does, and keeps its subject alive")
    func topics() {
        var subject: Owner? = Owner("s", log)
        weak let weakly = subject
        let about = center.observe(Touched.self, subject: subject!) { [log] _ in log.append("about") }
        let all = center.observe(Touched.self) { [log] _ in log.append("all") }
        do {
            let topic = center.topic(for: Touched.self, subject: subject)
            subject = nil
            #expect(weakly != nil)
            topic.post(Touched())
        }
        #expect(log.values == ["about", "all"])
        #expect(weakly == nil)
        about.cancel()
        all.cancel()
    }

    @Test("A message without contents is heard as any other, however it is posted")
    func emptyMessages() {
        let subject = Owner("s", log)
        let token = center.observe(Empty.self) { [log] _ in log.append("heard") }
        let any = center.observeAll { [log] in log.append("any \($0.message is Empty)") }
        let topic = center.topic(for: Empty.self)
        let about = center.topic(for: Empty.self, subject: subject)
        let empty = Empty()
        let posts: [(String, () -> Void)] = [
            ("center", { center.post(Empty()) }),
            ("center, variable", { center.post(empty) }),
            ("center, subject", { center.post(Empty(), subject: subject) }),
            ("center, variable, subject", { center.post(empty, subject: subject) }),
            ("topic", { topic.post(Empty()) }),
            ("topic, variable", { topic.post(empty) }),
            ("topic, subject", { about.post(Empty()) }),
            ("topic, variable, subject", { about.post(empty) }),
        ]
        for (name, post) in posts {
            post()
            #expect(log.take() == ["heard", "any true"], "\(name)")
        }
        token.cancel()
        any.cancel()
    }

    /// A message without contents has no address that a post could carry, and the address used instead differs from
    /// place to place.
    @Test("A message without contents is heard as any other, posted straight from a variable through a topic")
    func emptyMessagesFromAVariable() {
        let token = center.observe(Empty.self) { [log] _ in log.append("heard") }
        center.post(Empty())
        #expect(log.take() == ["heard"])
        let topic = center.topic(for: Empty.self)
        topic.post(Empty())
        #expect(log.take() == ["heard"])
        let empty = Empty()
        topic.post(empty)
        #expect(log.take() == ["heard"])
        token.cancel()
    }

    // ---- Bugs of the original

    @Test("Bug: first-time owners duplicate the entry. Each is called once from the first time on")
    func R04_each_registration_of_an_owner_is_called_once() {
        let owners = (0..<5).map { Owner("\($0)", log) }
        for owner in owners {
            center.observe(MarketChanged.self, by: owner) { me, _ in me.log.append(me.name) }
            center.observe(Step.self, by: owner) { me, _ in me.log.append("step \(me.name)") }
        }
        center.post(MarketChanged(name: "a", age: 1))
        #expect(log.values == ["0", "1", "2", "3", "4"])
        keepAlive(owners)
    }

    @Test("Bug: handlers of dead owners run. One whose owner dies during the post, before its turn, is not called")
    func R06_an_owner_that_dies_during_a_post_is_not_called() {
        let victim = Box<Owner?>(Owner("victim", log))
        let token = center.observe(MarketChanged.self) { [log] _ in
            log.append("killer")
            victim.put(nil)
        }
        center.observe(MarketChanged.self, by: victim.value!) { me, _ in me.log.append(me.name) }
        center.post(MarketChanged(name: "a", age: 1))
        center.post(MarketChanged(name: "b", age: 1))
        #expect(log.values == ["killer", "killer"])
        token.cancel()
    }

    @Test("Bug: handlers of dead owners run. On another thread the owner dies before the call, or lives through it")
    func ownerDiesElsewhere() {
        let returned = onThreads(2) { [center, log] thread in
            for turn in 0..<2000 {
                if thread == 0 {
                    center.post(MarketChanged(name: "a", age: turn))
                } else {
                    let owner = Owner("\(turn)", log)
                    center.observe(MarketChanged.self, by: owner) { me, _ in
                        if me.name.isEmpty { me.log.append("a ghost") }
                    }
                }
            }
        }
        #expect(returned)
        #expect(log.count == 0)
    }

    @Test("Bug: all kept observers replace each other. Each one hears")
    func R04_equal_registrations_are_each_called() {
        for index in 0..<3 { center.observe(MarketChanged.self) { [log] _ in log.append("\(index)") }.keep() }
        center.post(MarketChanged(name: "a", age: 1))
        #expect(log.values == ["0", "1", "2"])
    }

    @Test("Bug: a payload mismatch is dropped in silence. Types of one name are two keys, and each hears its own")
    func R13_types_of_one_name_are_two_names() {
        let tokens = ObservationBag()
        center.observe(One.Changed.self) { [log] in log.append("one \($0.value)") }.store(in: tokens)
        center.observe(Other.Changed.self) { [log] in log.append("other \($0.value)") }.store(in: tokens)
        center.post(One.Changed(value: 1))
        center.post(Other.Changed(value: "x"))
        #expect(log.values == ["one 1", "other x"])
        keepAlive(tokens)
    }

    @Test("Bug: a payload mismatch. A post from C under a type's own key, or of a name as the type, is not heard as it")
    func R21_a_foreign_payload_is_not_read_as_a_message() {
        let token = center.observe(One.Changed.self) { [log] in log.append("\($0.value)") }
        let key = HeraldNameForAddress(unsafeBitCast(One.Changed.self as Any.Type, to: UnsafeRawPointer.self))
        var payload = 7
        #expect(HeraldCenterHasObservers(center.native, key))
        HeraldCenterPostNotification(center.native, key, nil, &payload, true)
        HeraldCenterPostTagged(center.native, key, nil, &payload, &payload, 0)
        center.post("Changed", userInfo: 7)
        center.post(HeraldCenter.Name(String(reflecting: One.Changed.self)), userInfo: One.Changed(value: 7))
        #expect(log.count == 0)
        token.cancel()
    }

    @Test("The key is the static type: a subclass posted as its base is a message of the base, and keeps its methods")
    func R01_a_message_calls_observers_of_its_static_type() {
        let event = center.observe(Event.self) { [log] in log.append("event: \($0.text)") }
        let alarm = center.observe(Alarm.self) { [log] in log.append("alarm: \($0.text)") }
        center.post(Alarm())
        center.post(Alarm() as Event)
        #expect(log.values == ["alarm: alarm", "event: alarm"])
        event.cancel()
        alarm.cancel()
    }

    @Test("Observing again with the same owner replaces the body, and releases what the old one captured")
    func replaces() {
        let owner = Owner("o", log)
        var canary: Canary? = Canary()
        weak let weakly = canary
        center.observe(MarketChanged.self, by: owner) { [canary] me, _ in
            me.log.append("old")
            keepAlive(canary)
        }
        canary = nil
        #expect(weakly != nil)
        center.observe(MarketChanged.self, by: owner) { me, _ in me.log.append("new") }
        #expect(weakly == nil)
        center.post(MarketChanged(name: "a", age: 1))
        #expect(log.values == ["new"])
        keepAlive(owner)
    }

    @Test("A body may replace itself while it runs")
    func R07_a_callback_may_replace_itself() {
        let owner = Owner("o", log)
        center.observe(MarketChanged.self, by: owner) { [center] me, _ in
            me.log.append("first")
            center.observe(MarketChanged.self, by: me) { me, _ in me.log.append("second") }
        }
        center.post(MarketChanged(name: "a", age: 1))
        center.post(MarketChanged(name: "b", age: 1))
        #expect(log.values == ["first", "second"])
        keepAlive(owner)
    }

    @Test("A queued body replaces a direct one of the same owner, and the other way round")
    func replacesAcrossKinds() async throws {
        let owner = Owner("o", log)
        center.observe(MarketChanged.self, by: owner) { me, _ in me.log.append("direct") }
        center.observe(
            MarketChanged.self, by: owner,
            async: { me, changed in
                await Task.yield()
                me.log.append("queued \(changed.name)")
            })
        center.post(MarketChanged(name: "a", age: 1))
        #expect(await eventually { log.count > 0 })
        #expect(log.take() == ["queued a"])
        center.observe(MarketChanged.self, by: owner) { me, _ in me.log.append("direct again") }
        center.post(MarketChanged(name: "b", age: 1))
        #expect(log.values == ["direct again"])
        keepAlive(owner)
    }

    @Test("The same owner on another subject, another type or another center, or on all subjects, replaces nothing")
    func otherKeysDoNotReplace() {
        let other = HeraldCenter()
        let owner = Owner("o", log)
        let first = Owner("first", log)
        let second = Owner("second", log)
        center.observe(Touched.self, subject: first, by: owner) { me, _ in me.log.append("first") }
        center.observe(Touched.self, subject: second, by: owner) { me, _ in me.log.append("second") }
        center.observe(Touched.self, by: owner) { me, _ in me.log.append("any") }
        center.observe(Step.self, by: owner) { me, _ in me.log.append("step") }
        other.observe(Touched.self, subject: first, by: owner) { me, _ in me.log.append("other center") }
        center.post(Touched(), subject: first)
        #expect(log.take() == ["first", "any"])
        center.post(Touched(), subject: second)
        #expect(log.take() == ["second", "any"])
        center.post(Touched())
        #expect(log.take() == ["any"])
        center.removeObserver(owner, of: Touched.self)
        center.post(Touched(), subject: first)
        other.post(Touched(), subject: first)
        center.post(Step.begun)
        #expect(log.take() == ["other center", "step"])
        keepAlive(owner, first, second)
    }

    @Test("Owners at one address, one after the other, are told apart")
    func newOwnerAtTheSameAddress() {
        var addresses = Set<ObjectIdentifier>()
        for turn in 0..<200 {
            let owner = Owner("\(turn)", log)
            addresses.insert(ObjectIdentifier(owner))
            center.observe(One.Changed.self, by: owner) { me, _ in me.log.append(me.name) }
            center.post(One.Changed(value: turn))
            #expect(log.take() == ["\(turn)"])
            keepAlive(owner)
        }
        #expect(addresses.count < 200, "no address has been used twice: the test has shown nothing")
    }
}
