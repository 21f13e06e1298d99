#if os(Linux)
import CHerald

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
    /// does not wait. A message of a ``HeraldCenter/KeptMessage`` type is kept for observers that come later (R25),
    /// whether it has an observer now or not.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - subject: A text without a NUL. The subject and the content type together may have at most 1,024 bytes.
    /// - Throws: ``WireError`` if the message could not be posted.
    @inlinable
    public func post<M: HeraldCenter.WireMessage>(_ message: M, subject: String? = nil) throws(WireError) {
        let name = M.wireName
        if M._isKept || wire.isHeard(name) { try wire.post(message, named: name, about: subject) }
    }

    /// Posts bytes as a message with a name, for tools that do not know the message's type. An observer of a type with
    /// this wire name decodes the bytes as a message of that type.
    ///
    /// - Parameters:
    ///   - name: The name to post.
    ///   - bytes: The bytes of the message. The post copies them.
    ///   - type: The media type of the bytes, such as `application/json`. `nil`: the message has no media type.
    ///   - subject: A text without a NUL. The subject and the type together may have at most 1,024 bytes.
    ///   - isKept: Whether the center keeps the message for observers that come later (R25), as it does with messages of
    ///     a ``HeraldCenter/KeptMessage`` type.
    /// - Throws: ``WireError`` if the message could not be posted.
    public func post(
        messageNamed name: HeraldCenter.Name, _ bytes: [UInt8] = [], type: String? = nil, subject: String? = nil,
        keeping isKept: Bool = false
    ) throws(WireError) {
        try wire.post(bytes, of: type ?? "", named: name, about: subject, keeping: isKept)
    }

    /// Posts a name. The observers of the name, in all processes, are called later, on other threads.
    ///
    /// This call does not wait for observers. It reports no error. Errors are reported by ``HostCenter/check()`` and by
    /// ``events``.
    ///
    /// The corresponding C function is `HeraldCenterPostNotification`.
    public func post(_ name: HeraldCenter.Name) {
        HeraldCenterPostNotification(wire.center.native, name.native, nil, nil, false)
    }

    /// Whether the center is suspended in this process (R16). See ``HeraldCenter/isSuspended``.
    public var isSuspended: Bool {
        get { wire.center.isSuspended }
        nonmutating set { wire.center.isSuspended = newValue }
    }
}
#endif
