#if os(Linux)
// Written by Scripts/forms: change the table there, and run `make forms`.
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
        *, unavailable, message: "between processes a subject is a `String`, and a message a `HeraldCenter.WireMessage`"
    )
    @_documentation(visibility: internal)
    public func post<M: HeraldCenter.AnyMessage & ~Copyable>(_ message: borrowing M, subject: M.Subject) {}

    @available(
        *, unavailable,
        message:
            "this message stays in its process: write `struct ...: HeraldCenter.WireMessage, Codable` and give it a `static let wireName: HeraldCenter.Name`"
    )
    @_documentation(visibility: internal)
    public func observe<M: HeraldCenter.AnyMessage & ~Copyable>(

        _: M.Type, _ body: @escaping (borrowing M) -> Void
    ) -> HeraldCenter.ObservationToken { HeraldCenter.ObservationToken(nil) }

    @available(
        *, unavailable,
        message:
            "this message stays in its process: write `struct ...: HeraldCenter.WireMessage, Codable` and give it a `static let wireName: HeraldCenter.Name`"
    )
    @_documentation(visibility: internal)
    public func observe<M: HeraldCenter.AnyMessage & ~Copyable>(
        _: M.Type,
        subject: String, _ body: @escaping (borrowing M) -> Void
    ) -> HeraldCenter.ObservationToken { HeraldCenter.ObservationToken(nil) }

    @available(
        *, unavailable, message: "between processes a subject is a `String`, and a message a `HeraldCenter.WireMessage`"
    )
    @_documentation(visibility: internal)
    public func observe<M: HeraldCenter.AnyMessage & ~Copyable>(
        _: M.Type,
        subject: M.Subject, _ body: @escaping (borrowing M) -> Void
    ) -> HeraldCenter.ObservationToken { HeraldCenter.ObservationToken(nil) }

    @available(
        *, unavailable,
        message:
            "this message stays in its process: write `struct ...: HeraldCenter.WireMessage, Codable` and give it a `static let wireName: HeraldCenter.Name`"
    )
    @_documentation(visibility: internal)
    public func observe<O: AnyObject, M: HeraldCenter.AnyMessage & ~Copyable>(
        _: M.Type,
        by owner: O, _ body: @escaping (O, borrowing M) -> Void
    ) {}

    @available(
        *, unavailable,
        message:
            "this message stays in its process: write `struct ...: HeraldCenter.WireMessage, Codable` and give it a `static let wireName: HeraldCenter.Name`"
    )
    @_documentation(visibility: internal)
    public func observe<O: AnyObject, M: HeraldCenter.AnyMessage & ~Copyable>(
        _: M.Type, subject: String,
        by owner: O, _ body: @escaping (O, borrowing M) -> Void
    ) {}

    @available(
        *, unavailable, message: "between processes a subject is a `String`, and a message a `HeraldCenter.WireMessage`"
    )
    @_documentation(visibility: internal)
    public func observe<O: AnyObject, M: HeraldCenter.AnyMessage & ~Copyable>(
        _: M.Type, subject: M.Subject,
        by owner: O, _ body: @escaping (O, borrowing M) -> Void
    ) {}

    @available(
        *, unavailable,
        message:
            "this message stays in its process: write `struct ...: HeraldCenter.WireMessage, Codable` and give it a `static let wireName: HeraldCenter.Name`"
    )
    @_documentation(visibility: internal)
    public func observe<M: HeraldCenter.AnyMessage>(
        _: M.Type, via scheduler: some HeraldCenter.WorkScheduler,
        buffer: HeraldCenter.Buffer = .unbounded, _ body: @escaping (M) -> Void
    ) -> HeraldCenter.ObservationToken { HeraldCenter.ObservationToken(nil) }

    @available(
        *, unavailable,
        message:
            "this message stays in its process: write `struct ...: HeraldCenter.WireMessage, Codable` and give it a `static let wireName: HeraldCenter.Name`"
    )
    @_documentation(visibility: internal)
    public func observe<M: HeraldCenter.AnyMessage>(
        _: M.Type, subject: String, via scheduler: some HeraldCenter.WorkScheduler,
        buffer: HeraldCenter.Buffer = .unbounded, _ body: @escaping (M) -> Void
    ) -> HeraldCenter.ObservationToken { HeraldCenter.ObservationToken(nil) }

    @available(
        *, unavailable, message: "between processes a subject is a `String`, and a message a `HeraldCenter.WireMessage`"
    )
    @_documentation(visibility: internal)
    public func observe<M: HeraldCenter.AnyMessage>(
        _: M.Type, subject: M.Subject, via scheduler: some HeraldCenter.WorkScheduler,
        buffer: HeraldCenter.Buffer = .unbounded, _ body: @escaping (M) -> Void
    ) -> HeraldCenter.ObservationToken { HeraldCenter.ObservationToken(nil) }

    @available(
        *, unavailable,
        message:
            "this message stays in its process: write `struct ...: HeraldCenter.WireMessage, Codable` and give it a `static let wireName: HeraldCenter.Name`"
    )
    @_documentation(visibility: internal)
    public func observe<M: HeraldCenter.AnyMessage>(
        _: M.Type, via schedule: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void,
        buffer: HeraldCenter.Buffer = .unbounded, _ body: @escaping (M) -> Void
    ) -> HeraldCenter.ObservationToken { HeraldCenter.ObservationToken(nil) }

    @available(
        *, unavailable,
        message:
            "this message stays in its process: write `struct ...: HeraldCenter.WireMessage, Codable` and give it a `static let wireName: HeraldCenter.Name`"
    )
    @_documentation(visibility: internal)
    public func observe<M: HeraldCenter.AnyMessage>(
        _: M.Type, subject: String, via schedule: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void,
        buffer: HeraldCenter.Buffer = .unbounded, _ body: @escaping (M) -> Void
    ) -> HeraldCenter.ObservationToken { HeraldCenter.ObservationToken(nil) }

    @available(
        *, unavailable, message: "between processes a subject is a `String`, and a message a `HeraldCenter.WireMessage`"
    )
    @_documentation(visibility: internal)
    public func observe<M: HeraldCenter.AnyMessage>(
        _: M.Type, subject: M.Subject, via schedule: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void,
        buffer: HeraldCenter.Buffer = .unbounded, _ body: @escaping (M) -> Void
    ) -> HeraldCenter.ObservationToken { HeraldCenter.ObservationToken(nil) }

    @available(
        *, unavailable,
        message:
            "this message stays in its process: write `struct ...: HeraldCenter.WireMessage, Codable` and give it a `static let wireName: HeraldCenter.Name`"
    )
    @_documentation(visibility: internal)
    public func observe<O: AnyObject, M: HeraldCenter.AnyMessage>(
        _: M.Type, by owner: O, via scheduler: some HeraldCenter.WorkScheduler,
        buffer: HeraldCenter.Buffer = .unbounded, _ body: @escaping (O, M) -> Void
    ) {}

    @available(
        *, unavailable,
        message:
            "this message stays in its process: write `struct ...: HeraldCenter.WireMessage, Codable` and give it a `static let wireName: HeraldCenter.Name`"
    )
    @_documentation(visibility: internal)
    public func observe<O: AnyObject, M: HeraldCenter.AnyMessage>(
        _: M.Type, subject: String, by owner: O, via scheduler: some HeraldCenter.WorkScheduler,
        buffer: HeraldCenter.Buffer = .unbounded, _ body: @escaping (O, M) -> Void
    ) {}

    @available(
        *, unavailable, message: "between processes a subject is a `String`, and a message a `HeraldCenter.WireMessage`"
    )
    @_documentation(visibility: internal)
    public func observe<O: AnyObject, M: HeraldCenter.AnyMessage>(
        _: M.Type, subject: M.Subject, by owner: O, via scheduler: some HeraldCenter.WorkScheduler,
        buffer: HeraldCenter.Buffer = .unbounded, _ body: @escaping (O, M) -> Void
    ) {}

    @available(
        *, unavailable,
        message:
            "this message stays in its process: write `struct ...: HeraldCenter.WireMessage, Codable` and give it a `static let wireName: HeraldCenter.Name`"
    )
    @_documentation(visibility: internal)
    public func observe<O: AnyObject, M: HeraldCenter.AnyMessage>(
        _: M.Type, by owner: O, via schedule: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void,
        buffer: HeraldCenter.Buffer = .unbounded, _ body: @escaping (O, M) -> Void
    ) {}

    @available(
        *, unavailable,
        message:
            "this message stays in its process: write `struct ...: HeraldCenter.WireMessage, Codable` and give it a `static let wireName: HeraldCenter.Name`"
    )
    @_documentation(visibility: internal)
    public func observe<O: AnyObject, M: HeraldCenter.AnyMessage>(
        _: M.Type, subject: String, by owner: O,
        via schedule: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void,
        buffer: HeraldCenter.Buffer = .unbounded, _ body: @escaping (O, M) -> Void
    ) {}

    @available(
        *, unavailable, message: "between processes a subject is a `String`, and a message a `HeraldCenter.WireMessage`"
    )
    @_documentation(visibility: internal)
    public func observe<O: AnyObject, M: HeraldCenter.AnyMessage>(
        _: M.Type, subject: M.Subject, by owner: O,
        via schedule: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void,
        buffer: HeraldCenter.Buffer = .unbounded, _ body: @escaping (O, M) -> Void
    ) {}

    @available(
        *, unavailable,
        message:
            "this message stays in its process: write `struct ...: HeraldCenter.WireMessage, Codable` and give it a `static let wireName: HeraldCenter.Name`"
    )
    @_documentation(visibility: internal)
    public func observe<M: HeraldCenter.AnyMessage>(
        _: M.Type,
        buffer: HeraldCenter.Buffer = .unbounded, async body: @escaping (M) async -> Void
    ) -> HeraldCenter.ObservationToken { HeraldCenter.ObservationToken(nil) }

    @available(
        *, unavailable,
        message:
            "this message stays in its process: write `struct ...: HeraldCenter.WireMessage, Codable` and give it a `static let wireName: HeraldCenter.Name`"
    )
    @_documentation(visibility: internal)
    public func observe<M: HeraldCenter.AnyMessage>(
        _: M.Type, subject: String,
        buffer: HeraldCenter.Buffer = .unbounded, async body: @escaping (M) async -> Void
    ) -> HeraldCenter.ObservationToken { HeraldCenter.ObservationToken(nil) }

    @available(
        *, unavailable, message: "between processes a subject is a `String`, and a message a `HeraldCenter.WireMessage`"
    )
    @_documentation(visibility: internal)
    public func observe<M: HeraldCenter.AnyMessage>(
        _: M.Type, subject: M.Subject,
        buffer: HeraldCenter.Buffer = .unbounded, async body: @escaping (M) async -> Void
    ) -> HeraldCenter.ObservationToken { HeraldCenter.ObservationToken(nil) }

    @available(
        *, unavailable,
        message:
            "this message stays in its process: write `struct ...: HeraldCenter.WireMessage, Codable` and give it a `static let wireName: HeraldCenter.Name`"
    )
    @_documentation(visibility: internal)
    public func observe<O: AnyObject, M: HeraldCenter.AnyMessage>(
        _: M.Type, by owner: O,
        buffer: HeraldCenter.Buffer = .unbounded, async body: @escaping (O, M) async -> Void
    ) {}

    @available(
        *, unavailable,
        message:
            "this message stays in its process: write `struct ...: HeraldCenter.WireMessage, Codable` and give it a `static let wireName: HeraldCenter.Name`"
    )
    @_documentation(visibility: internal)
    public func observe<O: AnyObject, M: HeraldCenter.AnyMessage>(
        _: M.Type, subject: String, by owner: O,
        buffer: HeraldCenter.Buffer = .unbounded, async body: @escaping (O, M) async -> Void
    ) {}

    @available(
        *, unavailable, message: "between processes a subject is a `String`, and a message a `HeraldCenter.WireMessage`"
    )
    @_documentation(visibility: internal)
    public func observe<O: AnyObject, M: HeraldCenter.AnyMessage>(
        _: M.Type, subject: M.Subject, by owner: O,
        buffer: HeraldCenter.Buffer = .unbounded, async body: @escaping (O, M) async -> Void
    ) {}

    @available(
        *, unavailable,
        message:
            "this message stays in its process: write `struct ...: HeraldCenter.WireMessage, Codable` and give it a `static let wireName: HeraldCenter.Name`"
    )
    @_documentation(visibility: internal)
    public func observe<M: HeraldCenter.AnyMessage>(
        _: M.Type, buffer: HeraldCenter.Buffer = .unbounded,
        async body: @escaping (M) async throws -> Void, failed: @escaping (any Error, M) async -> Void
    ) -> HeraldCenter.ObservationToken { HeraldCenter.ObservationToken(nil) }

    @available(
        *, unavailable,
        message:
            "this message stays in its process: write `struct ...: HeraldCenter.WireMessage, Codable` and give it a `static let wireName: HeraldCenter.Name`"
    )
    @_documentation(visibility: internal)
    public func observe<M: HeraldCenter.AnyMessage>(
        _: M.Type, subject: String, buffer: HeraldCenter.Buffer = .unbounded,
        async body: @escaping (M) async throws -> Void, failed: @escaping (any Error, M) async -> Void
    ) -> HeraldCenter.ObservationToken { HeraldCenter.ObservationToken(nil) }

    @available(
        *, unavailable, message: "between processes a subject is a `String`, and a message a `HeraldCenter.WireMessage`"
    )
    @_documentation(visibility: internal)
    public func observe<M: HeraldCenter.AnyMessage>(
        _: M.Type, subject: M.Subject, buffer: HeraldCenter.Buffer = .unbounded,
        async body: @escaping (M) async throws -> Void, failed: @escaping (any Error, M) async -> Void
    ) -> HeraldCenter.ObservationToken { HeraldCenter.ObservationToken(nil) }

    @available(
        *, unavailable,
        message:
            "this message stays in its process: write `struct ...: HeraldCenter.WireMessage, Codable` and give it a `static let wireName: HeraldCenter.Name`"
    )
    @_documentation(visibility: internal)
    public func observe<O: AnyObject, M: HeraldCenter.AnyMessage>(
        _: M.Type, by owner: O, buffer: HeraldCenter.Buffer = .unbounded,
        async body: @escaping (O, M) async throws -> Void, failed: @escaping (O, any Error, M) async -> Void
    ) {}

    @available(
        *, unavailable,
        message:
            "this message stays in its process: write `struct ...: HeraldCenter.WireMessage, Codable` and give it a `static let wireName: HeraldCenter.Name`"
    )
    @_documentation(visibility: internal)
    public func observe<O: AnyObject, M: HeraldCenter.AnyMessage>(
        _: M.Type, subject: String, by owner: O, buffer: HeraldCenter.Buffer = .unbounded,
        async body: @escaping (O, M) async throws -> Void, failed: @escaping (O, any Error, M) async -> Void
    ) {}

    @available(
        *, unavailable, message: "between processes a subject is a `String`, and a message a `HeraldCenter.WireMessage`"
    )
    @_documentation(visibility: internal)
    public func observe<O: AnyObject, M: HeraldCenter.AnyMessage>(
        _: M.Type, subject: M.Subject, by owner: O, buffer: HeraldCenter.Buffer = .unbounded,
        async body: @escaping (O, M) async throws -> Void, failed: @escaping (O, any Error, M) async -> Void
    ) {}

    @available(
        *, unavailable,
        message:
            "this message stays in its process: write `struct ...: HeraldCenter.WireMessage, Codable` and give it a `static let wireName: HeraldCenter.Name`"
    )
    @_documentation(visibility: internal)
    public func observe<A: Actor, M: HeraldCenter.AnyMessage>(
        _: M.Type, on actor: A,
        buffer: HeraldCenter.Buffer = .unbounded, _ body: @escaping (isolated A, M) async -> Void
    ) {}

    @available(
        *, unavailable,
        message:
            "this message stays in its process: write `struct ...: HeraldCenter.WireMessage, Codable` and give it a `static let wireName: HeraldCenter.Name`"
    )
    @_documentation(visibility: internal)
    public func observe<A: Actor, M: HeraldCenter.AnyMessage>(
        _: M.Type, subject: String, on actor: A,
        buffer: HeraldCenter.Buffer = .unbounded, _ body: @escaping (isolated A, M) async -> Void
    ) {}

    @available(
        *, unavailable, message: "between processes a subject is a `String`, and a message a `HeraldCenter.WireMessage`"
    )
    @_documentation(visibility: internal)
    public func observe<A: Actor, M: HeraldCenter.AnyMessage>(
        _: M.Type, subject: M.Subject, on actor: A,
        buffer: HeraldCenter.Buffer = .unbounded, _ body: @escaping (isolated A, M) async -> Void
    ) {}

    @available(
        *, unavailable,
        message:
            "this message stays in its process: write `struct ...: HeraldCenter.WireMessage, Codable` and give it a `static let wireName: HeraldCenter.Name`"
    )
    @_documentation(visibility: internal)
    public func messages<M: HeraldCenter.AnyMessage>(

        _: M.Type, buffer: HeraldCenter.Buffer = .newest(256)
    ) -> Messages<Never> { Messages(Mailbox(.oldest(0)), HeraldCenter.ObservationToken(nil)) }

    @available(
        *, unavailable,
        message:
            "this message stays in its process: write `struct ...: HeraldCenter.WireMessage, Codable` and give it a `static let wireName: HeraldCenter.Name`"
    )
    @_documentation(visibility: internal)
    public func messages<M: HeraldCenter.AnyMessage>(
        _: M.Type,
        subject: String, buffer: HeraldCenter.Buffer = .newest(256)
    ) -> Messages<Never> { Messages(Mailbox(.oldest(0)), HeraldCenter.ObservationToken(nil)) }

    @available(
        *, unavailable, message: "between processes a subject is a `String`, and a message a `HeraldCenter.WireMessage`"
    )
    @_documentation(visibility: internal)
    public func messages<M: HeraldCenter.AnyMessage>(
        _: M.Type,
        subject: M.Subject, buffer: HeraldCenter.Buffer = .newest(256)
    ) -> Messages<Never> { Messages(Mailbox(.oldest(0)), HeraldCenter.ObservationToken(nil)) }

    @available(
        *, unavailable,
        message:
            "this message stays in its process: write `struct ...: HeraldCenter.WireMessage, Codable` and give it a `static let wireName: HeraldCenter.Name`"
    )
    @_documentation(visibility: internal)
    public func withMessages<M: HeraldCenter.AnyMessage>(
        _: M.Type,
        buffer: HeraldCenter.Buffer = .newest(256), _ body: (Messages<Never>) async throws -> Void
    ) async {}

    @available(
        *, unavailable,
        message:
            "this message stays in its process: write `struct ...: HeraldCenter.WireMessage, Codable` and give it a `static let wireName: HeraldCenter.Name`"
    )
    @_documentation(visibility: internal)
    public func withMessages<M: HeraldCenter.AnyMessage>(
        _: M.Type, subject: String,
        buffer: HeraldCenter.Buffer = .newest(256), _ body: (Messages<Never>) async throws -> Void
    ) async {}

    @available(
        *, unavailable, message: "between processes a subject is a `String`, and a message a `HeraldCenter.WireMessage`"
    )
    @_documentation(visibility: internal)
    public func withMessages<M: HeraldCenter.AnyMessage>(
        _: M.Type, subject: M.Subject,
        buffer: HeraldCenter.Buffer = .newest(256), _ body: (Messages<Never>) async throws -> Void
    ) async {}

    @available(
        *, unavailable,
        message:
            "this message stays in its process: write `struct ...: HeraldCenter.WireMessage, Codable` and give it a `static let wireName: HeraldCenter.Name`"
    )
    @_documentation(visibility: internal)
    public func next<M: HeraldCenter.AnyMessage>(
        _: M.Type,
        within limit: Duration? = nil, where isWanted: ((M) -> Bool)? = nil
    ) async -> M? { nil }

    @available(
        *, unavailable,
        message:
            "this message stays in its process: write `struct ...: HeraldCenter.WireMessage, Codable` and give it a `static let wireName: HeraldCenter.Name`"
    )
    @_documentation(visibility: internal)
    public func next<M: HeraldCenter.AnyMessage>(
        _: M.Type, subject: String,
        within limit: Duration? = nil, where isWanted: ((M) -> Bool)? = nil
    ) async -> M? { nil }

    @available(
        *, unavailable, message: "between processes a subject is a `String`, and a message a `HeraldCenter.WireMessage`"
    )
    @_documentation(visibility: internal)
    public func next<M: HeraldCenter.AnyMessage>(
        _: M.Type, subject: M.Subject,
        within limit: Duration? = nil, where isWanted: ((M) -> Bool)? = nil
    ) async -> M? { nil }

    @available(
        *, unavailable,
        message:
            "this message stays in its process: write `struct ...: HeraldCenter.WireMessage, Codable` and give it a `static let wireName: HeraldCenter.Name`"
    )
    @_documentation(visibility: internal)
    public func observeOnce<M: HeraldCenter.AnyMessage & ~Copyable>(

        _: M.Type, _ body: @escaping (borrowing M) -> Void
    ) -> HeraldCenter.ObservationToken { HeraldCenter.ObservationToken(nil) }

    @available(
        *, unavailable,
        message:
            "this message stays in its process: write `struct ...: HeraldCenter.WireMessage, Codable` and give it a `static let wireName: HeraldCenter.Name`"
    )
    @_documentation(visibility: internal)
    public func observeOnce<M: HeraldCenter.AnyMessage & ~Copyable>(
        _: M.Type,
        subject: String, _ body: @escaping (borrowing M) -> Void
    ) -> HeraldCenter.ObservationToken { HeraldCenter.ObservationToken(nil) }

    @available(
        *, unavailable, message: "between processes a subject is a `String`, and a message a `HeraldCenter.WireMessage`"
    )
    @_documentation(visibility: internal)
    public func observeOnce<M: HeraldCenter.AnyMessage & ~Copyable>(
        _: M.Type,
        subject: M.Subject, _ body: @escaping (borrowing M) -> Void
    ) -> HeraldCenter.ObservationToken { HeraldCenter.ObservationToken(nil) }

    @available(
        *, unavailable,
        message:
            "this message stays in its process: write `struct ...: HeraldCenter.WireMessage, Codable` and give it a `static let wireName: HeraldCenter.Name`"
    )
    @_documentation(visibility: internal)
    public func observe<M: HeraldCenter.AnyMessage & ~Copyable>(
        _: M.Type,
        while goesOn: @escaping (borrowing M) -> Bool, _ body: @escaping (borrowing M) -> Void
    ) -> HeraldCenter.ObservationToken { HeraldCenter.ObservationToken(nil) }

    @available(
        *, unavailable,
        message:
            "this message stays in its process: write `struct ...: HeraldCenter.WireMessage, Codable` and give it a `static let wireName: HeraldCenter.Name`"
    )
    @_documentation(visibility: internal)
    public func observe<M: HeraldCenter.AnyMessage & ~Copyable>(
        _: M.Type, subject: String,
        while goesOn: @escaping (borrowing M) -> Bool, _ body: @escaping (borrowing M) -> Void
    ) -> HeraldCenter.ObservationToken { HeraldCenter.ObservationToken(nil) }

    @available(
        *, unavailable, message: "between processes a subject is a `String`, and a message a `HeraldCenter.WireMessage`"
    )
    @_documentation(visibility: internal)
    public func observe<M: HeraldCenter.AnyMessage & ~Copyable>(
        _: M.Type, subject: M.Subject,
        while goesOn: @escaping (borrowing M) -> Bool, _ body: @escaping (borrowing M) -> Void
    ) -> HeraldCenter.ObservationToken { HeraldCenter.ObservationToken(nil) }

    @available(
        *, unavailable,
        message: "names have no subjects between processes: use `observe(messages: .named(name), subject:)`"
    )
    @_documentation(visibility: internal)
    public func observe(
        _ name: HeraldCenter.Name, subject: String?, _ body: @escaping @Sendable (WirePost) -> Void
    ) -> HeraldCenter.ObservationToken { HeraldCenter.ObservationToken(nil) }
}
#endif
