// Another process for the tests of messages: `answer` answers each question, `unusable` posts where that cannot be
// done.
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

switch CommandLine.arguments.last {
case "answer": answer()
case "unusable": await unusable()
default: exit(64)
}
