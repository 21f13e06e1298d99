#if os(Linux)
public import Herald

/// Runs `trigger` and waits for a message. The observer is registered before the trigger runs, so no message is missed.
///
/// ```swift
/// let saved = try await expectMessage(DocumentSaved.self, on: center) { document.save() }
/// ```
///
/// - Parameters:
///   - type: The type of the message.
///   - center: The center on which the message is expected.
///   - limit: How long to wait after the trigger has returned. A message that comes while the trigger runs is always in
///     time.
///   - isolation: The caller's actor, on which the trigger runs.
///   - isWanted: Whether a message counts. Called on the posting thread.
///   - file: The source file of this call. A failure says `file` and `line`.
///   - line: The source line of this call.
///   - trigger: Posts the message, now or later.
/// - Returns: The first message that counts.
/// - Throws: ``MessageExpectationFailure`` if no message counts within the limit, with this line and the last three
///   messages that did not count; the error of `trigger`; `CancellationError` in a cancelled task.
@discardableResult
public func expectMessage<M: HeraldCenter.Message & Sendable>(
    _ type: M.Type, on center: HeraldCenter = .local, within limit: Duration = .seconds(1),
    isolation: isolated (any Actor)? = #isolation, where isWanted: @escaping @Sendable (M) -> Bool = { _ in true },
    file: StaticString = #fileID, line: UInt = #line,
    trigger: () async throws -> Void
) async throws -> M {
    let watch = Watch<M>(where: isWanted)
    let token = center.observe(type) { watch.receive(copy $0) }
    defer { token.cancel() }
    return try await watch.expect(within: limit, at: Place(file, line), trigger)
}

/// Runs `trigger` and waits for a message about one instance.
///
/// Only messages about the instance `subject` count.
@discardableResult
public func expectMessage<M: HeraldCenter.Message & Sendable>(
    _ type: M.Type, on center: HeraldCenter = .local, subject: M.Subject, within limit: Duration = .seconds(1),
    isolation: isolated (any Actor)? = #isolation, where isWanted: @escaping @Sendable (M) -> Bool = { _ in true },
    file: StaticString = #fileID, line: UInt = #line,
    trigger: () async throws -> Void
) async throws -> M {
    let watch = Watch<M>(where: isWanted)
    let token = center.observe(type, subject: subject) { watch.receive(copy $0) }
    defer { token.cancel() }
    return try await watch.expect(within: limit, at: Place(file, line), trigger)
}

/// Runs `trigger`, and throws if a message that counts comes within a time limit.
///
/// - Parameters:
///   - type: The type of the message.
///   - center: The center on which no message must come.
///   - limit: How long to wait after the trigger has returned.
///   - isolation: The caller's actor, on which the trigger runs.
///   - isWanted: Whether a message counts. Called on the posting thread.
///   - file: The source file of this call. A failure says `file` and `line`.
///   - line: The source line of this call.
///   - trigger: Runs first.
/// - Throws: ``MessageExpectationFailure`` with this line and the message, as soon as a message that counts has come and
///   the trigger has returned; the error of `trigger`; `CancellationError` in a cancelled task.
public func expectNoMessage<M: HeraldCenter.Message & Sendable>(
    _ type: M.Type, on center: HeraldCenter = .local,
    within limit: Duration = .milliseconds(100), isolation: isolated (any Actor)? = #isolation,
    where isWanted: @escaping @Sendable (M) -> Bool = { _ in true },
    file: StaticString = #fileID, line: UInt = #line,
    trigger: () async throws -> Void
) async throws {
    let watch = Watch<M>(where: isWanted)
    let token = center.observe(type) { watch.receive(copy $0) }
    defer { token.cancel() }
    try await watch.expectNothing(within: limit, at: Place(file, line), trigger)
}

/// Runs `trigger`, and throws if a message about one instance comes within a time limit.
///
/// Only messages about the instance `subject` count.
public func expectNoMessage<M: HeraldCenter.Message & Sendable>(
    _ type: M.Type, on center: HeraldCenter = .local, subject: M.Subject,
    within limit: Duration = .milliseconds(100), isolation: isolated (any Actor)? = #isolation,
    where isWanted: @escaping @Sendable (M) -> Bool = { _ in true },
    file: StaticString = #fileID, line: UInt = #line,
    trigger: () async throws -> Void
) async throws {
    let watch = Watch<M>(where: isWanted)
    let token = center.observe(type, subject: subject) { watch.receive(copy $0) }
    defer { token.cancel() }
    try await watch.expectNothing(within: limit, at: Place(file, line), trigger)
}
#endif
