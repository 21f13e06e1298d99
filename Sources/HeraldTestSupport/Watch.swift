import Herald

/// Waits for the first message that counts: the first for which `isWanted` returns true.
final class Watch<M: Sendable>: Sendable {
    private struct State {
        var first: M?
        var isOver = false
        var waiter: CheckedContinuation<M?, Never>?
    }
    private let state = Guarded(State())
    private let isWanted: @Sendable (M) -> Bool

    init(where isWanted: @escaping @Sendable (M) -> Bool) { self.isWanted = isWanted }

    func receive(_ message: M) {
        guard isWanted(message) else { return }
        resume { if $0.first == nil { $0.first = message } }
    }

    func expect(
        within limit: Duration, isolation: isolated (any Actor)? = #isolation, _ trigger: () async throws -> Void
    ) async throws -> M {
        try await trigger()
        if let message = await first(within: limit) { return message }
        try Task.checkCancellation()
        throw MessageExpectationFailure(description: "no \(M.self) within \(limit)")
    }

    func expectNothing(
        within limit: Duration, isolation: isolated (any Actor)? = #isolation, _ trigger: () async throws -> Void
    ) async throws {
        try await trigger()
        if let message = await first(within: limit) {
            throw MessageExpectationFailure(description: "an unwanted \(M.self): \(message)")
        }
        try Task.checkCancellation()
    }

    /// Waits for the first message that counts. Returns nil if the time is over or the task is cancelled.
    private func first(within limit: Duration) async -> M? {
        let timer = limit.asLimit.map { limit in
            Task {
                try await Task.sleep(for: limit)
                resume { $0.isOver = true }
            }
        }
        defer { timer?.cancel() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in resume { $0.waiter = waiter } }
        } onCancel: {
            resume { $0.isOver = true }
        }
    }

    /// Changes the state, and resumes the waiter if there is a message or the time is over.
    private func resume(after change: (inout sending State) -> Void) {
        let (waiter, first) = state.withLock { state in
            change(&state)
            let isReady = state.first != nil || state.isOver
            return (isReady ? state.waiter.take() : nil, state.first)
        }
        waiter?.resume(returning: first)
    }
}
