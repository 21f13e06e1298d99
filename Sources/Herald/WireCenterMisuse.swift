public import Dispatch

// The calls of a `WireCenter` with arguments that cannot leave the process. A program that makes one of these calls
// does not compile. The compiler's error says what to write instead.
extension WireCenter {
    @available(
        *, unavailable,
        message:
            "this message stays in its process: write `struct ...: HeraldCenter.WireMessage, Codable` and give it a `static let wireName: HeraldCenter.Name`"
    )
    @_documentation(visibility: internal)
    public func post<M: HeraldCenter.AnyMessage & ~Copyable>(_ message: borrowing M, subject: String? = nil) {}

    @available(
        *, unavailable,
        message:
            "this message stays in its process: write `struct ...: HeraldCenter.WireMessage, Codable` and give it a `static let wireName: HeraldCenter.Name`"
    )
    @_documentation(visibility: internal)
    public func observe<M: HeraldCenter.AnyMessage & ~Copyable>(
        _: M.Type, subject: String? = nil, _ body: @escaping (borrowing M) -> Void
    ) -> HeraldCenter.ObservationToken { HeraldCenter.ObservationToken(nil) }

    @available(
        *, unavailable,
        message:
            "this message stays in its process: write `struct ...: HeraldCenter.WireMessage, Codable` and give it a `static let wireName: HeraldCenter.Name`"
    )
    @_documentation(visibility: internal)
    public func observe<M: HeraldCenter.AnyMessage>(
        _: M.Type, subject: String? = nil, via scheduler: @escaping HeraldCenter.Scheduler,
        buffer: HeraldCenter.Buffer = .unbounded, _ body: @escaping (M) -> Void
    ) -> HeraldCenter.ObservationToken { HeraldCenter.ObservationToken(nil) }

    @available(
        *, unavailable,
        message:
            "this message stays in its process: write `struct ...: HeraldCenter.WireMessage, Codable` and give it a `static let wireName: HeraldCenter.Name`"
    )
    @_documentation(visibility: internal)
    public func observe<M: HeraldCenter.AnyMessage>(
        _: M.Type, subject: String? = nil, via queue: DispatchQueue, buffer: HeraldCenter.Buffer = .unbounded,
        _ body: @escaping (M) -> Void
    ) -> HeraldCenter.ObservationToken { HeraldCenter.ObservationToken(nil) }

    @available(
        *, unavailable,
        message:
            "this message stays in its process: write `struct ...: HeraldCenter.WireMessage, Codable` and give it a `static let wireName: HeraldCenter.Name`"
    )
    @_documentation(visibility: internal)
    public func observe<M: HeraldCenter.AnyMessage>(
        _: M.Type, subject: String? = nil, buffer: HeraldCenter.Buffer = .unbounded,
        async body: @escaping (M) async -> Void
    ) -> HeraldCenter.ObservationToken { HeraldCenter.ObservationToken(nil) }

    @available(
        *, unavailable,
        message:
            "this message stays in its process: write `struct ...: HeraldCenter.WireMessage, Codable` and give it a `static let wireName: HeraldCenter.Name`"
    )
    @_documentation(visibility: internal)
    public func observe<O: AnyObject, M: HeraldCenter.AnyMessage & ~Copyable>(
        _: M.Type, subject: String? = nil, by owner: O, _ body: @escaping (O, borrowing M) -> Void
    ) {}

    @available(
        *, unavailable,
        message:
            "this message stays in its process: write `struct ...: HeraldCenter.WireMessage, Codable` and give it a `static let wireName: HeraldCenter.Name`"
    )
    @_documentation(visibility: internal)
    public func observe<O: AnyObject, M: HeraldCenter.AnyMessage>(
        _: M.Type, subject: String? = nil, by owner: O, via scheduler: @escaping HeraldCenter.Scheduler,
        buffer: HeraldCenter.Buffer = .unbounded, _ body: @escaping (O, M) -> Void
    ) {}

    @available(
        *, unavailable,
        message:
            "this message stays in its process: write `struct ...: HeraldCenter.WireMessage, Codable` and give it a `static let wireName: HeraldCenter.Name`"
    )
    @_documentation(visibility: internal)
    public func observe<O: AnyObject, M: HeraldCenter.AnyMessage>(
        _: M.Type, subject: String? = nil, by owner: O, via queue: DispatchQueue,
        buffer: HeraldCenter.Buffer = .unbounded, _ body: @escaping (O, M) -> Void
    ) {}

    @available(
        *, unavailable,
        message:
            "this message stays in its process: write `struct ...: HeraldCenter.WireMessage, Codable` and give it a `static let wireName: HeraldCenter.Name`"
    )
    @_documentation(visibility: internal)
    public func observe<O: AnyObject, M: HeraldCenter.AnyMessage>(
        _: M.Type, subject: String? = nil, by owner: O, buffer: HeraldCenter.Buffer = .unbounded,
        async body: @escaping (O, M) async -> Void
    ) {}

    @available(
        *, unavailable,
        message:
            "this message stays in its process: write `struct ...: HeraldCenter.WireMessage, Codable` and give it a `static let wireName: HeraldCenter.Name`"
    )
    @_documentation(visibility: internal)
    public func observe<A: Actor, M: HeraldCenter.AnyMessage>(
        _: M.Type, subject: String? = nil, on actor: A, buffer: HeraldCenter.Buffer = .unbounded,
        _ body: @escaping (isolated A, M) async -> Void
    ) {}

    @available(
        *, unavailable,
        message:
            "this message stays in its process: write `struct ...: HeraldCenter.WireMessage, Codable` and give it a `static let wireName: HeraldCenter.Name`"
    )
    @_documentation(visibility: internal)
    public func messages<M: HeraldCenter.AnyMessage>(
        _: M.Type, subject: String? = nil, buffer: HeraldCenter.Buffer = .newest(256)
    ) -> Messages<Never> { Messages(Mailbox(.oldest(0)), HeraldCenter.ObservationToken(nil)) }

    @available(
        *, unavailable,
        message:
            "this message stays in its process: write `struct ...: HeraldCenter.WireMessage, Codable` and give it a `static let wireName: HeraldCenter.Name`"
    )
    @_documentation(visibility: internal)
    public func next<M: HeraldCenter.AnyMessage>(
        _: M.Type, subject: String? = nil, within limit: Duration? = nil, where isWanted: ((M) -> Bool)? = nil
    ) async -> M? { nil }

    @available(
        *, unavailable,
        message: "between processes a subject is a `String`, and a message a `HeraldCenter.WireMessage`"
    )
    @_documentation(visibility: internal)
    public func post<M: HeraldCenter.AnyMessage & ~Copyable>(_ message: borrowing M, subject: M.Subject) {}

    @available(
        *, unavailable,
        message: "between processes a subject is a `String`, and a message a `HeraldCenter.WireMessage`"
    )
    @_documentation(visibility: internal)
    public func observe<M: HeraldCenter.AnyMessage & ~Copyable>(
        _: M.Type, subject: M.Subject, _ body: @escaping (borrowing M) -> Void
    ) -> HeraldCenter.ObservationToken { HeraldCenter.ObservationToken(nil) }

    @available(
        *, unavailable, message: "names have no subjects between processes: use `observe(messagesNamed:subject:)`"
    )
    @_documentation(visibility: internal)
    public func observe(
        _ name: HeraldCenter.Name, subject: String?, _ body: @escaping @Sendable (WirePost) -> Void
    ) -> HeraldCenter.ObservationToken { HeraldCenter.ObservationToken(nil) }
}
