#if os(Linux)
public import CHerald

extension HeraldCenter {
    /// Whether a post of a message would find an observer now. If not, the message need not be made.
    ///
    /// ```swift
    /// if center.isHeard(Measured.self) { center.post(Measured(all: measure())) }
    /// ```
    ///
    /// The call takes the center's lock for a moment, which costs more than a post without observers does. So ask where
    /// the message costs much more. An observer counts even if it observes only one subject, or all posts, or the names
    /// below any prefix. One whose owner is gone may count for a while. Another thread may add or remove an observer
    /// before the post.
    ///
    /// The corresponding C function is `HeraldCenterIsHeard`.
    ///
    /// - Parameter type: The type of the message.
    /// - Returns: Whether there is an observer.
    @inlinable public func isHeard<M: AnyMessage & ~Copyable>(_: M.Type) -> Bool {
        HeraldCenterIsHeard(native, Herald.name(of: M.self))
    }

    /// Whether a post of a name would find an observer now. If not, the `userInfo` need not be made.
    ///
    /// An observer counts even if it observes only one subject, or all names, or those below any prefix. One whose owner
    /// is gone may count for a while, and while the center is suspended, one that gets nothing then counts, too.
    ///
    /// The corresponding C function is `HeraldCenterIsHeard`.
    ///
    /// - Parameter name: The name.
    /// - Returns: Whether there is an observer.
    @inlinable public func isHeard(_ name: Name) -> Bool { HeraldCenterIsHeard(native, name.native) }
}

extension WireCenter {
    /// Whether a post of a message could find an observer now, in any process.
    ///
    /// The host center knows the observers of all processes, and ``post(_:subject:)`` asks it before it encodes a
    /// message. It returns `true`, too, if the post would fail, and while the shared file is new (90 seconds). A network
    /// center cannot know the observers of other processes: while it is open, it returns `true`.
    ///
    /// The corresponding C function is `HeraldCenterIsHeard`.
    ///
    /// - Parameter type: The type of the message.
    /// - Returns: Whether there may be an observer.
    public func isHeard<M: HeraldCenter.WireMessage>(_: M.Type) -> Bool { isHeard(M.wireName) }

    /// Whether a post of a name could find an observer now, in any process.
    ///
    /// The corresponding C function is `HeraldCenterIsHeard`.
    ///
    /// - Parameter name: The name.
    /// - Returns: Whether there may be an observer.
    public func isHeard(_ name: HeraldCenter.Name) -> Bool { HeraldCenterIsHeard(wire.center.native, name.native) }
}
#endif
