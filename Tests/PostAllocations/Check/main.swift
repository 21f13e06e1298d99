// Posts each kind of message a thousand times and prints the number of allocations. A test runs it.
import Counter
import Herald

struct Plain: HeraldCenter.Message { var number: Int }
struct Large: HeraldCenter.Message { var words = (0, 1, 2, 3, 4, 5, 6, 7, 8, 9) }
struct Text: HeraldCenter.Message { var text: String }
struct Unique: HeraldCenter.Message, ~Copyable { var number: Int }
enum Either: HeraldCenter.Message {
    case number(Int)
    case text(String)
}
final class Document: Sendable {}
struct Saved: HeraldCenter.Message {
    typealias Subject = Document
    var number: Int
}
struct Generic<Value>: HeraldCenter.Message { var value: Value }
struct Screen: HeraldCenter.MainActorMessage { var width: Int }
final class Owner: Sendable {}
protocol Listener: Sendable { func hear(_ number: Int) }
final class Hearer: Listener { func hear(_ number: Int) {} }
final class Model { @Watched var number = 0 }

func count(_ what: String, _ body: () -> Void) {
    for _ in 0..<10 { body() }
    let before = allocations()
    for _ in 0..<1000 { body() }
    let after = allocations()
    print("\(what): \(after - before)")
}

let probe = allocations()
let box = Document()
print("counting: \(allocations() > probe)")

let center = HeraldCenter()
let bag = ObservationBag()
let document = box
let owner = Owner()
let hearer = Hearer()
let text = Text(text: "a text that is too long to be kept in the word itself")
center.observe(Plain.self) { _ = $0.number }.store(in: bag)
center.observe(Large.self) { _ = $0.words.9 }.store(in: bag)
center.observe(Text.self) { _ = $0.text }.store(in: bag)
center.observe(Unique.self) { _ = $0.number }.store(in: bag)
center.observe(Either.self) { _ = $0 }.store(in: bag)
center.observe(Generic<Int>.self) { _ = $0.value }.store(in: bag)
center.observe(Saved.self, subject: document) { _ = $0.number }.store(in: bag)
center.observe(Screen.self) { _ = $0.width }.store(in: bag)
center.observe(Plain.self, by: owner) { _, message in _ = message.number }
center.addObserver(hearer, as: Listener.self)
let topic = center.topic(for: Plain.self)
let subjectTopic = center.topic(for: Saved.self, subject: document)
let name: HeraldCenter.Name = "allocations.name"
center.observe(name) { _ = $0.name }.store(in: bag)
let model = Model()
let watching = model.$number.observe { _, new in _ = new }

count("a struct") { center.post(Plain(number: 1)) }
count("a struct, by topic") { topic.post(Plain(number: 1)) }
count("a large struct") { center.post(Large()) }
count("a text") { center.post(text) }
count("a message that cannot be copied") { center.post(Unique(number: 1)) }
count("an enum") { center.post(Either.number(1)) }
count("a generic message") { center.post(Generic(value: 1)) }
count("with a subject") { center.post(Saved(number: 1), subject: document) }
count("with a subject, by topic") { subjectTopic.post(Saved(number: 1)) }
count("a main-actor message") { center.post(Screen(width: 1)) }
count("a call of a protocol") { center.notify(Listener.self) { $0.hear(1) } }
count("a name") { center.post(name) }
count("a name with a userInfo") { center.post(name, userInfo: 1) }
count("a watched property") { model.number += 1 }
count("nobody observes") { HeraldCenter.local.post(Plain(number: 1)) }
withExtendedLifetime((owner, hearer)) { watching.cancel() }
