extension HeraldCenter {
    /// How many messages wait for an observer that is slower than the posts. A limit of zero, or less, keeps none: a
    /// message is heard if the observer is waiting for one, or not at all.
    public enum Buffer: Sendable {
        /// The newest; the oldest that waits makes room.
        case newest(Int)
        /// The oldest; what comes when it is full is dropped.
        case oldest(Int)
        case unbounded
    }
}
