#if os(Linux)
import CHerald
import CHeraldRuntime

extension HeraldCenter {
    /// Posts a message, and waits until every body that the post has called or queued has returned, in queues and on
    /// actors, too.
    ///
    /// The call does not wait for messages that are dropped, because there is no room or because their registration has
    /// ended. It returns early if its task is cancelled; the message has been posted then, and is heard.
    ///
    /// - A message in a sequence is waited for until it is taken from the sequence.
    /// - Posts that bodies make are not waited for, unless a body on the posting thread posts the same again: the same
    ///   message, or the same name without a userInfo, about the same subject.
    /// - An observer that began with what was kept (``Start/kept``), and that another thread is calling now, hears the
    ///   message on that thread later. This is not waited for.
    /// - A transport takes a post and delivers it later, so the call does not wait for the post's observers. Nor does it
    ///   wait for what a suspended center holds.
    /// - An `async:` or `on:` body that waits for a message to its own observer would wait for ever. This is a
    ///   precondition failure. Bodies that wait for one another are not found, nor is a body that waits for a child
    ///   task that waits.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - subject: The instance that the message is about. `nil`: the message is about no particular instance.
    ///   - isolation: The caller's actor, on which the message is posted.
    public func postAndWait<M: Message & Sendable>(
        _ message: M, subject: M.Subject? = nil, isolation: isolated (any Actor)? = #isolation
    ) async {
        await postWithTicket(message, about: subject).untilEnd(isolation: isolation)
    }

    /// Posts a message on the main actor, and waits until every body that the post has called or queued has returned,
    /// in queues and on other actors, too: ``postAndWait(_:subject:isolation:)`` says what is waited for.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - subject: The instance that the message is about. `nil`: the message is about no particular instance.
    @MainActor public func postAndWait<M: MainActorMessage>(_ message: M, subject: M.Subject? = nil) async {
        await postWithTicket(message, about: subject).untilEnd(isolation: MainActor.shared)
    }

    /// Posts a name, and waits until every body that the post has called or queued has returned, in queues and on
    /// actors, too: ``postAndWait(_:subject:isolation:)`` says what is waited for.
    ///
    /// - Parameters:
    ///   - name: The name to post.
    ///   - subject: The instance that the post is about.
    ///   - userInfo: The payload; observers find it in ``Notice/userInfo``.
    ///   - isolation: The caller's actor, on which the name is posted.
    public func postAndWait(
        _ name: Name, subject: AnyObject? = nil, userInfo: (any Sendable)? = nil,
        isolation: isolated (any Actor)? = #isolation
    ) async {
        let wait = withUnsafePointer(to: userInfo) { userInfo in
            let payload = userInfo.pointee == nil ? nil : UnsafeRawPointer(userInfo)  // see post
            return postWithTicket(name.native, subject, payload, Tag.userInfo)
        }
        await wait.untilEnd(isolation: isolation)
    }

    /// Posts a name with a dictionary of values of several types, and waits until every body that the post has called or
    /// queued has returned.
    ///
    /// - Parameters:
    ///   - name: The name to post.
    ///   - subject: The instance that the post is about.
    ///   - userInfo: The dictionary; observers read its values with ``Notice/subscript(_:as:)``.
    ///   - isolation: The caller's actor, on which the name is posted.
    public func postAndWait(
        _ name: Name, subject: AnyObject? = nil, userInfo: [String: any Sendable],
        isolation: isolated (any Actor)? = #isolation
    ) async {
        await postAndWait(name, subject: subject, userInfo: userInfo as any Sendable, isolation: isolation)
    }

    /// Waits until every message has been heard that waits for an observer now, or is being heard, in queues and on
    /// actors. Call this before the process ends, or in a test before it looks at what was done.
    ///
    /// Messages that are posted after the call are not waited for, nor are messages that are dropped, because there is
    /// no room or because their registration has ended. A message in a sequence is waited for until it is taken from the
    /// sequence. What a suspended center holds is not waited for, nor are the bodies of registrations that had ended
    /// before the call. The call returns early if its task is cancelled.
    ///
    /// An `async:` or `on:` body of this center that drains it would wait for itself for ever. This is a precondition
    /// failure.
    ///
    /// - Parameter isolation: The caller's actor.
    public func drain(isolation: isolated (any Actor)? = #isolation) async {
        let wait = Wait()
        hold(Ticket(wait))
        await wait.untilEnd(isolation: isolation)
    }

    /// The last element in each mailbox of the center holds the ticket.
    private func hold(_ ticket: Ticket) {
        herald_swift_visit_extras(
            native,
            { ticket, extra in
                withInstance(of: Observation.Extra.self, at: extra.unsafelyUnwrapped) { extra in
                    withInstance(of: Ticket.self, at: ticket.unsafelyUnwrapped) { extra.delivery?.hold($0) }
                }
            }, UnsafeMutableRawPointer(mutating: address(of: ticket)))
        withExtendedLifetime(ticket) {}
    }

    private func postWithTicket<M: AnyMessage>(_ message: M, about subject: M.Subject?) -> Wait {
        if let box = M._boxed(message) {
            defer { withExtendedLifetime(box) {} }
            return postWithTicket(Herald.name(of: M.self), subject, userInfo(of: box), Tag.kept)
        }
        var wait: Wait?
        withAddress(of: message) {
            wait = postWithTicket(Herald.name(of: M.self), subject, $0, Tag.message)
        }
        return wait.unsafelyUnwrapped
    }

    private func postWithTicket(
        _ name: NativeName, _ subject: AnyObject?, _ payload: UnsafeRawPointer?, _ tag: UnsafeRawPointer
    ) -> Wait {
        let wait = Wait()
        let ticket = Ticket(wait)
        func post(keeps: Bool) -> HeraldStatus {
            herald_swift_post_with_ticket(
                address(of: ticket), native, name, subject.map { address(of: $0) }, payload, tag, keeps)
        }
        if tag != Tag.kept || !Self.isKept(post(keeps: true), name) { _ = post(keeps: false) }
        withExtendedLifetime((ticket, subject)) {}
        return wait
    }
}
#endif
