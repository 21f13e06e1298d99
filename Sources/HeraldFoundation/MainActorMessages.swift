#if os(Linux)
import Foundation
import Herald

extension HeraldNotificationCenter {
    /// Posts a message: calls its observers before the call returns.
    @MainActor public func post<M: MainActorMessage>(_ message: M) {
        herald.send(message, OnMainActor<M>.self, M.name.rawValue, nil)
    }

    /// Posts a message about a subject.
    @MainActor public func post<M: MainActorMessage>(_ message: M, subject: M.Subject) where M.Subject: AnyObject {
        herald.send(message, OnMainActor<M>.self, M.name.rawValue, subject)
    }

    /// Adds an observer of a type of messages about a subject, which is not kept alive.
    ///
    /// - Returns: The token, which ends the observation when its last copy is gone.
    public func addObserver<I: MessageIdentifier, M: MainActorMessage>(
        of subject: M.Subject, for identifier: I, using observer: @escaping @MainActor (M) -> Void
    ) -> ObservationToken where I.MessageType == M, M.Subject: AnyObject {
        observe(subject, observer)
    }

    /// Adds an observer of a type of messages about any subject.
    ///
    /// - Returns: The token, which ends the observation when its last copy is gone.
    public func addObserver<I: MessageIdentifier, M: MainActorMessage>(
        of subject: M.Subject.Type, for identifier: I, using observer: @escaping @MainActor (M) -> Void
    ) -> ObservationToken where I.MessageType == M {
        observe(nil, observer)
    }

    /// Adds an observer of a type of messages about a subject. `nil`: about any subject.
    ///
    /// - Returns: The token, which ends the observation when its last copy is gone.
    public func addObserver<M: MainActorMessage>(
        of subject: M.Subject? = nil, for messageType: M.Type, using observer: @escaping @MainActor (M) -> Void
    ) -> ObservationToken where M.Subject: AnyObject {
        observe(subject, observer)
    }

    /// Adds an observer of a type of messages about any subject.
    ///
    /// - Returns: The token, which ends the observation when its last copy is gone.
    public func addObserver<M: MainActorMessage>(
        for messageType: M.Type, using observer: @escaping @MainActor (M) -> Void
    ) -> ObservationToken {
        observe(nil, observer)
    }

    private func observe<M: MainActorMessage>(
        _ subject: AnyObject?, _ body: @escaping @MainActor (M) -> Void
    ) -> ObservationToken {
        let observer = MainActorObserver(body)
        observer.add(to: herald, M.name.rawValue, subject)
        return ObservationToken(observer, in: herald)
    }
}

private final class MainActorObserver<M: HeraldNotificationCenter.MainActorMessage>: Observer, @unchecked Sendable {
    private let body: @MainActor (M) -> Void
    /// The same, to be called on the main actor. A message is posted there, and asking for that at each call takes
    /// 70 ns.
    private let here: (M) -> Void
    private let kind: any MessageKind.Type = OnMainActor<M>.self

    init(_ body: @escaping @MainActor (M) -> Void) {
        self.body = body
        here = unsafeBitCast(body, to: ((M) -> Void).self)
    }

    override func hear(_ heard: borrowing Heard) {
        if let message = heard.message(of: kind, as: M.self) { return lend(message, to: here) }
        guard let notification = heard.notification else { return }
        nonisolated(unsafe) let sent = isOnMain ? notification : notification.toKeep
        if isOnMain {
            MainActor.assumeIsolated { hear(sent) }
        } else {
            Task { @MainActor in
                if !isRemoved { hear(sent) }
            }
        }
    }

    @MainActor private func hear(_ notification: Notification) {
        if let message = OnMainActor<M>.message(notification) { body(message) }
    }
}
#endif
