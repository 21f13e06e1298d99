import Foundation
import HeraldFoundation
import Testing

private typealias Center = HeraldNotificationCenter

/// A subject, whose death is logged.
private typealias Story = Canary

private struct Told: HeraldNotificationCenter.AsyncMessage {
    typealias Subject = Story
    var number: Int
    var producer = 0
}

extension HeraldNotificationCenter.MessageIdentifier
where Self == HeraldNotificationCenter.BaseMessageIdentifier<Told> {
    fileprivate static var told: Self { .init() }
}

private let named = Notification.Name("sequences.named")

extension HeraldNotificationCenter {
    fileprivate func tell(_ numbers: some Sequence<Int>, about story: Story? = nil) {
        for number in numbers {
            if let story { post(Told(number: number), subject: story) } else { post(Told(number: number)) }
        }
    }

    fileprivate func notify(_ numbers: some Sequence<Int>, about object: Any? = nil) {
        for number in numbers { post(name: named, object: object, userInfo: ["number": number]) }
    }
}

/// The next numbers of a sequence of messages; fewer if the sequence ends.
private func numbers(_ count: Int = .max, of messages: HeraldNotificationCenter.Messages<Told>.Iterator) async -> [Int]
{
    var numbers: [Int] = []
    var iterator = messages
    while numbers.count < count, let told = await next(&iterator) { numbers.append(told.number) }
    return numbers
}

/// The next numbers of a sequence of notifications; fewer if the sequence ends.
private func numbers(_ count: Int = .max, of notifications: HeraldNotificationCenter.Notifications.Iterator) async
    -> [Int]
{
    var numbers: [Int] = []
    var iterator = notifications
    while numbers.count < count, let notification = await next(&iterator) {
        numbers.append(notification.userInfo?["number"] as? Int ?? -1)
    }
    return numbers
}

/// Calls `next` as the protocol has it, where it is mutating.
private func next<Iterator: AsyncIteratorProtocol>(
    _ iterator: inout Iterator, isolation: isolated (any Actor)? = #isolation
) async -> Iterator.Element? where Iterator.Failure == Never {
    await iterator.next(isolation: isolation)
}

/// Sequences of messages and of notifications: what they keep, who gets it, and when they end.
@Suite(.timeLimit(.minutes(10))) struct SequenceTests {
    private let center = Center()

    private var observations: Int { center.herald.observations.count }

    // MARK: Messages

    @Test("Messages are kept in posting order from the iterator on, before anybody asks for one")
    func fromTheCallOn() async {
        center.tell(0...0)
        let messages = center.messages(for: Told.self).makeAsyncIterator()
        #expect(observations == 1)
        center.tell(1...3)
        #expect(await numbers(3, of: messages) == [1, 2, 3])
        center.tell(4...6)
        #expect(await numbers(3, of: messages) == [4, 5, 6])
    }

    @Test("A sequence of a subject has what is posted about it alone; a sequence of the type has all")
    func subjects() async {
        let story = Story()
        let one = (
            center.messages(of: story, for: .told).makeAsyncIterator(),
            center.messages(of: story, for: Told.self).makeAsyncIterator()
        )
        let all = (
            center.messages(of: Story.self, for: .told).makeAsyncIterator(),
            center.messages(of: nil, for: Told.self).makeAsyncIterator(),
            center.messages(for: Told.self).makeAsyncIterator()
        )
        center.tell(1...1)
        center.tell(2...2, about: Story())
        center.tell(3...3, about: story)
        for messages in [one.0, one.1] { #expect(await numbers(1, of: messages) == [3]) }
        for messages in [all.0, all.1, all.2] { #expect(await numbers(3, of: messages) == [1, 2, 3]) }
        withExtendedLifetime(story) {}
    }

    @Test("The buffer keeps the newest messages", arguments: [1, 2, 10, 15, 100])
    func buffer(_ size: Int) async {
        let messages = center.messages(for: Told.self, bufferSize: size).makeAsyncIterator()
        center.tell(1...50)
        let kept = min(size, 50)
        #expect(await numbers(kept, of: messages) == Array((51 - kept)...50))
        // There is room again.
        center.tell(51...51)
        #expect(await numbers(1, of: messages) == [51])
    }

    @Test("Without a size, every form keeps the newest ten")
    func defaultBuffer() async {
        let story = Story()
        let all = [
            center.messages(of: story, for: .told), center.messages(of: Story.self, for: .told),
            center.messages(of: story, for: Told.self), center.messages(for: Told.self),
        ].map { $0.makeAsyncIterator() }
        center.tell(1...15, about: story)
        for messages in all { #expect(await numbers(10, of: messages) == Array(6...15)) }
        withExtendedLifetime(story) {}
    }

    @Test("Copies of an iterator share what waits: each message goes to one of them")
    func sharing() async {
        let messages = center.messages(for: Told.self).makeAsyncIterator()
        var one = messages
        var copy = one
        var other = messages
        center.tell(1...4)
        var heard: [Int?] = []
        heard.append(await next(&one)?.number)
        heard.append(await next(&other)?.number)
        heard.append(await next(&copy)?.number)
        heard.append(await next(&one)?.number)
        #expect(heard == [1, 2, 3, 4])
    }

    @Test("Tasks that share an iterator get every message once, whoever posts it")
    func sharedByTasks() async {
        let messages = center.messages(for: Told.self, bufferSize: 1000).makeAsyncIterator()
        for producer in 0..<4 {
            start { [center] in
                for number in 0..<250 { center.post(Told(number: producer * 250 + number, producer: producer)) }
            }
        }
        let heard = await withTaskGroup(of: [Int].self) { group in
            for _ in 0..<4 { group.addTask { await numbers(250, of: messages) } }
            return await group.reduce(into: []) { $0 += $1 }
        }
        #expect(heard.sorted() == Array(0..<1000))
    }

    @Test("Each thread's messages come in its order")
    func producers() async {
        let messages = center.messages(for: Told.self, bufferSize: 1000).makeAsyncIterator()
        for producer in 0..<4 {
            start { [center] in
                for number in 0..<250 { center.post(Told(number: number, producer: producer)) }
            }
        }
        var heard: [Told] = []
        var iterator = messages
        while heard.count < 1000, let told = await next(&iterator) { heard.append(told) }
        for producer in 0..<4 {
            #expect(heard.filter { $0.producer == producer }.map(\.number) == Array(0..<250))
        }
    }

    @Test("A task that is cancelled before it asks gets nil, and leaves the message that waits")
    func cancelledBefore() async {
        let messages = center.messages(for: Told.self).makeAsyncIterator()
        center.tell(1...1)
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            return await numbers(1, of: messages)
        }
        task.cancel()
        #expect(await task.value == [])
        #expect(await numbers(1, of: messages) == [1])
    }

    @Test("A task that is cancelled while it waits gets nil; what is posted at the same time is heard or still there")
    func cancelledWhileWaiting() async {
        let messages = center.messages(for: Told.self).makeAsyncIterator()
        for round in 0..<500 {
            let task = Task { await numbers(1, of: messages) }
            let posting = Task { [center] in center.tell(round...round) }
            if round.isMultiple(of: 2) { await Task.yield() }
            task.cancel()
            await posting.value
            var heard = await task.value
            if heard.isEmpty { heard = await numbers(1, of: messages) }
            #expect(heard == [round])
        }
    }

    @Test("Tasks that wait and are cancelled all end, though nothing is posted")
    func manyCancelled() async {
        do {
            let messages = center.messages(for: Told.self).makeAsyncIterator()
            let tasks = (0..<1000).map { _ in Task { await numbers(of: messages) } }
            for task in tasks { task.cancel() }
            for task in tasks { #expect(await task.value == []) }
            center.tell(1...1)
            #expect(await numbers(1, of: messages) == [1])
        }
        #expect(observations == 0)
    }

    @Test("An iterator observes from when it is made, for itself, and its observation ends with its last copy")
    func lasts() async {
        let messages = center.messages(for: Told.self)
        center.tell(0...0)
        #expect(observations == 0)
        var one: HeraldNotificationCenter.Messages<Told>.Iterator? = messages.makeAsyncIterator()
        var copy = one
        center.tell(1...1)
        let other = messages.makeAsyncIterator()
        center.tell(2...2)
        #expect(observations == 2)
        #expect(await numbers(2, of: one!) == [1, 2])
        #expect(await numbers(1, of: other) == [2])
        one = nil
        #expect(observations == 2)
        withExtendedLifetime(copy) {}
        copy = nil
        #expect(observations == 1)
        withExtendedLifetime(other) {}
    }

    @Test("An iterator that is made when the subject is gone has nothing")
    func subjectIsGone() async {
        let messages: HeraldNotificationCenter.Messages<Told>
        do { messages = center.messages(of: Story(), for: .told) }
        #expect(await numbers(of: messages.makeAsyncIterator()) == [])
        #expect(observations == 0)
    }

    @Test("A sequence that nobody keeps observes nothing; leaving a loop ends its observation")
    func leavingTheLoop() async {
        _ = center.messages(for: Told.self)
        _ = center.notifications(named: named)
        #expect(observations == 0)
        let posting = Task { [center] in
            while !Task.isCancelled {
                center.tell(1...1)
                center.notify(1...1)
                await Task.yield()
            }
        }
        for await _ in center.messages(for: Told.self) { break }
        for await _ in center.notifications(named: named) { break }
        posting.cancel()
        await posting.value
        #expect(observations == 0)
    }

    @Test("The subject of a sequence is not held, and what was posted about it can still be taken")
    func subjectIsNotHeld() async {
        let deaths = Log<Int>()
        let messages: HeraldNotificationCenter.Messages<Told>.Iterator
        do {
            let story = Story(deaths)
            messages = center.messages(of: story, for: .told).makeAsyncIterator()
            center.tell(1...3, about: story)
        }
        #expect(deaths.count == 1)
        // One of these may be where the story was. If any were heard, they would have displaced what waits.
        let strangers = (0..<100).map { _ in Story() }
        for stranger in strangers { center.tell(4...4, about: stranger) }
        center.tell(5...14)
        #expect(await numbers(3, of: messages) == [1, 2, 3])
    }

    @Test("An iterator keeps its center: what waits can be taken when nobody else has the center")
    func centerOfTheSequence() async {
        let messages: Center.Messages<Told>.Iterator
        do {
            let short = Center()
            messages = short.messages(for: Told.self).makeAsyncIterator()
            short.tell(1...3)
        }
        #expect(await numbers(3, of: messages) == [1, 2, 3])
    }

    @MainActor @Test("On the main actor messages are taken without leaving it")
    func onMainActor() async {
        let messages = center.messages(for: Told.self).makeAsyncIterator()
        center.tell(0..<10)
        var heard: [Int] = []
        var loop = messages
        while let told = await next(&loop) {
            MainActor.preconditionIsolated()
            heard.append(told.number)
            if heard.count == 10 { break }
        }
        #expect(heard == Array(0..<10))
        Task { center.tell(10...10) }
        var iterator = messages
        let last = await next(&iterator)
        MainActor.preconditionIsolated()
        #expect(last?.number == 10)
    }

    // MARK: Notifications

    @Test("Notifications are kept in posting order, with their object and userInfo")
    func notifications() async {
        let story = Story()
        center.notify(0...0)
        let notifications = center.notifications(named: named).makeAsyncIterator()
        #expect(observations == 1)
        center.notify(1...1)
        center.notify(2...2, about: story)
        center.notify(3...3, about: "text")
        center.post(name: Notification.Name("sequences.other"), object: story)
        center.post(Notification(name: named))
        var objects: [Any?] = []
        var numbers: [Int?] = []
        var loop = notifications
        while let notification = await next(&loop) {
            #expect(notification.name == named)
            objects.append(notification.object)
            numbers.append(notification.userInfo?["number"] as? Int)
            if numbers.count == 4 { break }
        }
        #expect(numbers == [1, 2, 3, nil])
        #expect(objects[0] == nil && objects[3] == nil)
        #expect(objects[1] as? Story === story)
        #expect(objects[2] as? String == "text")
    }

    @Test("Notifications of an object are its own alone, and do not keep it alive")
    func notificationsOfAnObject() async {
        let deaths = Log<Int>()
        let other = Story()
        let notifications: HeraldNotificationCenter.Notifications.Iterator
        do {
            let story = Story(deaths)
            notifications = center.notifications(named: named, object: story).makeAsyncIterator()
            center.notify(1...1)
            center.notify(2...2, about: other)
            center.notify(3...3, about: story)
            #expect(await numbers(1, of: notifications) == [3])
        }
        #expect(deaths.count == 1)
        let task = Task { await numbers(of: notifications) }
        // One of these may be where the story was.
        for _ in 0..<100 {
            center.notify(4...4, about: Story())
            await Task.yield()
        }
        center.notify(5...5, about: other)
        task.cancel()
        #expect(await task.value == [])
    }

    @Test("Copies of an iterator share what waits, and a cancelled task leaves it to the others")
    func notificationsShared() async {
        let notifications = center.notifications(named: named).makeAsyncIterator()
        var one = notifications
        var other = notifications
        center.notify(1...3)
        let cancelled = Task {
            while !Task.isCancelled { await Task.yield() }
            return await numbers(1, of: notifications)
        }
        cancelled.cancel()
        #expect(await cancelled.value == [])
        var heard: [Int?] = []
        heard.append(await next(&one)?.userInfo?["number"] as? Int)
        heard.append(await next(&other)?.userInfo?["number"] as? Int)
        heard.append(await next(&one)?.userInfo?["number"] as? Int)
        #expect(heard == [1, 2, 3])
    }

    @Test("A notification that was taken releases its object; one that waits goes with the iterator")
    func notificationsAreReleased() async {
        let deaths = Log<Int>()
        do {
            let notifications = center.notifications(named: named).makeAsyncIterator()
            for number in 1...3 { center.notify(number...number, about: Story(deaths)) }
            #expect(deaths.count == 0)
            #expect(await numbers(2, of: notifications) == [1, 2])
            #expect(deaths.count == 2)
        }
        #expect(deaths.count == 3)
    }
}

private func start(_ work: @escaping @Sendable () -> Void) { Thread(block: work).start() }
