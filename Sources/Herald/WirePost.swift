/// A post between processes, not decoded, for tools and for observers of many names.
public struct WirePost: Sendable {
    /// The name that was posted.
    public let name: HeraldCenter.Name
    /// The subject of the message, if it has one.
    public let subject: String?
    /// The media type of the bytes, if the message has one.
    public let type: String?
    /// The bytes of a message; `nil` for a post of the name alone.
    public let bytes: [UInt8]?
    /// The message's place in the order in which its sender's messages are heard; 0 for a post of the name alone.
    public let sequence: UInt64
    /// How many messages this process has lost between the message before and this one.
    public let missed: Int
    /// A number for the sender of the message, as the sender gives it; 0 for a post of the name alone.
    public let sender: UInt64
    /// How many posts of the name alone this value stands for; 1 for a message.
    public let count: Int
}
