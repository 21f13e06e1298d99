import ArgumentParser
import CHerald
import CHeraldHost
import Dispatch
#if canImport(Glibc)
@preconcurrency import Glibc
#elseif canImport(Musl)
@preconcurrency import Musl
#endif
import Herald
import Synchronization
import Inspecting

#if Network
import CHeraldNetwork
import FoundationEssentials
import HeraldNetwork

/// A network center as a command uses it: its events are printed on stderr, and calls wait.
final class Network: Sendable {
    /// How long a server may take.
    private static let limit = Duration.seconds(5)

    private let network: NetworkCenter
    var center: any WireCenter { network }
    var native: HeraldCenterRef { network.native }
    private let trouble: Trouble

    init(_ options: NetworkOptions, says: Bool) throws {
        do {
            network = try HeraldCenter.network(
                options.servers ?? "", credentials: options.credentials, nkeySeed: options.nkey, tls: options.tls,
                prefix: options.networkPrefix ?? "herald")
        } catch {
            throw Unusable("\(error)", status: EX_USAGE)
        }
        trouble = Trouble(says: says)
        let events = network.events
        Task.detached { [trouble] in
            for await event in events { trouble.note(event) }
        }
    }

    /// Posts a name, or a message of it. It waits if there is no room.
    func post(_ text: String, _ message: Message?) throws {
        let name = HeraldCenter.Name(exactly: text), end = secondsNow() + Self.limit / .seconds(1)
        while true {
            do {
                return try message.map { try post($0, name) } ?? post(name)
            } catch WireError.queueFull where secondsNow() < end {
                usleep(1000)
            } catch let error as WireError {
                throw Unusable("\(name): \(trouble.why(error))", status: error.exitStatus)
            }
        }
    }

    /// Posts a message of a name, and waits until a stream has stored it.
    /// - Returns: Its number in the stream.
    func store(_ text: String, _ message: Message) throws -> UInt64 {
        let name = HeraldCenter.Name(exactly: text)
        do {
            return try wait { [network] () throws(WireError) in
                try await network.store(
                    messageNamed: name, message.bytes, type: message.type, subject: message.object
                ).sequence
            }
        } catch let error as Unusable {
            throw Unusable("\(text): \(error.reason)", status: error.status)
        }
    }

    private func post(_ message: Message, _ name: HeraldCenter.Name) throws(WireError) {
        try network.post(
            messageNamed: name, message.bytes, type: message.type, subject: message.object,
            keeping: message.isKept)
    }

    /// A post of a name has no status, but a refused one is counted. It can only be refused for lack of room, and
    /// nobody else posts here.
    private func post(_ name: HeraldCenter.Name) throws(WireError) {
        let before = network.statistics.refused
        network.post(name)
        if network.statistics.refused != before { throw .queueFull }
    }

    /// Waits until the servers know the watched names.
    func begin() throws {
        try wait { [network] () throws(WireError) in try await network.synchronize(within: Self.limit) }
        try trouble.check(watches: true)
    }

    /// Waits until the servers have the posts, and have kept those that are to be kept; and know what durable
    /// observers have heard.
    func end() throws {
        try wait { [network] () throws(WireError) in try await network.close(within: Self.limit) }
        trouble.awaitLast()
        try trouble.check()
        let refused = network.statistics.refused
        if refused > 0 { throw Unusable(trouble.whyRefused(refused)) }
    }

    /// Forgets what is kept of a name and an object.
    /// - Returns: Whether something was kept.
    func forget(_ text: String, _ object: String?) throws -> Bool {
        let name = HeraldCenter.Name(exactly: text)
        return try wait { [network] () throws(WireError) in
            try await network.forget(messageNamed: name, subject: object)
        }
    }

    /// Makes the stream that keeps messages.
    func createKept(_ replicas: Int) throws {
        try wait { [network] () throws(WireError) in
            try await network.createKept(replicas: replicas, within: Self.limit)
        }
    }

    // ---- Streams

    /// Observes what a stream stores. `body` is called for one post after the other, and returns whether it has
    /// done its work; if not, the post comes again.
    func observe(
        _ names: HeraldCenter.Names, _ wish: DurableWish, _ body: @escaping @Sendable (WirePost) -> Bool
    ) -> HeraldCenter.ObservationToken {
        let durable = Durable(
            wish.name, stream: wish.stream, from: wish.start.native, attempts: wish.attempts)
        return network.observe(messages: names, durable: durable) { post in
            if !body(post) { throw NotHeard() }
        }
    }

    /// Lets the servers forget a durable observer.
    func forget(durable name: String, stream: String?) throws {
        try wait { [network] () throws(WireError) in
            try await network.forget(durable: name, stream: stream, within: Self.limit)
        }
    }

    /// The subject of a name, or what matches those of all names below a prefix.
    func subject(of name: String?, under prefix: String?) throws -> String {
        var subject: UnsafeMutablePointer<CChar>?
        let name = name.map { HeraldCenter.Name(exactly: $0) }
        let status =
            if let prefix {
                HeraldNetworkGetSubject(native, nil, prefix, &subject)
            } else {
                withExtendedLifetime(name) { HeraldNetworkGetSubject(native, $0?.native, nil, &subject) }
            }
        guard status == HeraldOK, let subject else {
            throw Unusable(String(cString: HeraldGetErrorDescription()), status: EX_USAGE)
        }
        defer { free(subject) }
        return String(cString: subject)
    }

    /// Makes a call of the servers' JetStream API, and decodes the answer.
    func call<Answer: Decodable>(_ call: String, _ json: String = "", as _: Answer.Type) throws -> Answer {
        let answer = try wait { [network] () throws(WireError) in
            try await network.callJetStream(call, json, within: Self.limit)
        }
        do {
            return try JSONDecoder().decode(Answer.self, from: Data(answer.utf8))
        } catch {
            throw Unusable("the answer to \(call) cannot be read: \(answer)")
        }
    }

    /// Runs `body`, and waits for its result. If it fails, the reason was an event.
    private func wait<Value: Sendable>(
        _ body: @escaping @Sendable () async throws(WireError) -> Value
    ) throws -> Value {
        let outcome = Outcome<Value>(), done = DispatchSemaphore(value: 0)
        Task.detached {
            do throws(WireError) { outcome.set(.success(try await body())) } catch { outcome.set(.failure(error)) }
            done.signal()
        }
        done.wait()
        do throws(WireError) { return try outcome.get() } catch {
            try trouble.check()
            throw Unusable(trouble.why(error), status: error.exitStatus)
        }
    }
}

private final class Outcome<Value: Sendable>: Sendable {
    private let result = Mutex<Result<Value, WireError>?>(nil)
    func set(_ new: Result<Value, WireError>) { result.withLock { $0 = new } }
    func get() throws(WireError) -> Value {
        guard let result = result.withLock({ $0 }) else { throw .unavailable("nobody has answered") }
        return try result.get()
    }
}

/// The work of `watch` was not done.
private struct NotHeard: Error {}

extension DurableWish.Start {
    fileprivate var native: Durable.Start {
        switch self {
        case .next: .next
        case .beginning: .beginning
        case .sequence(let number): .sequence(number)
        }
    }
}

extension WireError {
    fileprivate var exitStatus: Int32 {
        switch self {
        case .tooLarge, .cannotEncode: EX_USAGE
        case .queueFull: EX_TEMPFAIL
        case .unavailable: EX_UNAVAILABLE
        }
    }
}

extension NetworkOptions {
    fileprivate var tls: NetworkCenter.TLS? {
        guard ca != nil || cert != nil else { return nil }
        return NetworkCenter.TLS(certificateAuthority: ca, certificate: cert, key: key)
    }
}

/// The events of a network center that a command must know.
private final class Trouble: Sendable {
    private struct State {
        var reason: String?
        var refused: String?
        var denied: String?
        var watches = false
    }
    private let state = Mutex(State())
    private let last = DispatchSemaphore(value: 0)
    private let says: Bool

    init(says: Bool) { self.says = says }

    /// An error, with the reason why the center is not connected, or with the last refusal.
    func why(_ error: WireError) -> String {
        let text = "\(error)", reason = state.withLock { $0.reason ?? $0.refused }
        guard let reason, !text.contains(reason) else { return text }
        return "\(text): \(reason)"
    }

    /// Why posts were refused after they had been taken.
    func whyRefused(_ count: Int) -> String {
        state.withLock { $0.refused } ?? "\(count) posts were refused"
    }

    func note(_ event: WireEvent) {
        guard event != .disconnected(reason: "the center is closed") else { return _ = last.signal() }
        let isNews = state.withLock { state in
            let before = (state.reason, state.refused, state.denied)
            switch event {
            case .connected: state.reason = nil
            case .disconnected(let reason): state.reason = reason
            case .denied: state.denied = "\(event)"
            default: state.refused = "\(event)"
            }
            return before != (state.reason, state.refused, state.denied)
        }
        if isNews && says { fputs("herald: \(printable("\(event)"))\n", stderr) }
        if state.withLock({ $0.watches && $0.denied != nil }) { exit(EX_NOPERM) }
    }

    /// Waits for the last event of a center that is closed.
    func awaitLast() { _ = last.wait(timeout: .now() + 1) }

    /// Throws if the servers have not allowed something.
    /// - Parameter watches: Whether the process ends when they do not allow something later.
    func check(watches: Bool = false) throws {
        let denied = state.withLock { state in
            state.watches = watches && state.denied == nil
            return state.denied
        }
        if let denied { throw Unusable(denied, status: EX_NOPERM) }
    }
}
#else
/// For a command that was built without the network.
final class Network: Sendable {
    var center: any WireCenter { HeraldCenter.host }
    var native: HeraldCenterRef { HeraldCenterGetHostCenter() }
    init(_: NetworkOptions, says: Bool) throws {
        throw Unusable("this command was built without the network: make command NETWORK=1", status: EX_USAGE)
    }
    func post(_: String, _: Message?) throws {}
    func forget(_: String, _: String?) throws -> Bool { false }
    func createKept(_: Int) throws {}
    func store(_: String, _: Message) throws -> UInt64 { 0 }
    func observe(
        _: HeraldCenter.Names, _: DurableWish, _: @escaping @Sendable (WirePost) -> Bool
    ) -> HeraldCenter.ObservationToken { HeraldCenter.host.observe(messages: .all) { _ in } }
    func forget(durable: String, stream: String?) throws {}
    func subject(of: String?, under: String?) throws -> String { "" }
    func call<Answer: Decodable>(_ call: String, _ json: String = "", as _: Answer.Type) throws -> Answer {
        throw Unusable("this command was built without the network")
    }
    func begin() throws {}
    func end() throws {}
}
#endif
