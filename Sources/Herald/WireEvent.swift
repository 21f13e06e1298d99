#if os(Linux)
/// An event that no call of a ``WireCenter`` reports; see ``WireCenter/events``.
public enum WireEvent: Sendable, Hashable, CustomStringConvertible {
    /// A message of this name could not be decoded as the observed type. `type` is the message's content type. A
    /// sequence of events reports each combination of name, type and reason once, and at most 64 combinations for one
    /// name.
    case undecodable(name: HeraldCenter.Name, type: String?, reason: String)
    /// `count` messages were lost before they could be heard. The loss was noticed when a message of this name came in.
    case lost(name: HeraldCenter.Name, count: Int)
    /// The center is connected to its server.
    case connected
    /// The connection to a server has ended, or could not be made.
    case disconnected(reason: String)
    /// The center has refused to observe a name or to post it. Or what a network keeps of the name cannot be had now, or
    /// a message cannot be kept. Then observers that began `from: .kept` hear what is posted, and the center tries
    /// again.
    case refused(name: HeraldCenter.Name, reason: String)
    /// The server does not allow this process to observe a name or to post it.
    case denied(name: HeraldCenter.Name, reason: String)
    /// `count` posts and messages were dropped: there was no room for them while the center was suspended, or the
    /// observers of a network center took too long. Drops during a suspension are reported when the next message is
    /// heard, with the name of that message.
    case slow(name: HeraldCenter.Name, count: Int)
    /// An event of a durable observer of a network center (R28).
    case durable(DurableEvent)

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
        case .durable(let event): event.description
        }
    }
}

/// An event of a durable observer of a network center (R28).
public struct DurableEvent: Sendable, Hashable, CustomStringConvertible {
    /// The name of the durable observer.
    public let durable: String
    /// What has happened.
    public let fact: Fact

    /// What happens to a durable observer.
    public enum Fact: Sendable, Hashable {
        /// It cannot begin or go on now. It tries again until it can. The event comes again if the reason changes.
        case denied(reason: String)
        /// The stream has discarded messages that it has not heard: this many at most.
        case lost(atMost: Int)
        /// A message was given to observers with this name too often, and is given to none again. `sequence` is its
        /// number in the stream.
        case givenUp(sequence: UInt64)
        /// Told once: it also gets what it does not observe, and skips this. So it costs more than it should.
        case skipping(reason: String)
    }

    package init(durable: String, _ fact: Fact) {
        self.durable = durable
        self.fact = fact
    }

    public var description: String {
        switch fact {
        case .denied(let reason): "the durable observer \(durable) cannot go on now: \(reason)"
        case .lost(let count): "the durable observer \(durable) has lost \(count) messages at most"
        case .givenUp(let sequence): "the durable observer \(durable) has given up message \(sequence)"
        case .skipping(let reason): "the durable observer \(durable): \(reason)"
        }
    }
}

/// The counts of a ``WireCenter`` since this process made it. A network center also counts posts that are a name alone,
/// without a message.
public struct WireStatistics: Sendable, Hashable {
    /// Messages that this process has posted. The host center does not count a typed message without an observer.
    public package(set) var posted = 0
    /// Messages that this process could not post.
    public package(set) var refused = 0
    /// Messages that this process has heard. A message counts once, however many observers it has. But if a suspended
    /// host center holds a message for only some of its observers, the message counts twice.
    public package(set) var received = 0
    /// Messages of observed names that were lost before this process could hear them.
    public package(set) var missed = 0
    /// Posts and messages that were dropped because the center could not hold them while it was suspended (R16), or
    /// because observers of a network center took too long.
    public package(set) var dropped = 0
    /// Messages that this process has heard, but could not decode as the observed type.
    public package(set) var undecodable = 0

    /// Network: posts that were handed to a server.
    public package(set) var sent = 0
    /// Network: posts that wait to be sent.
    public package(set) var waiting = 0
    /// Network: how often the center has connected again after it lost its connection.
    public package(set) var reconnects = 0

    package init() {}
}
#endif
