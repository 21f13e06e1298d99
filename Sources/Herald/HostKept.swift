#if os(Linux)
import CHerald
import CHeraldHost

// What the host center keeps (R25).
extension HostCenter {
    /// The message that the host center keeps for observers that come later, and that has no subject. Any process may
    /// have posted it.
    ///
    /// ```swift
    /// let theme = HeraldCenter.host.kept(Settings.self)?.theme ?? "light"
    /// ```
    ///
    /// When a post has returned, this function returns its message, or a newer one.
    ///
    /// The corresponding C function is `HeraldCenterTakeKept`.
    ///
    /// - Parameter type: The type of the message.
    /// - Returns: The message; `nil` if none was posted, or it was forgotten, or the shared file cannot be used
    ///   (``check()``), or what is kept under the type's ``HeraldCenter/WireMessage/wireName`` is not a message of the
    ///   type, which is counted and reported as any message that cannot be decoded
    ///   (``WireEvent/undecodable(name:type:reason:)``).
    public func kept<M: HeraldCenter.KeptMessage & HeraldCenter.WireMessage>(_: M.Type) -> M? {
        kept(M.self, about: nil)
    }

    /// The message about a subject that the host center keeps for observers that come later.
    ///
    /// - Parameters:
    ///   - type: The type of the message.
    ///   - subject: What the message is about. The text stays in memory until the process ends.
    /// - Returns: The message; `nil` if none was posted about the subject, or it was forgotten.
    public func kept<M: HeraldCenter.KeptMessage & HeraldCenter.WireMessage>(
        _: M.Type, subject: String
    ) -> M? {
        kept(M.self, about: subject)
    }

    private func kept<M: HeraldCenter.KeptMessage & HeraldCenter.WireMessage>(
        _: M.Type, about subject: String?
    ) -> M? {
        M.mustBeKept()
        let filter = Self.filter(for: subject)
        if filter.isNothing { return nil }
        let name = M.wireName.native
        var found: M?
        var take = { (message: UnsafePointer<HeraldMessage>) in found = wire.decode(M.self, name, message) }
        withUnsafeMutablePointer(to: &take) { take in
            _ = HeraldCenterTakeKept(
                center.native, name, filter.address,
                { take, message, _ in
                    guard let take, let message else { return }
                    take.assumingMemoryBound(to: ((UnsafePointer<HeraldMessage>) -> Void).self)
                        .pointee(message.assumingMemoryBound(to: HeraldMessage.self))
                }, take)
        }
        return found
    }

    /// Forgets the message that the host center keeps and that has no subject. Observers in all processes that come
    /// later begin without it. No observer is called.
    ///
    /// The corresponding C function is `HeraldCenterForget`.
    ///
    /// - Parameter type: The type of the message.
    /// - Returns: Whether a message was kept.
    @discardableResult
    public func forget<M: HeraldCenter.KeptMessage & HeraldCenter.WireMessage>(_: M.Type) -> Bool {
        forget(M.self, about: nil)
    }

    /// Forgets the message about a subject that the host center keeps. No observer is called.
    ///
    /// - Parameters:
    ///   - type: The type of the message.
    ///   - subject: What the message is about. The text stays in memory until the process ends.
    /// - Returns: Whether a message was kept.
    @discardableResult
    public func forget<M: HeraldCenter.KeptMessage & HeraldCenter.WireMessage>(_: M.Type, subject: String) -> Bool {
        forget(M.self, about: subject)
    }

    private func forget<M: HeraldCenter.KeptMessage & HeraldCenter.WireMessage>(
        _: M.Type, about subject: String?
    ) -> Bool {
        M.mustBeKept()
        let filter = Self.filter(for: subject)
        return !filter.isNothing && HeraldCenterForget(center.native, M.wireName.native, filter.address)
    }

    private static func filter(for subject: String?) -> Filter {
        subject.map { Filter(text: $0, #fileID, #line) } ?? Filter(#fileID, #line)
    }

    /// Sets the number that belongs to a name, and posts the name, in one step. Observers of the name find the number in
    /// ``NamePost/state``. The number is kept: an observer that begins `from: .kept` is called with it.
    ///
    /// ```swift
    /// try HeraldCenter.host.post("com.acme.level", state: 3)
    /// let token = HeraldCenter.host.observe("com.acme.level", from: .kept) { post in print(post.state ?? 0) }
    /// ```
    ///
    /// Posts coalesce: an observer that is slower than the posts gets the newest number.
    ///
    /// The corresponding C function is `HeraldHostPostState`.
    ///
    /// - Parameters:
    ///   - name: The name to post.
    ///   - state: The number, which ``state(of:)`` and ``Watch/state()`` also return.
    /// - Throws: ``Unavailable`` with the reason. Then nothing was set or posted.
    public func post(_ name: HeraldCenter.Name, state: UInt64) throws(Unavailable) {
        guard HeraldHostPostState(HeraldNameGetUTF8String(name.native), state) != HeraldOK else { return }
        throw Unavailable(description: Wire.reason)
    }
}
#endif
