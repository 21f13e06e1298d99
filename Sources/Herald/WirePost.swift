/// A post between processes as it came, for tools and for observers of many names.
public struct WirePost: Sendable {
    /// The name that was posted.
    public let name: HeraldCenter.Name
    /// What the message is about, if it says so.
    public let subject: String?
    /// What the bytes are: a media type, if the message says so.
    public let type: String?
    /// The bytes of a message; `nil` for a post of the name alone.
    public let bytes: [UInt8]?
    /// The message's place in the order of messages; 0 for a post of the name alone.
    public let sequence: UInt64
    /// Messages that this process has lost since the one before.
    public let missed: Int
    /// The process that has sent the message, as it says itself; 0 for a post of the name alone.
    public let sender: UInt64
    /// How many posts of the name alone this stands for; 1 for a message.
    public let count: Int
}
