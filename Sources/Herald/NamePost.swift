/// One post of a name, or several of the same name, as an observer gets them.
public struct NamePost: Sendable, Hashable {
    /// The name that was posted.
    public let name: HeraldCenter.Name
    /// How many posts, of all processes together, this one stands for. For held posts (R16) the number means nothing.
    public let count: Int

    init(_ name: HeraldCenter.Name, _ count: Int) {
        self.name = name
        self.count = count
    }

    /// Adds a post to one of the same name that still waits.
    static let merge: Mailbox<NamePost>.Merge = { NamePost($0.name, $0.count &+ $1.count) }
}
