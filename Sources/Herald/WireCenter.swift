import CHeraldRuntime
public import Dispatch

/// A center whose messages leave the process: ``HostCenter``, or a network center.
///
/// Any ``HeraldCenter/WireMessage`` can be posted and observed here. A post does not wait for its observers, not even
/// for observers in the poster's own process. An observer may name a queue or an actor. All other observers are called
/// on one thread, *Herald's thread*. A typed body never gets bytes that cannot be decoded (R23).
/// ``WireStatistics/undecodable`` counts the messages that could not be decoded, and ``events`` reports the reasons.
///
/// In this protocol a subject is a text. Two subjects are equal if their bytes are equal: a subject may be a path, and
/// is passed on as it is. (Names are equal as texts are in Swift; see ``HeraldCenter/Name``.) The text of an observed
/// subject stays in memory until the process ends, and so does a name. So do not observe many short-lived subjects,
/// such as request numbers. Put the request number into the message instead, and compare it in the body, or in the
/// `where:` of `next`.
///
/// The argument `whileSuspended:` is for observers on Herald's thread. It decides what such an observer gets while the
/// center is suspended in this process. The center holds at most 1,024 posts for each observer, and the process holds
/// at most 16 MiB of messages in all. ``WireStatistics/dropped`` counts the posts that could not be held. Observers
/// that use a queue, an actor or a sequence get posts as usual.
public protocol WireCenter: Sendable {
    /// The counts and the event sequences of the center. Herald makes this instance.
    var wire: Wire { get }

    /// What the center has counted since this process made it.
    var statistics: WireStatistics { get }
}

extension WireCenter {
    /// What the center has counted since this process made it.
    public var statistics: WireStatistics { wire.statistics }

    /// The center's events from now on, as a sequence. Events report what no call can report, for example that messages
    /// were lost. The sequence gets every event that happens after this property was read.
    ///
    /// At most 256 events wait to be taken. If more come, the oldest are dropped.
    public var events: Messages<WireEvent> { wire.events() }

    /// Posts a message. The observers in this process and in all others are called later, on other threads.
    ///
    /// The message is encoded during the call. The host center does not encode a message that has no observer. The call
    /// does not wait.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - subject: A text without a NUL. The subject and the content type together may have at most 1,024 bytes.
    /// - Throws: ``WireError`` if the message could not be posted.
    @inlinable
    public func post<M: HeraldCenter.WireMessage>(_ message: M, subject: String? = nil) throws(WireError) {
        let name = M.wireName
        if wire.isHeard(name) { try wire.post(message, named: name, about: subject) }
    }

    /// Posts bytes as a message with a name, for tools that do not know the message's type. An observer of a type with
    /// this wire name decodes the bytes as a message of that type.
    ///
    /// - Parameters:
    ///   - name: The name to post.
    ///   - bytes: The bytes of the message. The post copies them.
    ///   - type: The media type of the bytes, such as `application/json`. `nil`: the message has no media type.
    ///   - subject: A text without a NUL. The subject and the type together may have at most 1,024 bytes.
    /// - Throws: ``WireError`` if the message could not be posted.
    public func post(
        messageNamed name: HeraldCenter.Name, _ bytes: [UInt8] = [], type: String? = nil, subject: String? = nil
    ) throws(WireError) {
        try wire.post(bytes, of: type ?? "", named: name, about: subject)
    }

    // ---- While the token lives

    /// Observes the messages of a type on Herald's thread, while the token lives.
    ///
    /// After the registration has ended, no new call starts (R6). The body is released after its last call (R10).
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - subject: Only messages with this subject. `nil`: all messages.
    ///   - whileSuspended: How messages are treated while the center is suspended in this process (R16).
    ///   - body: Called on the thread that all observers without a queue or an actor share. A slow body delays the
    ///     other observers.
    ///   - file: The source file of the call; inspection tools show it with `line`.
    ///   - line: See `file`.
    /// - Returns: The token that owns the registration.
    public func observe<M: HeraldCenter.WireMessage>(
        _: M.Type, subject: String? = nil, whileSuspended: HeraldCenter.SuspensionBehavior = .deliverImmediately,
        _ body: @escaping @Sendable (M) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) -> HeraldCenter.ObservationToken {
        wire.center.observe(Reading(M.self, about: subject, of: wire, file, line), whileSuspended: whileSuspended, body)
    }

    /// Observes the messages of a type through a scheduler, while the token lives.
    ///
    /// Messages that still wait when the registration ends are dropped (R6).
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - subject: Only messages with this subject. `nil`: all messages.
    ///   - scheduler: Runs the body; see ``HeraldCenter/Scheduler``.
    ///   - buffer: How many messages may wait for the body.
    ///   - body: Called where the scheduler runs it, with one message at a time.
    ///   - file: The source file of the call; inspection tools show it with `line`.
    ///   - line: See `file`.
    /// - Returns: The token that owns the registration.
    public func observe<M: HeraldCenter.WireMessage>(
        _: M.Type, subject: String? = nil, via scheduler: @escaping HeraldCenter.Scheduler,
        buffer: HeraldCenter.Buffer = .unbounded, _ body: @escaping @Sendable (M) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) -> HeraldCenter.ObservationToken {
        wire.center.observe(
            Reading(M.self, about: subject, of: wire, file, line), HeraldCenter.mailbox(buffer, via: scheduler, body))
    }

    /// Observes the messages of a type on a queue, while the token lives.
    ///
    /// This call is equivalent to `via:` with `{ queue.async(execute: $0) }`.
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - subject: Only messages with this subject. `nil`: all messages.
    ///   - queue: Runs the body.
    ///   - buffer: How many messages may wait for the body.
    ///   - body: Called on the queue, with one message at a time.
    ///   - file: The source file of the call; inspection tools show it with `line`.
    ///   - line: See `file`.
    /// - Returns: The token that owns the registration.
    public func observe<M: HeraldCenter.WireMessage>(
        _: M.Type, subject: String? = nil, via queue: DispatchQueue, buffer: HeraldCenter.Buffer = .unbounded,
        _ body: @escaping @Sendable (M) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) -> HeraldCenter.ObservationToken {
        observe(
            M.self, subject: subject, via: HeraldCenter.scheduler(queue), buffer: buffer, body, file: file, line: line)
    }

    /// Observes the messages of a type on the body's own actor, while the token lives.
    ///
    /// Messages that still wait when the registration ends are dropped (R6).
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - subject: Only messages with this subject. `nil`: all messages.
    ///   - buffer: How many messages may wait for the body.
    ///   - body: Called on the actor to which the body is isolated, with one message at a time.
    ///   - file: The source file of the call; inspection tools show it with `line`.
    ///   - line: See `file`.
    /// - Returns: The token that owns the registration.
    public func observe<M: HeraldCenter.WireMessage>(
        _: M.Type, subject: String? = nil, buffer: HeraldCenter.Buffer = .unbounded,
        @_inheritActorContext async body: @escaping @isolated(any) @Sendable (M) async -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) -> HeraldCenter.ObservationToken {
        wire.center.observe(Reading(M.self, about: subject, of: wire, file, line), HeraldCenter.mailbox(buffer, body))
    }

    // ---- While an owner lives

    /// Observes the messages of a type on Herald's thread, while an owner lives.
    ///
    /// Observing the same type and subject again with the same owner replaces the registration. The body is not called
    /// after the owner is gone (R6).
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - subject: Only messages with this subject. `nil`: all messages.
    ///   - owner: Referenced weakly; retained during a call.
    ///   - whileSuspended: How messages are treated while the center is suspended in this process (R16).
    ///   - body: Called with the owner, on the thread that all observers without a queue or an actor share.
    ///   - file: The source file of the call; inspection tools show it with `line`.
    ///   - line: See `file`.
    public func observe<O: AnyObject & Sendable, M: HeraldCenter.WireMessage>(
        _: M.Type, subject: String? = nil, by owner: O,
        whileSuspended: HeraldCenter.SuspensionBehavior = .deliverImmediately,
        _ body: @escaping @Sendable (O, M) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        wire.center.observe(
            Reading(M.self, about: subject, of: wire, file, line), by: owner, whileSuspended: whileSuspended, body)
    }

    /// Observes the messages of a type through a scheduler, while an owner lives.
    ///
    /// Observing the same type and subject again with the same owner replaces the registration. Messages that still
    /// wait when a registration ends are dropped (R6).
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - subject: Only messages with this subject. `nil`: all messages.
    ///   - owner: Referenced weakly; retained during a call.
    ///   - scheduler: Runs the body; see ``HeraldCenter/Scheduler``.
    ///   - buffer: How many messages may wait for the body.
    ///   - body: Called where the scheduler runs it, with the owner and one message at a time.
    ///   - file: The source file of the call; inspection tools show it with `line`.
    ///   - line: See `file`.
    public func observe<O: AnyObject & Sendable, M: HeraldCenter.WireMessage>(
        _: M.Type, subject: String? = nil, by owner: O, via scheduler: @escaping HeraldCenter.Scheduler,
        buffer: HeraldCenter.Buffer = .unbounded, _ body: @escaping @Sendable (O, M) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        wire.center.observe(
            Reading(M.self, about: subject, of: wire, file, line), by: owner,
            HeraldCenter.mailbox(buffer, for: owner, via: scheduler, body))
    }

    /// Observes the messages of a type on a queue, while an owner lives.
    ///
    /// This call is equivalent to `via:` with `{ queue.async(execute: $0) }`.
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - subject: Only messages with this subject. `nil`: all messages.
    ///   - owner: Referenced weakly; retained during a call.
    ///   - queue: Runs the body.
    ///   - buffer: How many messages may wait for the body.
    ///   - body: Called on the queue, with the owner and one message at a time.
    ///   - file: The source file of the call; inspection tools show it with `line`.
    ///   - line: See `file`.
    public func observe<O: AnyObject & Sendable, M: HeraldCenter.WireMessage>(
        _: M.Type, subject: String? = nil, by owner: O, via queue: DispatchQueue,
        buffer: HeraldCenter.Buffer = .unbounded, _ body: @escaping @Sendable (O, M) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        observe(
            M.self, subject: subject, by: owner, via: HeraldCenter.scheduler(queue), buffer: buffer, body, file: file,
            line: line)
    }

    /// Observes the messages of a type on the body's own actor, while an owner lives.
    ///
    /// Observing the same type and subject again with the same owner replaces the registration. Messages that still
    /// wait when a registration ends are dropped (R6).
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - subject: Only messages with this subject. `nil`: all messages.
    ///   - owner: Referenced weakly; retained during a call.
    ///   - buffer: How many messages may wait for the body.
    ///   - body: Called on the actor to which the body is isolated, with the owner and one message at a time.
    ///   - file: The source file of the call; inspection tools show it with `line`.
    ///   - line: See `file`.
    public func observe<O: AnyObject & Sendable, M: HeraldCenter.WireMessage>(
        _: M.Type, subject: String? = nil, by owner: O, buffer: HeraldCenter.Buffer = .unbounded,
        @_inheritActorContext async body: @escaping @isolated(any) @Sendable (O, M) async -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        wire.center.observe(
            Reading(M.self, about: subject, of: wire, file, line), by: owner,
            HeraldCenter.mailbox(buffer, for: owner, body))
    }

    /// Observes the messages of a type on an actor, while the actor lives.
    ///
    /// Observing the same type and subject again with the same actor replaces the registration. Messages that still
    /// wait when a registration ends are dropped (R6).
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - subject: Only messages with this subject. `nil`: all messages.
    ///   - actor: The owner, referenced weakly; retained during a call.
    ///   - buffer: How many messages may wait for the body.
    ///   - body: Called on the actor, with one message at a time.
    ///   - file: The source file of the call; inspection tools show it with `line`.
    ///   - line: See `file`.
    public func observe<A: Actor, M: HeraldCenter.WireMessage>(
        _: M.Type, subject: String? = nil, on actor: A, buffer: HeraldCenter.Buffer = .unbounded,
        _ body: @escaping @Sendable (isolated A, M) async -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        wire.center.observe(
            Reading(M.self, about: subject, of: wire, file, line), by: actor,
            HeraldCenter.mailbox(buffer, on: actor, body))
    }

    /// Ends the registrations of this owner for the messages of a type, whatever their subjects are. This call does not
    /// wait for running bodies.
    ///
    /// - Parameters:
    ///   - owner: The owner that was passed to `observe`. The owner's `deinit` may make this call.
    ///   - type: The type that the owner observes.
    public func removeObserver<O: AnyObject, M: HeraldCenter.WireMessage>(_ owner: O, of _: M.Type) {
        wire.center.remove(of: owner, HERALD_SWIFT_NOTICES, Herald.name(of: M.self))
    }

    // ---- As a sequence

    /// The messages of a type from now on, as a sequence. The observer is registered when this call returns.
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - subject: Only messages with this subject. `nil`: all messages.
    ///   - buffer: How many messages may wait to be taken. ``Messages/dropped`` counts the messages that find no room.
    ///   - file: The source file of the call; inspection tools show it with `line`.
    ///   - line: See `file`.
    /// - Returns: The sequence. The sequence and its iterators together own the registration.
    public func messages<M: HeraldCenter.WireMessage>(
        _: M.Type, subject: String? = nil, buffer: HeraldCenter.Buffer = .newest(256),
        file: StaticString = #fileID, line: UInt = #line
    ) -> Messages<M> {
        let mailbox = Mailbox<M>(buffer)
        return Messages(mailbox, wire.center.observe(Reading(M.self, about: subject, of: wire, file, line), mailbox))
    }

    /// The next message of a type. The observer is registered when the call begins.
    ///
    /// - Parameters:
    ///   - type: The type of the message.
    ///   - subject: Only messages with this subject. `nil`: all messages.
    ///   - limit: How long to wait. `nil`: there is no limit.
    ///   - isolation: The caller's actor, on which the call resumes.
    ///   - isWanted: Returns false for a message that this call is to pass over. Called on Herald's thread.
    ///   - file: The source file of the call; inspection tools show it with `line`.
    ///   - line: See `file`.
    /// - Returns: The message. `nil` if the time is over or the task is cancelled.
    public func next<M: HeraldCenter.WireMessage>(
        _: M.Type, subject: String? = nil, within limit: Duration? = nil,
        isolation: isolated (any Actor)? = #isolation, where isWanted: (@Sendable (M) -> Bool)? = nil,
        file: StaticString = #fileID, line: UInt = #line
    ) async -> M? {
        await wire.center.next(within: limit, where: isWanted) {
            wire.center.observe(Reading(M.self, about: subject, of: wire, file, line), $0)
        }
    }

    // ---- Not decoded

    /// Observes the posts of a name on Herald's thread, while the token lives. The body gets plain posts, which
    /// have no message, and messages of any type. The messages are not decoded.
    ///
    /// - Parameters:
    ///   - name: The name to observe.
    ///   - subject: Only messages with this subject. `nil`: all messages, and plain posts.
    ///   - whileSuspended: How posts are treated while the center is suspended in this process (R16).
    ///   - body: Called on the thread that all observers without a queue or an actor share.
    ///   - file: The source file of the call; inspection tools show it with `line`.
    ///   - line: See `file`.
    /// - Returns: The token that owns the registration.
    public func observe(
        messagesNamed name: HeraldCenter.Name, subject: String? = nil,
        whileSuspended: HeraldCenter.SuspensionBehavior = .deliverImmediately,
        _ body: @escaping @Sendable (WirePost) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) -> HeraldCenter.ObservationToken {
        wire.center.observe(Reading(name, about: subject, of: wire, file, line), whileSuspended: whileSuspended, body)
    }

    /// Observes the posts of all names under a prefix on Herald's thread, while the token lives. A name is under a
    /// prefix if it begins with the prefix and a dot.
    ///
    /// - Parameters:
    ///   - prefix: `com.acme` matches `com.acme.saved`, but neither `com.acme` nor `com.acmesoft.saved`. Some prefixes
    ///     match no name, for example the empty one. For such a prefix Herald prints a line on stderr, and the body is
    ///     never called.
    ///   - whileSuspended: How posts are treated while the center is suspended in this process (R16).
    ///   - body: Called on the thread that all observers without a queue or an actor share.
    ///   - file: The source file of the call; inspection tools show it with `line`.
    ///   - line: See `file`.
    /// - Returns: The token that owns the registration.
    public func observe(
        under prefix: String, whileSuspended: HeraldCenter.SuspensionBehavior = .deliverImmediately,
        _ body: @escaping @Sendable (WirePost) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) -> HeraldCenter.ObservationToken {
        wire.center.observe(Reading(under: prefix, of: wire, file, line), whileSuspended: whileSuspended, body)
    }

    /// Observes the posts of all names, on Herald's thread, while the token lives.
    ///
    /// - Parameters:
    ///   - whileSuspended: How posts are treated while the center is suspended in this process (R16).
    ///   - body: Called on the thread that all observers without a queue or an actor share.
    ///   - file: The source file of the call; inspection tools show it with `line`.
    ///   - line: See `file`.
    /// - Returns: The token that owns the registration.
    public func observeAll(
        whileSuspended: HeraldCenter.SuspensionBehavior = .deliverImmediately,
        _ body: @escaping @Sendable (WirePost) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) -> HeraldCenter.ObservationToken {
        wire.center.observe(Reading(allOf: wire, file, line), whileSuspended: whileSuspended, body)
    }

    /// The posts of a name, as a sequence. The sequence contains plain posts, and messages of any type. The
    /// messages are not decoded. The observer is registered when this call returns.
    ///
    /// - Parameters:
    ///   - name: The name to observe.
    ///   - subject: Only messages with this subject. `nil`: all messages, and plain posts.
    ///   - buffer: How many posts may wait to be taken. ``Messages/dropped`` counts the posts that find no room.
    ///   - file: The source file of the call; inspection tools show it with `line`.
    ///   - line: See `file`.
    /// - Returns: The sequence. The sequence and its iterators together own the registration.
    public func messages(
        messagesNamed name: HeraldCenter.Name, subject: String? = nil, buffer: HeraldCenter.Buffer = .newest(256),
        file: StaticString = #fileID, line: UInt = #line
    ) -> Messages<WirePost> {
        let mailbox = Mailbox<WirePost>(buffer)
        return Messages(mailbox, wire.center.observe(Reading(name, about: subject, of: wire, file, line), mailbox))
    }

    /// The posts of all names that begin with a prefix and a dot, as a sequence. The observer is registered when this
    /// call returns.
    ///
    /// - Parameters:
    ///   - prefix: `com.acme` matches `com.acme.saved`, but neither `com.acme` nor `com.acmesoft.saved`.
    ///   - buffer: How many posts may wait to be taken. ``Messages/dropped`` counts the posts that find no room.
    ///   - file: The source file of the call; inspection tools show it with `line`.
    ///   - line: See `file`.
    /// - Returns: The sequence. The sequence and its iterators together own the registration.
    public func messages(
        under prefix: String, buffer: HeraldCenter.Buffer = .newest(256), file: StaticString = #fileID,
        line: UInt = #line
    ) -> Messages<WirePost> {
        let mailbox = Mailbox<WirePost>(buffer)
        return Messages(mailbox, wire.center.observe(Reading(under: prefix, of: wire, file, line), mailbox))
    }
}
