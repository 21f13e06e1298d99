// Runs the page "Debounce, throttle, merge": swift-async-algorithms applied to sequences of messages.
import AsyncAlgorithms
import Herald
import Synchronization

struct TextChanged: HeraldCenter.Message, Sendable { var text: String }
struct Scrolled: HeraldCenter.Message, Sendable { var line: Int }

let center = HeraldCenter()

func expect(_ holds: Bool, _ sentence: String) {
    guard !holds else { return }
    fatalError("companions: \(sentence)")
}

// A burst, a pause, and a burst.
let changes = center.messages(TextChanged.self, buffer: .newest(1))
let searched = Mutex<[String]>([])
let searches = Task {
    for await change in changes.debounce(for: .milliseconds(100)) { searched.withLock { $0.append(change.text) } }
}
for burst in ["a", "b"] {
    for number in 0..<10 {
        center.post(TextChanged(text: "\(burst)\(number)"))
        try await Task.sleep(for: .milliseconds(5))
    }
    // A thread that is held up during a burst makes two of it; its last message is given in any case.
    for _ in 0..<6000 where searched.withLock({ $0.last }) != "\(burst)9" {
        try await Task.sleep(for: .milliseconds(10))
    }
}
changes.finish()
await searches.value
let texts = searched.withLock { $0 }
expect(
    texts.contains("a9") && texts.last == "b9" && texts == texts.sorted() && texts.count < 20,
    "debounce has given \(texts)")

// A hundred messages in half a second, at most one in 100 ms.
let scrolls = center.messages(Scrolled.self, buffer: .newest(1))
let drawings = Task {
    var lines: [Int] = []
    for await scroll in scrolls._throttle(for: .milliseconds(100), latest: true) { lines.append(scroll.line) }
    return lines
}
for line in 0..<100 {
    center.post(Scrolled(line: line))
    try await Task.sleep(for: .milliseconds(5))
}
scrolls.finish()
let lines = await drawings.value
expect((1..<100).contains(lines.count) && lines == lines.sorted(), "throttle has given \(lines)")

// Two types as one stream.
let (textMessages, lineMessages) = (center.messages(TextChanged.self), center.messages(Scrolled.self))
for number in 0..<5 {
    center.post(TextChanged(text: "\(number)"))
    center.post(Scrolled(line: number))
}
textMessages.finish()
lineMessages.finish()
var merged: [String] = []
for await event in merge(textMessages.map { "text \($0.text)" }, lineMessages.map { "line \($0.line)" }) {
    merged.append(event)
}
expect(merged.filter { $0.hasPrefix("text") } == (0..<5).map { "text \($0)" }, "merge has given \(merged)")
expect(merged.filter { $0.hasPrefix("line") } == (0..<5).map { "line \($0)" }, "merge has given \(merged)")
print("companions: debounce, throttle and merge work on messages")
