// Another process for the tests of messages: `answer` answers each question, `unusable` posts where that cannot be
// done, `keep` posts messages that are kept, `late` begins with them, and `forget` forgets one.
import Dispatch
@preconcurrency import Glibc
import Herald

struct Question: HeraldCenter.WireMessage, Codable {
    static let wireName: HeraldCenter.Name = "test.peer.question"
    var number: Int
}
struct Answer: HeraldCenter.WireMessage, Codable {
    static let wireName: HeraldCenter.Name = "test.peer.answer"
    var number: Int
    var isLast: Bool?
}

struct Level: HeraldCenter.KeptMessage, HeraldCenter.WireMessage, Codable {
    static let wireName: HeraldCenter.Name = "test.peer.level"
    var number: Int
}

let host = HeraldCenter.host

func say(_ text: String) {
    print(text)
    fflush(stdout)
}

func answer() {
    let done = DispatchSemaphore(value: 0)
    let token = host.observe(Question.self) { question in
        do {
            try host.post(Answer(number: question.number + 1), subject: "to \(question.number)")
        } catch { say("\(error)") }
        if question.number < 0 { done.signal() }
    }
    say("ready")
    done.wait()
    token.cancel()
}

func unusable() async {
    let events = host.events
    let token = host.observe(Question.self) { _ in say("heard") }
    do {
        try host.post(Question(number: 1))
        say("posted")
    } catch .unavailable(let reason) { say("unavailable: \(reason)") } catch { say("\(error)") }
    do {
        _ = try host.watch("test.peer").check()
        say("watched")
    } catch { say("unavailable: \(error)") }
    say("\(host.statistics.refused)")
    events.finish()
    for await event in events { say("\(event)") }
    token.cancel()
}

func keep() throws {
    for number in 1...3 { try host.post(Level(number: number)) }
    try host.post(Level(number: 4), subject: "a")
    try host.post("test.peer.state", state: 5)
    say("kept")
}

func late() {
    let begun = DispatchSemaphore(value: 0)
    let token = host.observe(
        Level.self, from: .kept,
        began: {
            say("began \($0)")
            begun.signal()
        }
    ) { say("\($0.number) \(HeraldCenter.currentPostIsKept ? "kept" : "posted")") }
    let state = host.observe("test.peer.state", from: .kept, began: { _ in begun.signal() }) {
        say("state \($0.state ?? 0) \(HeraldCenter.currentPostIsKept ? "kept" : "posted")")
    }
    begun.wait()
    begun.wait()
    token.cancel()
    state.cancel()
}

switch CommandLine.arguments.last {
case "answer": answer()
case "unusable": await unusable()
case "keep": try keep()
case "late": late()
case "forget": say("\(host.forget(Level.self))")
default: exit(64)
}
