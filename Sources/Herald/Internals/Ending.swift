#if os(Linux)
package import CHerald

/// What stands in a registration's place that C ends in another way: a durable observer's. The closure is called once.
@usableFromInline package final class Ending: Delivery, @unchecked Sendable {
    private let end: Guarded<(@Sendable () -> Void)?>
    private let quiet: @Sendable () -> Bool

    package init(isQuiet: @escaping @Sendable () -> Bool, _ end: @escaping @Sendable () -> Void) {
        self.end = Guarded(end)
        quiet = isQuiet
    }

    @usableFromInline override func end(then: (@Sendable () -> Void)?) {
        let end = end.withLock { end in
            defer { end = nil }
            return end
        }
        end?()
        then?()
    }

    @usableFromInline override var isQuiet: Bool { quiet() }
    @usableFromInline override var kind: String { "durable" }
}

extension HeraldCenter.ObservationToken {
    /// For a registration that was made in C.
    package init(_ token: HeraldToken, with center: HeraldCenter, _ ending: Ending) {
        self.init(Registration(token, with: center, delivery: ending))
    }

    /// For an observer that can never be called.
    package static var never: HeraldCenter.ObservationToken { HeraldCenter.ObservationToken(nil) }
}
#endif
