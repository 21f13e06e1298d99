extension HeraldCenter {
    func next<Element>(
        within limit: Duration?, where isWanted: (@Sendable (Element) -> Bool)?,
        isolation: isolated (any Actor)? = #isolation, _ observe: (Mailbox<Element>) -> ObservationToken
    ) async -> Element? {
        let mailbox = Mailbox<Element>(.oldest(1), where: isWanted.map(Self.once))
        let token = observe(mailbox)
        let timer = limit.map { limit in
            Task.detached {
                try await Task.sleep(for: limit.asSleep)
                mailbox.finish()
            }
        }
        defer { timer?.cancel() }
        let next = await mailbox.next(isolation: isolation)
        token.end(wait: false)
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

extension Duration {
    /// The duration, but at most 2^31 seconds. `Task.sleep` ends the process if the end of the sleep is more than 2^63
    /// seconds away.
    package var asSleep: Duration { min(self, .seconds(1 << 31)) }
}
