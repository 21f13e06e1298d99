public import Herald

/// What ``expectMessage(_:on:subject:within:isolation:where:trigger:)-(_,_,AnySubject,_,_,_,_)`` and its opposite
/// throw. Throwing it fails a test of Swift Testing and one of XCTest alike.
public struct MessageExpectationFailure: Error, CustomStringConvertible, Sendable {
    public let description: String
}

/// Runs `trigger` and waits for a message; registered before the trigger runs, so none is missed.
///
/// ```swift
/// let saved = try await expectMessage(DocumentSaved.self, on: center) { document.save() }
/// ```
///
/// - Parameters:
///   - type: The type of the message.
///   - center: The center it is expected on.
///   - subject: Only messages about this instance, as in `observe`.
///   - limit: How long to wait after the trigger has returned. What has come by then counts, however short it is.
///   - isolation: The caller's actor, on which the trigger runs.
///   - isWanted: Which messages count; others are passed over. Called on the posting thread.
///   - trigger: What is to post the message, now or later.
/// - Returns: The first message that counts.
/// - Throws: ``MessageExpectationFailure`` when the time is over; what `trigger` throws; `CancellationError` in a
///   cancelled task.
@discardableResult
public func expectMessage<M: HeraldCenter.Message & Sendable>(
    _ type: M.Type, on center: HeraldCenter = .local, subject: AnySubject = nil, within limit: Duration = .seconds(1),
    isolation: isolated (any Actor)? = #isolation, where isWanted: @escaping @Sendable (M) -> Bool = { _ in true },
    trigger: () async throws -> Void
) async throws -> M {
    let watch = Watch<M>(where: isWanted)
    let token = center.observe(type) { watch.hear(copy $0) }
    defer { token.cancel() }
    return try await watch.expect(within: limit, trigger)
}

/// Runs `trigger` and waits for a message about one instance.
@discardableResult @_disfavoredOverload @_documentation(visibility: internal)
public func expectMessage<M: HeraldCenter.Message & Sendable>(
    _ type: M.Type, on center: HeraldCenter = .local, subject: M.Subject?, within limit: Duration = .seconds(1),
    isolation: isolated (any Actor)? = #isolation, where isWanted: @escaping @Sendable (M) -> Bool = { _ in true },
    trigger: () async throws -> Void
) async throws -> M {
    let watch = Watch<M>(where: isWanted)
    let token = center.observe(type, subject: subject) { watch.hear(copy $0) }
    defer { token.cancel() }
    return try await watch.expect(within: limit, trigger)
}

/// Runs `trigger` and sees to it that no message comes before the time is over.
///
/// - Throws: ``MessageExpectationFailure`` with the message that came, as soon as it comes; what `trigger` throws;
///   `CancellationError` in a cancelled task.
public func expectNoMessage<M: HeraldCenter.Message & Sendable>(
    _ type: M.Type, on center: HeraldCenter = .local, subject: AnySubject = nil,
    within limit: Duration = .milliseconds(100), isolation: isolated (any Actor)? = #isolation,
    where isWanted: @escaping @Sendable (M) -> Bool = { _ in true }, trigger: () async throws -> Void
) async throws {
    let watch = Watch<M>(where: isWanted)
    let token = center.observe(type) { watch.hear(copy $0) }
    defer { token.cancel() }
    try await watch.expectNothing(within: limit, trigger)
}

/// Runs `trigger` and sees to it that no message about one instance comes before the time is over.
@_disfavoredOverload @_documentation(visibility: internal)
public func expectNoMessage<M: HeraldCenter.Message & Sendable>(
    _ type: M.Type, on center: HeraldCenter = .local, subject: M.Subject?,
    within limit: Duration = .milliseconds(100), isolation: isolated (any Actor)? = #isolation,
    where isWanted: @escaping @Sendable (M) -> Bool = { _ in true }, trigger: () async throws -> Void
) async throws {
    let watch = Watch<M>(where: isWanted)
    let token = center.observe(type, subject: subject) { watch.hear(copy $0) }
    defer { token.cancel() }
    try await watch.expectNothing(within: limit, trigger)
}
