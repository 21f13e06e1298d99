public import Herald

/// Records the messages of a type in the order in which they are heard, from its making on.
///
/// ```swift
/// let recorder = MessageRecorder(DocumentSaved.self, on: center)
/// document.save()
/// #expect(recorder.messages.map(\.path) == ["notes.txt"])
/// ```
///
/// It records on the posting thread, before the post returns. Any thread may ask.
public final class MessageRecorder<M: HeraldCenter.Message & Sendable>: Sendable {
    private let heard: Heard
    private let token: HeraldCenter.ObservationToken

    private final class Heard: Sendable {
        let messages = Guarded<[M]>([])

        func append(_ message: M) { messages.withLock { $0.append(message) } }
    }

    public init(_: M.Type, on center: HeraldCenter = .local, subject: AnySubject = nil) {
        let heard = Heard()
        self.heard = heard
        token = center.observe(M.self) { heard.append(copy $0) }
    }

    /// Records the messages about one instance.
    @_disfavoredOverload @_documentation(visibility: internal)
    public init(_: M.Type, on center: HeraldCenter = .local, subject: M.Subject?) {
        let heard = Heard()
        self.heard = heard
        token = center.observe(M.self, subject: subject) { heard.append(copy $0) }
    }

    /// What has been heard so far.
    public var messages: [M] { heard.messages.withLock { $0 } }

    /// What has been heard so far; what is heard from now on is recorded anew.
    public func takeMessages() -> [M] {
        heard.messages.withLock { messages in
            defer { messages = [] }
            return messages
        }
    }
}
