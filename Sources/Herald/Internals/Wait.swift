#if os(Linux)
import CHeraldRuntime

/// A task that waits until `end` is called, once, or until the task is cancelled.
@usableFromInline final class Wait: Sendable {
    private enum State {
        case begun, over
        case waiting(UnsafeContinuation<Void, Never>)
    }

    private let state = Guarded(State.begun)

    /// Any thread may call this function, before or after the task has begun to wait.
    func end() {
        let continuation: UnsafeContinuation<Void, Never>? = state.withLock { state in
            defer { state = .over }
            if case .waiting(let continuation) = state { return continuation }
            return nil
        }
        continuation?.resume()
    }

    func untilEnd(isolation: isolated (any Actor)?) async {
        await withTaskCancellationHandler(
            operation: {
                defer { herald_swift_task_resumed() }
                await withUnsafeContinuation(isolation: isolation) { (continuation: UnsafeContinuation<Void, Never>) in
                    let isOver = state.withLock { state in
                        if case .over = state { return true }
                        state = .waiting(continuation)
                        return false
                    }
                    if isOver { continuation.resume() }
                }
            },
            onCancel: { end() },
            isolation: isolation)
    }
}
#endif
