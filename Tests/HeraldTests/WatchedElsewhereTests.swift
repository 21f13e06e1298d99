import Dispatch
import Herald
import Testing

private final class Model: @unchecked Sendable {
    @Watched var number = 0
    @Watched var nothing: Void = ()
}

@MainActor private final class Screen {
    @Watched var number = 0
    var seen: [String] = []

    func follow() -> HeraldCenter.ObservationToken {
        $number.observe(by: self, async: { screen, old, new in screen.seen.append("owner \(old) to \(new)") })
        return $number.observe(async: { [weak self] old, new in self?.seen.append("\(old) to \(new)") })
    }
}

private actor Reader {
    var seen: [String] = []

    func follow(_ changes: sending Watched<Int>.Changes) {
        changes.observe(on: self) { reader, old, new in reader.seen.append("\(old) to \(new)") }
    }
}

/// Changes of a watched property that are heard elsewhere.
@Suite(.timeLimit(.minutes(10))) struct WatchedElsewhereTests {
    private let log = Log<String>()

    @Test("As a sequence of the new values, from the call on, for each loop")
    func values() async {
        let model = Model()
        model.number = 1
        let values = model.$number.values, others = model.$number.values(buffer: .newest(1))
        model.number = 2
        model.number = 3
        values.finish()
        model.number = 4
        var seen: [Int] = []
        for await number in values { seen.append(number) }
        #expect(seen == [2, 3])
        #expect(await others.makeAsyncIterator().next() == 4)
        #expect(others.dropped == 2)
        let nothing = model.$nothing.values
        model.nothing = ()
        #expect(await nothing.makeAsyncIterator().next() != nil)
    }

    @Test("Through a queue, in the order of the changes, until the token ends")
    func R06_no_change_is_heard_in_a_queue_after_the_token_has_ended() {
        let model = Model()
        let queue = DispatchQueue(label: "watched")
        queue.suspend()
        let token = model.$number.observe(via: queue) { [log] old, new in log.append("\(old) to \(new)") }
        let last = model.$number.observe(via: queue, buffer: .newest(1)) { [log] _, new in log.append("last \(new)") }
        for number in 1...3 { model.number = number }
        queue.resume()
        queue.sync {}
        #expect(log.values.filter { $0.hasPrefix("last") } == ["last 3"])
        #expect(log.take().filter { !$0.hasPrefix("last") } == ["0 to 1", "1 to 2", "2 to 3"])
        token.cancel()
        model.number = 4
        queue.sync {}
        #expect(log.take() == ["last 4"])
        last.cancel()
    }

    @Test("On the main actor, by token and by owner") @MainActor
    func R03_changes_are_heard_on_the_actor_of_the_body() async {
        let screen = Screen()
        let token = screen.follow()
        screen.number = 1
        screen.number = 2
        #expect(screen.seen == [])
        #expect(await eventually { screen.seen.count == 4 })
        #expect(screen.seen.filter { !$0.hasPrefix("owner") } == ["0 to 1", "1 to 2"])
        #expect(screen.seen.filter { $0.hasPrefix("owner") } == ["owner 0 to 1", "owner 1 to 2"])
        token.cancel()
        screen.$number.removeObserver(screen)
        screen.number = 3
        await Task.yield()
        #expect(screen.seen.count == 4)
    }

    @Test("On an actor, while it lives")
    func R06_no_change_is_heard_after_the_actor_is_gone() async {
        let model = Model()
        var reader: Reader? = Reader()
        await reader?.follow(model.$number)
        model.number = 1
        model.number = 2
        var seen: [String] = []
        while seen.count < 2 {
            await Task.yield()
            seen = await reader?.seen ?? []
        }
        #expect(seen == ["0 to 1", "1 to 2"])
        weak let gone = reader
        reader = nil
        #expect(await eventually { gone == nil })
        model.number = 3
    }

    @Test("What a queued observer of a property has captured is given back with its token")
    func R10_captures_are_released_with_the_token() {
        let model = Model(), instances = Instances()
        var captured: Counted? = instances.make()
        let token = model.$number.observe(via: { $0() }) { [captured] _, _ in withExtendedLifetime(captured) {} }
        captured = nil
        model.number = 1
        #expect(instances.count == 1)
        token.cancel()
        #expect(instances.isEmpty)
    }
}
