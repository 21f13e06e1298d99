import Dispatch
import Foundation
import Harness
import Herald

private actor Counter {
    func add(_ value: Int) { sum.pointee &+= UInt64(value) }
    func add(_ stream: AsyncStream<Tick>) async { for await tick in stream { add(tick.value) } }
}

private nonisolated(unsafe) let sum = {
    let word = Word.allocate(capacity: 1)
    word.initialize(to: 0)
    return word
}()

/// Runs the body, which iterates on the main actor, and waits for it; the main thread serves the actor.
private func onMain(_ body: @escaping @MainActor () async -> Void) {
    let done = DispatchSemaphore(value: 0)
    Task { @MainActor in
        await body()
        done.signal()
    }
    done.wait()
}

/// As above, in a task that belongs to no actor.
private func detached(_ body: @escaping @Sendable () async -> Void) {
    let done = DispatchSemaphore(value: 0)
    Task.detached {
        await body()
        done.signal()
    }
    done.wait()
}

/// Waits until no more work is done on other threads: until no counter has changed for a while.
private func settle() {
    var before: UInt64 = .max
    while before != sum.pointee {
        before = sum.pointee
        usleep(2000)
    }
}

/// Does so many operations, and waits until all of them were heard.
private func untilHeard(_ count: Int, _ body: () -> Void) {
    let target = sum.pointee &+ UInt64(count)
    body()
    while sum.pointee < target { sched_yield() }
}

// ---- Actors and queues: the poster's cost, and the time until all was heard

private func toActor() -> (Int) -> Void {
    let center = HeraldCenter()
    let counter = Counter()
    center.observe(Tick.self, on: counter) { counter, tick in counter.add(tick.value) }
    return { count in
        for _ in 0..<count { center.post(Tick()) }
        withExtendedLifetime(counter) {}
    }
}

/// A task of the actor that runs all the time and takes the elements of an AsyncStream.
private func streamToActor() -> (Int) -> Void {
    let counter = Counter()
    let (stream, continuation) = AsyncStream<Tick>.makeStream()
    Task.detached { await counter.add(stream) }
    return { count in for _ in 0..<count { continuation.yield(Tick()) } }
}

private func toActorByTasks() -> (Int) -> Void {
    let counter = Counter()
    return { count in for _ in 0..<count { Task.detached { await counter.add(1) } } }
}

private func toQueue() -> (Int) -> Void {
    let center = HeraldCenter()
    let queue = DispatchQueue(label: "bench")
    center.observe(Tick.self, via: { queue.async(execute: $0) }) { tick in sum.pointee &+= UInt64(tick.value) }
        .keep()
    return { count in for _ in 0..<count { center.post(Tick()) } }
}

private func toQueueByBlocks() -> (Int) -> Void {
    let queue = DispatchQueue(label: "bench")
    let one = { @Sendable in sum.pointee &+= 1 }
    return { count in for _ in 0..<count { queue.async(execute: one) } }
}

func elsewhere() -> [task] {
    let ways: [(StaticString, StaticString, () -> (Int) -> Void)] = [
        ("actor", "actor-heard", toActor), ("actor-stream", "actor-stream-heard", streamToActor),
        ("actor-tasks", "actor-tasks-heard", toActorByTasks), ("queue", "queue-heard", toQueue),
        ("queue-each", "queue-each-heard", toQueueByBlocks),
    ]
    return ways.flatMap { name, heard, make in
        [
            swiftTask(name, elsewhere: true, settle: settle, make),
            swiftTask(heard, elsewhere: true) {
                let post = make()
                return { count in untilHeard(count) { post(count) } }
            },
        ]
    }
}

// ---- Sequences: messages posted before the iteration begins, and during it

func consumers() -> [task] {
    [
        swiftTask("messages", elsewhere: true) {
            let center = HeraldCenter()
            return { count in
                let messages = center.messages(Tick.self, buffer: .unbounded)
                for _ in 0..<count { center.post(Tick()) }
                onMain {
                    var heard = 0
                    for await tick in messages {
                        heard += tick.value
                        if heard == count { break }
                    }
                }
            }
        },
        swiftTask("stream", elsewhere: true) {
            return { count in
                let (stream, continuation) = AsyncStream<Tick>.makeStream()
                for _ in 0..<count { continuation.yield(Tick()) }
                onMain {
                    var heard = 0
                    for await tick in stream {
                        heard += tick.value
                        if heard == count { break }
                    }
                }
            }
        },
        swiftTask("messages-detached", elsewhere: true) {
            let center = HeraldCenter()
            return { count in
                let messages = center.messages(Tick.self, buffer: .unbounded)
                for _ in 0..<count { center.post(Tick()) }
                detached {
                    var heard = 0
                    for await tick in messages {
                        heard += tick.value
                        if heard == count { break }
                    }
                }
            }
        },
        swiftTask("stream-detached", elsewhere: true) {
            return { count in
                let (stream, continuation) = AsyncStream<Tick>.makeStream()
                for _ in 0..<count { continuation.yield(Tick()) }
                detached {
                    var heard = 0
                    for await tick in stream {
                        heard += tick.value
                        if heard == count { break }
                    }
                }
            }
        },
        swiftTask("messages-running", elsewhere: true) {
            let center = HeraldCenter()
            let messages = center.messages(Tick.self, buffer: .unbounded)
            Task.detached { for await tick in messages { sum.pointee &+= UInt64(tick.value) } }
            return { count in untilHeard(count) { for _ in 0..<count { center.post(Tick()) } } }
        },
        swiftTask("stream-running", elsewhere: true) {
            let (stream, continuation) = AsyncStream<Tick>.makeStream()
            Task.detached { for await tick in stream { sum.pointee &+= UInt64(tick.value) } }
            return { count in untilHeard(count) { for _ in 0..<count { continuation.yield(Tick()) } } }
        },
    ]
}
