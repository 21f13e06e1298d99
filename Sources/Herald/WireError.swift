#if os(Linux)
/// The reason why a call of a ``WireCenter`` has failed. If a message was not posted, no observer hears it, and
/// ``WireStatistics/refused`` counts it.
public enum WireError: Error, Hashable, CustomStringConvertible {
    /// The message is too large for the center, or its subject and content type are too long. The value is the size of
    /// the part that is too large, in bytes.
    case tooLarge(Int)
    /// The message's `encode()` threw an error, or its subject or content type contains a NUL. The value is the reason.
    case cannotEncode(String)
    /// The center cannot be used, or what it keeps cannot be had or decoded. The value is the reason.
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
#endif
