public import Herald

/// Records the messages of a type, in the order in which it gets them, from its initialization on.
///
/// ```swift
/// let recorder = MessageRecorder(DocumentSaved.self, on: center)
/// document.save()
/// #expect(recorder.messages.map(\.path) == ["notes.txt"])
/// ```
///
/// It records on the posting thread, before the post returns (R3). Any thread may read ``messages``.
public final class MessageRecorder<M: HeraldCenter.Message & Sendable>: Sendable {
    private let record: Record
    private let token: HeraldCenter.ObservationToken

    private final class Record: Sendable {
        let messages = Guarded<[M]>([])

        func append(_ message: M) { messages.withLock { $0.append(message) } }
    }

    /// Begins to record. The recorder owns the registration, which ends with it.
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - center: The center on which they are posted.
    ///   - subject: Only messages about this instance, as in `observe`.
    public init(_: M.Type, on center: HeraldCenter = .local, subject: AnySubject = nil) {
        let record = Record()
        self.record = record
        token = center.observe(M.self) { record.append(copy $0) }
    }

    /// Begins to record the messages about one instance.
    ///
    /// - Parameter subject: Only messages about this instance. `nil`: none.
    @_disfavoredOverload @_documentation(visibility: internal)
    public init(_: M.Type, on center: HeraldCenter = .local, subject: M.Subject?) {
        let record = Record()
        self.record = record
        token = center.observe(M.self, subject: subject) { record.append(copy $0) }
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
