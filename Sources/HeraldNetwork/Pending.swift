#if os(Linux) && Network
import CHerald
import Herald

/// A call that waits for the server's answer. C has one reference until it answers.
final class Pending<Value: Sendable>: Sendable {
    private let continuation: CheckedContinuation<Result<Value, WireError>, Never>

    init(_ continuation: CheckedContinuation<Result<Value, WireError>, Never>) {
        self.continuation = continuation
    }

    /// C does not answer: the call itself has failed.
    static func fail(_ context: UnsafeMutableRawPointer, _ error: WireError) {
        Unmanaged<Pending<Value>>.fromOpaque(context).takeRetainedValue().continuation
            .resume(returning: .failure(error))
    }

    static func end(_ context: UnsafeMutableRawPointer?, _ status: HeraldStatus, _ value: Value) {
        guard let context else { return }
        let pending = Unmanaged<Pending<Value>>.fromOpaque(context).takeRetainedValue()
        pending.continuation.resume(
            returning: status == HeraldOK ? .success(value) : .failure(.unavailable(Wire.reason(of: status))))
    }
}
#endif
