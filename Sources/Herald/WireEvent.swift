/// Something that happened to a center that carries messages, and that no call reports.
public enum WireEvent: Sendable, Hashable, CustomStringConvertible {
    /// A message of a name could not be decoded as the observed type; with its content type and the reason. Each
    /// sequence gets one event for each combination of these, at most 64 for a name.
    case undecodable(name: HeraldCenter.Name, type: String?, reason: String)
    /// `count` messages were lost before they could be heard. The loss was noticed when a message of this name came in.
    case lost(name: HeraldCenter.Name, count: Int)
    /// The center is connected to its server.
    case connected
    /// The center is not connected to its server, or no longer connected.
    case disconnected(reason: String)
    /// The center has refused an observer or a post of a name.
    case refused(name: HeraldCenter.Name, reason: String)
    /// The server does not allow an observer or a post of a name.
    case denied(name: HeraldCenter.Name, reason: String)
    /// `count` posts and messages were dropped because there was no room for them while the center was suspended. This
    /// is reported when the next message is heard; `name` is that message's name. A network center also drops them if
    /// observers take too long.
    case slow(name: HeraldCenter.Name, count: Int)

    public var description: String {
        switch self {
        case .undecodable(let name, let type, let reason):
            "undecodable message of \(name)\(type.map { ", type \($0.debugDescription)" } ?? ""): \(reason)"
        case .lost(let name, let count): "\(count) messages were lost, found with one of \(name)"
        case .connected: "connected"
        case .disconnected(let reason): "disconnected: \(reason)"
        case .refused(let name, let reason): "\(name) was refused: \(reason)"
        case .denied(let name, let reason): "\(name) was denied: \(reason)"
        case .slow(let name, let count): "\(count) posts were dropped, found with one of \(name)"
        }
    }
}

/// The counts of a center that carries messages, since the process began.
public struct WireStatistics: Sendable, Hashable {
    /// Messages that this process has posted, and that observers may have heard.
    public package(set) var posted = 0
    /// Messages that this process could not post.
    public package(set) var refused = 0
    /// Messages that this process has heard. Each counts once for all its observers, but twice if a suspended center
    /// has held it for some observers and not for others.
    public package(set) var received = 0
    /// Messages of observed names that were lost before this process could hear them.
    public package(set) var missed = 0
    /// Posts and messages that the center could not hold while it was suspended (R16).
    public package(set) var dropped = 0
    /// Messages that this process has heard, but could not decode as the observed type.
    public package(set) var undecodable = 0

    /// Network: posts that were handed to a server.
    public package(set) var sent = 0
    /// Network: posts that wait to be sent.
    public package(set) var waiting = 0
    /// Network: how often a lost connection has been restored.
    public package(set) var reconnects = 0

    package init() {}
}
