#if os(Linux)
extension HeraldCenter {
    /// The center of the task that reads this property: ``local``, except within ``withCenter(_:isolation:_:)``.
    ///
    /// Code that posts and observes on `HeraldCenter.current` can be tested in parallel, each test with a center of its
    /// own:
    ///
    /// ```swift
    /// @Test func saving() async {
    ///     await HeraldCenter.withCenter(HeraldCenter()) { ... }
    /// }
    /// ```
    ///
    /// The center follows the task and its child tasks, and a `Task { }` that is made within. It does not follow a
    /// queue, a thread, or a detached task. So bodies with `via:`, `async:` and `on:` find ``local`` here, unless a
    /// scheduler runs them at once in the poster's task: capture the center instead.
    @TaskLocal public static var current: HeraldCenter = .local

    /// Makes a center ``current`` while a closure runs.
    ///
    /// - Parameters:
    ///   - center: The center. Without one, a new center that shares nothing with any other center.
    ///   - body: The closure. It reads the center as ``current``.
    /// - Returns: What the closure returns.
    public static func withCenter<Result>(
        _ center: HeraldCenter = HeraldCenter(), _ body: () throws -> Result
    ) rethrows -> Result {
        try $current.withValue(center, operation: body)
    }

    /// Makes a center ``current`` while an asynchronous closure runs.
    ///
    /// - Parameters:
    ///   - center: The center. Without one, a new center that shares nothing with any other center.
    ///   - isolation: The caller's actor.
    ///   - body: The closure, which runs on the caller's actor. It reads the center as ``current``, and so do its child
    ///     tasks.
    /// - Returns: What the closure returns.
    public static func withCenter<Result>(
        _ center: HeraldCenter = HeraldCenter(), isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws -> Result
    ) async rethrows -> Result {
        try await $current.withValue(center, operation: body, isolation: isolation)
    }
}
#endif
