import Herald
import Testing

final class WatchedModel {
    @Watched var name = ""
    @Watched var age = 0
    @Watched var tags: [String] = []
    @Watched var counts: [String: Int] = [:]
    @Watched var guest: Canary?
    @Watched var host = Canary()
}

final class WatchingView {
    var seen: [String] = []
}

/// Observers of a @Watched property: what they hear, and which calls are allowed during a change. The XW categories
/// offered this: blocks that end with their owner, for notifications and for watched properties. Their bugs are tests
/// of their own.
@Suite struct WatchedTests {
    private let model = WatchedModel()
    private let log = Log<String>()

    // ---- What is heard

    @Test("A change is told with the old value and the new, before the assignment returns")
    func oldAndNew() {
        let token = model.$name.observe { [log] old, new in log.append("\(old) to \(new)") }
        model.name = "a"
        #expect(log.take() == [" to a"])
        model.name = "b"
        #expect(log.take() == ["a to b"])
        #expect(model.name == "b")
        token.cancel()
    }

    @Test("An assignment of the same value is told, as KVO does")
    func sameValue() {
        let token = model.$age.observe { [log] old, new in log.append("\(old) to \(new)") }
        model.age = 0
        #expect(log.values == ["0 to 0"])
        token.cancel()
    }

    @Test("initial: calls once with the value that is there, by token and by owner")
    func initial() {
        model.name = "a"
        let view = WatchingView()
        let token = model.$name.observe(initial: true) { [log] old, new in log.append("\(old) to \(new)") }
        model.$name.observe(by: view, initial: true) { $0.seen.append("\($1) to \($2)") }
        #expect(log.values == ["a to a"])
        #expect(view.seen == ["a to a"])
        model.name = "b"
        #expect(log.values == ["a to a", "a to b"])
        #expect(view.seen == ["a to a", "a to b"])
        token.cancel()
    }

    @Test("initial: tells the value of now, also through a projection that was taken before it")
    func initialThroughAnOlderProjection() {
        let changes = model.$name
        model.name = "a"
        let token = changes.observe(initial: true) { [log] _, new in log.append(new) }
        #expect(log.values == ["a"])
        token.cancel()
    }

    @Test("The callback reads the new value in the property, of this one and of others")
    func reads() {
        let token = model.$name.observe { [model, log] _, new in log.append("\(model.name) \(new) \(model.age)") }
        model.age = 7
        model.name = "a"
        #expect(log.values == ["a a 7"])
        token.cancel()
    }

    @Test("Observers are called in the order of registration, owners or not; properties do not mix")
    func R02_observers_of_a_property_are_called_in_the_order_of_registration() {
        let view = WatchingView()
        let first = model.$name.observe { [log] _, _ in log.append("1") }
        model.$name.observe(by: view) { [log] _, _, _ in log.append("2") }
        let third = model.$name.observe { [log] _, _ in log.append("3") }
        let age = model.$age.observe { [log] _, new in log.append("age \(new)") }
        model.name = "a"
        model.age = 1
        #expect(log.values == ["1", "2", "3", "age 1"])
        first.cancel()
        third.cancel()
        age.cancel()
        keepAlive(view)
    }

    @Test("Instances of one class do not mix")
    func instances() {
        let other = WatchedModel()
        let token = model.$name.observe { [log] _, new in log.append(new) }
        other.name = "other"
        model.name = "mine"
        #expect(log.values == ["mine"])
        token.cancel()
    }

    @Test("Collections changed in place are told, with what they were")
    func collections() {
        let tags = model.$tags.observe { [log] old, new in log.append("\(old) to \(new)") }
        let counts = model.$counts.observe { [log] old, new in log.append("\(old) to \(new)") }
        model.tags.append("a")
        model.tags[0] += "b"
        model.counts["x", default: 0] += 1
        model.tags.removeAll()
        #expect(log.values == [#"[] to ["a"]"#, #"["a"] to ["ab"]"#, #"[:] to ["x": 1]"#, #"["ab"] to []"#])
        tags.cancel()
        counts.cancel()
    }

    // ---- Bugs of the original

    @Test("Bug: a block that captures self defeats auto-removal. The owner is handed in, so nothing has to capture it")
    func ownerIsHandedIn() {
        final class Controller {
            let model: WatchedModel
            var seen: [String] = []

            init(_ model: WatchedModel) {
                self.model = model
                model.$name.observe(by: self) { me, _, new in me.seen.append(new) }
            }
        }
        var controller: Controller? = Controller(model)
        weak let weakly = controller
        model.name = "a"
        #expect(controller!.seen == ["a"])
        controller = nil
        #expect(weakly == nil)
        model.name = "b"
    }

    @Test("Bug: one block cannot be removed alone. Each has its token")
    func R09_a_token_ends_one_of_several_observations() {
        let first = model.$name.observe { [log] _, new in log.append("1 \(new)") }
        let second = model.$name.observe { [log] _, new in log.append("2 \(new)") }
        let third = model.$name.observe { [log] _, new in log.append("3 \(new)") }
        second.cancel()
        model.name = "a"
        #expect(log.take() == ["1 a", "3 a"])
        first.cancel()
        model.name = "b"
        #expect(log.take() == ["3 b"])
        third.cancel()
    }

    @Test("Bug: adding inside a callback crashes. It works a hundred times over, and hears from the next change on")
    func R05_an_observer_added_in_a_callback_hears_the_next_change() {
        let bag = ObservationBag()
        let token = model.$name.observe { [model, log] _, new in
            for index in 0..<100 {
                model.$name.observe { _, new in if index == 99 { log.append("late \(new)") } }.store(in: bag)
            }
            log.append(new)
        }
        model.name = "a"
        #expect(log.take() == ["a"])
        token.cancel()
        model.name = "b"
        #expect(log.take() == ["late b"])
        bag.cancelAll()
    }

    @Test("Who is removed in a callback and has not been called yet is not called")
    func R06_an_observer_removed_in_a_callback_is_not_called() {
        let bag = ObservationBag()
        let first = model.$name.observe { [log] _, new in
            log.append("1 \(new)")
            bag.cancelAll()
        }
        model.$name.observe { [log] _, new in log.append("2 \(new)") }.store(in: bag)
        model.name = "a"
        #expect(log.values == ["1 a"])
        first.cancel()
    }

    @Test("A callback may set the property again; each change is told to all")
    func R07_a_callback_may_set_the_property_again() {
        let clamp = model.$age.observe { [model] _, new in if new > 10 { model.age = 10 } }
        let watch = model.$age.observe { [log] old, new in log.append("\(old) to \(new)") }
        model.age = 12
        #expect(model.age == 10)
        #expect(log.values == ["12 to 10", "0 to 12"])  // the inner change is over before the outer one goes on
        clamp.cancel()
        watch.cancel()
    }

    @Test("Bug: dictionaries are read outside the lock. Models on several threads share nothing that races")
    func threads() {
        let returned = onThreads(4) { [log] thread in
            for turn in 0..<200 {
                let model = WatchedModel()
                let view = WatchingView()
                let token = model.$name.observe { old, new in if new != "\(turn)" { log.append("wrong \(old) \(new)") }
                }
                model.$age.observe(by: view) { $0.seen.append("\($2)") }
                model.$name.observe(by: view) { $0.seen.append($2) }
                model.name = "\(turn)"
                model.age = thread
                if view.seen != ["\(turn)", "\(thread)"] { log.append("seen \(view.seen)") }
                token.cancel()
            }
        }
        #expect(returned)
        #expect(log.values == [])
    }
}
