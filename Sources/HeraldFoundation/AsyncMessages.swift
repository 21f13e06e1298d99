#if os(Linux)
import Foundation
import Herald

extension HeraldNotificationCenter {
    /// Posts a message. Its observers run in tasks, in posting order.
    public func post<M: AsyncMessage>(_ message: M) {
        herald.send(message, Anywhere<M>.self, M.name.rawValue, nil)
    }

    /// Posts a message about a subject.
    public func post<M: AsyncMessage>(_ message: M, subject: M.Subject) where M.Subject: AnyObject {
        herald.send(message, Anywhere<M>.self, M.name.rawValue, subject)
    }

    /// Adds an observer of a type of messages about a subject, which is not kept alive.
    ///
    /// - Returns: The token, which ends the observation when its last copy is gone.
    public func addObserver<I: MessageIdentifier, M: AsyncMessage>(
        of subject: M.Subject, for identifier: I, using observer: @escaping @Sendable (M) async -> Void
    ) -> ObservationToken where I.MessageType == M, M.Subject: AnyObject {
        observe(subject, observer)
    }

    /// Adds an observer of a type of messages about any subject.
    ///
    /// - Returns: The token, which ends the observation when its last copy is gone.
    public func addObserver<I: MessageIdentifier, M: AsyncMessage>(
        of subject: M.Subject.Type, for identifier: I, using observer: @escaping @Sendable (M) async -> Void
    ) -> ObservationToken where I.MessageType == M {
        observe(nil, observer)
    }

    /// Adds an observer of a type of messages about a subject. `nil`: about any subject.
    ///
    /// - Returns: The token, which ends the observation when its last copy is gone.
    public func addObserver<M: AsyncMessage>(
        of subject: M.Subject? = nil, for messageType: M.Type, using observer: @escaping @Sendable (M) async -> Void
    ) -> ObservationToken where M.Subject: AnyObject {
        observe(subject, observer)
    }

    /// Adds an observer of a type of messages about any subject.
    ///
    /// - Returns: The token, which ends the observation when its last copy is gone.
    public func addObserver<M: AsyncMessage>(
        for messageType: M.Type, using observer: @escaping @Sendable (M) async -> Void
    ) -> ObservationToken {
        observe(nil, observer)
    }

    private func observe<M: AsyncMessage>(
        _ subject: AnyObject?, _ body: @escaping @Sendable (M) async -> Void
    ) -> ObservationToken {
        let observer = AsyncObserver(body)
        observer.add(to: herald, M.name.rawValue, subject)
        return ObservationToken(observer, in: herald)
    }
}

private final class AsyncObserver<M: HeraldNotificationCenter.AsyncMessage>: Observer, @unchecked Sendable {
    private let body: @Sendable (M) async -> Void
    private let order = InOrder()

    init(_ body: @escaping @Sendable (M) async -> Void) { self.body = body }

    override func hear(_ heard: borrowing Heard) {
        guard let message = Anywhere<M>.message(heard) else { return }
        order.start { [self] in
            if !isRemoved { await body(message) }
        }
    }
}

/// Starts the bodies of one observer in order. Each has a task of its own, which inherits nothing of the poster's. So a
/// body may wait for what a later one does; the next body starts when the one before has returned or waits.
private final class InOrder: TaskExecutor {
    private let queue = DispatchQueue(label: "HeraldFoundation.AsyncMessage")

    func start(_ body: @escaping @Sendable () async -> Void) {
        Task.detached(executorPreference: self, operation: body)
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
#endif
