#if Network
    public import CHerald
    import CHeraldNetwork
    import Dispatch
    public import Herald

    extension HeraldCenter {
        /// A center of many machines, through NATS: it connects in the background, and can be posted to and observed at
        /// once.
        ///
        /// ```swift
        /// let network = try HeraldCenter.network("nats://a:4222,nats://b:4222")
        /// let token = network.observe(Saved.self) { saved in print(saved.path) }
        /// try network.post(Saved(path: "notes.txt"))    // in every process that observes it
        /// ```
        ///
        /// The corresponding C function is `HeraldNetworkCenterCreate`.
        ///
        /// - Parameters:
        ///   - servers: One or more, with commas between them: `nats://host:4222`, `tls://host`,
        ///     `nats://user:password@host`, without a comma in a user or a password. The servers of a cluster tell of each
        ///     other.
        ///   - credentials: The path of a `.creds` file, which is read with every connection.
        ///   - nkeySeed: The path of a file with an nkey's seed.
        ///   - tls: What the connection is secured with; then it must be TLS.
        ///   - prefix: What all subjects begin with: segments with dots between them. An empty text: nothing.
        /// - Throws: ``WireError/unavailable(_:)`` with the reason: servers, a prefix or files that cannot be used. That
        ///   no server answers is no error, but an event.
        public static func network(
            _ servers: String, credentials: String? = nil, nkeySeed: String? = nil, tls: NetworkCenter.TLS? = nil,
            prefix: String = "herald"
        ) throws(WireError) -> NetworkCenter {
            try NetworkCenter(servers, credentials, nkeySeed, tls, prefix)
        }
    }

    /// A center of many machines: a post in one process calls the observers in all of them that use the same servers.
    ///
    /// A post waits in a queue until a server is there, and never for the network. Each is heard once, a sender's posts of
    /// a name in their order, on one thread of Herald's unless the observer says where; what is lost is counted
    /// (``WireStatistics/missed``, ``WirePost/missed``). Names have 1 to 512 bytes; messages as many as the server takes,
    /// 1 MiB unless it says something else.
    ///
    /// The center ends with its last reference: then what waits is sent in the background, for two seconds at most.
    /// ``close(within:)`` waits for it. After a fork the child must not use it.
    ///
    /// The corresponding C type is `HeraldCenterRef`; `herald/network.h` has the details.
    public final class NetworkCenter: WireCenter {
        public let wire: Wire
        private let telling: Telling
        /// The C center, which lives as long as this.
        public nonisolated(unsafe) let native: HeraldCenterRef

        /// What a connection is secured with: paths of files (PEM).
        public struct TLS: Sendable, Hashable {
            /// Who has signed the server's certificate; nil: those whom the system trusts.
            public var certificateAuthority: String?
            /// What this process shows to the server, and its key: both or none.
            public var certificate: String?, key: String?

            public init(certificateAuthority: String? = nil, certificate: String? = nil, key: String? = nil) {
                self.certificateAuthority = certificateAuthority
                self.certificate = certificate
                self.key = key
            }
        }

        fileprivate init(
            _ servers: String, _ credentials: String?, _ nkeySeed: String?, _ tls: TLS?, _ prefix: String
        ) throws(WireError) {
            let telling = Telling()
            let texts = [
                tls != nil ? servers.replacingScheme() : servers, prefix, credentials, nkeySeed,
                tls?.certificateAuthority, tls?.certificate, tls?.key,
            ]
            guard texts.allSatisfy({ $0?.utf8.contains(0) != true }) else {
                throw .unavailable("a server, a prefix or a path must not contain a NUL")
            }
            guard let native = Self.create(texts, telling) else {
                throw .unavailable(String(cString: HeraldNetworkGetErrorDescription()))
            }
            self.native = native
            self.telling = telling
            let center = HeraldCenter(retaining: native)
            HeraldCenterRelease(native)  // `center` has one of its own
            wire = Wire(
                center, limit: 1 << 20, explain: { String(cString: HeraldNetworkGetErrorDescription()) },
                measure: { Int(clamping: HeraldNetworkGetErrorSize()) }, asks: false,
                under: HeraldNetworkAddObserverUnder)
            telling.begin(wire)
        }

        deinit { telling.end() }

        private static func create(_ texts: [String?], _ telling: Telling) -> HeraldCenterRef? {
            var options = HeraldNetworkOptions()
            var center: HeraldCenterRef?
            options.size = MemoryLayout<HeraldNetworkOptions>.size
            options.event = { context, event in
                guard let context, let event else { return }
                Telling.at(context).tell(event.pointee)
            }
            let owned = Unmanaged.passRetained(telling)
            options.context = owned.toOpaque()
            let status = withCStrings(texts) { texts in
                options.servers = texts[0]
                options.prefix = texts[1]
                options.credentials = texts[2]
                options.nkeySeed = texts[3]
                options.certificateAuthority = texts[4]
                options.certificate = texts[5]
                options.key = texts[6]
                return HeraldNetworkCenterCreate(&options, &center)
            }
            if status != HeraldOK { owned.release() }  // else with the last event
            return center
        }

        public var statistics: WireStatistics {
            var native = HeraldNetworkStatistics()
            native.size = MemoryLayout<HeraldNetworkStatistics>.size
            HeraldNetworkGetStatistics(self.native, &native)
            var statistics = wire.statistics
            statistics.posted = Int(clamping: native.posted)
            statistics.refused = Int(clamping: native.refused) + wire.unmade.load(ordering: .relaxed)
            statistics.received = Int(clamping: native.received)
            statistics.missed = Int(clamping: native.missed)
            statistics.dropped += Int(clamping: native.dropped)
            statistics.undecodable += Int(clamping: native.undecodable)
            statistics.sent = Int(clamping: native.sent)
            statistics.waiting = Int(clamping: native.waiting)
            statistics.reconnects = Int(clamping: native.reconnects)
            return statistics
        }

        /// Waits until what was observed and posted before, by any task, is known to the server.
        ///
        /// The corresponding C function is `HeraldNetworkSynchronize`.
        ///
        /// - Parameter limit: How long to wait.
        /// - Throws: ``WireError/unavailable(_:)`` when the server has not answered in time, and not later; and when the
        ///   center is closed.
        public func synchronize(within limit: Duration = .seconds(2)) async throws(WireError) {
            try await wait(limit, HeraldNetworkSynchronize)
        }

        /// Sends what waits, and ends the connection: later posts fail, and no body is called any more but for calls that
        /// are running.
        ///
        /// The corresponding C function is `HeraldNetworkClose`.
        ///
        /// - Parameter limit: How long to wait for what is to be sent.
        /// - Throws: ``WireError/unavailable(_:)`` with the reason when posts were left, when the server that took them has
        ///   not confirmed them, so that they may be lost, and when it was closed before.
        public func close(within limit: Duration = .seconds(2)) async throws(WireError) {
            try await wait(limit, HeraldNetworkClose)
        }

        /// The C functions wait, which a task's thread must not.
        private func wait(
            _ limit: Duration, _ function: @escaping @Sendable (HeraldCenterRef?, Double) -> HeraldStatus
        ) async throws(WireError) {
            let seconds = limit / .seconds(1)
            let reason: String? = await withCheckedContinuation { continuation in
                Self.waiting.async { [self] in
                    let status = function(native, seconds)
                    let reason = status == HeraldOK ? nil : String(cString: HeraldNetworkGetErrorDescription())
                    continuation.resume(returning: reason)
                }
            }
            if let reason { throw .unavailable(reason) }
        }

        private static let waiting = DispatchQueue(label: "herald.network.waiting", attributes: .concurrent)
    }

    extension String {
        /// The servers of a list without TLS, with it. One without a scheme is reached as the first: it may be the end of
        /// a password with a comma, which C must be able to see.
        fileprivate func replacingScheme() -> String {
            split(separator: ",", omittingEmptySubsequences: false).enumerated().map { place, server in
                let server = server.drop { $0.isWhitespace }
                guard let end = server.firstRange(of: "://") else {
                    return place == 0 ? "tls://\(server)" : String(server)
                }
                return server[..<end.lowerBound] == "nats" ? "tls://\(server[end.upperBound...])" : String(server)
            }.joined(separator: ",")
        }
    }

    /// The texts as C has them; nil is NULL.
    private func withCStrings<Result>(
        _ texts: [String?], _ body: ([UnsafePointer<CChar>?]) -> Result
    ) -> Result {
        let copies = texts.map { $0.map { Array($0.utf8CString) } }
        func next(_ done: [UnsafePointer<CChar>?]) -> Result {
            guard done.count < copies.count else { return body(done) }
            guard let copy = copies[done.count] else { return next(done + [nil]) }
            return copy.withUnsafeBufferPointer { next(done + [$0.baseAddress]) }
        }
        return next([])
    }
#endif
