import Dispatch
import Herald
import Processes
import Testing

private final class Thing: Sendable {}

private struct Step: HeraldCenter.Message, Sendable {
    typealias Subject = Thing
    var number = 0
}

private struct Drawn: HeraldCenter.MainActorMessage, Sendable { var number = 0 }

private struct Shared: HeraldCenter.WireMessage, Codable {
    static let wireName: HeraldCenter.Name = "test.scope.shared"
    var number = 0
}

/// Sequences that end with a scope.
@Suite(.timeLimit(.minutes(10))) struct ScopeTests {
    private let center = HeraldCenter()

    init() { _ = hostFolder }

    @Test("The registration begins with the scope and ends with it") @MainActor
    func R06_the_registration_is_ended_with_the_scope() async throws {
        struct Failure: Error {}
        let thing = Thing()
        var heard: [Int] = []
        let sum = await center.withMessages(Step.self) {
            MainActor.assertIsolated()
            for number in 1...3 { center.post(Step(number: number)) }
            for await step in $0 {
                heard.append(step.number)
                if step.number == 2 { break }
            }
            return heard.count
        }
        #expect(sum == 2 && heard == [1, 2] && center.observations.isEmpty)
        await #expect(throws: Failure.self) {
            try await center.withMessages(Step.self, subject: thing, buffer: .newest(1)) {
                #expect(center.isHeard(Step.self))
                center.post(Step(number: 1), subject: thing)
                center.post(Step(number: 2), subject: thing)
                center.post(Step(number: 3))
                #expect(await $0.makeAsyncIterator().next()?.number == 2)
                throw Failure()
            }
        }
        #expect(center.observations.isEmpty)
        let drawn = await center.withMessages(Drawn.self) {
            center.post(Drawn(number: 4))
            return await $0.makeAsyncIterator().next()?.number
        }
        #expect(drawn == 4)
    }

    @Test("A sequence that outlives its scope is over, and what waits is given back")
    func R10_messages_that_wait_are_released_with_the_scope() async {
        struct Carrying: HeraldCenter.Message, Sendable { let value: Counted }
        let instances = Instances()
        let kept = await center.withMessages(Carrying.self) { messages in
            center.post(Carrying(value: instances.make()))
            #expect(instances.count == 1)
            return messages
        }
        #expect(instances.isEmpty)
        #expect(await kept.makeAsyncIterator().next() == nil)
    }

    @Test("A task that waits when the scope ends gets nil")
    func R06_a_task_that_waits_is_resumed_when_the_scope_has_ended() async {
        let task = await center.withMessages(Step.self) { messages in
            Task { await messages.makeAsyncIterator().next()?.number }
        }
        #expect(await task.value == nil)
    }

    @Test("Names of the process, and messages and names between processes")
    func otherFamilies() async throws {
        let name: HeraldCenter.Name = "test.scope.name"
        let number = await center.withMessages(named: name) {
            center.post(name, userInfo: 3)
            return await $0.makeAsyncIterator().next()?.userInfo as? Int
        }
        #expect(number == 3)
        let below = await center.withMessages(posts: .under("test.scope")) {
            center.post(name)
            return await $0.makeAsyncIterator().next()?.name
        }
        #expect(below == name && center.observations.isEmpty)
        let host = HeraldCenter.host
        let shared = try await host.withMessages(Shared.self) {
            try host.post(Shared(number: 5))
            return await $0.makeAsyncIterator().next()?.number
        }
        #expect(shared == 5)
        let post = await host.withMessages(named: name) {
            host.post(name)
            return await $0.makeAsyncIterator().next()?.count
        }
        #expect(post == 1)
        let bytes = try await host.withMessages(messages: .under("test.scope"), subject: "a") {
            try host.post(Shared(number: 6))
            try host.post(Shared(number: 7), subject: "a")
            return await $0.makeAsyncIterator().next()?.subject
        }
        #expect(bytes == "a")
    }
}
