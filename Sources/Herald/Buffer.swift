#if os(Linux)
extension HeraldCenter {
    /// How many messages may wait for an observer that is slower than the posts, and what is dropped beyond that.
    ///
    /// With a limit of zero or less, no message waits. An idle observer gets each message; for a busy observer,
    /// messages are dropped.
    public enum Buffer: Sendable {
        /// The newest messages. When the buffer is full, the oldest message in it is dropped for a new one.
        case newest(Int)
        /// The oldest messages. When the buffer is full, a new message is dropped.
        case oldest(Int)
        /// All messages.
        case unbounded
    }
}
#endif
