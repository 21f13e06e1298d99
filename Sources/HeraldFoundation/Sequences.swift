#if os(Linux)
public import Foundation
import Herald

extension HeraldNotificationCenter {
    /// The notifications of a name, in posting order. Each iterator observes from `makeAsyncIterator()` on, as Foundation's
    /// does, until it and its copies are gone. It keeps up to 256 notifications for a task that is slower; then the oldest
    /// are dropped.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - object: The instance whose notifications are heard, which is not kept alive. `nil`: every object.
    public func notifications(named name: Notification.Name, object: AnyObject? = nil) -> Notifications {
        Notifications(
            Source(herald, name.rawValue, object, 256) {
                $0.notification.map { Carried(value: $0.toKeep) }
            })
    }

    /// Notifications in posting order.
    public struct Notifications: AsyncSequence, Sendable {
        private let source: Source<Carried>

        fileprivate init(_ source: Source<Carried>) { self.source = source }

        public func makeAsyncIterator() -> Iterator { Iterator(feed: Feed(source)) }

        public struct Iterator: AsyncIteratorProtocol, Sendable {
            fileprivate let feed: Feed<Carried>

            public func next() async -> Notification? { await feed.next(isolation: nil)?.value }

            public func next(isolation: isolated (any Actor)?) async -> Notification? {
                await feed.next(isolation: isolation)?.value
            }
        }
    }

    /// The messages of a type about a subject, in posting order. Each iterator observes from `makeAsyncIterator()` on, as
    /// Foundation's does, until it and its copies are gone. It keeps up to `bufferSize` messages for a task that is slower;
    /// then the oldest are dropped. If the subject is gone before an iterator is made, that has nothing.
    public func messages<I: MessageIdentifier, M: AsyncMessage>(
        of subject: M.Subject, for identifier: I, bufferSize limit: Int = 10
    ) -> Messages<M> where I.MessageType == M, M.Subject: AnyObject {
        messages(about: subject, limit)
    }

    /// The messages of a type about any subject, in posting order.
    public func messages<I: MessageIdentifier, M: AsyncMessage>(
        of subject: M.Subject.Type, for identifier: I, bufferSize limit: Int = 10
    ) -> Messages<M> where I.MessageType == M {
        messages(about: nil, limit)
    }

    /// The messages of a type about a subject, in posting order. `nil`: about any subject.
    public func messages<M: AsyncMessage>(
        of subject: M.Subject? = nil, for messageType: M.Type, bufferSize limit: Int = 10
    ) -> Messages<M> where M.Subject: AnyObject {
        messages(about: subject, limit)
    }

    /// The messages of a type about any subject, in posting order.
    public func messages<M: AsyncMessage>(for messageType: M.Type, bufferSize limit: Int = 10) -> Messages<M> {
        messages(about: nil, limit)
    }

    private func messages<M: AsyncMessage>(about subject: AnyObject?, _ limit: Int) -> Messages<M> {
        Messages(Source(herald, M.name.rawValue, subject, limit) { Anywhere<M>.message($0) })
    }

    /// Messages in posting order.
    public struct Messages<M: AsyncMessage>: AsyncSequence, Sendable {
        private let source: Source<M>

        fileprivate init(_ source: Source<M>) { self.source = source }

        public func makeAsyncIterator() -> Iterator { Iterator(feed: Feed(source)) }

        public struct Iterator: AsyncIteratorProtocol, Sendable {
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

/// What a sequence observes. The object is not kept alive.
private final class Source<Element: Sendable>: @unchecked Sendable {
    let center: HeraldCenter, name: String, limit: Int
    let read: (borrowing Heard) -> Element?
    private let isOfObject: Bool
    private(set) weak var object: AnyObject?

    init(
        _ center: HeraldCenter, _ name: String, _ object: AnyObject?, _ limit: Int,
        _ read: @escaping (borrowing Heard) -> Element?
    ) {
        (self.center, self.name, self.limit, self.read) = (center, name, limit, read)
        isOfObject = object != nil
        self.object = object
    }

    /// Whether the sequence has what was posted about this object, which was read just now.
    func observes(_ object: AnyObject?) -> Bool { object != nil || !isOfObject }
}

/// What an iterator and its copies share: the observation, and what waits. It ends with the last of them.
private final class Feed<Element: Sendable>: Sendable {
    private let mailbox: Mailbox<Element>
    private let token: HeraldNotificationCenter.ObservationToken?

    init(_ source: Source<Element>) {
        let mailbox = Mailbox<Element>(.newest(source.limit))
        self.mailbox = mailbox
        let object = source.object
        guard source.observes(object) else {  // it is gone
            token = nil
            mailbox.finish()
            return
        }
        let observer = HearingObserver { [read = source.read] heard in
            if let element = read(heard) { _ = mailbox.send(element) }
        }
        observer.add(to: source.center, source.name, object)
        token = HeraldNotificationCenter.ObservationToken(observer, in: source.center)
    }

    func next(isolation: isolated (any Actor)?) async -> Element? { await mailbox.next(isolation: isolation) }
}
#endif
