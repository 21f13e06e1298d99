import Foundation
import Herald
import Processes
import Testing

private func herald(_ arguments: String...) async throws -> ProcessOutput {
    try await run(heraldCommand, arguments)
}

/// The number of posts heard, and of calls.
private final class Count: Sendable {
    private let counted = Guarded((posts: 0, calls: 0))

    func add(_ post: HostCenter.Post) { counted.withLock { $0 = ($0.posts + post.count, $0.calls + 1) } }
    var posts: Int { counted.withLock { $0.posts } }
    var calls: Int { counted.withLock { $0.calls } }
}

private final class Owner: Sendable {
    let count = Count()
}

private actor Listener {
    var posts = 0

    func add(_ post: HostCenter.Post) { posts += post.count }
}

@MainActor private final class View {
    var posts = 0

    func observe(_ name: HeraldCenter.Name) {
        HeraldCenter.host.observe(name, by: self) { view, post async in view.posts += post.count }
    }
}

@Suite struct HostCenterTests {
    let host = HeraldCenter.host
    /// Each test has a name of its own, because they share the center.
    let name = HeraldCenter.Name("test.\(UUID())")

    init() { _ = hostFolder }

    @Test("A post is heard in this process, until the token goes")
    func token() async throws {
        let count = Count()
        let token = host.observe(name) { [name] post in
            #expect(post.name == name)
            count.add(post)
        }
        host.post(name)
        host.post(HeraldCenter.Name("\(name).other"))
        #expect(await eventually { count.posts == 1 })
        token.cancel()
        let end = HeraldCenter.Name("\(name).end"), ends = Count()
        host.observe(end) { ends.add($0) }.store(in: bag)
        host.post(name)
        host.post(end)  // heard after it
        #expect(await eventually { ends.posts == 1 })
        #expect(count.posts == 1)
    }

    @Test("Names cross processes, in both directions")
    func names_cross_processes_in_both_directions() async throws {
        let count = Count()
        host.observe(name) { count.add($0) }.store(in: bag)
        #expect(try await herald("post", "\(name)", "--count", "3").status == 0)
        #expect(await eventually { count.posts == 3 })
        let text = "\(name).back"
        let heard = Box("")
        let watcher = Task {
            _ = heard.put((try? await herald("watch", text, "--once", "--timeout", "250").text) ?? "failed")
        }
        #expect(
            await eventually {
                HeraldCenter.host.post(HeraldCenter.Name(text))
                return heard.value.hasPrefix(text)
            }, "\(heard.value)")
        await watcher.value
    }

    private let bag = ObservationBag()

    @Test("An owner is held weakly, heard once for a name, and removed when asked")
    func owner() async {
        let first = Owner()
        for _ in 1...3 { host.observe(name, by: first) { owner, post in owner.count.add(post) } }
        weak var dies: Owner?
        do {
            let second = Owner()
            dies = second
            host.observe(name, by: second) { _, _ in Issue.record("heard for an owner that is gone") }
            withExtendedLifetime(second) {}
        }
        #expect(dies == nil)
        host.post(name)
        #expect(await eventually { first.count.posts == 1 })
        host.removeObserver(first, of: name)
        host.post(name)
        let end = HeraldCenter.Name("\(name).end")
        host.observe(end, by: first) { owner, post in owner.count.add(post) }
        host.post(end)
        #expect(await eventually { first.count.posts == 2 })
        host.removeObserver(first)
    }

    @Test("An actor, the main actor and a queue hear all, put together when they are slow")
    func elsewhere() async {
        let listener = Listener()
        host.observe(name, on: listener) { listener, post in listener.add(post) }
        let view = await MainActor.run { View() }
        await view.observe(name)
        let count = Count()
        let queue = DispatchQueue(label: "host")
        host.observe(name, via: { queue.async(execute: $0) }) { count.add($0) }.store(in: bag)
        let direct = Count()
        host.observe(name) { direct.add($0) }.store(in: bag)  // after the others
        queue.suspend()
        for _ in 1...500 { host.post(name) }
        #expect(await eventually { direct.posts == 500 })
        queue.resume()
        #expect(await eventually { await listener.posts == 500 })
        #expect(await eventually { await view.posts == 500 })
        #expect(await eventually { count.posts == 500 })
        #expect(count.calls < 500)
    }

    @Test("The elements of a sequence stand for every post, from the call on")
    func sequence() async {
        host.post(name)
        let messages = host.messages(named: name)
        let direct = Count()
        host.observe(name) { direct.add($0) }.store(in: bag)  // after the sequence
        for _ in 1...300 { host.post(name) }
        #expect(await eventually { direct.posts == 300 })
        var posts = 0
        var elements = 0
        for await post in messages {
            posts += post.count
            elements += 1
            if posts >= 300 { break }
        }
        #expect(posts == 300)
        #expect(elements < 300)
        #expect(messages.dropped == 0)
    }

    @Test("The next post; nil when the task is cancelled")
    func next() async {
        let task = Task { [host, name] in await host.next(name).map { $0.name } }
        let poster = Task { [host, name] in
            while !Task.isCancelled {
                host.post(name)
                try await Task.sleep(for: .milliseconds(5))
            }
        }
        #expect(await task.value == name)
        poster.cancel()
        let waiting = Task { [host] in await host.next("nobody.posts.this") }
        waiting.cancel()
        #expect(await waiting.value == nil)
    }

    @Test("What cannot be carried is refused in a sentence, and nobody else loses anything")
    func R15_a_name_that_cannot_be_carried_is_refused_and_changes_nothing() async throws {
        let long = HeraldCenter.Name(String(repeating: "x", count: 513))
        let token = host.observe(long) { _ in Issue.record("heard") }
        host.observe(long, by: Owner()) { _, _ in Issue.record("heard") }
        host.post(long)
        token.cancel()
        try host.check()
        let count = Count()
        host.observe(name) { count.add($0) }.store(in: bag)
        host.post(name)
        #expect(await eventually { count.posts == 1 })
    }
}
