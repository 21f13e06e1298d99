public import Herald

/// What ``expectMessage(_:on:subject:within:isolation:where:trigger:)`` and
/// ``expectNoMessage(_:on:subject:within:isolation:where:trigger:)`` throw. Throwing it fails a test of Swift Testing and
/// one of XCTest alike.
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
///   - subject: Only messages about this instance, as in `observe`.
///   - limit: How long to wait after the trigger has returned.
///   - isWanted: Which messages count; others are passed over.
/// - Returns: The first message that counts.
/// - Throws: ``MessageExpectationFailure`` when the time is over; what `trigger` throws; `CancellationError` in a
///   cancelled task.
@discardableResult
public func expectMessage<M: HeraldCenter.Message & Sendable>(
    _: M.Type, on center: HeraldCenter = .local, subject: M.Subject?? = nil, within limit: Duration = .seconds(1),
    isolation: isolated (any Actor)? = #isolation, where isWanted: @escaping @Sendable (M) -> Bool = { _ in true },
    trigger: () async throws -> Void
) async throws -> M {
    let messages = center.messages(M.self, subject: subject, buffer: .unbounded)
    try await trigger()
    if let message = await first(of: messages, within: limit, where: isWanted) { return message }
    try Task.checkCancellation()
    throw MessageExpectationFailure(description: "no \(M.self) within \(limit)")
}

/// Runs `trigger` and sees to it that no message comes before the time is over.
///
/// - Throws: ``MessageExpectationFailure`` with the message that came, as soon as it comes; what `trigger` throws.
public func expectNoMessage<M: HeraldCenter.Message & Sendable>(
    _: M.Type, on center: HeraldCenter = .local, subject: M.Subject?? = nil,
    within limit: Duration = .milliseconds(100),
    isolation: isolated (any Actor)? = #isolation, where isWanted: @escaping @Sendable (M) -> Bool = { _ in true },
    trigger: () async throws -> Void
) async throws {
    let messages = center.messages(M.self, subject: subject, buffer: .unbounded)
    try await trigger()
    if let message = await first(of: messages, within: limit, where: isWanted) {
        throw MessageExpectationFailure(description: "an unwanted \(M.self): \(message)")
    }
    try Task.checkCancellation()
}

/// The first message that counts; nil when the time is over or the task is cancelled.
private func first<M>(
    of messages: Messages<M>, within limit: Duration, where isWanted: @escaping @Sendable (M) -> Bool
) async -> M? {
    let search = Task { await messages.first(where: isWanted) }
    let timer = Task {
        try await Task.sleep(for: limit)
        search.cancel()
    }
    defer { timer.cancel() }
    return await withTaskCancellationHandler {
        await search.value
    } onCancel: {
        search.cancel()
    }
}
