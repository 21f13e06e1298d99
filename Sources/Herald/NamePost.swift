#if os(Linux)
/// What an observer of a name gets: one post of the name, or several posts in one.
public struct NamePost: Sendable, Hashable {
    /// The name that was posted.
    public let name: HeraldCenter.Name
    /// How many posts, of all processes together, this `NamePost` stands for. The number means nothing for posts that a
    /// suspended center has held (R16).
    public let count: Int
    /// The number that belonged to the name (its state) when the newest of these posts was heard, or a newer one. `nil`:
    /// no process has set one, this stands for a message, or the center is not ``HeraldCenter/host``.
    public let state: UInt64?

    init(_ name: HeraldCenter.Name, _ count: Int, _ state: UInt64?) {
        self.name = name
        self.count = count
        self.state = state
    }

    /// Adds a new post to a waiting post of the same name.
    @usableFromInline static let merge: Mailbox<NamePost>.Merge = {
        NamePost($0.name, $0.count &+ $1.count, $1.state ?? $0.state)
    }
}
#endif
