import Dispatch
import Foundation
import Herald
import HeraldFoundation
import Testing

/// Entries that observers write, from any thread.
final class Log<Entry: Sendable>: Sendable {
    private let written = Guarded<[Entry]>([])

    func add(_ entry: Entry) { written.withLock { $0.append(entry) } }

    var all: [Entry] { written.withLock { $0 } }
    var count: Int { written.withLock { $0.count } }

    /// Returns the entries so far and empties the log.
    func take() -> [Entry] {
        written.withLock { written in
            defer { written = [] }
            return written
        }
    }
}

/// An object to be captured or to be posted. Its death is logged.
final class Canary: Sendable {
    private let deaths: Log<Int>

    init(_ deaths: Log<Int> = Log()) { self.deaths = deaths }

    deinit { deaths.add(1) }
}

/// A flag that a thread waits for.
final class Signal: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    func send() { semaphore.signal() }

    /// Returns false after a time that only a deadlock takes.
    @discardableResult func wait() -> Bool { semaphore.wait(timeout: .now() + 250) == .success }
}

/// Waits until the condition holds. Fails after a time that no healthy machine needs.
func expectSoon(
    _ what: Comment, isolation: isolated (any Actor)? = #isolation, sourceLocation: SourceLocation = #_sourceLocation,
    _ condition: () -> Bool
) async {
    let end = ContinuousClock.now + .seconds(250)
    while !condition() {
        guard ContinuousClock.now < end else { return _ = Issue.record(what, sourceLocation: sourceLocation) }
        try? await Task.sleep(for: .milliseconds(1))
    }
}

/// Runs the work on a thread of its own, so that no thread of the tasks' pool waits in it.
func apart<Result: Sendable>(_ work: @escaping @Sendable () -> Result) async -> Result {
    await withCheckedContinuation { done in
        Thread { done.resume(returning: work()) }.start()
    }
}

/// Runs the work on several threads at once, and waits for all of them.
func together(_ count: Int, _ work: @escaping @Sendable (Int) -> Void) async {
    await withTaskGroup(of: Void.self) { group in
        for index in 0..<count {
            group.addTask { await apart { work(index) } }
        }
    }
}

/// An observer that was added. Any thread may remove it.
struct Added: @unchecked Sendable {
    let observer: any NSObjectProtocol
}

extension HeraldNotificationCenter {
    @discardableResult func hear(
        _ name: String?, about object: Any? = nil, on queue: OperationQueue? = nil,
        _ body: @escaping @Sendable (Notification) -> Void
    ) -> Added {
        Added(
            observer: addObserver(
                forName: name.map { Notification.Name($0) }, object: object, queue: queue, using: body))
    }

    /// Adds an observer that writes a word.
    @discardableResult func hear(
        _ name: String?, about object: Any? = nil, on queue: OperationQueue? = nil, write word: String,
        to log: Log<String>
    ) -> Added {
        hear(name, about: object, on: queue) { _ in log.add(word) }
    }

    func say(_ name: String, about object: Any? = nil, _ userInfo: [AnyHashable: Any]? = nil) {
        post(name: Notification.Name(name), object: object, userInfo: userInfo)
    }

    func remove(_ added: Added) { removeObserver(added.observer) }
}
