#if os(Linux)
import CHerald
import CHeraldRuntime
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif
import Synchronization

/// The counts and the sequences of events of a center that carries messages between processes.
///
/// *Threads.* Any thread may make any call. The functions under "Hearing" are called on the delivering thread, inside
/// an observer's call. *Ordering.* The counts are relaxed: they order no other memory. *Ownership.* A sequence of
/// events owns its mailbox; this instance refers to the mailbox weakly.
public final class Wire: Sendable {
    let center: HeraldCenter
    /// Returns the size in bytes of the message, if this thread's last call failed because the message was too large.
    private let measure: (@Sendable () -> Int)?
    /// Returns how many posts the observer's call on this thread stands for.
    private let postCount: @Sendable () -> Int
    /// Returns the state of the name that is being delivered on this thread; nil if none is set.
    private let postState: @Sendable () -> UInt64?

    /// The size of the largest message, in bytes.
    private let limit: Int
    /// Whether a post first checks that the message has an observer. If so, a message without an observer is not
    /// encoded, and posting it cannot fail.
    private let asks: Bool

    /// Messages that could not be encoded. They never reach C, so C does not count them.
    package let unmade = Atomic(0)
    private let posted = Atomic(0), refused = Atomic(0), received = Atomic(0), undecodable = Atomic(0),
        dropped = Atomic(0)
    private let listeners = Guarded<[Listener]>([])

    package init(
        _ center: HeraldCenter, limit: Int, measure: (@Sendable () -> Int)? = nil,
        postCount: @escaping @Sendable () -> Int = { 1 }, postState: @escaping @Sendable () -> UInt64? = { nil },
        asks: Bool = true
    ) {
        self.center = center
        self.asks = asks
        self.limit = limit
        self.measure = measure
        self.postCount = postCount
        self.postState = postState
        let weak = Weak(wire: self), address = UInt(bitPattern: center.native)
        Self.all.withLock { $0[address] = weak }
    }

    deinit {
        let address = UInt(bitPattern: center.native)
        Self.all.withLock { $0[address] = nil }
    }

    /// The reason why this thread's last call has failed.
    package static var reason: String { String(cString: HeraldGetErrorDescription()) }

    /// The reason of a status that this thread has just got.
    package static func reason(of status: HeraldStatus) -> String {
        let reason = reason
        return reason.isEmpty ? String(cString: HeraldStatusGetDescription(status)) : reason
    }

    /// All instances, by the addresses of their centers.
    private static let all = Guarded<[UInt: Weak]>([:])
    private struct Weak: Sendable { weak var wire: Wire? }

    /// The instance for a center that carries messages; nil for other centers.
    static func of(_ center: HeraldCenterRef) -> Wire? {
        let address = UInt(bitPattern: center)
        return all.withLock { $0[address] }?.wire
    }

    package var statistics: WireStatistics {
        var statistics = WireStatistics()
        statistics.posted = posted.load(ordering: .relaxed)
        statistics.refused = refused.load(ordering: .relaxed)
        statistics.received = received.load(ordering: .relaxed)
        statistics.undecodable = undecodable.load(ordering: .relaxed)
        statistics.dropped = Int(clamping: HeraldCenterGetDroppedPostCount(center.native))
        return statistics
    }

    // ---- Posting

    @usableFromInline func isHeard(_ name: HeraldCenter.Name) -> Bool {
        !asks || HeraldCenterIsHeard(center.native, name.native)
    }

    @usableFromInline func post<M: HeraldCenter.WireMessage>(
        _ message: M, named name: HeraldCenter.Name, about subject: String?
    ) throws(WireError) {
        let bytes = try encode(message)
        try post(bytes, of: M.contentType, named: name, about: subject, keeping: M._isKept)
    }

    /// The bytes of a message. A message that cannot be encoded is counted.
    package func encode<M: HeraldCenter.WireMessage>(_ message: M) throws(WireError) -> [UInt8] {
        do {
            return try message.encode()
        } catch {
            unmade.add(1, ordering: .relaxed)
            refused.add(1, ordering: .relaxed)
            throw .cannotEncode(Self.describe(error))
        }
    }

    func post(
        _ bytes: [UInt8], of type: String, named name: HeraldCenter.Name, about subject: String?, keeping isKept: Bool
    ) throws(WireError) {
        do {
            try send(bytes, type, name, subject, isKept)
        } catch {
            refused.add(1, ordering: .relaxed)
            throw error
        }
        posted.add(1, ordering: .relaxed)
    }

    private func send(
        _ bytes: [UInt8], _ type: String, _ name: HeraldCenter.Name, _ subject: String?, _ isKept: Bool
    ) throws(WireError) {
        try pass(bytes, type, subject, isKept ? UInt32(HeraldPostKeep) : 0) {
            HeraldCenterPostMessage(center.native, name.native, $0)
        }
    }

    /// Calls a function of C's with a message, and throws what its status says.
    package func pass(
        _ bytes: [UInt8], _ type: String, _ subject: String?, _ options: UInt32,
        _ call: (UnsafePointer<HeraldMessage>) -> HeraldStatus
    ) throws(WireError) {
        guard !type.utf8.contains(0), subject?.utf8.contains(0) != true else {
            unmade.add(1, ordering: .relaxed)
            throw .cannotEncode("a subject or a content type must not contain a NUL")
        }
        let status = withCString(subject) { subject in
            type.withCString { type in
                bytes.withUnsafeBytes { bytes in
                    var message = HeraldMessage()
                    message.size = MemoryLayout<HeraldMessage>.size
                    message.object = subject
                    message.type = type.pointee == 0 ? nil : type
                    message.bytes = bytes.baseAddress
                    message.length = bytes.count
                    message.options = options
                    return call(&message)
                }
            }
        }
        switch status {
        case HeraldOK: return
        case HeraldTooLarge:
            let texts = type.utf8.count + (subject?.utf8.count ?? 0)
            throw .tooLarge(measure?() ?? (bytes.count > limit ? bytes.count : texts))
        case HeraldQueueFull: throw .queueFull
        case HeraldInvalidArgument, HeraldTransportFailed: throw .unavailable(Self.reason)
        default: throw .unavailable(String(cString: HeraldStatusGetDescription(status)))
        }
    }

    // ---- Hearing

    /// The post of a name that is being delivered on this thread.
    func post(of name: HeraldCenter.Name) -> NamePost { NamePost(name, postCount(), postState()) }

    /// The message that is being delivered on this thread, decoded. Returns nil for a post of the name alone, and for a
    /// message that cannot be decoded as the type. An undecodable message is counted, and reported as an event.
    package func decode<M: HeraldCenter.WireMessage>(_: M.Type, _ name: NativeName) -> M? {
        guard let message = HeraldGetCurrentMessage() else { return nil }
        note(message, name)
        return decode(M.self, name, message)
    }

    /// A message, decoded; nil as above.
    func decode<M: HeraldCenter.WireMessage>(_: M.Type, _ name: NativeName, _ message: UnsafePointer<HeraldMessage>)
        -> M?
    {
        let type = message.pointee.type.map { String(cString: $0) }
        let bytes = UnsafeRawBufferPointer(start: message.pointee.bytes, count: message.pointee.length)
        do {
            return try M.decode(bytes.bytes, contentType: type ?? "")
        } catch {
            if herald_swift_wire_is_new(name, message, true) { undecodable.add(1, ordering: .relaxed) }
            say(
                .undecodable(
                    name: HeraldCenter.Name(native: name, isType: false), type: type.map(Self.cut),
                    reason: Self.describe(error)))
            return nil
        }
    }

    /// The post that is being delivered on this thread, not decoded.
    package func post(_ native: NativeName) -> WirePost {
        let name = HeraldCenter.Name(native: native, isType: false)
        guard let message = HeraldGetCurrentMessage() else {
            return WirePost(
                name: name, subject: nil, type: nil, bytes: nil, sequence: 0, missed: 0, sender: 0, count: postCount(),
                isKept: HeraldPostIsKept())
        }
        note(message, native)
        let bytes = UnsafeRawBufferPointer(start: message.pointee.bytes, count: message.pointee.length)
        return WirePost(
            name: name, subject: message.pointee.object.map { String(cString: $0) },
            type: message.pointee.type.map { String(cString: $0) }, bytes: Array(bytes),
            sequence: message.pointee.sequence, missed: Int(clamping: message.pointee.missed),
            sender: message.pointee.sender, count: 1, isKept: HeraldPostIsKept())
    }

    /// Counts a message once, for its first observer.
    private func note(_ message: UnsafePointer<HeraldMessage>, _ name: NativeName) {
        guard herald_swift_wire_is_new(name, message, false) else { return }
        received.add(1, ordering: .relaxed)
        let all = Int(clamping: HeraldCenterGetDroppedPostCount(center.native))
        let before = dropped.exchange(all, ordering: .relaxed)
        if all > before { say(.slow(name: HeraldCenter.Name(native: name, isType: false), count: all - before)) }
        guard message.pointee.missed > 0 else { return }
        say(.lost(name: HeraldCenter.Name(native: name, isType: false), count: Int(clamping: message.pointee.missed)))
    }

    // ---- Events

    /// The events from now on.
    func events() -> Messages<WireEvent> {
        let mailbox = Mailbox<WireEvent>(.newest(256))
        listeners.withLock { listeners in
            listeners.append(Listener(mailbox))
        }
        return Messages(mailbox, HeraldCenter.ObservationToken(nil))
    }

    package func say(_ event: WireEvent) {
        let mailboxes = listeners.withLock { listeners in
            listeners.removeAll { $0.mailbox == nil }
            return listeners.indices.compactMap { listeners[$0].wants(event) ? listeners[$0].mailbox : nil }
        }
        for mailbox in mailboxes { _ = mailbox.send(event) }
    }

    /// A sequence that gets events. `mailbox` is nil when the sequence has been released.
    private struct Listener: Sendable {
        weak var mailbox: Mailbox<WireEvent>?
        /// The events about undecodable messages that the sequence has got: at most 64 for each name, because a sender
        /// can cause any number of them.
        private var said: [HeraldCenter.Name: Set<WireEvent>] = [:]

        init(_ mailbox: Mailbox<WireEvent>) { self.mailbox = mailbox }

        mutating func wants(_ event: WireEvent) -> Bool {
            guard case .undecodable(let name, _, _) = event else { return true }
            return said[name, default: []].count < 64 && said[name, default: []].insert(event).inserted
        }
    }

    /// An error as a text, cut after 300 bytes. The text may be long, because it may quote another process.
    fileprivate static func describe(_ error: any Error) -> String { cut("\(error)") }

    private static func cut(_ text: String) -> String {
        text.utf8.count <= 300 ? text : String(decoding: text.utf8.prefix(300), as: UTF8.self) + "..."
    }
}

/// A copy of what a message carries, which outlives the message.
package struct WireContent: Sendable {
    private let bytes: [UInt8]
    private let type: String

    package init(of message: UnsafePointer<HeraldMessage>) {
        bytes = Array(UnsafeRawBufferPointer(start: message.pointee.bytes, count: message.pointee.length))
        type = message.pointee.type.map { String(cString: $0) } ?? ""
    }

    package func decoded<M: HeraldCenter.WireMessage>(as _: M.Type) throws(WireError) -> M {
        do {
            return try bytes.withUnsafeBytes { try M.decode($0.bytes, contentType: type) }
        } catch {
            throw .unavailable("what is kept cannot be decoded: \(Wire.describe(error))")
        }
    }
}

private func withCString<Result>(_ text: String?, _ body: (UnsafePointer<CChar>?) -> Result) -> Result {
    guard let text else { return body(nil) }
    return text.withCString(body)
}
#endif
