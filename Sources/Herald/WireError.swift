/// A message was not posted. Nobody hears it, and nothing else has changed.
public enum WireError: Error, Hashable, CustomStringConvertible {
    /// Its bytes, or its subject, are more than the center carries: how many.
    case tooLarge(Int)
    /// Its `encode()` has thrown, or it cannot be sent as it is: the reason.
    case cannotEncode(String)
    /// The center cannot be used: the reason.
    case unavailable(String)
    /// There is no room for it now.
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
