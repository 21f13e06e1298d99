#if os(Linux)
import CHerald
import Foundation
import Herald
import Synchronization

/// One registration, as the core has it. The registration keeps the observer until its last call is over (R10). The
/// observer does not keep the center.
class Observer: NSObject, @unchecked Sendable {
    private let over = Atomic(false)
    private var token = HeraldToken()
    private var name: HeraldNameRef?
    private var subject = Subject.none

    /// Called for each post, on the posting thread.
    func hear(_ heard: borrowing Heard) {}

    /// Called once, before anybody else has the observer.
    func add(to center: HeraldCenter, _ text: String?, _ object: Any?) {
        name = text.map { NotificationName.make($0) }
        subject = object.map { Subject.observed($0) } ?? .none
        var options = Observer.options
        var token = HeraldToken()
        let status = HeraldCenterAddObserverWithOptions(
            center.native, owned(self), nil, name, subject.address, &options, &token)
        guard status == HeraldOK else {
            release(address(of: self))
            if status == HeraldOutOfMemory { check(status) }
            return complain(
                "an observer of \(text?.debugDescription ?? "any name") will not be called: "
                    + String(cString: HeraldGetErrorDescription()))
        }
        self.token = token
    }

    func observes(_ text: String?, _ object: Any?) -> Bool {
        (text.map { name != nil && name == NotificationName.find($0) } ?? true)
            && (object.map { subject.address != nil && subject.address == Subject.posted($0).address } ?? true)
    }

    /// Does not wait. Does nothing for another center than that to which the observer was added.
    func remove(from center: HeraldCenter) {
        if HeraldCenterRemoveToken(center.native, token) { over.store(true, ordering: .releasing) }
    }

    /// Whether it was removed: for calls that are made later, in a queue or a task. Acquire: what was done before the
    /// removal is seen.
    var isRemoved: Bool { over.load(ordering: .acquiring) }

    nonisolated(unsafe) private static let options: HeraldObserverOptions = {
        var options = HeraldObserverOptions()
        options.size = MemoryLayout<HeraldObserverOptions>.size
        options.release = { Herald.release($0) }
        options.taggedCallback = { _, observer, name, object, payload, tag in
            withInstance(of: Observer.self, at: UnsafeRawPointer(observer.unsafelyUnwrapped)) {
                $0.hear(Heard(name: name.unsafelyUnwrapped, object: object, payload: payload, tag: tag))
            }
        }
        return options
    }()
}

final class BlockObserver: Observer, @unchecked Sendable {
    private let block: (Notification) -> Void

    init(_ block: @escaping (Notification) -> Void) { self.block = block }

    override func hear(_ heard: borrowing Heard) {
        if let notification = heard.posted {
            lend(notification, to: block)
        } else if let notification = heard.notification {
            block(notification)
        }
    }
}

/// Calls its block on a queue, and waits for it.
final class QueueObserver: Observer, @unchecked Sendable {
    private weak var queue: OperationQueue?
    private let block: @Sendable (Notification) -> Void

    init(_ queue: OperationQueue, _ block: @escaping @Sendable (Notification) -> Void) {
        self.queue = queue
        self.block = block
    }

    override func hear(_ heard: borrowing Heard) {
        guard let queue, let notification = heard.notification else { return }
        if queue == OperationQueue.current || (queue == .main && isOnMain) { return block(notification) }
        nonisolated(unsafe) let sent = notification
        let call = BlockOperation { [self] in
            if !isRemoved { block(sent) }
        }
        queue.addOperations([call], waitUntilFinished: true)
    }
}

/// Calls a closure with what it has heard.
final class HearingObserver: Observer, @unchecked Sendable {
    private let body: (borrowing Heard) -> Void

    init(_ body: @escaping (borrowing Heard) -> Void) { self.body = body }

    override func hear(_ heard: borrowing Heard) { body(heard) }
}
#endif
