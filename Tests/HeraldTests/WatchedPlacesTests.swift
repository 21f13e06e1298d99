import Herald
import Testing

private class Shape {
    @Watched var width = 0
}

private class Circle: Shape {
    @Watched var radius = 0
}

private final class Loud: Circle {
    var said: [Int] = []
    override var width: Int { didSet { said.append(width) } }
}

@MainActor private final class Screen {
    @Watched var title = ""
    var shown: [String] = []
}

private actor Account {
    @Watched var balance = 0
    private var token: HeraldCenter.ObservationToken?

    func watch(_ log: Log<String>) {
        token = $balance.observe { old, new in log.append("\(old) to \(new)") }
    }

    func deposit(_ amount: Int) { balance += amount }
}

private final class Settings {
    let volumeChanges = Watched<Int>.Changes()
    var volume = 1 { didSet { volumeChanges.send(old: oldValue, new: volume) } }
}

private struct Form {
    let nameChanges = Watched<String>.Changes()
    var name = "" { didSet { nameChanges.send(old: oldValue, new: name) } }
}

/// Where @Watched works, and the alternatives elsewhere.
@Suite struct WatchedPlacesTests {
    private let log = Log<String>()

    @Test("Non-final classes and subclasses: inherited, own and overridden properties")
    func subclasses() {
        let loud = Loud()
        let shape: Shape = loud
        let width = shape.$width.observe { [log] old, new in log.append("width \(old) to \(new)") }
        let radius = loud.$radius.observe { [log] old, new in log.append("radius \(old) to \(new)") }
        loud.width = 1
        shape.width = 2
        loud.radius = 3
        #expect(log.values == ["width 0 to 1", "width 1 to 2", "radius 0 to 3"])
        #expect(loud.said == [1, 2])
        width.cancel()
        radius.cancel()
    }

    @Test("Main-actor classes: the callback is on the main actor, and may change what lives there")
    @MainActor func mainActor() {
        let screen = Screen()
        let token = screen.$title.observe { _, new in screen.shown.append(new) }
        screen.$title.observe(by: screen) { me, old, new in me.shown.append("\(old) to \(new)") }
        screen.title = "a"
        #expect(screen.shown == ["a", " to a"])
        token.cancel()
    }

    @Test("Actors")
    func actors() async {
        let account = Account()
        await account.watch(log)
        await account.deposit(3)
        await account.deposit(4)
        #expect(log.values == ["0 to 3", "3 to 7"])
    }

    @Test("The way out: Watched.Changes and didSet, in classes and in structs; initial: has no value and calls nobody")
    func changesOfOnesOwn() {
        let settings = Settings()
        var form = Form()
        let view = WatchingView()
        let token = settings.volumeChanges.observe(initial: true) { [log] old, new in log.append("\(old) to \(new)") }
        form.nameChanges.observe(by: view, initial: true) { $0.seen.append("\($1) to \($2)") }
        settings.volume = 2
        form.name = "a"
        #expect(log.values == ["1 to 2"])
        #expect(view.seen == [" to a"])
        form.nameChanges.removeObserver(view)
        token.cancel()
        settings.volume = 3
        form.name = "b"
        #expect(log.values == ["1 to 2"])
        #expect(view.seen == [" to a"])
    }
}
