#if os(Linux)
public import Herald

/// Records the messages of a type that are posted after the recorder was made, in the order in which they reach the
/// recorder.
///
/// ```swift
/// let recorder = MessageRecorder(DocumentSaved.self, on: center)
/// document.save()
/// #expect(recorder.messages.map(\.path) == ["notes.txt"])
/// ```
///
/// A message is recorded on the posting thread, before the post returns (R3). Any thread may read ``messages``.
public final class MessageRecorder<M: HeraldCenter.AnyMessage & Sendable>: Sendable {
    private let record: Record
    private let token: HeraldCenter.ObservationToken

    private final class Record: Sendable {
        let messages = Guarded<[M]>([])

        func append(_ message: M) { messages.withLock { $0.append(message) } }
    }

    private init(_ record: Record, _ token: consuming HeraldCenter.ObservationToken) {
        self.record = record
        self.token = token
    }

    /// The messages so far.
    public var messages: [M] { record.messages.withLock { $0 } }

    /// Returns the messages so far, and removes them from the record.
    public func takeMessages() -> [M] {
        record.messages.withLock { messages in
            defer { messages = [] }
            return messages
        }
    }
}

extension MessageRecorder where M: HeraldCenter.Message {
    /// Begins to record. The recorder owns the registration. The registration ends with the recorder.
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - center: The center on which the messages are posted.
    public convenience init(_: M.Type, on center: HeraldCenter = .local) {
        let record = Record()
        self.init(record, center.observe(M.self) { record.append(copy $0) })
    }

    /// Begins to record the messages about one instance.
    ///
    /// Only messages about the instance `subject` count.
    public convenience init(_: M.Type, on center: HeraldCenter = .local, subject: M.Subject) {
        let record = Record()
        self.init(record, center.observe(M.self, subject: subject) { record.append(copy $0) })
    }
}

extension MessageRecorder where M: HeraldCenter.MainActorMessage {
    /// Begins to record main-actor messages. The recorder owns the registration. The registration ends with the
    /// recorder.
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - center: The center on which the messages are posted.
    public convenience init(_: M.Type, on center: HeraldCenter = .local) {
        let record = Record()
        self.init(record, center.observe(M.self) { record.append($0) })
    }

    /// Begins to record the messages about one instance.
    ///
    /// Only messages about the instance `subject` count.
    public convenience init(_: M.Type, on center: HeraldCenter = .local, subject: M.Subject) {
        let record = Record()
        self.init(record, center.observe(M.self, subject: subject) { record.append($0) })
    }
}

extension MessageRecorder where M: HeraldCenter.WireMessage {
    /// Begins to record the messages of a center between processes. A message is recorded on Herald's thread, some time
    /// after the post. The recorder owns the registration. The registration ends with the recorder.
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - center: The center on which the messages are posted: `HeraldCenter.host`, or a network center.
    public convenience init(_: M.Type, on center: some WireCenter) {
        let record = Record()
        self.init(record, center.observe(M.self) { record.append($0) })
    }

    /// Begins to record the messages with one subject.
    ///
    /// Only messages with the subject `subject` count.
    public convenience init(_: M.Type, on center: some WireCenter, subject: String) {
        let record = Record()
        self.init(record, center.observe(M.self, subject: subject) { record.append($0) })
    }
}
#endif
