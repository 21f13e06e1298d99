import Dispatch
import Herald
import Testing

private struct Step: HeraldCenter.Message, Sendable { var number = 0 }

/// The center of a task.
@Suite(.timeLimit(.minutes(10))) struct CurrentTests {
    @Test("Without withCenter it is the local center")
    func R19_the_current_center_is_the_local_center_by_default() async {
        #expect(HeraldCenter.current == .local)
        #expect(await Task.detached { HeraldCenter.current }.value == .local)
    }

    @Test("It is the center of withCenter, nested ones too, and afterwards the one of before")
    func R19_the_current_center_is_that_of_the_innermost_scope() throws {
        struct Failure: Error {}
        let (outer, inner) = (HeraldCenter(), HeraldCenter())
        let sum = HeraldCenter.withCenter(outer) {
            #expect(HeraldCenter.current == outer)
            #expect(throws: Failure.self) {
                try HeraldCenter.withCenter(inner) {
                    #expect(HeraldCenter.current == inner)
                    throw Failure()
                }
            }
            #expect(HeraldCenter.current == outer)
            return 3
        }
        #expect(sum == 3 && HeraldCenter.current == .local)
        HeraldCenter.withCenter { #expect(HeraldCenter.current != .local) }
    }

    @Test("It follows child tasks and unstructured tasks, and neither queues nor detached tasks") @MainActor
    func R19_the_current_center_follows_tasks() async {
        let center = HeraldCenter()
        var isHere = false
        let returned = await HeraldCenter.withCenter(center) {
            MainActor.assertIsolated()
            isHere = true
            async let child = HeraldCenter.current
            let task = Task { HeraldCenter.current }
            let detached = Task.detached { HeraldCenter.current }
            #expect(await child == center)
            #expect(await task.value == center)
            #expect(await detached.value == .local)
            let onQueue = await withCheckedContinuation { continuation in
                DispatchQueue.global().async { continuation.resume(returning: HeraldCenter.current) }
            }
            #expect(onQueue == .local)
            return HeraldCenter.current
        }
        #expect(isHere && returned == center && HeraldCenter.current == .local)
    }

    @Test("Tests that run at once hear their own posts alone", arguments: 0..<20)
    func R19_posts_stay_in_their_center(_ number: Int) async {
        await HeraldCenter.withCenter {
            let log = Log<Int>()
            let token = HeraldCenter.current.observe(Step.self) { log.append($0.number) }
            await Task.yield()
            HeraldCenter.current.post(Step(number: number))
            #expect(log.values == [number])
            token.cancel()
        }
    }
}
