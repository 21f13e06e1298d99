#if os(Linux) && Network
import CHerald
import CHeraldNetwork
import Dispatch
public import Herald

// What the network keeps (R25). The server has it, so each call waits for the server's answer.
extension NetworkCenter {
    /// The message that the network keeps for observers that come later, and that has no subject. Any machine may
    /// have posted it.
    ///
    /// ```swift
    /// let theme = try await network.kept(Settings.self)?.theme ?? "light"
    /// ```
    ///
    /// The corresponding C function is `HeraldNetworkAskKept`.
    ///
    /// - Parameter type: The type of the message.
    /// - Returns: The message; `nil` if none was posted, or it was forgotten.
    /// - Throws: ``/Herald/WireError/unavailable(_:)`` if the server cannot be asked, or if what is kept under the
    ///   type's ``/Herald/HeraldCenter/WireMessage/wireName`` is not a message of the type.
    public func kept<M: HeraldCenter.KeptMessage & HeraldCenter.WireMessage>(
        _: M.Type
    ) async throws(WireError) -> M? {
        M.mustBeKept()
        return try await keptContent(M.wireName, about: nil)?.decoded(as: M.self)
    }

    /// The message about a subject that the network keeps for observers that come later.
    ///
    /// - Parameters:
    ///   - type: The type of the message.
    ///   - subject: What the message is about.
    /// - Returns: The message; `nil` if none was posted about the subject, or it was forgotten.
    /// - Throws: ``/Herald/WireError/unavailable(_:)``.
    public func kept<M: HeraldCenter.KeptMessage & HeraldCenter.WireMessage>(
        _: M.Type, subject: String
    ) async throws(WireError) -> M? {
        M.mustBeKept()
        return try await keptContent(M.wireName, about: subject)?.decoded(as: M.self)
    }

    /// Forgets the message that the network keeps and that has no subject, in order with the posts of this center.
    /// Observers that come later begin without it. No observer is called.
    ///
    /// The corresponding C function is `HeraldNetworkForget`.
    ///
    /// - Parameter type: The type of the message.
    /// - Returns: Whether a message was kept.
    /// - Throws: ``/Herald/WireError/unavailable(_:)`` if the server cannot be asked.
    @discardableResult
    public func forget<M: HeraldCenter.KeptMessage & HeraldCenter.WireMessage>(
        _: M.Type
    ) async throws(WireError) -> Bool {
        M.mustBeKept()
        return try await forget(messageNamed: M.wireName, subject: nil)
    }

    /// Forgets the message about a subject that the network keeps. No observer is called.
    ///
    /// - Parameters:
    ///   - type: The type of the message.
    ///   - subject: What the message is about.
    /// - Returns: Whether a message was kept.
    /// - Throws: ``/Herald/WireError/unavailable(_:)`` if the server cannot be asked.
    @discardableResult
    public func forget<M: HeraldCenter.KeptMessage & HeraldCenter.WireMessage>(
        _: M.Type, subject: String
    ) async throws(WireError) -> Bool {
        M.mustBeKept()
        return try await forget(messageNamed: M.wireName, subject: subject)
    }

    /// Makes the stream in which the servers keep messages for this center's prefix, unless it is there. The servers
    /// need JetStream. An operator calls this once, or types `herald --network URL kept create`.
    ///
    /// The corresponding C function is `HeraldNetworkCreateKept`.
    ///
    /// - Parameters:
    ///   - replicas: On how many servers the stream is, 1 to 5.
    ///   - limit: How long to wait for the server's answer.
    /// - Throws: ``/Herald/WireError/unavailable(_:)`` with the server's reason.
    public func createKept(replicas: Int, within limit: Duration = .seconds(5)) async throws(WireError) {
        let replicas = UInt32(clamping: replicas)
        try await wait(limit) { HeraldNetworkCreateKept($0, replicas, $1) }
    }

    /// The kept message of a name, not decoded.
    private func keptContent(
        _ name: HeraldCenter.Name, about subject: String?
    ) async throws(WireError) -> WireContent? {
        try await answer(about: subject, none: nil) { center, subject, context in
            HeraldNetworkAskKept(
                center, name.native, subject,
                { context, status, message in
                    Pending<WireContent?>.end(context, status, message.map { WireContent(of: $0) })
                }, context)
        }
    }

    /// Forgets what is kept under a name and a subject, for tools that do not know the message's type.
    ///
    /// - Parameters:
    ///   - name: The name of the message.
    ///   - subject: What the message is about; `nil` for the message without a subject.
    /// - Returns: Whether a message was kept.
    /// - Throws: ``/Herald/WireError/unavailable(_:)`` if the server cannot be asked.
    @discardableResult
    public func forget(
        messageNamed name: HeraldCenter.Name, subject: String?
    ) async throws(WireError) -> Bool {
        try await answer(about: subject, none: false) { center, subject, context in
            HeraldNetworkForget(
                center, name.native, subject,
                { context, status, forgotten in Pending<Bool>.end(context, status, forgotten) }, context)
        }
    }

    /// Asks the server, and waits for its answer.
    /// - Parameter none: The answer about a text with a NUL, which no message can be about.
    private func answer<Value: Sendable>(
        about subject: String?, none: Value,
        _ ask: (HeraldCenterRef, UnsafePointer<CChar>?, UnsafeMutableRawPointer) -> HeraldStatus
    ) async throws(WireError) -> Value {
        if subject?.utf8.contains(0) == true { return none }
        let answer: Result<Value, WireError> = await withCheckedContinuation { continuation in
            let context = Unmanaged.passRetained(Pending(continuation)).toOpaque()
            let status = withCStrings([subject]) { ask(native, $0[0], context) }
            if status != HeraldOK { Pending<Value>.end(context, status, none) }
        }
        withExtendedLifetime(self) {}
        return try answer.get()
    }
}
#endif
