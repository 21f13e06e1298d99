import CHerald
import CHeraldHost
import CHeraldRuntime
public import Dispatch

extension HeraldCenter {
    /// The center that all processes of the user share.
    ///
    /// ```swift
    /// let token = HeraldCenter.host.observe("com.acme.cache-changed") { post in reload() }
    /// HeraldCenter.host.post("com.acme.cache-changed")    // here, or in another program
    /// ```
    ///
    /// The corresponding C function is `HeraldCenterGetHostCenter`.
    public static let host = HostCenter()
}

/// The center of all processes of a user: a post in one process calls the observers in all of them, without a daemon.
///
/// A post of a name carries nothing else; a ``HeraldCenter/WireMessage`` carries bytes, 65,536 at most. Who observes a
/// name hears the messages of that name, too, each as one post. Names have 1 to 512 bytes; those that begin with `self.`
/// stay in the process.
///
/// Posts coalesce: an observer that is slower than the posts is called once for several, and ``Post/count`` is their
/// number. Observers without a queue or an actor are called on one thread of Herald's, one after the other, in the
/// poster's own process too.
///
/// If the shared file cannot be used, a post has no effect, and an observer is not called; adding one prints the reason
/// on stderr. ``check()`` throws the reason.
///
/// The corresponding C type is `HeraldCenterRef`. `herald/host.h` describes which processes share a center, and what
/// happens when they are killed or the file is removed.
public struct HostCenter: WireCenter {
    public let wire = Wire(
        HeraldCenter(retaining: HeraldCenterGetHostCenter()), limit: 65_536,
        explain: { String(cString: HeraldHostGetErrorDescription()) },
        postCount: { Int(clamping: HeraldHostGetPostCount()) })

    /// The same center, with the calls that are not public here.
    var center: HeraldCenter { wire.center }

    public var statistics: WireStatistics {
        var statistics = wire.statistics
        statistics.missed = Int(clamping: HeraldHostGetMissedMessageCount())
        return statistics
    }

    /// The shared file cannot be used.
    public struct Unavailable: Error, CustomStringConvertible {
        /// The reason, in a sentence for people. Its text may change.
        public let description: String
    }

    /// One post, or several posts of the same name, as an observer gets them.
    public struct Post: Sendable, Hashable {
        /// The name that was posted.
        public let name: HeraldCenter.Name
        /// How many posts this stands for, of all processes together. It means nothing for held posts (R16).
        public let count: Int

        init(_ name: HeraldCenter.Name) {
            self.name = name
            count = Int(clamping: HeraldHostGetPostCount())
        }

        private init(_ name: HeraldCenter.Name, _ count: Int) {
            self.name = name
            self.count = count
        }

        /// Adds a post to one of the same name that still waits.
        static let merge: Mailbox<Post>.Merge = { Post($0.name, $0.count &+ $1.count) }
    }

    /// Opens the file that the processes share, and checks that this user can use it. It does so by posting the name
    /// `org.herald.check`.
    ///
    /// - Throws: ``Unavailable`` with the reason why the file cannot be used.
    public func check() throws(Unavailable) {
        guard HeraldHostPost("org.herald.check") != HeraldOK else { return }
        throw Unavailable(description: String(cString: HeraldHostGetErrorDescription()))
    }

    /// Posts a name: its observers in this process and in all others are called later, on other threads.
    ///
    /// The post does not wait for them, and reports no error; see ``check()``.
    ///
    /// The corresponding C function is `HeraldCenterPostNotification`.
    public func post(_ name: HeraldCenter.Name) {
        HeraldCenterPostNotification(center.native, name.native, nil, nil, false)
    }

    /// Whether the center is suspended in this process (R16); see ``HeraldCenter/isSuspended``.
    public var isSuspended: Bool {
        get { center.isSuspended }
        nonmutating set { center.isSuspended = newValue }
    }
}

extension HostCenter {
    /// Observes the posts of a name on Herald's thread, until the token goes.
    ///
    /// When the registration ends no new call starts (R6), and the body is released after its last call (R10).
    ///
    /// - Parameters:
    ///   - name: The name to observe.
    ///   - whileSuspended: What becomes of posts while the center is suspended in this process (R16).
    ///   - body: Called on one thread that all such observers of the process share; a slow body delays the others.
    /// - Returns: The token that owns the registration.
    public func observe(
        _ name: HeraldCenter.Name, whileSuspended: HeraldCenter.SuspensionBehavior = .deliverImmediately,
        _ body: @escaping @Sendable (Post) -> Void
    ) -> HeraldCenter.ObservationToken {
        center.observe(
            HERALD_NOTICES, HERALD_PLAIN, name.native, .any, whileSuspended: whileSuspended,
            herald_closure(notice: { _ in body(Post(name)) }))
    }

    /// Observes the posts of a name through a queue, until the token goes.
    ///
    /// Posts that come before the body has begun are added to one ``Post``. Nothing that waits runs after the
    /// registration has ended (R6).
    ///
    /// - Parameters:
    ///   - name: The name to observe.
    ///   - scheduler: Runs the body; see ``HeraldCenter/Scheduler``.
    ///   - body: Called where the scheduler runs it, for one post after the other.
    /// - Returns: The token that owns the registration.
    public func observe(
        _ name: HeraldCenter.Name, via scheduler: @escaping HeraldCenter.Scheduler,
        _ body: @escaping @Sendable (Post) -> Void
    ) -> HeraldCenter.ObservationToken {
        observe(name, HeraldCenter.mailbox(.newest(1), merge: Post.merge, via: scheduler, body))
    }

    /// Observes the posts of a name on a queue, until the token goes.
    ///
    /// The same as `via:` with `{ queue.async(execute: $0) }`.
    ///
    /// - Parameters:
    ///   - name: The name to observe.
    ///   - queue: Runs the body.
    ///   - body: Called on the queue, for one post after the other.
    /// - Returns: The token that owns the registration.
    public func observe(
        _ name: HeraldCenter.Name, via queue: DispatchQueue, _ body: @escaping @Sendable (Post) -> Void
    ) -> HeraldCenter.ObservationToken {
        observe(name, via: HeraldCenter.scheduler(queue), body)
    }

    /// Observes the posts of a name on the body's own actor, until the token goes.
    ///
    /// Posts that come before the body has begun are added to one ``Post``. Nothing that waits runs after the
    /// registration has ended (R6).
    ///
    /// - Parameters:
    ///   - name: The name to observe.
    ///   - body: Called on the actor that it is isolated to, for one post after the other.
    /// - Returns: The token that owns the registration.
    public func observe(
        _ name: HeraldCenter.Name,
        @_inheritActorContext async body: @escaping @isolated(any) @Sendable (Post) async -> Void
    ) -> HeraldCenter.ObservationToken {
        observe(name, HeraldCenter.mailbox(.newest(1), merge: Post.merge, body))
    }

    /// Observes the posts of a name on Herald's thread, while an owner lives.
    ///
    /// Observing the same name again with the same owner replaces the registration. The body is not called after the
    /// owner is gone (R6).
    ///
    /// - Parameters:
    ///   - name: The name to observe.
    ///   - owner: Referenced weakly; retained during a call.
    ///   - whileSuspended: What becomes of posts while the center is suspended in this process (R16).
    ///   - body: Called with the owner, on one thread that all such observers of the process share.
    public func observe<O: AnyObject & Sendable>(
        _ name: HeraldCenter.Name, by owner: O,
        whileSuspended: HeraldCenter.SuspensionBehavior = .deliverImmediately,
        _ body: @escaping @Sendable (O, Post) -> Void
    ) {
        center.observe(
            HERALD_NOTICES, HERALD_OWNED, name.native, .any, by: owner, whileSuspended: whileSuspended,
            herald_closure(owner: owner, notice: { (owner: O, _) in body(owner, Post(name)) }))
    }

    /// Observes the posts of a name on the body's own actor, while an owner lives.
    ///
    /// Observing the same name again with the same owner replaces the registration. Nothing that waits runs after it
    /// has ended (R6).
    ///
    /// - Parameters:
    ///   - name: The name to observe.
    ///   - owner: Referenced weakly; retained during a call.
    ///   - body: Called with the owner, on the actor that it is isolated to, for one post after the other.
    public func observe<O: AnyObject & Sendable>(
        _ name: HeraldCenter.Name, by owner: O,
        @_inheritActorContext async body: @escaping @isolated(any) @Sendable (O, Post) async -> Void
    ) {
        observe(name, by: owner, HeraldCenter.mailbox(.newest(1), merge: Post.merge, for: owner, body))
    }

    /// Observes the posts of a name on an actor, while the actor lives.
    ///
    /// Observing the same name again with the same actor replaces the registration. Nothing that waits runs after it
    /// has ended (R6).
    ///
    /// - Parameters:
    ///   - name: The name to observe.
    ///   - actor: The owner, referenced weakly; retained during a call.
    ///   - body: Called on the actor, for one post after the other.
    public func observe<A: Actor>(
        _ name: HeraldCenter.Name, on actor: A, _ body: @escaping @Sendable (isolated A, Post) async -> Void
    ) {
        observe(name, by: actor, HeraldCenter.mailbox(.newest(1), merge: Post.merge, on: actor, body))
    }

    /// The posts of a name from now on, as a sequence: registered when this returns.
    ///
    /// Posts that come before the next element is asked for are added to one ``Post``. None is dropped: the counts add
    /// up to the number of posts, unless the center was suspended or the file was replaced.
    ///
    /// - Parameter name: The name to observe.
    /// - Returns: The sequence, which owns the registration together with its iterators.
    public func messages(named name: HeraldCenter.Name) -> Messages<Post> {
        let mailbox = Mailbox<Post>(.newest(1), merge: Post.merge)
        return Messages(mailbox, observe(name, mailbox))
    }

    /// The next post of a name. Registered when the call begins.
    ///
    /// - Parameters:
    ///   - name: The name to observe.
    ///   - isolation: The caller's actor, where the call resumes.
    /// - Returns: The post; `nil` when the task is cancelled.
    public func next(_ name: HeraldCenter.Name, isolation: isolated (any Actor)? = #isolation) async -> Post? {
        let messages = messages(named: name).makeAsyncIterator()
        return await messages.next(isolation: isolation)
    }

    /// Ends the registration of this owner for this name. It does not wait for running calls.
    ///
    /// - Parameters:
    ///   - owner: The owner that was given to `observe`; its `deinit` may make this call.
    ///   - name: The name that it observes.
    public func removeObserver<O: AnyObject>(_ owner: O, of name: HeraldCenter.Name) {
        center.removeObserver(owner, of: name)
    }

    /// Ends all registrations of this owner with this center. It does not wait. A `deinit` may call it.
    public func removeObserver<O: AnyObject>(_ owner: O) {
        center.removeObserver(owner)
    }

    private func observe(_ name: HeraldCenter.Name, _ mailbox: Mailbox<Post>) -> HeraldCenter.ObservationToken {
        center.observe(
            HERALD_NOTICES, HERALD_WHILE, name.native, .any, delivery: mailbox,
            herald_closure(while: { _, _, _, _ in mailbox.send(Post(name)) ? 1 : 0 }))
    }

    private func observe(_ name: HeraldCenter.Name, by owner: AnyObject, _ mailbox: Mailbox<Post>) {
        center.observe(
            HERALD_NOTICES, HERALD_WHILE, name.native, .any, by: owner, delivery: mailbox,
            herald_closure(while: { _, _, _, _ in mailbox.send(Post(name)) ? 1 : 0 }))
    }
}
