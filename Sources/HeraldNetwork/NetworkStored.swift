#if os(Linux) && Network
import CHerald
import CHeraldNetwork
public import Herald

extension NetworkCenter {
    /// What a poster is told about a message that is stored.
    public struct Stored: Sendable, Hashable {
        /// The message's number in the stream. Later messages have higher ones.
        public let sequence: UInt64
    }

    /// Posts a message, and waits until a stream has stored it (R28).
    ///
    /// ```swift
    /// let stored = try await network.store(Saved(path: "notes.txt"))
    /// print(stored.sequence)
    /// ```
    ///
    /// Observers hear the message as every other. An operator makes the stream, with JetStream, for the subjects of
    /// the message's name. The message is sent again until the stream answers, and is stored once. The messages of
    /// one name are stored in the order of the calls. A message of a ``/Herald/HeraldCenter/KeptMessage`` type is
    /// stored, and not kept.
    ///
    /// The corresponding C function is `HeraldNetworkStoreMessage`.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - subject: A text without a NUL.
    ///   - limit: How long to try, more than 0 and at most 120 seconds. If messages of the name from before take
    ///     longer, this call waits for them. It goes on when its task is cancelled.
    /// - Throws: ``/Herald/WireError/unavailable(_:)`` with the reason, if nobody has said that the message is
    ///   stored. If it was sent, it may be. The other errors are those of ``/Herald/WireCenter/post(_:subject:)``.
    public func store<M: HeraldCenter.WireMessage>(
        _ message: M, subject: String? = nil, within limit: Duration = .seconds(30)
    ) async throws(WireError) -> Stored {
        try await store(wire.encode(message), M.contentType, M.wireName, subject, limit)
    }

    /// Posts bytes as a message with a name, and waits until a stream has stored it (R28), for tools that do not
    /// know the message's type.
    ///
    /// The corresponding C function is `HeraldNetworkStoreMessage`.
    ///
    /// - Parameters:
    ///   - name: The name to post.
    ///   - bytes: The bytes of the message.
    ///   - type: The media type of the bytes. `nil`: the message has no media type.
    ///   - subject: A text without a NUL.
    ///   - limit: How long to try, as in ``store(_:subject:within:)``.
    /// - Throws: As ``store(_:subject:within:)``.
    public func store(
        messageNamed name: HeraldCenter.Name, _ bytes: [UInt8] = [], type: String? = nil, subject: String? = nil,
        within limit: Duration = .seconds(30)
    ) async throws(WireError) -> Stored {
        try await store(bytes, type ?? "", name, subject, limit)
    }

    private func store(
        _ bytes: [UInt8], _ type: String, _ name: HeraldCenter.Name, _ subject: String?, _ limit: Duration
    ) async throws(WireError) -> Stored {
        let name = name.native, seconds = limit / .seconds(1)
        let answer: Result<Stored, WireError> = await withCheckedContinuation { continuation in
            let context = Unmanaged.passRetained(Pending(continuation)).toOpaque()
            do throws(WireError) {
                try wire.pass(bytes, type, subject, 0) { message in
                    HeraldNetworkStoreMessage(
                        native, name, message, seconds,
                        { context, status, sequence in
                            Pending<Stored>.end(context, status, Stored(sequence: sequence))
                        }, context)
                }
            } catch {
                Pending<Stored>.fail(context, error)
            }
        }
        withExtendedLifetime(self) {}
        return try answer.get()
    }
}
#endif
