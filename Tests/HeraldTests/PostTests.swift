import Foundation
import Herald
import Testing

private struct Ping: HeraldCenter.Message { var number = 0 }

private final class Owner: Sendable {
    let log: Log<String>

    init(_ log: Log<String>) { self.log = log }
}

/// A post: whom it reaches, what it carries, where it is heard, and which calls are allowed during it. These are the
/// tests that Foundation has for NotificationCenter, in Herald's terms.
@Suite struct PostTests {
    let center = HeraldCenter()
    private let log = Log<String>()
    private let bag = ObservationBag()

    @Test("A post reaches the observers of its name, each once, and no others")
    func R01_a_post_reaches_observers_of_its_name() {
        for name in ["a", "a", "b"] as [HeraldCenter.Name] {
            center.observe(name) { [log] in log.append("\($0.name)") }.store(in: bag)
        }
        center.post("a")
        #expect(log.take() == ["a", "a"])
        center.post("b")
        center.post("c")
        #expect(log.take() == ["b"])
    }

    @Test("A post about an object reaches its observers and those of any object")
    func R01_a_post_reaches_observers_of_its_object_and_of_any() {
        let object = Canary()
        center.observe("a", subject: object) { [log] _ in log.append("object") }.store(in: bag)
        center.observe("a", subject: Canary()) { [log] _ in log.append("another") }.store(in: bag)
        center.observe("a") { [log] _ in log.append("any") }.store(in: bag)
        center.post("a", subject: object)
        #expect(log.take() == ["object", "any"])
        center.post("a")
        #expect(log.take() == ["any"])
    }

    @Test("userInfo arrives as it was posted, whatever its type")
    func userInfo() {
        center.observe("a") { [log] notice in
            switch notice.userInfo {
            case nil: log.append("nothing")
            case let number as Int: log.append("number \(number)")
            case let table as [String: Int]: log.append("table \(table["x"] ?? 0)")
            case let canary as Canary: log.append("instance \(type(of: canary))")
            default: log.append("something else")
            }
        }.store(in: bag)
        center.post("a")
        center.post("a", userInfo: 3)
        center.post("a", userInfo: ["x": 4])
        center.post("a", userInfo: Canary())
        #expect(log.values == ["nothing", "number 3", "table 4", "instance Canary"])
    }

    @Test("Without a queue observers are called on the posting thread, before the post returns")
    func R03_observers_are_called_on_the_posting_thread() {
        let heard = Log<pthread_t>()
        center.observe("a") { _ in heard.append(pthread_self()) }.store(in: bag)
        let returned = onThreads(2) { [center, log] _ in
            center.post("a")
            if !heard.values.contains(pthread_self()) { log.append("not here, or not yet") }
        }
        #expect(returned)
        #expect(heard.count == 2)
        #expect(log.values == [])
    }

    @Test("With a queue observers are called there, posted from anywhere, that queue included")
    func onAQueue() {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        center.observe(Ping.self, via: { queue.addOperation($0) }) { [log] in
            log.append("\($0.number) \(OperationQueue.current === queue)")
        }.store(in: bag)
        center.post(Ping(number: 0))
        #expect(eventually { log.count == 1 })
        queue.addOperation { [center] in center.post(Ping(number: 1)) }
        #expect(eventually { log.count == 2 })
        DispatchQueue(label: "unrelated").sync { center.post(Ping(number: 2)) }
        #expect(eventually { log.count == 3 })
        #expect(log.values == ["0 true", "1 true", "2 true"])
    }

    @Test("A removed observer is not called; removing it again, or who never observed, does nothing")
    func R08_a_removal_matches_its_observer_and_name() {
        let owner = Owner(log)
        let other = Owner(log)
        center.observe("a", by: owner) { me, _ in me.log.append("owner") }
        center.observe("a", by: other) { me, _ in me.log.append("other") }
        center.removeObserver(owner, of: "b")
        center.post("a")
        #expect(log.take() == ["owner", "other"])
        for _ in 0..<2 { center.removeObserver(owner) }
        center.removeObserver(bag)
        center.post("a")
        #expect(log.take() == ["other"])
        keepAlive(owner, other)
    }

    @Test("Everything can be removed, and observed again")
    func R08_a_removal_by_observer_matches_all_its_observations() {
        let owners = (0..<100).map { _ in Owner(log) }
        for _ in 0..<3 {
            for owner in owners {
                center.observe("a", by: owner) { me, _ in me.log.append("a") }
                center.observe(Ping.self, by: owner) { me, _ in me.log.append("ping") }
            }
            center.post("a")
            center.post(Ping())
            #expect(log.take().count == 200)
            for owner in owners { center.removeObserver(owner) }
            center.post("a")
            center.post(Ping())
            #expect(log.take() == [])
        }
    }

    @Test("An observer may remove itself while it is called, and others may be added: they hear from the next post on")
    func R05_an_observer_added_in_a_call_hears_the_next_post() {
        let owner = Owner(log)
        center.observe("a", by: owner) { [center, bag] me, _ in
            me.log.append("once")
            center.removeObserver(me, of: "a")
            center.observe("a") { [log = me.log] _ in log.append("new") }.store(in: bag)
        }
        center.post("a")
        #expect(log.take() == ["once"])
        center.post("a")
        #expect(log.take() == ["new"])
        keepAlive(owner)
    }

    @Test("A post inside a post is over before the outer one goes on, to any depth")
    func R07_a_post_in_a_callback_is_over_before_the_outer_goes_on() {
        center.observe(Ping.self) { [center, log] ping in
            log.append("begin \(ping.number)")
            if ping.number < 20 { center.post(Ping(number: ping.number + 1)) }
        }.store(in: bag)
        center.observe(Ping.self) { [log] in log.append("end \($0.number)") }.store(in: bag)
        center.post(Ping(number: 0))
        #expect(log.values == (0...20).map { "begin \($0)" } + (0...20).reversed().map { "end \($0)" })
    }
}
