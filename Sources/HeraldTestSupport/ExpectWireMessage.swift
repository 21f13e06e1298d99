#if os(Linux)
public import Herald

/// Runs `trigger` and waits for a message between processes. The observer is registered before the trigger runs, so no
/// message is missed.
///
/// ```swift
/// let saved = try await expectMessage(Saved.self, on: HeraldCenter.host) { try runProgram() }
/// ```
///
/// A network center registers the observer with its server in the background. Call its `synchronize(within:)` first in
/// the trigger, if another connection posts the message.
///
/// - Parameters:
///   - type: The type of the message.
///   - center: The center on which the message is expected: `HeraldCenter.host`, or a network center.
///   - limit: How long to wait after the trigger has returned. A message that comes while the trigger runs is always in
///     time.
///   - isolation: The caller's actor, on which the trigger runs.
///   - isWanted: Whether a message counts. Called on Herald's thread.
///   - file: The source file of this call. A failure says `file` and `line`.
///   - line: The source line of this call.
///   - trigger: Posts the message, now or later.
/// - Returns: The first message that counts.
/// - Throws: ``MessageExpectationFailure`` if no message counts within the limit, with this line and the last three
///   messages that did not count; the error of `trigger`; `CancellationError` in a cancelled task.
@discardableResult
public func expectMessage<M: HeraldCenter.WireMessage>(
    _ type: M.Type, on center: some WireCenter, within limit: Duration = .seconds(10),
    isolation: isolated (any Actor)? = #isolation, where isWanted: @escaping @Sendable (M) -> Bool = { _ in true },
    file: StaticString = #fileID, line: UInt = #line,
    trigger: () async throws -> Void
) async throws -> M {
    let watch = Watch<M>(where: isWanted)
    let token = center.observe(type) { watch.receive($0) }
    defer { token.cancel() }
    return try await watch.expect(within: limit, at: Place(file, line), trigger)
}

/// The same for messages with one subject.
///
/// Only messages with the subject `subject` count.
@discardableResult
public func expectMessage<M: HeraldCenter.WireMessage>(
    _ type: M.Type, on center: some WireCenter, subject: String, within limit: Duration = .seconds(10),
    isolation: isolated (any Actor)? = #isolation, where isWanted: @escaping @Sendable (M) -> Bool = { _ in true },
    file: StaticString = #fileID, line: UInt = #line,
    trigger: () async throws -> Void
) async throws -> M {
    let watch = Watch<M>(where: isWanted)
    let token = center.observe(type, subject: subject) { watch.receive($0) }
    defer { token.cancel() }
    return try await watch.expect(within: limit, at: Place(file, line), trigger)
}

/// Runs `trigger`, and fails if a message between processes that counts comes within a time limit.
///
/// - Parameters:
///   - type: The type of the message.
///   - center: The center on which no message must come: `HeraldCenter.host`, or a network center.
///   - limit: How long to wait after the trigger has returned.
///   - isolation: The caller's actor, on which the trigger runs.
///   - isWanted: Whether a message counts. Called on Herald's thread.
///   - file: The source file of this call. A failure says `file` and `line`.
///   - line: The source line of this call.
///   - trigger: Runs first.
/// - Throws: ``MessageExpectationFailure`` with this line and the message, as soon as a message that counts has come and
///   the trigger has returned; the error of `trigger`; `CancellationError` in a cancelled task.
public func expectNoMessage<M: HeraldCenter.WireMessage>(
    _ type: M.Type, on center: some WireCenter, within limit: Duration = .milliseconds(100),
    isolation: isolated (any Actor)? = #isolation, where isWanted: @escaping @Sendable (M) -> Bool = { _ in true },
    file: StaticString = #fileID, line: UInt = #line,
    trigger: () async throws -> Void
) async throws {
    let watch = Watch<M>(where: isWanted)
    let token = center.observe(type) { watch.receive($0) }
    defer { token.cancel() }
    try await watch.expectNothing(within: limit, at: Place(file, line), trigger)
}

/// The same for messages with one subject.
///
/// Only messages with the subject `subject` count.
public func expectNoMessage<M: HeraldCenter.WireMessage>(
    _ type: M.Type, on center: some WireCenter, subject: String, within limit: Duration = .milliseconds(100),
    isolation: isolated (any Actor)? = #isolation, where isWanted: @escaping @Sendable (M) -> Bool = { _ in true },
    file: StaticString = #fileID, line: UInt = #line,
    trigger: () async throws -> Void
) async throws {
    let watch = Watch<M>(where: isWanted)
    let token = center.observe(type, subject: subject) { watch.receive($0) }
    defer { token.cancel() }
    try await watch.expectNothing(within: limit, at: Place(file, line), trigger)
}
#endif
