import Foundation
import HeraldFoundation
import Testing

/// The queue of an observer: it is called there, and the post waits for the call.
///
/// Whatever may wait runs on a thread of its own, because the threads of the tasks' pool may be the queue's.
@Suite struct OperationQueueTests {
    private let center = HeraldNotificationCenter()
    private let log = Log<String>()

    /// A queue that runs one operation at a time: to wait for it on itself would be a deadlock.
    private func serialQueue(_ name: String) -> OperationQueue {
        let queue = OperationQueue()
        queue.name = name
        queue.maxConcurrentOperationCount = 1
        return queue
    }

    /// Adds an observer that writes the queue on which it is called.
    @discardableResult private func hear(_ name: String, on queue: OperationQueue?) -> Added {
        center.hear(name, on: queue) { [log] _ in log.add(currentQueue()) }
    }

    @Test("Without a queue an observer is called where the post is made, even if that is a queue")
    func noQueue() async {
        hear("a", on: nil)
        await apart { [center] in center.say("a") }
        #expect(log.take() == ["no queue"])
        let queue = serialQueue("posting")
        await apart { [center] in
            queue.addOperation { center.say("a") }
            queue.waitUntilAllOperationsAreFinished()
        }
        #expect(log.take() == ["posting"])
    }

    @Test("With a queue an observer is called there, and has returned when the post returns")
    func queue() async {
        let queue = serialQueue("own")
        hear("a", on: queue)
        await apart { [center, log] in
            center.say("a")
            log.add("posted")
        }
        #expect(log.all == ["own", "posted"])
        withExtendedLifetime(queue) {}
    }

    @Test("Posted from its own queue, an observer is called at once")
    func observedQueue() async {
        let queue = serialQueue("own")
        hear("a", on: queue)
        await apart { [center, log] in
            queue.addOperation {
                center.say("a")
                log.add("posted")
            }
            queue.waitUntilAllOperationsAreFinished()
        }
        #expect(log.all == ["own", "posted"])
    }

    @Test("Posted from another queue, an observer is called on its own, before the post returns")
    func unrelatedQueue() async {
        let observing = serialQueue("observing")
        let posting = serialQueue("posting")
        hear("a", on: observing)
        hear("a", on: posting)
        hear("a", on: nil)
        await apart { [center, log] in
            posting.addOperation {
                center.say("a")
                log.add("posted")
            }
            posting.waitUntilAllOperationsAreFinished()
        }
        #expect(log.all == ["observing", "posting", "posting", "posted"])
        withExtendedLifetime(observing) {}
    }

    @Test("An observer on the main queue is called there, posted from a thread or a queue")
    func mainQueue() async {
        let posting = serialQueue("posting")
        hear("a", on: .main)
        await apart { [center, log] in
            center.say("a")
            log.add("posted")
            posting.addOperation {
                center.say("a")
                log.add("posted again")
            }
            posting.waitUntilAllOperationsAreFinished()
        }
        #expect(log.all == ["main", "posted", "main", "posted again"])
    }

    @MainActor @Test("Posted from the main queue, an observer on the main queue is called at once")
    func mainQueueFromItself() async {
        hear("a", on: .main)
        await withCheckedContinuation { done in
            OperationQueue.main.addOperation { [center] in
                center.say("a")
                done.resume()
            }
        }
        #expect(log.all == ["main"])
    }

    // On Linux the main actor of an async program runs on the main dispatch queue, but neither on the main thread nor,
    // as Foundation sees it, on OperationQueue.main: `OperationQueue.current` is nil there. Foundation's own post waits
    // for ever in this case.
    @MainActor
    @Test("Posted on the main actor, an observer on the main queue is called at once")
    func mainActor() {
        center.hear("a", on: .main, write: "heard", to: log)
        center.say("a")
        #expect(log.all == ["heard"])
    }

    @Test("Observers with and without queues are called in the order in which they were added")
    func order() async {
        let queues = [serialQueue("first"), nil, serialQueue("third"), .main, nil, serialQueue("sixth")]
        for queue in queues { hear("a", on: queue) }
        for _ in 0..<20 {
            await apart { [center] in center.say("a") }
            #expect(log.take() == ["first", "no queue", "third", "main", "no queue", "sixth"])
        }
        withExtendedLifetime(queues) {}
    }

    @Test("An observer on a queue may post to observers on the same queue, and on others")
    func nested() async {
        let queue = serialQueue("own")
        let other = serialQueue("other")
        center.hear("outer", on: queue) { [center, log] _ in
            center.say("inner")
            log.add("outer")
        }
        hear("inner", on: queue)
        hear("inner", on: other)
        await apart { [center] in center.say("outer") }
        #expect(log.all == ["own", "other", "outer"])
        withExtendedLifetime((queue, other)) {}
    }

    @Test("The post waits while the queue is suspended")
    func suspendedQueue() async {
        let queue = serialQueue("suspended")
        queue.isSuspended = true
        hear("a", on: queue)
        async let posted: Void = apart { [center, log] in
            center.say("a")
            log.add("posted")
        }
        await expectSoon("the call waits in the queue") { queue.operationCount == 1 }
        #expect(log.all == [])
        queue.isSuspended = false
        await posted
        #expect(log.all == ["suspended", "posted"])
    }

    @Test("The queue is not kept alive: if it is gone, its observer is not called, and the others are")
    func queueIsGone() async {
        weak var gone: OperationQueue?
        do {
            let queue = serialQueue("gone")
            gone = queue
            hear("a", on: queue)
        }
        hear("a", on: nil)
        await expectSoon("the queue is gone") { gone == nil }
        await apart { [center] in center.say("a") }
        #expect(log.all == ["no queue"])
    }

    @Test("A removed observer is not called on its queue")
    func removed() async {
        let queue = serialQueue("own")
        let added = hear("a", on: queue)
        hear("a", on: queue)
        center.remove(added)
        await apart { [center] in center.say("a") }
        #expect(log.all == ["own"])
        withExtendedLifetime(queue) {}
    }

    @Test("Several threads post to one queue: nothing is lost, and each post has waited for its own call")
    func manyThreads() async {
        let queue = serialQueue("own")
        center.hear("a", on: queue) { ($0.object as? Log<Int>)?.add(1) }
        await together(4) { [center, log] thread in
            for _ in 0..<100 {
                let own = Log<Int>()
                center.say("a", about: own)
                if own.count != 1 { log.add("thread \(thread): \(own.count) calls") }
            }
        }
        #expect(log.all == [])
        withExtendedLifetime(queue) {}
    }
}

/// The name of the queue that runs the caller.
private func currentQueue() -> String {
    guard let queue = OperationQueue.current else { return "no queue" }
    return queue === OperationQueue.main ? "main" : queue.name ?? "a queue without a name"
}
