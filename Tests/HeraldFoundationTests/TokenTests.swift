import Dispatch
import Foundation
import Herald
import HeraldFoundation
import Testing

private typealias Center = HeraldNotificationCenter
private typealias Token = HeraldNotificationCenter.ObservationToken

private final class Reader: Sendable {}

private struct Read: HeraldNotificationCenter.MainActorMessage {
    typealias Subject = Reader
    var page = 1
}

private struct Written: HeraldNotificationCenter.AsyncMessage {
    typealias Subject = Reader
    var page = 1
}

/// A token that observers may throw away, under a lock.
private final class Place: Sendable {
    private let token = Guarded<Token?>(nil)

    func put(_ token: Token?) { self.token.withLock { $0 = token } }
}

/// How observations of messages end: with the last copy of their token, or when it is removed.
@Suite(.timeLimit(.minutes(10))) struct TokenTests {
    private let center = Center()

    @Test("Copies of a token are equal; tokens of two observations are not")
    func equality() {
        let first = center.addObserver(for: Read.self) { _ in }
        let second = center.addObserver(for: Read.self) { _ in }
        let third = center.addObserver(for: Written.self) { _ in }
        let copy = first
        #expect(copy == first && copy.hashValue == first.hashValue)
        #expect(first != second && second != third && first != third)
        #expect(Set([first, second, copy, third, first]).count == 3)
        var pages = [first: 1, third: 3]
        pages[copy] = 2
        #expect(pages == [first: 2, third: 3])
    }

    @MainActor @Test("An observation lasts until its last copy is gone")
    func lastCopy() {
        let log = Log<Int>()
        var copies: [Token] = []
        var set: Set<Token> = []
        do {
            let token = center.addObserver(for: Read.self) { log.add($0.page) }
            copies = [token, token]
            set.insert(token)
        }
        center.post(Read(page: 1))
        copies.removeLast()
        center.post(Read(page: 2))
        copies.removeLast()
        center.post(Read(page: 3))
        set.removeAll()
        center.post(Read(page: 4))
        #expect(log.all == [1, 2, 3])
        #expect(center.herald.observations.isEmpty)
    }

    @MainActor @Test("A token that nobody keeps ends its observation at once")
    func thrownAway() {
        let log = Log<Int>()
        _ = center.addObserver(for: Read.self) { log.add($0.page) }
        _ = center.addObserver(for: Written.self) { log.add($0.page) }
        #expect(center.herald.observations.isEmpty)
        center.post(Read())
        #expect(log.count == 0)
    }

    @MainActor @Test("A removed observer is not called, though copies of its token are there; others are")
    func removed() {
        let log = Log<String>()
        let first = center.addObserver(for: Read.self) { _ in log.add("first") }
        let second = center.addObserver(for: Read.self) { _ in log.add("second") }
        let copy = first
        center.removeObserver(first)
        center.post(Read())
        #expect(log.all == ["second"])
        #expect(copy == first)
        withExtendedLifetime(second) {}
    }

    @MainActor @Test("Removing again, by any copy, changes nothing, not even for an observer that was added since")
    func removedTwice() {
        let log = Log<String>()
        let old = center.addObserver(for: Read.self) { _ in log.add("old") }
        let copy = old
        center.removeObserver(old)
        let new = center.addObserver(for: Read.self) { _ in log.add("new") }
        center.removeObserver(old)
        center.removeObserver(copy)
        center.post(Read())
        #expect(log.all == ["new"])
        withExtendedLifetime(new) {}
    }

    @MainActor @Test("A token of another center is not removed, and can be removed from its own center after that")
    func otherCenter() {
        let other = Center()
        let log = Log<String>()
        let here = center.addObserver(for: Read.self) { _ in log.add("here") }
        let there = other.addObserver(for: Read.self) { _ in log.add("there") }
        center.removeObserver(there)
        other.removeObserver(here)
        center.post(Read())
        other.post(Read())
        #expect(log.all == ["here", "there"])
        center.removeObserver(here)
        other.removeObserver(there)
        center.post(Read())
        other.post(Read())
        #expect(log.count == 2)
    }

    @MainActor @Test("A token may outlive its center, and be removed from another, copied and thrown away")
    func outlivesItsCenter() {
        let deaths = Log<Int>()
        var tokens: [Token] = []
        do {
            let short = Center()
            tokens.append(
                short.addObserver(for: Read.self) { [captured = Canary(deaths)] _ in
                    withExtendedLifetime(captured) {}
                })
            short.post(Read())
        }
        center.removeObserver(tokens[0])
        tokens.append(tokens[0])
        tokens = []
        #expect(deaths.count == 1)
    }

    @MainActor @Test("What an observer captures is released when it is removed, and when its token is gone")
    func released() {
        let deaths = Log<Int>()
        func observe() -> Token {
            center.addObserver(for: Read.self) { [captured = Canary(deaths)] _ in withExtendedLifetime(captured) {} }
        }
        let kept = observe()
        var dropped: Token? = observe()
        center.post(Read())
        #expect(deaths.count == 0)
        center.removeObserver(kept)
        #expect(deaths.count == 1)
        withExtendedLifetime(dropped) {}
        dropped = nil
        #expect(deaths.count == 2)
        withExtendedLifetime(kept) {}
    }

    @MainActor @Test("An observer that throws its own token away returns from its call, and is not called again")
    func thrownAwayInTheBody() {
        let log = Log<String>()
        let deaths = Log<Int>()
        let place = Place()
        place.put(
            center.addObserver(for: Read.self) { [center, captured = Canary(deaths)] read in
                log.add("begin \(read.page)")
                place.put(nil)
                // Nobody hears this one.
                center.post(Read(page: 2))
                #expect(deaths.count == 0)
                withExtendedLifetime(captured) {}
                log.add("end \(read.page)")
            })
        center.post(Read(page: 1))
        center.post(Read(page: 3))
        #expect(log.all == ["begin 1", "end 1"])
        #expect(deaths.count == 1)
    }

    @Test("An async observer that throws its own token away runs to its end, and is not called again")
    func thrownAwayInAnAsyncBody() async {
        let log = Log<String>()
        let deaths = Log<Int>()
        let place = Place()
        place.put(
            center.addObserver(for: Written.self) { [captured = Canary(deaths)] written in
                log.add("begin \(written.page)")
                place.put(nil)
                await Task.yield()
                withExtendedLifetime(captured) {}
                log.add("end \(written.page)")
            })
        for page in 1...5 { center.post(Written(page: page)) }
        await expectSoon("the body is released, so nothing calls it any more") { deaths.count == 1 }
        #expect(log.all == ["begin 1", "end 1"])
    }

    @MainActor @Test("An observer that ends a later one in a post keeps it from being called by this post")
    func endedInThePost() {
        let log = Log<String>()
        let removed = Log<Token>()
        let place = Place()
        let first = center.addObserver(for: Read.self) { [center] _ in
            log.add("first")
            removed.all.forEach { center.removeObserver($0) }
            place.put(nil)
        }
        removed.add(center.addObserver(for: Read.self) { _ in log.add("second") })
        place.put(center.addObserver(for: Read.self) { _ in log.add("third") })
        let last = center.addObserver(for: Read.self) { _ in log.add("last") }
        center.post(Read())
        #expect(log.all == ["first", "last"])
        center.removeObserver(first)
        withExtendedLifetime(last) {}
    }

    @MainActor @Test("Removal on another thread does not wait for the call that is running")
    func removalDoesNotWait() {
        let log = Log<Bool>()
        let place = Log<Token>()
        let token = center.addObserver(for: Read.self) { [center] _ in
            // The other thread removes the observer while this call waits for that thread.
            let removed = DispatchSemaphore(value: 0)
            let remover = Thread {
                place.all.forEach { center.removeObserver($0) }
                removed.signal()
            }
            remover.start()
            log.add(removed.wait(timeout: .now() + 60) == .success)
        }
        place.add(token)
        center.post(Read())
        center.post(Read())
        #expect(log.all == [true])
    }

    @Test("Tokens may be thrown away on many threads while others post; in the end nothing is observed")
    func manyThreads() async {
        let heard = Log<Int>()
        let done = Log<Int>()
        for number in 0..<4 {
            start { [center] in
                for _ in 0..<200 {
                    let tokens = (0..<3).map { _ in center.addObserver(for: Written.self) { heard.add($0.page) } }
                    center.post(Written(page: number))
                    center.removeObserver(tokens[1])
                }
                done.add(number)
            }
        }
        await expectSoon("all threads are done") { done.count == 4 }
        #expect(center.herald.observations.isEmpty)
        let token = center.addObserver(for: Written.self) { done.add($0.page) }
        center.post(Written(page: 5))
        await expectSoon("the center is as good as new") { done.count == 5 }
        #expect(done.all.last == 5)
        withExtendedLifetime(token) {}
    }
}

private func start(_ work: @escaping @Sendable () -> Void) { Thread(block: work).start() }
