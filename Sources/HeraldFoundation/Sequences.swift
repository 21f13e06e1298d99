public import Foundation
import Herald

extension HeraldNotificationCenter {
    /// The notifications of a name, in posting order, from this call on.
    ///
    /// The sequence has the observation, and keeps up to 256 notifications for a task that is slower; then the oldest are
    /// dropped. Iterators of one sequence share what waits: each notification goes to one of them.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - object: The instance whose notifications are heard, which is not kept alive. `nil`: every object.
    public func notifications(named name: Notification.Name, object: AnyObject? = nil) -> Notifications {
        Notifications(
            Feed(in: herald, name.rawValue, object, 256) {
                $0.notification.map { Carried(value: $0.toKeep) }
            })
    }

    /// Notifications in posting order.
    public struct Notifications: AsyncSequence, Sendable {
        private let feed: Feed<Carried>

        fileprivate init(_ feed: Feed<Carried>) { self.feed = feed }

        public func makeAsyncIterator() -> Iterator { Iterator(feed: feed) }

        public struct Iterator: AsyncIteratorProtocol {
            fileprivate let feed: Feed<Carried>

            public func next() async -> Notification? { await feed.next(isolation: nil)?.value }

            public func next(isolation: isolated (any Actor)?) async -> Notification? {
                await feed.next(isolation: isolation)?.value
            }
        }
    }

    /// The messages of a type about a subject, in posting order, from this call on.
    ///
    /// The sequence has the observation, and keeps up to `bufferSize` messages for a task that is slower; then the oldest
    /// are dropped. Iterators of one sequence share what waits: each message goes to one of them.
    public func messages<I: MessageIdentifier, M: AsyncMessage>(
        of subject: M.Subject, for identifier: I, bufferSize limit: Int = 10
    ) -> Messages<M> where I.MessageType == M, M.Subject: AnyObject {
        messages(about: subject, limit)
    }

    /// The messages of a type about any subject, in posting order, from this call on.
    public func messages<I: MessageIdentifier, M: AsyncMessage>(
        of subject: M.Subject.Type, for identifier: I, bufferSize limit: Int = 10
    ) -> Messages<M> where I.MessageType == M {
        messages(about: nil, limit)
    }

    /// The messages of a type about a subject, in posting order, from this call on. `nil`: about any subject.
    public func messages<M: AsyncMessage>(
        of subject: M.Subject? = nil, for messageType: M.Type, bufferSize limit: Int = 10
    ) -> Messages<M> where M.Subject: AnyObject {
        messages(about: subject, limit)
    }

    /// The messages of a type about any subject, in posting order, from this call on.
    public func messages<M: AsyncMessage>(for messageType: M.Type, bufferSize limit: Int = 10) -> Messages<M> {
        messages(about: nil, limit)
    }

    private func messages<M: AsyncMessage>(about subject: AnyObject?, _ limit: Int) -> Messages<M> {
        Messages(Feed(in: herald, M.name.rawValue, subject, limit) { Anywhere<M>.message($0) })
    }

    /// Messages in posting order.
    public struct Messages<M: AsyncMessage>: AsyncSequence, Sendable {
        private let feed: Feed<M>

        fileprivate init(_ feed: Feed<M>) { self.feed = feed }

        public func makeAsyncIterator() -> Iterator { Iterator(feed: feed) }

        public struct Iterator: AsyncIteratorProtocol {
            fileprivate let feed: Feed<M>

            public func next() async -> M? { await feed.next(isolation: nil) }

            public func next(isolation: isolated (any Actor)?) async -> M? { await feed.next(isolation: isolation) }
        }
    }
}

/// A notification on the way to a task. As in Foundation, the poster answers for what other threads do with it.
private struct Carried: @unchecked Sendable {
    let value: Notification
}

/// What a sequence and its iterators share: the observation, and what waits. It ends with the last of them.
private final class Feed<Element: Sendable>: Sendable {
    private let mailbox: Mailbox<Element>
    private let token: HeraldNotificationCenter.ObservationToken

    init(
        in center: HeraldCenter, _ name: String, _ object: AnyObject?, _ limit: Int,
        _ read: @escaping (borrowing Heard) -> Element?
    ) {
        let mailbox = Mailbox<Element>(.newest(limit))
        let observer = HearingObserver { heard in
            if let element = read(heard) { _ = mailbox.send(element) }
        }
        observer.add(to: center, name, object)
        self.mailbox = mailbox
        token = HeraldNotificationCenter.ObservationToken(observer, in: center)
    }

    func next(isolation: isolated (any Actor)?) async -> Element? { await mailbox.next(isolation: isolation) }
}
