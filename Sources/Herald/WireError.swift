/// The reason why a message was not posted. Nobody hears the message, and nothing else has changed.
public enum WireError: Error, Hashable, CustomStringConvertible {
    /// The message or its subject is larger than the center can carry. The value is the size, in bytes, of what is too
    /// large.
    case tooLarge(Int)
    /// The message's `encode()` threw an error, or its subject or content type contains a NUL. The value is the reason.
    case cannotEncode(String)
    /// The center cannot be used. The value is the reason.
    case unavailable(String)
    /// There is no room for the message now.
    case queueFull

    public var description: String {
        switch self {
        case .tooLarge(let size): "the message is too large: \(size) bytes"
        case .cannotEncode(let reason): "the message cannot be encoded: \(reason)"
        case .unavailable(let reason): reason
        case .queueFull: "there is no room for the message now"
        }
    }
}
