// A message that cannot leave its process does not compile on a center whose messages do, and the error says what to
// write.
extension WireCenter {
    @available(
        *, unavailable,
        message:
            "this message stays in its process: write `struct ...: HeraldCenter.WireMessage, Codable` and give it a `static let wireName: HeraldCenter.Name`"
    )
    @_documentation(visibility: internal)
    public func post<M: HeraldCenter.AnyMessage & ~Copyable>(_ message: borrowing M, subject: M.Subject? = nil) {}

    @available(
        *, unavailable,
        message:
            "this message stays in its process: write `struct ...: HeraldCenter.WireMessage, Codable` and give it a `static let wireName: HeraldCenter.Name`"
    )
    @_documentation(visibility: internal)
    public func observe<M: HeraldCenter.AnyMessage & ~Copyable>(
        _: M.Type, subject: AnySubject = nil, _ body: @escaping (borrowing M) -> Void
    ) -> HeraldCenter.ObservationToken { HeraldCenter.ObservationToken(nil) }

    @available(
        *, unavailable,
        message:
            "this message stays in its process: write `struct ...: HeraldCenter.WireMessage, Codable` and give it a `static let wireName: HeraldCenter.Name`"
    )
    @_documentation(visibility: internal)
    public func observe<O: AnyObject, M: HeraldCenter.AnyMessage & ~Copyable>(
        _: M.Type, subject: AnySubject = nil, by owner: O, _ body: @escaping (O, borrowing M) -> Void
    ) {}

    @available(
        *, unavailable,
        message:
            "this message stays in its process: write `struct ...: HeraldCenter.WireMessage, Codable` and give it a `static let wireName: HeraldCenter.Name`"
    )
    @_documentation(visibility: internal)
    public func messages<M: HeraldCenter.AnyMessage>(_: M.Type) -> Messages<Never> {
        Messages(Mailbox(.oldest(0)), HeraldCenter.ObservationToken(nil))
    }

    @available(
        *, unavailable,
        message:
            "this message stays in its process: write `struct ...: HeraldCenter.WireMessage, Codable` and give it a `static let wireName: HeraldCenter.Name`"
    )
    @_documentation(visibility: internal)
    public func next<M: HeraldCenter.AnyMessage>(_: M.Type) async -> M? { nil }

    @available(
        *, unavailable, message: "names have no subjects between processes: use `observe(messagesNamed:subject:)`"
    )
    @_documentation(visibility: internal)
    public func observe(
        _ name: HeraldCenter.Name, subject: String?, _ body: @escaping @Sendable (WirePost) -> Void
    ) -> HeraldCenter.ObservationToken { HeraldCenter.ObservationToken(nil) }
}
