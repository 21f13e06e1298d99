#if os(Linux)
public import CHerald

extension HeraldCenter {
    /// A topic posts messages of one type about one subject, without looking up the observers. It is the fastest way to
    /// post.
    ///
    /// A topic retains its center and its subject. The struct is a handle: its copies share one topic, which ends with
    /// the last copy. Any thread may post. Take care if the subject is not `Sendable`: an observer that `observeAll`
    /// registered gets the subject on the posting thread.
    ///
    /// The corresponding C type is `HeraldTopicRef`.
    public struct Topic<M: AnyMessage & ~Copyable>: Sendable {
        @usableFromInline nonisolated(unsafe) let native: HeraldTopicRef
        @usableFromInline let reference: TopicReference

        init(_ center: HeraldCenter, subject: AnyObject?) {
            reference = TopicReference(center, Herald.name(of: M.self), subject)
            native = reference.native
        }

        @inlinable @inline(__always)
        func send(_ message: borrowing M) {
            if let box = M._boxed(message) { return reference.postKept(box) }
            withAddress(of: message) { _ = HeraldTopicPostTagged(native, $0, Tag.message) }
            withExtendedLifetime(reference) {}
        }
    }

    /// Prepares a topic for messages of one type, about one subject or none.
    ///
    /// The corresponding C function is `HeraldTopicCreate`.
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - subject: The instance that the messages are about. `nil`: the messages are about no particular instance.
    /// - Returns: The topic. It retains the center and the subject.
    public func topic<M: AnyMessage & ~Copyable>(for _: M.Type, subject: M.Subject? = nil) -> Topic<M> {
        Topic(self, subject: subject)
    }
}

extension HeraldCenter.Topic where M: HeraldCenter.Message, M: ~Copyable {
    /// Posts a message about the topic's subject, as ``HeraldCenter/post(_:subject:)-1nch0`` does.
    ///
    /// The corresponding C function is `HeraldTopicPostTagged`.
    @inlinable @inline(__always)
    public func post(_ message: borrowing M) { send(message) }
}

extension HeraldCenter.Topic where M: HeraldCenter.MainActorMessage {
    /// Posts a message about the topic's subject on the main actor.
    ///
    /// The corresponding C function is `HeraldTopicPostTagged`.
    @MainActor @inlinable @inline(__always)
    public func post(_ message: M) { send(message) }
}

/// The state that the copies of one topic share: the topic in C, and the subject.
@usableFromInline final class TopicReference: @unchecked Sendable {
    let native: HeraldTopicRef
    let name: NativeName
    private let subject: AnyObject?

    init(_ center: HeraldCenter, _ name: NativeName, _ subject: AnyObject?) {
        let created = HeraldTopicCreate(center.native, name, subject.map(address(of:)))
        check(created == nil ? HeraldOutOfMemory : HeraldOK)
        native = created.unsafelyUnwrapped
        self.name = name
        self.subject = subject
    }

    deinit { HeraldTopicRelease(native) }
}
#endif
