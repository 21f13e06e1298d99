/// Something that happened to a center that carries messages, and that no call reports.
public enum WireEvent: Sendable, Hashable, CustomStringConvertible {
    /// What was heard under a name is no message of the type that is observed; its content type and the reason. Said
    /// once for each of these to each sequence.
    case undecodable(name: HeraldCenter.Name, type: String?, reason: String)
    /// So many messages were lost before they could be heard, as was found with one of this name.
    case lost(name: HeraldCenter.Name, count: Int)
    /// The center is connected to its server.
    case connected
    /// It is not, or not any more.
    case disconnected(reason: String)
    /// The center does not take an observer or a post of a name.
    case refused(name: HeraldCenter.Name, reason: String)
    /// The server does not allow it.
    case denied(name: HeraldCenter.Name, reason: String)
    /// So many posts and messages were dropped: because there was no room for them while the center was suspended, said
    /// with the next message, which is of this name; on a network center also because observers take too long.
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

/// What a center that carries messages has counted since the process began.
public struct WireStatistics: Sendable, Hashable {
    /// Messages that this process has posted and somebody may have heard.
    public package(set) var posted = 0
    /// Messages that it could not post.
    public package(set) var refused = 0
    /// Messages that it has heard, each once, however many observers it has; those that a suspended center has held for
    /// some of them, and not for others, twice.
    public package(set) var received = 0
    /// Messages of names that it observes, that were lost before it could hear them.
    public package(set) var missed = 0
    /// Posts and messages that the center could not hold while it was suspended (R16).
    public package(set) var dropped = 0
    /// Messages that it has heard and that are none of the type that is observed.
    public package(set) var undecodable = 0

    /// Network: posts that were handed to a server.
    public package(set) var sent = 0
    /// Network: posts that wait to be sent.
    public package(set) var waiting = 0
    /// Network: how often a connection that was lost has come back.
    public package(set) var reconnects = 0

    package init() {}
}
