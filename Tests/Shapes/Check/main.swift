// Messages of every shape, owners and observers of every kind, posted every way: a callback of C gets what was posted.
// Herald relies on how Swift passes values to closures (`herald_runtime.h`). So this runs in debug (by the Swift tests)
// and optimised (`make shapes`), and reports what a toolchain does differently.
import Foundation
import Herald

struct Empty: HeraldCenter.Message {}
struct Word: HeraldCenter.Message { var number: Int }
struct Words: HeraldCenter.Message { var number: Int, text: String }
struct Large: HeraldCenter.Message { var words = (1, 2, 3, 4, 5, 6, 7, 8), text = "large" }
struct Boxed: HeraldCenter.Message { var value: Any }
enum Either: HeraldCenter.Message { case none, text(String), both(Int, Double) }
final class Instance: HeraldCenter.Message, CustomStringConvertible, Sendable {
    let description = "an instance"
}
actor Place: HeraldCenter.Message {}
struct Generic<Value>: HeraldCenter.Message { var value: Value }
struct Vector: HeraldCenter.Message { var a: Double, b: Float, c: SIMD8<Double> }
struct Function: HeraldCenter.Message, CustomStringConvertible {
    var call: @Sendable () -> String
    var description: String { call() }
}
struct WeakOne: HeraldCenter.Message, CustomStringConvertible {
    weak var instance: Instance?
    var description: String { "weakly \(instance?.description ?? "nothing")" }
}
struct Unique: HeraldCenter.Message, ~Copyable { var number: Int, text: String }
struct Kept: HeraldCenter.KeptMessage { var number: Int, text: String }
struct KeptVector: HeraldCenter.KeptMessage { var a: Double, b: Float, c: SIMD64<Double> }
struct KeptEmpty: HeraldCenter.KeptMessage {}
struct KeptGeneric<Value: Sendable>: HeraldCenter.KeptMessage { var value: Value }
final class KeptInstance: HeraldCenter.KeptMessage, CustomStringConvertible, Sendable {
    let description = "a kept instance"
}
struct Drawn: HeraldCenter.MainActorMessage { var width: Int, text: String }

final class Owner: Sendable { let number = 7 }
final class Box<Value: Sendable>: Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
}

protocol Hearing: AnyObject, Sendable { func hear(_ text: String) }
protocol Counting: Sendable { func count(_ number: Int) -> Int }
final class Both: Hearing, Counting, @unchecked Sendable {
    func hear(_ text: String) { heard("hear \(text)") }
    func count(_ number: Int) -> Int {
        heard("count \(number)")
        return number
    }
}

nonisolated(unsafe) var log: [String] = []
nonisolated(unsafe) var failures = 0
func heard(_ text: String) { log.append(text) }

func expect(_ what: String, _ expected: [String], _ post: () -> Void) {
    log = []
    post()
    if log != expected {
        print("\(what): heard \(log), expected \(expected)")
        failures += 1
    }
}

let center = HeraldCenter()

@inline(never) func check<M: HeraldCenter.Message & SendableMetatype>(_ message: M) {
    let owner = Owner(), box = Box("box")
    let text = "\(message)"
    let token = center.observe(M.self) { heard("token \($0)") }
    center.observe(M.self, by: owner) { me, message in heard("owner \(me.number) \(message)") }
    center.observe(M.self, by: box) { me, message in heard("\(me.value) \(message)") }
    let all = center.observeAll { heard("all \($0.message.map { "\($0)" } ?? "none")") }
    let expected = ["token \(text)", "owner 7 \(text)", "box \(text)", "all \(text)"]
    let topic = center.topic(for: M.self), any: any HeraldCenter.Message = message
    expect("\(M.self) by type", expected) { center.post(message) }
    expect("\(M.self) as an existential", expected) { center.post(any) }
    expect("\(M.self) by topic", expected) { topic.post(message) }
    token.cancel()
    all.cancel()
    expect("\(M.self) without a token", [String](expected[1...2])) { center.post(message) }
    withExtendedLifetime((owner, box)) {}
}

@inline(never) func checkKept<M: HeraldCenter.KeptMessage>(_ message: M) {
    check(message)
    let owner = Owner(), text = "\(message)"
    expect("\(M.self) kept", ["token \(text)", "1", "owner 7 \(text)", "while \(text)", "read \(text)"]) {
        let token = center.observe(M.self, from: .kept, began: { heard("\($0)") }) { heard("token \($0)") }
        center.observe(M.self, from: .kept, by: owner) { me, message in heard("owner \(me.number) \(message)") }
        center.observe(M.self, from: .kept, while: { _ in true }) { heard("while \($0)") }.end()
        heard("read \(center.kept(M.self).map { "\($0)" } ?? "none")")
        token.cancel()
    }
    center.removeObserver(owner)
    expect("\(M.self) forgotten", ["true", "0", "none"]) {
        heard("\(center.forget(M.self))")
        center.observe(M.self, from: .kept, began: { heard("\($0)") }) { heard("token \($0)") }.end()
        heard(center.kept(M.self).map { "\($0)" } ?? "none")
    }
}

@inline(never) func checkUnique() {
    let owner = Owner()
    let token = center.observe(Unique.self) { heard("token \($0.number) \($0.text)") }
    center.observe(Unique.self, by: owner) { me, message in heard("owner \(me.number) \(message.text)") }
    expect("what cannot be copied", ["token 3 three", "owner 7 three"]) {
        center.post(Unique(number: 3, text: "three"))
    }
    token.cancel()
    withExtendedLifetime(owner) {}
}

@MainActor func checkMainActor() {
    let owner = Owner()
    let token = center.observe(Drawn.self) { heard("token \($0.width) \($0.text)") }
    center.observe(Drawn.self, by: owner) { me, message in heard("owner \(me.number) \(message.text)") }
    expect("a main-actor message", ["token 2 two", "owner 7 two"]) { center.post(Drawn(width: 2, text: "two")) }
    token.cancel()
    withExtendedLifetime(owner) {}
}

func checkProtocols() {
    let both = Both()
    center.addObserver(both, as: Hearing.self)
    center.addObserver(both, as: Counting.self)
    center.addObserver(both, as: (any Hearing & Counting).self)
    center.addObserver(both, as: Both.self)
    expect("a protocol of classes", ["hear a"]) { center.notify(Hearing.self) { $0.hear("a") } }
    expect("a protocol", ["count 4"]) { center.notify(Counting.self) { _ = $0.count(4) } }
    expect("a composition", ["hear b", "count 5"]) {
        center.notify((any Hearing & Counting).self) {
            $0.hear("b"); _ = $0.count(5)
        }
    }
    expect("a class", ["hear c"]) { center.notify(Both.self) { $0.hear("c") } }
}

func checkNotices() {
    let owner = Owner(), subject = Owner()
    @Sendable func said(_ notice: HeraldCenter.Notice) -> String {
        "\(notice.name) \(notice.userInfo.map { "\($0)" } ?? "nil") \(notice.subject === subject)"
    }
    let token = center.observe("shapes") { heard(said($0)) }
    center.observe("shapes", by: owner) { me, notice in heard("\(me.number) \(said(notice))") }
    func both(hear text: String, _ post: () -> Void) { expect("a name", ["shapes \(text)", "7 shapes \(text)"], post) }
    both(hear: "nil false") { center.post("shapes") }
    both(hear: "nil false") { center.post("shapes", userInfo: nil) }
    both(hear: "3 false") { center.post("shapes", userInfo: 3) }
    both(hear: "a text of more than fifteen bytes true") {
        center.post("shapes", subject: subject, userInfo: "a text of more than fifteen bytes")
    }
    both(hear: "(1, 2, 3, 4, 5) true") { center.post("shapes", subject: subject, userInfo: (1, 2, 3, 4, 5)) }
    token.cancel()
    withExtendedLifetime(owner) {}
}

let instance = Instance()
check(Empty())
check(Word(number: 5))
check(Words(number: 1, text: "two"))
check(Large())
check(Boxed(value: [1, 2]))
check(Either.none)
check(Either.text("text"))
check(Either.both(1, 2.5))
check(instance)
check(Place())
check(Generic(value: "text"))
check(Generic(value: Large()))
check(Generic<Any>(value: 4))
check(Vector(a: 1, b: 2, c: .init(repeating: 3)))
check(Function { "called" })
check(WeakOne(instance: instance))
checkKept(Kept(number: 1, text: "two"))
checkKept(KeptVector(a: 1, b: 2, c: .init(repeating: 3)))
checkKept(KeptEmpty())
checkKept(KeptGeneric(value: "text"))
checkKept(KeptGeneric<any Sendable>(value: 4))
checkKept(KeptInstance())
checkUnique()
checkMainActor()
checkProtocols()
checkNotices()
await checkLookups()
print(failures == 0 ? "shapes: all as posted" : "shapes: \(failures) differ")
exit(failures == 0 ? 0 : 1)
