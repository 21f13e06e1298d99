import CHerald
import CHeraldHost

extension HeraldCenter {
    /// The center that every process of the user hears.
    ///
    /// ```swift
    /// let token = HeraldCenter.host.observe("com.acme.cache-changed") { post in reload() }
    /// HeraldCenter.host.post("com.acme.cache-changed")    // here, or in another program
    /// ```
    ///
    /// The corresponding C function is `HeraldCenterGetHostCenter`.
    public static let host = HostCenter()
}

/// The center of all processes of a user: names go from any of them to the observers in all, without a daemon.
///
/// What crosses is the name, and how often it was posted: no subject and no userInfo, so there is no way to post a
/// message here. Names have 1 to 512 bytes; those that begin with `self.` stay in the process.
///
/// Posts coalesce: an observer that is slower than the posts is called once for several, and ``Post/count`` tells how
/// many. Observers without a queue or an actor are called on a thread of Herald's, one after the other; the poster's own
/// process hears there as well.
///
/// Where the center cannot be had, posts reach nobody and an observer hears nothing, with a sentence on stderr;
/// ``check()`` tells beforehand.
///
/// The corresponding C type is `HeraldCenterRef`; which processes hear each other, and what happens when they are killed
/// or the file is removed, is said in `herald/host.h`.
public struct HostCenter: Sendable {
    /// The same center as C code and names that need more than this know it.
    let center = HeraldCenter(retaining: HeraldCenterGetHostCenter())

    /// Why the center cannot be had.
    public struct Unavailable: Error, CustomStringConvertible {
        public let description: String
    }

    /// What an observer hears: one post, or several of the same name.
    public struct Post: Sendable, Hashable {
        public let name: HeraldCenter.Name
        /// How many posts this stands for, of all processes together. It says nothing about posts that a suspended
        /// center has kept.
        public let count: Int

        init(_ name: HeraldCenter.Name) {
            self.name = name
            count = Int(clamping: HeraldHostGetPostCount())
        }

        private init(_ name: HeraldCenter.Name, _ count: Int) {
            self.name = name
            self.count = count
        }

        /// Two posts of one name, of which the first has not been heard.
        static let merge: Mailbox<Post>.Merge = { Post($0.name, $0.count &+ $1.count) }
    }

    /// Opens the file that the processes share, and looks whether it is still the user's; throws what stands in the way.
    public func check() throws(Unavailable) {
        guard HeraldHostPost("org.herald.check") != HeraldOK else { return }
        throw Unavailable(description: String(cString: HeraldHostGetErrorDescription()))
    }

    /// Posts a name, to its observers in this process and in all others. Does not wait for them.
    ///
    /// The corresponding C function is `HeraldCenterPostNotification`.
    public func post(_ name: HeraldCenter.Name) {
        HeraldCenterPostNotification(center.native, name.native, nil, nil, false)
    }

    /// Whether this process keeps posts back from its observers; see ``HeraldCenter/isSuspended``.
    public var isSuspended: Bool {
        get { center.isSuspended }
        nonmutating set { center.isSuspended = newValue }
    }
}

extension HostCenter {
    /// Observes the posts of a name, on Herald's thread, until the token goes.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - whileSuspended: What to make of posts while the center is suspended in this process.
    ///   - body: Called on a thread that all such observers share: do not linger.
    public func observe(
        _ name: HeraldCenter.Name, whileSuspended: HeraldCenter.SuspensionBehavior = .deliverImmediately,
        _ body: @escaping @Sendable (Post) -> Void
    ) -> HeraldCenter.ObservationToken {
        center.observe(.notice, name.native, .any, whileSuspended: whileSuspended) { _, _, _ in
            body(Post(name))
            return true
        }
    }

    /// Observes the posts of a name through a queue, until the token goes.
    public func observe(
        _ name: HeraldCenter.Name, via scheduler: @escaping HeraldCenter.Scheduler,
        _ body: @escaping @Sendable (Post) -> Void
    ) -> HeraldCenter.ObservationToken {
        observe(name, HeraldCenter.mailbox(.newest(1), merge: Post.merge, via: scheduler, body))
    }

    /// Observes the posts of a name on the body's own actor, until the token goes.
    public func observe(
        _ name: HeraldCenter.Name,
        @_inheritActorContext async body: @escaping @isolated(any) @Sendable (Post) async -> Void
    ) -> HeraldCenter.ObservationToken {
        observe(name, HeraldCenter.mailbox(.newest(1), merge: Post.merge, body))
    }

    /// Observes the posts of a name, on Herald's thread, while an owner lives. The owner is held weakly; observing the
    /// same name again with the same owner replaces what was before.
    public func observe<O: AnyObject & Sendable>(
        _ name: HeraldCenter.Name, by owner: O,
        whileSuspended: HeraldCenter.SuspensionBehavior = .deliverImmediately,
        _ body: @escaping @Sendable (O, Post) -> Void
    ) {
        weak let weakly = owner
        center.observe(.notice, name.native, .any, by: owner, whileSuspended: whileSuspended) { _, _, _ in
            guard let owner = weakly else { return false }
            body(owner, Post(name))
            return true
        }
    }

    /// Observes the posts of a name on the body's own actor while an owner lives.
    public func observe<O: AnyObject & Sendable>(
        _ name: HeraldCenter.Name, by owner: O,
        @_inheritActorContext async body: @escaping @isolated(any) @Sendable (O, Post) async -> Void
    ) {
        observe(name, by: owner, HeraldCenter.mailbox(.newest(1), merge: Post.merge, for: owner, body))
    }

    /// Observes the posts of a name on an actor, while it lives. The actor is the owner, and held weakly.
    public func observe<A: Actor>(
        _ name: HeraldCenter.Name, on actor: A, _ body: @escaping @Sendable (isolated A, Post) async -> Void
    ) {
        observe(name, by: actor, HeraldCenter.mailbox(.newest(1), merge: Post.merge, on: actor, body))
    }

    /// The posts of a name from now on, as a sequence: registered when this returns. While nobody asks for the next
    /// element posts are put together, and none is dropped: the counts add up to the number of posts, unless the center
    /// was suspended, or the file had to be made anew.
    public func messages(named name: HeraldCenter.Name) -> Messages<Post> {
        let mailbox = Mailbox<Post>(.newest(1), merge: Post.merge)
        return Messages(mailbox, observe(name, mailbox))
    }

    /// The next post of a name; `nil` when the task is cancelled. Registered when the call begins.
    public func next(_ name: HeraldCenter.Name, isolation: isolated (any Actor)? = #isolation) async -> Post? {
        let messages = messages(named: name).makeAsyncIterator()
        return await messages.next(isolation: isolation)
    }

    /// Ends what was observed by this owner of this name.
    public func removeObserver<O: AnyObject>(_ owner: O, of name: HeraldCenter.Name) {
        center.removeObserver(owner, of: name)
    }

    /// Ends all that was observed by this owner here.
    public func removeObserver<O: AnyObject>(_ owner: O) {
        center.removeObserver(owner)
    }

    private func observe(_ name: HeraldCenter.Name, _ mailbox: Mailbox<Post>) -> HeraldCenter.ObservationToken {
        center.observe(.notice, name.native, .any, delivery: mailbox) { _, _, _ in mailbox.send(Post(name)) }
    }

    private func observe(_ name: HeraldCenter.Name, by owner: AnyObject, _ mailbox: Mailbox<Post>) {
        center.observe(.notice, name.native, .any, by: owner, delivery: mailbox) { _, _, _ in mailbox.send(Post(name)) }
    }
}
