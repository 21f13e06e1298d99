import Dispatch
import Herald
import Processes
import Testing

private final class Thing: Sendable {}

private struct Progress: HeraldCenter.Message, Sendable {
    typealias Subject = Thing
    var percent = 0
}

private struct Page: HeraldCenter.Message, ~Copyable { var number = 0 }
private struct Drawn: HeraldCenter.MainActorMessage { var number = 0 }

@MainActor private final class View {
    var numbers: [Int] = []
}

/// Observers that are registered as long as a condition holds. (EveryFormTests has all families.)
@Suite(.timeLimit(.minutes(10))) struct ConditionTests {
    private let center = HeraldCenter()
    private let log = Log<Int>()

    @Test("The first message for which the condition does not hold ends the registration, and is not heard")
    func R06_no_message_is_heard_after_the_condition_has_ended_the_registration() {
        let token = center.observe(Progress.self, while: { $0.percent < 50 }) { [log] in log.append($0.percent) }
        for percent in [10, 49, 50, 20] { center.post(Progress(percent: percent)) }
        #expect(log.take() == [10, 49])
        #expect(!center.isHeard(Progress.self))
        token.cancel()
        let cancelled = center.observe(Progress.self, while: { _ in true }) { [log] in log.append($0.percent) }
        center.post(Progress(percent: 1))
        cancelled.cancel()
        center.post(Progress(percent: 2))
        #expect(log.take() == [1])
    }

    @Test("A condition that ends the registration by a post of its own hears nothing more")
    func R06_a_body_does_not_begin_after_its_condition_has_ended_the_registration() {
        let token = center.observe(
            Progress.self,
            while: { [center] in
                if $0.percent == 1 { center.post(Progress(percent: 99)) }
                return $0.percent < 50
            }
        ) { [log] in log.append($0.percent) }
        center.post(Progress(percent: 1))
        #expect(log.values == [])
        token.cancel()
    }

    @Test("A condition is not asked about other subjects")
    func R01_a_condition_is_asked_about_its_subject_alone() {
        let thing = Thing()
        let token = center.observe(Progress.self, subject: thing, while: { $0.percent < 50 }) { [log] in
            log.append($0.percent)
        }
        center.post(Progress(percent: 1), subject: thing)
        center.post(Progress(percent: 60), subject: Thing())
        center.post(Progress(percent: 61))
        center.post(Progress(percent: 2), subject: thing)
        center.post(Progress(percent: 62), subject: thing)
        center.post(Progress(percent: 3), subject: thing)
        #expect(log.take() == [1, 2])
        token.cancel()
    }

    @Test("A body may post what ends its own registration, and messages that cannot be copied have the form")
    func R07_a_body_may_post_what_ends_its_registration() {
        let token = center.observe(Page.self, while: { $0.number < 3 }) { [center, log] page in
            log.append(page.number)
            center.post(Page(number: page.number + 1))
            log.append(-page.number)
        }
        center.post(Page(number: 1))
        #expect(log.take() == [1, 2, -2, -1])
        center.post(Page(number: 1))
        #expect(log.take() == [])
        token.cancel()
    }

    @Test("Of a name the condition gets what outlives the call; a suspended center holds for it")
    func R16_a_condition_is_asked_when_held_posts_are_delivered() {
        let name: HeraldCenter.Name = "conditions.held"
        let token = center.observe(name, whileSuspended: .hold, while: { $0.userInfo as? Int != 3 }) { [log] in
            log.append($0.userInfo as? Int ?? -1)
        }
        center.isSuspended = true
        for number in 1...5 { center.post(name, userInfo: number) }
        #expect(log.take() == [])
        center.isSuspended = false
        #expect(log.take() == [1, 2])
        #expect(!center.isHeard(name))
        token.cancel()
    }

    @Test("On the main actor the condition and the body use its state") @MainActor
    func mainActor() {
        let view = View()
        let token = center.observe(Drawn.self, while: { _ in view.numbers.count < 2 }) {
            view.numbers.append($0.number)
        }
        for number in 1...4 { center.post(Drawn(number: number)) }
        #expect(view.numbers == [1, 2])
        token.cancel()
    }

    @Test("What the condition and the body have captured is given back when it does not hold")
    func R10_captures_are_released_when_the_condition_does_not_hold() {
        let instances = Instances()
        let (one, other) = (instances.make(), instances.make())
        let token = center.observe(
            Progress.self,
            while: { [one] in
                withExtendedLifetime(one) {}
                return $0.percent < 50
            }
        ) { [other] _ in withExtendedLifetime(other) {} }
        _ = consume one
        _ = consume other
        center.post(Progress(percent: 1))
        #expect(instances.count == 2)
        center.post(Progress(percent: 50))
        #expect(instances.isEmpty)
        token.cancel()
    }

    @Test("Threads that post at once: once the condition has failed in a post, no later post is heard")
    func R06_threads_that_post_are_not_heard_after_it_has_ended() {
        for _ in 0..<200 {
            let isOver = Flag()
            let late = Log<Int>()
            let token = center.observe(Progress.self, while: { $0.percent < 50 }) { [log] in
                log.append($0.percent)
                if $0.percent == 2 { late.append(2) }
            }
            let came = onThreads(4) { [center] thread in
                if thread == 0 {
                    center.post(Progress(percent: 50))
                    isOver.set()
                } else {
                    for _ in 0..<50 {
                        let isLate = isOver.isSet
                        center.post(Progress(percent: isLate ? 2 : 1))
                    }
                }
            }
            #expect(came)
            #expect(late.values == [])
            _ = log.take()
            token.cancel()
        }
    }
}
