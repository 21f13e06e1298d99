#if os(Linux)
extension Duration {
    /// The duration as the limit of a wait. A negative duration is no time. A duration of more than a hundred years is
    /// no limit: nil. (`Task.sleep` ends the process if the end of the sleep is 2^63 seconds before or after now.)
    package var asLimit: Duration? { self > .seconds(3_155_760_000) ? nil : max(self, .zero) }
}
#endif
