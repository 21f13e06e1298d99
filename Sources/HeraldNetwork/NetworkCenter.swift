#if os(Linux) && Network
public import CHerald
import CHeraldNetwork
import Dispatch
public import Herald

extension HeraldCenter {
    /// Makes a center that carries posts between the processes of many machines, through NATS. The center connects
    /// to a server in the background. You can post and observe at once.
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
    ///   - servers: One or more servers, with commas between them: `nats://host:4222`, `tls://host`,
    ///     `nats://user:password@host`. A user or a password must not contain a comma. A server reports the other
    ///     servers of its cluster. The center uses these servers, too.
    ///   - credentials: The path of a `.creds` file. The file is read for every connection.
    ///   - nkeySeed: The path of a file that contains the seed of an nkey.
    ///   - tls: The files for TLS. If this argument is not `nil`, the connection must use TLS.
    ///   - prefix: The beginning of all NATS subjects that the center uses: segments with dots between them. An
    ///     empty text means no prefix. The prefix is put into Unicode's normalization form C, as names are.
    ///   - keptReplicas: Not 0: when it is connected, the center makes the stream in which the servers keep messages
    ///     (R25), on this many servers, 1 to 5, unless it is there. 0: an operator makes it
    ///     (``NetworkCenter/createKept(replicas:within:)``).
    /// - Throws: ``/Herald/WireError/unavailable(_:)`` with the reason, if the servers, the prefix or the files
    ///   cannot be used. If no server answers, the call does not throw. An event reports this failure
    ///   (``/Herald/WireCenter/events``).
    public static func network(
        _ servers: String, credentials: String? = nil, nkeySeed: String? = nil, tls: NetworkCenter.TLS? = nil,
        prefix: String = "herald", keptReplicas: Int = 0
    ) throws(WireError) -> NetworkCenter {
        try NetworkCenter(servers, credentials, nkeySeed, tls, prefix, keptReplicas)
    }
}

/// A center that connects the processes of many machines. A post in one process calls the observers in all
/// processes that use the same servers and the same prefix.
///
/// Posting never waits for the network: posts wait in a queue until a server is connected. Each observer hears a
/// post once. It hears the posts of one sender and one name in order. An observer that names no queue and no actor
/// is called on a thread of Herald's. Posts may be lost. ``/Herald/WireStatistics/missed`` and
/// ``/Herald/WirePost/missed`` count lost posts. Names have 1 to 512 bytes. The server limits the size of messages,
/// by default to 1 MiB.
///
/// Servers with JetStream keep the messages of ``/Herald/HeraldCenter/KeptMessage`` types for observers that come
/// later, once an operator has made the stream (``createKept(replicas:within:)``).
///
/// The center ends when its last reference is released. Posts that still wait are then sent in the background, for
/// two seconds at most. If you must know that they were sent, call ``close(within:)`` before the release. After a
/// fork, the child must not use the center.
///
/// The corresponding C type is `HeraldCenterRef`. The header `herald/network.h` has the details.
public final class NetworkCenter: WireCenter {
    public let wire: Wire
    private let telling: Telling
    /// The center in C. It lives as long as this instance.
    public nonisolated(unsafe) let native: HeraldCenterRef

    /// The paths of the PEM files that secure a connection.
    public struct TLS: Sendable, Hashable {
        /// The certificate of the authority that has signed the server's certificate. `nil`: any authority that the
        /// system trusts.
        public var certificateAuthority: String?
        /// The certificate that this process shows to the server, and the certificate's key. Set both or neither.
        public var certificate: String?, key: String?

        public init(certificateAuthority: String? = nil, certificate: String? = nil, key: String? = nil) {
            self.certificateAuthority = certificateAuthority
            self.certificate = certificate
            self.key = key
        }
    }

    fileprivate init(
        _ servers: String, _ credentials: String?, _ nkeySeed: String?, _ tls: TLS?, _ prefix: String,
        _ keptReplicas: Int
    ) throws(WireError) {
        let telling = Telling()
        let texts = [
            tls != nil ? servers.replacingScheme() : servers, canonical(prefix), credentials, nkeySeed,
            tls?.certificateAuthority, tls?.certificate, tls?.key,
        ]
        guard texts.allSatisfy({ $0?.utf8.contains(0) != true }) else {
            throw .unavailable("a server, a prefix or a path must not contain a NUL")
        }
        guard (0...5).contains(keptReplicas) else {
            throw .unavailable("keptReplicas is \(keptReplicas): a stream has 1 to 5 replicas, and 0 makes none")
        }
        guard let native = Self.create(texts, UInt32(keptReplicas), telling) else {
            throw .unavailable(Wire.reason)
        }
        self.native = native
        self.telling = telling
        let center = HeraldCenter(retaining: native)
        HeraldCenterRelease(native)  // `center` has a reference of its own
        wire = Wire(
            center, limit: 1 << 20, measure: { Int(clamping: HeraldNetworkGetErrorSize()) }, asks: false)
        telling.begin(wire)
    }

    deinit { telling.end() }

    private static func create(
        _ texts: [String?], _ keptReplicas: UInt32, _ telling: Telling
    ) -> HeraldCenterRef? {
        var options = HeraldNetworkOptions()
        var center: HeraldCenterRef?
        options.size = MemoryLayout<HeraldNetworkOptions>.size
        options.event = { context, event in
            guard let context, let event else { return }
            Telling.at(context).tell(event.pointee)
        }
        let owned = Unmanaged.passRetained(telling)
        options.context = owned.toOpaque()
        options.keptReplicas = keptReplicas
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
        if status != HeraldOK { owned.release() }  // if the call succeeds, the last event releases `telling`
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

    /// Waits until the server knows of all observers that were added, and of all posts that were made, before this
    /// call. This includes the observers and posts of other tasks.
    ///
    /// The corresponding C function is `HeraldNetworkSynchronize`.
    ///
    /// - Parameter limit: How long to wait.
    /// - Throws: ``/Herald/WireError/unavailable(_:)`` if the server does not answer within the limit, or if the
    ///   center is closed.
    public func synchronize(within limit: Duration = .seconds(2)) async throws(WireError) {
        try await wait(limit, HeraldNetworkSynchronize)
    }

    /// Sends the waiting posts, and ends the connection. Later posts fail. After the connection has ended, no
    /// further observer is called. Observers that are running go on.
    ///
    /// The corresponding C function is `HeraldNetworkClose`.
    ///
    /// - Parameter limit: How long to wait until the posts are sent.
    /// - Throws: ``/Herald/WireError/unavailable(_:)`` with the reason, in three cases. Some posts were not sent.
    ///   Or a server has not confirmed all posts that it got, so some may be lost. Or the center was already
    ///   closed.
    public func close(within limit: Duration = .seconds(2)) async throws(WireError) {
        try await wait(limit, HeraldNetworkClose)
    }

    /// Calls `function` on a dispatch queue, because `function` blocks the thread on which it runs.
    func wait(
        _ limit: Duration, _ function: @escaping @Sendable (HeraldCenterRef?, Double) -> HeraldStatus
    ) async throws(WireError) {
        let seconds = limit / .seconds(1)
        let reason: String? = await withCheckedContinuation { continuation in
            Self.waiting.async { [self] in
                let status = function(native, seconds)
                let reason = status == HeraldOK ? nil : Wire.reason
                continuation.resume(returning: reason)
            }
        }
        if let reason { throw .unavailable(reason) }
    }

    private static let waiting = DispatchQueue(label: "herald.network.waiting", attributes: .concurrent)
}

extension String {
    /// Returns the list of servers with the scheme `tls` in place of `nats`. If the first server has no scheme, it
    /// gets `tls`. Later parts of the list that have no scheme stay unchanged. A part without a scheme may be the
    /// end of a password that contains a comma. The C library recognizes such a part, and reports an error that
    /// does not show the password.
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

/// Calls `body` with the texts as C strings. A text that is nil becomes NULL.
func withCStrings<Result>(
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
