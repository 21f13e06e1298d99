import Foundation
import HeraldFoundation
import Testing

private typealias Center = HeraldNotificationCenter

private final class Document: Sendable {}

private struct Saved: HeraldNotificationCenter.MainActorMessage {
    typealias Subject = Document
    var path = "a"
}

extension HeraldNotificationCenter.MessageIdentifier
where Self == HeraldNotificationCenter.BaseMessageIdentifier<Saved> {
    fileprivate static var saved: Self { .init() }
}

/// A message with mutable state, which is not Sendable.
private final class Question: HeraldNotificationCenter.MainActorMessage {
    typealias Subject = Document
    var answers: [Int] = []
}

private enum Phase: Int, HeraldNotificationCenter.MainActorMessage, CaseIterable {
    typealias Subject = Document
    case begun, half, done
}

private actor Inquiry: HeraldNotificationCenter.MainActorMessage {
    typealias Subject = Document
    nonisolated let number: Int
    init(_ number: Int) { self.number = number }
}

private struct Changed<Value: Sendable>: HeraldNotificationCenter.MainActorMessage {
    typealias Subject = Document
    var value: Value
}

/// Its observers cannot pass an instance: the subject is a value.
private struct Measured: HeraldNotificationCenter.MainActorMessage {
    typealias Subject = Int
    var length: Int
}

extension HeraldNotificationCenter.MessageIdentifier
where Self == HeraldNotificationCenter.BaseMessageIdentifier<Measured> {
    fileprivate static var measured: Self { .init() }
}

/// Not private: the name of a private type has a part that differs from build to build.
enum MainActorMessageNames {
    struct Opened: HeraldNotificationCenter.MainActorMessage { typealias Subject = NSObject }
}

/// Messages of the main actor: who hears them, where, when and in which order.
@Suite struct MainActorMessageTests {
    private let center = Center()

    @MainActor @Test("A message is heard before its post returns")
    func heardInThePost() {
        let log = Log<String>()
        let token = center.addObserver(of: Document.self, for: .saved) { log.add($0.path) }
        center.post(Saved(path: "a"))
        log.add("posted")
        center.post(Saved(path: "b"))
        #expect(log.all == ["a", "posted", "b"])
        withExtendedLifetime(token) {}
    }

    @MainActor @Test("An observer of a subject hears what is posted about it alone; an observer of the type hears all")
    func subjects() {
        let log = Log<String>()
        let first = Document()
        let second = Document()
        let tokens = [
            center.addObserver(of: first, for: .saved) { log.add("first \($0.path)") },
            center.addObserver(of: second, for: .saved) { log.add("second \($0.path)") },
            center.addObserver(of: Document.self, for: .saved) { log.add("all \($0.path)") },
        ]
        center.post(Saved(path: "1"), subject: first)
        center.post(Saved(path: "2"), subject: second)
        center.post(Saved(path: "3"), subject: Document())
        center.post(Saved(path: "4"))
        #expect(log.all == ["first 1", "all 1", "second 2", "all 2", "all 3", "all 4"])
        withExtendedLifetime((tokens, first, second)) {}
    }

    @MainActor @Test("The type of the message does as well as an identifier, with a subject and without")
    func withoutIdentifier() {
        let log = Log<String>()
        let document = Document()
        let tokens = [
            center.addObserver(of: document, for: Saved.self) { log.add("subject \($0.path)") },
            center.addObserver(for: Saved.self) { log.add("all \($0.path)") },
            center.addObserver(of: nil, for: Saved.self) { log.add("nil \($0.path)") },
        ]
        center.post(Saved(path: "1"), subject: document)
        center.post(Saved(path: "2"))
        #expect(log.all == ["subject 1", "all 1", "nil 1", "all 2", "nil 2"])
        withExtendedLifetime((tokens, document)) {}
    }

    @MainActor @Test("A message whose subject is no class is observed by type")
    func valueSubject() {
        let log = Log<Int>()
        let token = center.addObserver(of: Int.self, for: .measured) { log.add($0.length) }
        center.post(Measured(length: 12))
        #expect(log.all == [12])
        withExtendedLifetime(token) {}
    }

    @MainActor @Test("Messages of another type, and messages in another center, are not heard")
    func strangers() {
        let log = Log<String>()
        let token = center.addObserver(for: Saved.self) { log.add($0.path) }
        center.post(Phase.done)
        center.post(Changed(value: "b"))
        Center().post(Saved(path: "elsewhere"))
        center.post(Saved(path: "here"))
        #expect(log.all == ["here"])
        withExtendedLifetime(token) {}
    }

    @MainActor @Test("Observers are called in the order of registration, with a subject or without")
    func order() {
        let log = Log<Int>()
        let document = Document()
        let tokens = (0..<20).map { number in
            number.isMultiple(of: 3)
                ? center.addObserver(of: document, for: Saved.self) { _ in log.add(number) }
                : center.addObserver(for: Saved.self) { _ in log.add(number) }
        }
        center.post(Saved(), subject: document)
        #expect(log.all == Array(0..<20))
        center.post(Saved())
        #expect(log.all.dropFirst(20) == (0..<20).filter { !$0.isMultiple(of: 3) }[...])
        withExtendedLifetime((tokens, document)) {}
    }

    @MainActor @Test("An observer that is added in a post is not called by that post")
    func addedInAPost() {
        let log = Log<String>()
        let added = Log<Center.ObservationToken>()
        let token = center.addObserver(for: Saved.self) { [center] saved in
            log.add("first \(saved.path)")
            guard added.count == 0 else { return }
            added.add(center.addObserver(for: Saved.self) { log.add("second \($0.path)") })
        }
        center.post(Saved(path: "1"))
        center.post(Saved(path: "2"))
        #expect(log.all == ["first 1", "first 2", "second 2"])
        center.removeObserver(token)
    }

    @MainActor @Test("A post in an observer is over before the next observer of the outer post is called")
    func nested() {
        let log = Log<String>()
        let tokens = [
            center.addObserver(for: Saved.self) { [center] saved in
                log.add("begin \(saved.path)")
                if saved.path.count < 3 { center.post(Saved(path: saved.path + "+")) }
                log.add("end \(saved.path)")
            },
            center.addObserver(for: Saved.self) { log.add("last \($0.path)") },
        ]
        center.post(Saved(path: "a"))
        #expect(
            log.all == [
                "begin a", "begin a+", "begin a++", "end a++", "last a++", "end a+", "last a+", "end a", "last a",
            ])
        tokens.forEach { center.removeObserver($0) }
    }

    @MainActor @Test("An instance is handed over itself: what an observer writes into it, the poster reads")
    func instanceAsMessage() {
        let tokens = (1...3).map { number in
            center.addObserver(for: Question.self) { $0.answers.append(number) }
        }
        let question = Question()
        center.post(question)
        #expect(question.answers == [1, 2, 3])
        withExtendedLifetime(tokens) {}
    }

    @MainActor @Test("A message may be an enum or an actor")
    func enumsAndActors() {
        let phases = Log<Phase>()
        let inquiries = Log<Int>()
        let tokens = [
            center.addObserver(for: Phase.self) { phases.add($0) },
            center.addObserver(for: Inquiry.self) { inquiries.add($0.number) },
        ]
        for phase in Phase.allCases { center.post(phase) }
        center.post(Inquiry(5))
        #expect(phases.all == [.begun, .half, .done])
        #expect(inquiries.all == [5])
        withExtendedLifetime(tokens) {}
    }

    @MainActor @Test("A generic message has a name for each of its types")
    func generic() {
        let log = Log<String>()
        let tokens = [
            center.addObserver(for: Changed<Int>.self) { log.add("number \($0.value)") },
            center.addObserver(for: Changed<String>.self) { log.add("text \($0.value)") },
            center.addObserver(for: Changed<[Int]>.self) { log.add("numbers \($0.value)") },
        ]
        center.post(Changed(value: 1))
        center.post(Changed(value: "two"))
        center.post(Changed(value: [3]))
        #expect(log.all == ["number 1", "text two", "numbers [3]"])
        withExtendedLifetime(tokens) {}
    }

    @Test("Without a name of its own, a message has the full name of its type")
    func synthesizedName() {
        let name = MainActorMessageNames.Opened.name.rawValue
        #expect(name == String(reflecting: MainActorMessageNames.Opened.self))
        #expect(name.hasSuffix("MainActorMessageNames.Opened"))
    }

    @Test("An observer that an actor has added is called on the main actor, and what the actor posts there is heard")
    func addedElsewhere() async {
        actor Reader {
            let log = Log<String>()
            var token: Center.ObservationToken?

            func read(_ center: Center) {
                token = center.addObserver(of: Document.self, for: .saved) { [log] saved in
                    MainActor.preconditionIsolated()
                    log.add(saved.path)
                }
            }

            func stop() { token = nil }
        }
        let reader = Reader()
        await reader.read(center)
        await MainActor.run { center.post(Saved(path: "a")) }
        await reader.stop()
        await MainActor.run { center.post(Saved(path: "b")) }
        #expect(reader.log.all == ["a"])
    }

    @MainActor @Test("The subject is held neither by the observation nor by the center")
    func subjectIsNotHeld() {
        let log = Log<String>()
        weak var gone: Document?
        let token: Center.ObservationToken
        do {
            let document = Document()
            gone = document
            token = center.addObserver(of: document, for: .saved) { log.add($0.path) }
            center.post(Saved(path: "a"), subject: document)
        }
        #expect(gone == nil)
        // One of these may be where the document was.
        for _ in 0..<100 { center.post(Saved(path: "stranger"), subject: Document()) }
        center.post(Saved(path: "nobody"))
        #expect(log.all == ["a"])
        withExtendedLifetime(token) {}
    }

    @MainActor @Test("A hundred observers that each end the next one: every other one is called")
    func endingTheNext() {
        final class Tokens { var all: [Center.ObservationToken] = [] }
        let log = Log<Int>()
        let tokens = Tokens()
        for number in 0..<100 {
            tokens.all.append(
                center.addObserver(for: Saved.self) { [center] _ in
                    log.add(number)
                    if number < 99 { center.removeObserver(tokens.all[number + 1]) }
                })
        }
        center.post(Saved())
        #expect(log.all == Array(stride(from: 0, to: 100, by: 2)))
        center.post(Saved())
        #expect(log.count == 100)
        tokens.all = []
        #expect(center.herald.observations.isEmpty)
    }
}
