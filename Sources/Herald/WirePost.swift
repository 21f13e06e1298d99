#if os(Linux)
/// A post between processes, for tools and for observers of many names. The bytes of a message are not decoded.
public struct WirePost: Sendable {
    /// The name that was posted.
    public let name: HeraldCenter.Name
    /// The subject of the message, if it has one.
    public let subject: String?
    /// The media type of the bytes, if the message has one.
    public let type: String?
    /// The bytes of a message; `nil` for a post of the name alone.
    public let bytes: [UInt8]?
    /// The message's number; 0 for a post of the name alone. Messages are heard in the order of their numbers. The
    /// host center numbers all messages together, a network center those of each sender and name separately.
    public let sequence: UInt64
    /// How many messages this process has lost between the previous message and this one. The host center counts lost
    /// messages of all observed names, a network center those of this sender and name.
    public let missed: Int
    /// The number by which the sender of the message identifies itself; 0 for a post of the name alone.
    public let sender: UInt64
    /// How many posts of the name alone this value stands for; 1 for a message.
    public let count: Int
    /// Whether this is what was kept when the observer began (R25). `false` in every later post, also of messages that
    /// are kept.
    public let isKept: Bool
    /// How a stream has stored the post, if a durable observer of a network center hears it (R28); `nil` otherwise.
    public package(set) var stored: Stored?

    /// How a stream has stored a post.
    public struct Stored: Sendable, Hashable {
        /// The post's number in the stream. Later posts have higher ones.
        public let sequence: UInt64
        /// How often the post was given to an observer with this name; 1 for the first time.
        public let deliveries: Int
        /// When it was stored, by the server's clock: the time since the beginning of 1970.
        public let time: Duration

        package init(sequence: UInt64, deliveries: Int, time: Duration) {
            self.sequence = sequence
            self.deliveries = deliveries
            self.time = time
        }
    }
}
#endif
