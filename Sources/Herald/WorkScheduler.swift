#if os(Linux)
public import Dispatch

extension HeraldCenter {
    /// Runs the work that calls an observer's body: a `DispatchQueue`, or a type of yours.
    ///
    /// ```swift
    /// center.observe(DocumentSaved.self, by: self, via: .main) { me, saved in me.show(saved.path) }
    ///
    /// extension EventLoop: HeraldCenter.WorkScheduler {
    ///     func schedule(_ work: @escaping @Sendable () -> Void) { execute(work) }
    /// }
    /// ```
    ///
    /// Where a scheduler is needed once, pass a closure instead: `via: { pool.submit($0) }`.
    public protocol WorkScheduler: Sendable {
        /// Runs work, later or at once.
        ///
        /// Herald calls this function on threads that post, and on threads that run the work. Several threads may call
        /// it at once. The function may wait until the work has run, as `queue.sync` does. It may release a piece of
        /// work without running it, as `operationQueue.cancelAllOperations()` does. The messages that waited for this
        /// piece are lost, and counted as dropped. Later messages get another piece.
        ///
        /// If the function runs the work at once, or waits for the work, the body runs before the function returns.
        /// Suppose that the body then posts a message that it observes itself. The same piece of work delivers this
        /// message, too. One piece of work delivers at most 1,024 messages from its own body.
        ///
        /// - Parameter work: Calls the body. To be run once.
        func schedule(_ work: @escaping @Sendable () -> Void)

        /// `schedule` as a closure. Do not implement it.
        var _run: @Sendable (@escaping @Sendable () -> Void) -> Void { get }
    }

    /// A scheduler that is a closure.
    @available(*, deprecated, message: "write the type of the closure, or conform a type to `WorkScheduler`")
    public typealias Scheduler = @Sendable (@escaping @Sendable () -> Void) -> Void

    @usableFromInline typealias Run = @Sendable (@escaping @Sendable () -> Void) -> Void
}

extension HeraldCenter.WorkScheduler {
    @inlinable public var _run: @Sendable (@escaping @Sendable () -> Void) -> Void { { schedule($0) } }
}

extension DispatchQueue: HeraldCenter.WorkScheduler {
    public func schedule(_ work: @escaping @Sendable () -> Void) { async(execute: work) }

    public var _run: @Sendable (@escaping @Sendable () -> Void) -> Void { { self.async(execute: $0) } }
}

extension HeraldCenter.WorkScheduler where Self == DispatchQueue {
    /// The queue of the main thread.
    public static var main: DispatchQueue { DispatchQueue.main }

    /// A queue of the system, shared by all who use its quality of service. It runs pieces of work at the same time.
    ///
    /// - Parameter qos: The quality of service.
    public static func global(qos: DispatchQoS.QoSClass = .default) -> DispatchQueue { DispatchQueue.global(qos: qos) }
}
#endif
