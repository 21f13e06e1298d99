import CHerald
import Herald
import Testing

private struct Step: HeraldCenter.Message, Sendable, Equatable { var number: Int }

@Suite struct SuspensionTests {
    let center = HeraldCenter()
    let log = Log<String>()
    let instances = Instances()

    @Test("Messages are heard at once while the center is suspended, and flush nothing")
    func R16_messages_are_heard_at_once_while_suspended() async {
        let held = center.observe("suspension.name", whileSuspended: .hold) { [log] in
            log.append("held \($0.userInfo as? Int ?? 0)")
        }
        let typed = center.observe(Step.self) { [log] in log.append("step \($0.number)") }
        let sequence = center.messages(Step.self)
        center.observe(Step.self, by: instances) { [log] _, step in log.append("owned \(step.number)") }
        center.isSuspended = true
        #expect(center.isSuspended)
        center.post("suspension.name", userInfo: 1)
        center.post(Step(number: 2))
        center.topic(for: Step.self).post(Step(number: 3))
        center.post("suspension.name", userInfo: 4)
        #expect(log.values == ["step 2", "owned 2", "step 3", "owned 3"])
        #expect(await sequence.makeAsyncIterator().next() == Step(number: 2))
        center.isSuspended = false
        #expect(log.values.suffix(2) == ["held 1", "held 4"])
        #expect(log.count == 6)
        held.cancel()
        typed.cancel()
    }

    @Test("Calls of protocols are heard at once too")
    func R16_calls_of_protocols_are_heard_at_once_while_suspended() {
        let hearer = Hearer(log)
        center.addObserver(hearer, as: (any Hearing).self)
        center.isSuspended = true
        center.notify((any Hearing).self) { $0.hear("call") }
        #expect(log.values == ["call"])
    }

    @Test(
        "What each observer of a name gets of two posts about one subject and one about another",
        arguments: [
            (HeraldCenter.SuspensionBehavior.drop, [String](), [String]()),
            (.hold, [], ["1", "2", "3"]),
            (.coalesce, [], ["2", "3"]),
            (.deliverImmediately, ["1", "2", "3"], []),
        ])
    func R16_each_behavior_gets_what_it_says(
        _ behavior: HeraldCenter.SuspensionBehavior, _ atOnce: [String], _ onResume: [String]
    ) {
        let subject = instances.make()
        let token = center.observe("suspension.name", whileSuspended: behavior) { [log] in
            log.append("\($0.userInfo ?? "nothing")")
        }
        center.isSuspended = true
        center.post("suspension.name", subject: subject, userInfo: 1)
        center.post("suspension.name", subject: subject, userInfo: 2)
        center.post("suspension.name", userInfo: 3)
        #expect(log.values == atOnce)
        center.isSuspended = false
        #expect(log.values == atOnce + onResume)
        token.cancel()
    }

    @Test("One observer that wants it at once flushes what is held for the others first")
    func R16_an_immediate_observer_flushes_held_posts_first() {
        let held = center.observe("suspension.held", whileSuspended: .hold) { [log] _ in log.append("held") }
        let immediate = center.observe("suspension.now") { [log] _ in log.append("now") }
        center.isSuspended = true
        center.post("suspension.held")
        center.post("suspension.now")
        #expect(log.values == ["held", "now"])
        held.cancel()
        immediate.cancel()
    }

    @Test("A held post keeps its userInfo and its subject until it has been heard", arguments: [false, true])
    func R16_a_held_post_keeps_its_userInfo_and_subject(_ onAnotherThread: Bool) async {
        let token = center.observe("suspension.name", whileSuspended: .hold) { [log, instances] notice in
            let load = notice.userInfo as? Counted
            log.append("\(load != nil) \(notice.subject is Counted) \(instances.count)")
            withExtendedLifetime(load) {}
        }
        center.isSuspended = true
        for _ in 0..<2 { center.post("suspension.name", subject: instances.make(), userInfo: instances.make()) }
        #expect(instances.count == 4)
        if onAnotherThread {
            await withoutPool { [center] in center.isSuspended = false }
        } else {
            center.isSuspended = false
        }
        #expect(log.values == ["true true 4", "true true 2"] || log.values == ["true true 4", "true true 4"])
        #expect(instances.isEmpty)
        token.cancel()
    }

    @Test("A held post of each kind of value arrives as it was")
    func R16_a_held_value_arrives_as_it_was() {
        let long = (0..<100).map(String.init).joined()
        let token = center.observe("suspension.name", whileSuspended: .hold) { [log] in
            log.append($0.userInfo.map { "\($0)" } ?? "nothing")
        }
        center.isSuspended = true
        center.post("suspension.name", userInfo: [1, 2, 3])
        center.post("suspension.name", userInfo: long)
        center.post("suspension.name", userInfo: 1.5)
        center.post("suspension.name", userInfo: nil)
        center.post("suspension.name", userInfo: Large())
        center.isSuspended = false
        #expect(log.values == ["[1, 2, 3]", long, "1.5", "nothing", "\(Large())"])
        token.cancel()
    }

    @Test("An observer of every name hears held messages without their value")
    func R16_a_held_message_has_no_value() {
        let token = center.observeAll(whileSuspended: .hold) { [log] notice in
            log.append("\(notice.name) \(notice.message == nil)")
        }
        center.post(Step(number: 1))
        center.isSuspended = true
        center.post(Step(number: 2))
        #expect(log.count == 1)
        center.isSuspended = false
        #expect(log.count == 2)
        #expect(log.values.first?.hasSuffix("Step false") == true)
        #expect(log.values.last?.hasSuffix("Step true") == true)
        token.cancel()
    }

    @Test("A post of C while suspended is heard with no payload: C's values cannot be kept")
    func R16_a_held_post_of_C_has_no_payload() {
        let token = center.observe("suspension.name", whileSuspended: .hold) { [log] notice in
            log.append("\(notice.rawUserInfo == nil) \(notice.userInfo == nil) \(notice.subject == nil)")
        }
        center.isSuspended = true
        var value = 1
        _ = withUnsafePointer(to: &value) {
            HeraldCenterPostNotification(center.native, HeraldCenter.Name("suspension.name").native, nil, $0, false)
        }
        center.isSuspended = false
        #expect(log.values == ["true true true"])
        token.cancel()
    }

    @Test("Ending the observation, or the center, gives back what is held", arguments: [true, false])
    func R16_held_posts_are_dropped_with_their_observation_or_center(_ cancelled: Bool) {
        func hold() {
            let center = HeraldCenter()
            let token = center.observe("suspension.name", whileSuspended: .hold) { [log] _ in log.append("heard") }
            center.isSuspended = true
            for _ in 0..<2000 {
                center.post("suspension.name", subject: instances.make(), userInfo: instances.make())
            }
            #expect(instances.count == 2 * 1024)
            if cancelled {
                token.cancel()
                #expect(instances.isEmpty)
            } else {
                token.keep()
            }
        }
        hold()
        #expect(instances.isEmpty)
        #expect(log.values == [])
    }

    @Test("Coalescing gives back what the next post replaces")
    func R16_coalescing_releases_replaced_posts() {
        let subject = instances.make()
        let token = center.observe("suspension.name", whileSuspended: .coalesce) { _ in }
        center.isSuspended = true
        for _ in 0..<100 { center.post("suspension.name", subject: subject, userInfo: instances.make()) }
        #expect(instances.count == 2)
        center.isSuspended = false
        #expect(instances.count == 1)
        token.cancel()
    }
}

private struct Large: Sendable { var a = 1, b = "two", c = [3.0], d = 4, e = 5, f = 6 }

private protocol Hearing: AnyObject, Sendable { func hear(_ text: String) }

private final class Hearer: Hearing {
    let log: Log<String>
    init(_ log: Log<String>) { self.log = log }
    func hear(_ text: String) { log.append(text) }
}
