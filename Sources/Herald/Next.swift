#if os(Linux)
extension HeraldCenter {
    func next<Element>(
        within limit: Duration?, where isWanted: (@Sendable (Element) -> Bool)?,
        isolation: isolated (any Actor)? = #isolation, _ observe: (Mailbox<Element>) -> ObservationToken
    ) async -> Element? {
        let mailbox = Mailbox<Element>(.oldest(1), where: isWanted.map(Self.once))
        let token = observe(mailbox)
        let timer = limit?.asLimit.map { limit in
            Task.detached {
                try await Task.sleep(for: limit)
                mailbox.finish()
            }
        }
        defer { timer?.cancel() }
        let next = await mailbox.next(isolation: isolation)
        token.end()
        return next
    }

    /// A condition that only one element meets: the first element for which `isWanted` returns true.
    private static func once<Element>(
        _ isWanted: @escaping @Sendable (Element) -> Bool
    ) -> @Sendable (Element) -> Bool {
        let first = First()
        return { !first.isTaken && isWanted($0) && first.take() }
    }
}
#endif
