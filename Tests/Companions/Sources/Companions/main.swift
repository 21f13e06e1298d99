// Runs the page "Debounce, throttle, merge": swift-async-algorithms applied to sequences of messages.
import AsyncAlgorithms
import Herald

struct TextChanged: HeraldCenter.Message, Sendable { var text: String }
struct Scrolled: HeraldCenter.Message, Sendable { var line: Int }

let center = HeraldCenter()

func expect(_ holds: Bool, _ sentence: String) {
    guard !holds else { return }
    fatalError("companions: \(sentence)")
}

// A burst, a pause, and a burst.
let changes = center.messages(TextChanged.self, buffer: .newest(1))
let searches = Task {
    var texts: [String] = []
    for await change in changes.debounce(for: .milliseconds(100)) { texts.append(change.text) }
    return texts
}
for burst in ["a", "b"] {
    for number in 0..<10 {
        center.post(TextChanged(text: "\(burst)\(number)"))
        try await Task.sleep(for: .milliseconds(5))
    }
    try await Task.sleep(for: .milliseconds(400))
}
changes.finish()
let texts = await searches.value
expect(texts == ["a9", "b9"], "debounce has given \(texts)")

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
expect((2...40).contains(lines.count) && lines == lines.sorted(), "throttle has given \(lines)")

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
