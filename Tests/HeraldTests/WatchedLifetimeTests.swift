import Herald
import Testing

/// When observations of @Watched properties end, and what is released then.
@Suite struct WatchedLifetimeTests {
    private let model = WatchedModel()
    private let log = Log<String>()

    @Test("By token: it ends with the token, or when it is cancelled, and releases what the body captured")
    func byToken() {
        var canary: Canary? = Canary()
        weak let weakly = canary
        do {
            let token = model.$name.observe { [log, canary] _, new in
                log.append(new)
                keepAlive(canary)
            }
            model.name = "a"
            canary = nil
            #expect(weakly != nil)
            token.cancel()
            #expect(weakly == nil)
            model.name = "b"
        }
        do {
            let token = model.$name.observe { [log] _, new in log.append(new) }
            model.name = "c"
            keepAlive(log)
            _ = token
        }
        model.name = "d"
        #expect(log.values == ["a", "c"])
    }

    @Test("By owner: held weakly, handed to the body, ends with it; the same owner again replaces")
    func byOwner() {
        var view: WatchingView? = WatchingView()
        weak let weakly = view
        model.$name.observe(by: view!) { [log] _, _, new in log.append("replaced \(new)") }
        model.$name.observe(by: view!) { [log] view, old, new in
            view.seen.append(new)
            log.append("\(old) to \(new), \(view.seen.count)")
        }
        model.name = "a"
        view = nil
        #expect(weakly == nil)
        model.name = "b"
        #expect(log.values == [" to a, 1"])
    }

    @Test("By owner: what the body captured goes with the owner's next turn at the latest")
    func R10_captures_of_a_dead_owner_are_released_by_the_next_change() {
        var view: WatchingView? = WatchingView()
        var canary: Canary? = Canary()
        weak let weakly = canary
        model.$name.observe(by: view!) { [canary] _, _, _ in keepAlive(canary) }
        canary = nil
        view = nil
        model.name = "a"
        #expect(weakly == nil)
    }

    @Test("removeObserver ends what this owner observes of this property, and nothing else")
    func R08_a_removal_matches_one_owner_and_property() {
        let view = WatchingView()
        let other = WatchingView()
        for owner in [view, other] { model.$name.observe(by: owner) { $0.seen.append($2) } }
        model.$age.observe(by: view) { $0.seen.append("\($2)") }
        model.$name.removeObserver(view)
        model.name = "a"
        model.age = 1
        #expect(view.seen == ["1"])
        #expect(other.seen == ["a"])
    }

    @Test("Observations end with the model: what bodies captured is released, by owner and kept")
    func R10_captures_are_released_with_the_model() {
        var model: WatchedModel? = WatchedModel()
        var canary: Canary? = Canary()
        weak let weakly = canary
        let view = WatchingView()
        model!.$name.observe { [canary] _, _ in keepAlive(canary) }.keep()
        model!.$age.observe(by: view) { [canary] _, _, _ in keepAlive(canary) }
        canary = nil
        model!.name = "a"
        #expect(weakly != nil)
        model = nil
        #expect(weakly == nil)
        keepAlive(view)
    }

    @Test("What a body captured lives as long as its token, also when the model has gone")
    func capturesLiveWithTheToken() {
        var model: WatchedModel? = WatchedModel()
        var canary: Canary? = Canary()
        weak let weakly = canary
        let token = model!.$name.observe { [canary] _, _ in keepAlive(canary) }
        canary = nil
        model!.name = "a"
        #expect(weakly != nil)
        model = nil
        #expect(weakly != nil)
        token.cancel()
        #expect(weakly == nil)
    }

    @Test("A held $property does not keep the model alive")
    func projectionKeepsNoModel() {
        var model: WatchedModel? = WatchedModel()
        weak let weakly = model
        let changes = model!.$name
        model = nil
        #expect(weakly == nil)
        var told = 0
        changes.observe(initial: true) { _, _ in told += 1 }.keep()
        #expect(told == 0, "there is no value to begin with")
    }

    @Test("Tokens and owners do not keep the model alive")
    func modelIsNotKept() {
        let view = WatchingView()
        var model: WatchedModel? = WatchedModel()
        weak let weakly = model
        let token = model!.$name.observe { _, _ in }
        model!.$name.observe(by: view) { _, _, _ in }
        model!.name = "a"
        model = nil
        #expect(weakly == nil)
        token.cancel()
        keepAlive(view)
    }

    @Test("A model that gives itself up in a callback lives until the assignment is over")
    func modelDiesInACallback() {
        var model: WatchedModel? = WatchedModel()
        weak let weakly = model
        model!.$name.observe { [log] _, new in
            model = nil
            log.append(new)
        }.keep()
        model!.$name.observe { [log] _, new in log.append("second \(new)") }.keep()
        model?.name = "a"
        #expect(log.values.first == "a")
        #expect(weakly == nil)
    }

    @Test("Values that are optional or of a class are not kept alive after the change, observed or not")
    func valuesAreReleased() {
        func change() {
            weak let guest = model.guest
            weak let host = model.host
            model.guest = nil
            model.host = Canary()
            #expect(guest == nil)
            #expect(host == nil)
        }
        model.guest = Canary()
        change()
        let tokens = ObservationBag()
        model.$guest.observe { [log] old, new in log.append("\(old != nil) \(new != nil)") }.store(in: tokens)
        model.$host.observe { [log] old, new in log.append("\(old !== new)") }.store(in: tokens)
        model.guest = Canary()
        change()
        #expect(log.values == ["false true", "true false", "true"])
        tokens.cancelAll()
    }

    @Test("A projection that somebody holds keeps no value alive")
    func projectionKeepsNoValue() {
        model.guest = Canary()
        weak let guest = model.guest
        let changes = model.$guest
        model.guest = nil
        #expect(guest == nil)
        changes.observe { _, _ in }.keep()
    }
}
