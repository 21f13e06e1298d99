import Herald
import Testing

private final class Thing: Sendable {}
private struct Step: HeraldCenter.Message, Sendable {
    typealias Subject = Thing
    var number = 0
}
private struct Odd: Error, Equatable { var number: Int }

private func check(_ number: Int) async throws {
    await Task.yield()
    if number % 2 == 1 { throw Odd(number: number) }
}

@MainActor private final class Window {
    let heard = Log<String>()

    func start(_ center: HeraldCenter) {
        center.observe(
            Step.self, by: self,
            async: { window, step in
                try await check(step.number)
                window.hear("heard \(step.number)")
            },
            failed: { window, error, step in window.hear("failed \(step.number) \((error as? Odd)?.number ?? 0)") })
    }

    func hear(_ text: String) { heard.append(text) }
}

private actor Store {
    let heard = Log<String>()

    func start(_ center: HeraldCenter) -> HeraldCenter.ObservationToken {
        center.observe(Step.self) { step in
            try await check(step.number)
            self.hear("heard \(step.number)")
        } failed: { error, step in
            self.hear("failed \(step.number)")
        }
    }

    func hear(_ text: String) { heard.append(text) }
}

/// `async:` bodies that throw, and what is called with their errors.
@Suite(.timeLimit(.minutes(10))) struct FailedTests {
    private let center = HeraldCenter()
    private let heard = Log<String>()

    private func post(_ count: Int) async {
        for number in 0..<count - 1 { center.post(Step(number: number)) }
        await center.postAndWait(Step(number: count - 1))
    }

    @Test("An error ends neither the registration nor the order: the messages after it are heard after failed")
    func anErrorIsHandedOn() async {
        let token = center.observe(
            Step.self,
            async: { [heard] step in
                try await check(step.number)
                heard.append("heard \(step.number)")
            },
            failed: { [heard] error, step in
                await Task.yield()
                heard.append("failed \(step.number) \((error as? Odd)?.number ?? 0)")
            })
        await post(4)
        #expect(heard.values == ["heard 0", "failed 1 1", "heard 2", "failed 3 3"])
        token.cancel()
    }

    @Test("In a class of the main actor both closures run on it, with the owner") @MainActor
    func mainActorClassesAreServed() async {
        let window = Window()
        window.start(center)
        await post(4)
        #expect(window.heard.values == ["heard 0", "failed 1 1", "heard 2", "failed 3 3"])
        center.removeObserver(window)
    }

    @Test("In an actor both closures run on it")
    func actorsAreServed() async {
        let store = Store()
        let token = await store.start(center)
        await post(4)
        #expect(store.heard.values == ["heard 0", "failed 1", "heard 2", "failed 3"])
        token.cancel()
    }

    @Test("Attributes of the closures name their actors")
    func attributesNameActors() async {
        let token = center.observe(
            Step.self,
            async: { @MainActor [heard] step in
                MainActor.preconditionIsolated()
                heard.append("body")
                throw Odd(number: step.number)
            },
            failed: { @MainActor [heard] _, _ in
                MainActor.preconditionIsolated()
                heard.append("failed")
            })
        await post(1)
        #expect(heard.values == ["body", "failed"])
        token.cancel()
    }

    @Test(
        "After the registration has ended in a body that throws, failed is called for this body, and no body after it")
    func theEndComesAfterFailed() async {
        let owner = Thing()
        center.observe(
            Step.self, by: owner,
            async: { [center, heard] owner, step in
                heard.append("body \(step.number)")
                center.removeObserver(owner)
                throw Odd(number: step.number)
            }, failed: { [heard] _, _, step in heard.append("failed \(step.number)") })
        await post(3)
        #expect(await eventually { heard.count == 2 })
        #expect(heard.values == ["body 0", "failed 0"])
    }

    @Test("An owner is not retained between calls")
    func ownersAreWeak() async {
        let died = Flag()
        do {
            let owner = Canary { died.set() }
            center.observe(
                Step.self, by: owner, async: { _, step in try await check(step.number) }, failed: { _, _, _ in })
            await post(2)
        }
        #expect(await eventually { died.isSet })
        await post(1)
    }
}
