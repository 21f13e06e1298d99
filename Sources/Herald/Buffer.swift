extension HeraldCenter {
    /// How many messages wait for an observer that is slower than the posts.
    ///
    /// With a limit of zero or less, no message waits: an idle observer gets the message, a busy one does not.
    public enum Buffer: Sendable {
        /// The newest messages; when the buffer is full, the oldest one is dropped.
        case newest(Int)
        /// The oldest messages; when the buffer is full, a new one is dropped.
        case oldest(Int)
        /// All messages.
        case unbounded
    }
}
