public import CHerald

extension HeraldCenter {
    /// A prepared way to post messages of one type about one subject: the fastest there is.
    ///
    /// Keeps its subject alive. A handle: copies share one topic, which ends with the last. Any thread may post;
    /// whoever observes everything hears of the subject there, so mind the thread if the subject is not `Sendable`.
    ///
    /// The corresponding C type is `HeraldTopicRef`.
    public struct Topic<M: Message & ~Copyable>: Sendable {
        @usableFromInline nonisolated(unsafe) let native: HeraldTopicRef
        @usableFromInline let keeper: TopicKeeper

        init(_ center: HeraldCenter, subject: AnyObject?) {
            keeper = TopicKeeper(center, Herald.name(of: M.self), subject)
            native = keeper.native
        }

        /// Posts a message, as ``HeraldCenter/post(_:)-4hx9d`` does.
        ///
        /// The corresponding C function is `HeraldTopicPostTagged`.
        @inlinable @inline(__always)
        public func post(_ message: borrowing M) {
            withAddress(of: message) { _ = HeraldTopicPostTagged(native, $0, Tag.message) }
            withExtendedLifetime(keeper) {}
        }
    }

    /// Prepares posts of messages of one type, about one subject or none.
    ///
    /// The corresponding C function is `HeraldTopicCreate`.
    public func topic<M: Message & ~Copyable>(for _: M.Type, subject: M.Subject? = nil) -> Topic<M> {
        Topic(self, subject: subject)
    }
}

/// What the handles of one topic share.
@usableFromInline final class TopicKeeper: @unchecked Sendable {
    let native: HeraldTopicRef
    private let subject: AnyObject?

    init(_ center: HeraldCenter, _ name: NativeName, _ subject: AnyObject?) {
        let created = HeraldTopicCreate(center.native, name, subject.map(address(of:)))
        check(created == nil ? HeraldOutOfMemory : HeraldOK)
        native = created.unsafelyUnwrapped
        self.subject = subject
    }

    deinit { HeraldTopicRelease(native) }
}
