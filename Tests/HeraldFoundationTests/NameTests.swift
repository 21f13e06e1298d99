import Foundation
import Herald
import HeraldFoundation
import Testing

/// The names of notifications are texts: any text, and as many as a program likes.
@Suite struct NameTests {
    private let center = HeraldNotificationCenter()
    private let log = Log<String>()

    /// Texts that a name of Herald cannot be, or that look like how they are written there.
    private static let odd = [
        "", "\0", "\0\0", "a", "a\0", "\0a", "a\0b", "a\0c", "0", "\u{F8FF}", "\u{F8FF}\u{F8FF}", "\u{F8FF}a",
        "\u{F8FF}\0", "\u{F8FF}\u{F8FE}0", "\u{F8FF}\u{F8FE}1", "\u{F8FE}", "\u{F8FE}0", "\u{F8FE}1", "\u{F8FE}\0",
        "\u{F8FE}0\0", "a\u{F8FF}", "\u{301}", "\u{301}\0", "\u{301}a\0", "a.b", "*", ".", " ",
    ]

    @Test("Names are equal as texts are in Swift, however they are encoded")
    func canonicalEquivalence() {
        let added = center.hear("caf\u{E9}", write: "composed", to: log)
        center.hear("cafe\u{301}", write: "decomposed", to: log)
        center.say("caf\u{E9}")
        #expect(log.take() == ["composed", "decomposed"])
        center.say("cafe\u{301}")
        #expect(log.take() == ["composed", "decomposed"])
        center.removeObserver(added.observer, name: Notification.Name("cafe\u{301}"), object: nil)
        center.say("caf\u{E9}")
        #expect(log.take() == ["decomposed"])
    }

    @Test("Names that look alike are different")
    func lookalikes() {
        center.hear("saved", write: "heard", to: log)
        for name in ["Saved", "saved ", " saved", "saved.", "saved\0", "save", "sav\u{435}d", "saved\u{200B}"] {
            center.say(name)
        }
        #expect(log.all == [])
    }

    @Test("An empty name, and one with a NUL, are names like any other", arguments: odd)
    func oddNames(_ name: String) {
        for other in Self.odd {
            center.hear(other) { [log] in
                log.add($0.name.rawValue == name && other == name ? "right" : "\(other.debugDescription) has heard it")
            }
        }
        center.say(name)
        #expect(log.all == ["right"])
    }

    @Test("An observer of every name hears the name that was posted, whether or not it is observed", arguments: odd)
    func everyName(_ name: String) {
        let names = Log<String>()
        center.hear(nil) { names.add($0.name.rawValue) }
        center.say(name)
        center.hear(name, write: "heard", to: log)
        center.say(name)
        #expect(names.all == [name, name])
        #expect(log.count == 1)
    }

    @Test("A name may be long")
    func longName() {
        let name = String(repeating: "long ", count: 2000)
        let names = Log<String>()
        center.hear(nil) { names.add($0.name.rawValue) }
        center.hear(name + "er", write: "longer", to: log)
        center.hear(name, write: "long", to: log)
        center.say(name)
        #expect(log.all == ["long"])
        #expect(names.all == [name])
    }

    @Test("Posts of names that nobody observes reach observers of every name, in order, and with all they carry")
    func unobserved() {
        let object = Canary()
        center.hear(nil, about: object) { [log] in log.add("object \($0.name.rawValue)") }
        center.hear("elsewhere", write: "elsewhere", to: log)
        center.hear(nil) { [log] in log.add("any \($0.name.rawValue) \($0.userInfo?["n"] as? Int ?? 0)") }
        center.say("unobserved.1", about: object, ["n": 1])
        center.say("unobserved.2", ["n": 2])
        #expect(log.all == ["object unobserved.1", "any unobserved.1 1", "any unobserved.2 2"])
    }

    @Test("Names that are only posted are not kept")
    func postedOnly() {
        let names = Log<String>()
        let run = UUID().uuidString
        for number in 0..<100 { center.say("posted.\(run).\(number)") }
        center.hear(nil) { names.add($0.name.rawValue) }
        for number in 0..<100 { center.say("posted.\(run).\(number)", about: Canary(), ["n": number]) }
        for number in 0..<100 { #expect(HeraldCenter.Name(existing: "posted.\(run).\(number)") == nil) }
        #expect(names.all == (0..<100).map { "posted.\(run).\($0)" })
    }

    @Test("A name that is observed is a name of Herald's, with the same text")
    func observed() {
        let name = "observed.\(UUID().uuidString)"
        #expect(HeraldCenter.Name(existing: name) == nil)
        center.hear(name, write: "heard", to: log)
        #expect(HeraldCenter.Name(existing: name)?.description == name)
        center.say(name)
        #expect(log.all == ["heard"])
    }

    @Test("A name that is observed in one center only is heard in that center only")
    func observedElsewhere() {
        let other = HeraldNotificationCenter()
        let name = "elsewhere.\(UUID().uuidString)"
        other.hear(name, write: "other", to: log)
        center.hear(nil) { [log] in log.add($0.name.rawValue) }
        center.say(name)
        #expect(log.all == [name])
    }

    @Test("A name that is posted first, and observed afterwards, is heard from then on")
    func postedThenObserved() {
        let name = "later.\(UUID().uuidString)"
        center.say(name)
        center.hear(name, write: "heard", to: log)
        center.say(name)
        #expect(log.all == ["heard"])
    }
}
