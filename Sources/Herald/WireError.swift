/// A message was not posted. Nobody hears it, and nothing else has changed.
public enum WireError: Error, Hashable, CustomStringConvertible {
    /// The message or its subject is larger than the center carries; with the size in bytes.
    case tooLarge(Int)
    /// The message's `encode()` has thrown an error, or the message cannot be sent as it is; with the reason.
    case cannotEncode(String)
    /// The center cannot be used; with the reason.
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
