// What a program does with Herald under a sanitizer: observes in every way, posts from tasks, ends observations while
// posts are running, and ends while some of them still last.
import Herald
import Synchronization

struct Saved: HeraldCenter.Message, Sendable {
    var path: String
    var number: Int
}
struct Settings: HeraldCenter.KeptMessage, Sendable { var theme: [String] }

func expect(_ holds: Bool, _ sentence: String) {
    guard !holds else { return }
    fatalError("sanitized: \(sentence)")
}

/// `given` and `sum` are plain memory. Herald orders the write of `given` before the calls, and the calls before the
/// end of the observation.
final class Window: @unchecked Sendable {
    let heard = Atomic(0)
    var given = [1, 2, 3]
    var sum = 0
}

actor Indexer {
    var count = 0
    func add(_ saved: Saved) { count += saved.path.count }
}

let center = HeraldCenter()
let count = 200

/// One poster at a time writes `sum`, because each window has one poster.
func post(to window: Window, in center: HeraldCenter) async {
    let token = center.observe(Saved.self) { saved in
        window.sum += window.given[saved.number % 3]
        window.heard.add(1, ordering: .relaxed)
    }
    weak var gone: Window?
    do {
        let other = Window()
        gone = other
        center.observe(Saved.self, by: other) { window, saved in window.heard.add(saved.number, ordering: .relaxed) }
    }
    let poster = Task { for number in 0..<count { center.post(Saved(path: "notes \(number)", number: number)) } }
    while window.heard.load(ordering: .relaxed) < count / 2 { await Task.yield() }
    token.cancel()  // waits for the calls: `sum` changes no more
    let sum = window.sum
    window.given = []
    await poster.value
    expect(gone == nil, "an observation kept its owner")
    expect(sum == window.sum && sum > 0, "the window was called after its end")
}

func hear(in center: HeraldCenter) async {
    let indexer = Indexer()
    center.observe(Saved.self, on: indexer) { indexer, saved in indexer.add(saved) }
    let messages = center.messages(Saved.self)
    let sequence = Task {
        var heard = 0
        for await saved in messages {
            heard += saved.path.isEmpty ? 0 : 1
            if heard == count { break }
        }
        return heard
    }
    for number in 0..<count { center.post(Saved(path: "a longer path, number \(number)", number: number)) }
    expect(await sequence.value == count, "the sequence lost messages")
    await center.drain()
    expect(await indexer.count > count, "the actor lost messages")
    center.removeObserver(indexer)
}

func keep(in center: HeraldCenter) async {
    await withTaskGroup(of: Void.self) { group in
        for number in 0..<4 {
            group.addTask {
                for _ in 0..<count {
                    center.post(Settings(theme: ["dark", "theme \(number)"]))
                    let late = center.observe(Settings.self, from: .kept) {
                        expect($0.theme.count == 2, "half a theme")
                    }
                    late.cancel()
                }
            }
        }
    }
}

func observeNames(in center: HeraldCenter) async {
    await withTaskGroup(of: Void.self) { group in
        for number in 0..<4 {
            group.addTask {
                for round in 0..<count {
                    let name = HeraldCenter.Name("sanitized.\(round % 7)")
                    let heard = Atomic(0)
                    let token = center.observe(name) { post in heard.add(post.name == name ? 1 : 0, ordering: .relaxed)
                    }
                    center.post(name)
                    token.cancel()
                    expect(heard.load(ordering: .relaxed) > 0, "task \(number) has not heard its own post")
                }
            }
        }
    }
}

for _ in 0..<4 {
    let own = HeraldCenter()
    await post(to: Window(), in: own)
    await hear(in: own)
}
await keep(in: center)
await observeNames(in: center)

// What lasts to the end of the program, some of it without any other reference.
let lasting = Window()
center.observe(Saved.self, by: lasting) { window, saved in window.heard.add(1, ordering: .relaxed) }
for number in 0..<3000 {  // more than the chunks of slots that lie in the heap
    let list = Array(repeating: number, count: 10)
    center.observe(Saved.self) { saved in expect(list[saved.number % 10] == number, "another list") }.keep()
    HeraldCenter.local.observe(HeraldCenter.Name("sanitized.\(number)")) { _ in expect(list.count == 10, "another list")
    }.keep()
}
center.post(Saved(path: "the end", number: 1))
expect(lasting.heard.load(ordering: .relaxed) == 1, "the last post was not heard")
print("sanitized: a Swift program passed")
