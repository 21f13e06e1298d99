#if os(Linux)
import CHerald

extension HeraldCenter {
    /// A registration as it is at one moment, for tests, logs and tools.
    public struct ObservationInfo: Sendable, Hashable, CustomStringConvertible {
        /// The name that is observed, or the name of the message's type or of the protocol. `nil`: no single name.
        public let name: String?
        /// Whether the observer gets only posts about one subject.
        public let hasSubject: Bool
        /// The type of the owner, or of the instance that observes a protocol. `nil`: a token or C code owns the
        /// registration.
        public let owner: String?
        /// Whether the owner still lives; `true` without an owner.
        public let isAlive: Bool
        /// The kind of posts that the observer gets: `message`, `notice` or `call`. `c` for an observer in C.
        public let kind: String
        /// Where the observer is called: `direct` (on the posting thread), `queue`, `actor` or `sequence`.
        public let delivery: String
        /// How many messages wait for the observer: in its buffer, and held by a suspended center.
        public let waiting: Int
        /// How many messages were dropped because there was no room.
        public let dropped: Int
        /// The place in the source where the registration was made: `Module/File.swift:12`. `nil` for an observer in C
        /// that has no describer of its own.
        public let place: String?
        /// The registration's place in the order of registration (R2).
        public let order: UInt64

        fileprivate init(_ info: HeraldRegistrationInfo) {
            let known = info.description?.pointee
            name = info.name.map { HeraldCenter.text(of: $0, known?.tag) }
            hasSubject = info.object != nil
            let owner = known.map { String(inArray: $0.owner) } ?? ""
            self.owner = owner.isEmpty ? nil : owner
            isAlive = known?.alive ?? true
            let kind = known.map { String(inArray: $0.text) } ?? "",
                delivery = known.map { String(inArray: $0.delivery) } ?? "",
                place = known.map { String(inArray: $0.site) } ?? ""
            self.kind = kind.isEmpty ? "c" : kind
            self.delivery = delivery.isEmpty ? "direct" : delivery
            self.place = place.isEmpty ? nil : place
            waiting = Int(clamping: (known?.waiting ?? 0) + UInt64(info.queued))
            dropped = Int(clamping: known?.dropped ?? 0)
            order = info.order
        }

        public var description: String {
            var text = "\(name ?? "everything")\(hasSubject ? " of one subject" : "")"
            if let owner { text += " by \(owner)\(isAlive ? "" : " (gone)")" }
            text += ", \(delivery)"
            if let place { text += ", \(place)" }
            if waiting > 0 { text += ", \(waiting) waiting" }
            if dropped > 0 { text += ", \(dropped) dropped" }
            return text
        }
    }

    /// All registrations with this center now, from Swift and from C, in the order of registration.
    ///
    /// Reading this property delays no post, and holds no lock while a registration is described. A registration that
    /// is added or removed in the meantime may be included or not.
    ///
    /// The corresponding C function is `HeraldCenterVisitRegistrations`.
    public var observations: [ObservationInfo] {
        final class Found { var all: [ObservationInfo] = [] }
        let found = Found()
        HeraldCenterVisitRegistrations(
            native,
            { context, info in
                guard let context, let info else { return false }
                withInstance(of: Found.self, at: context) { $0.all.append(ObservationInfo(info.pointee)) }
                return true
            }, UnsafeMutableRawPointer(mutating: address(of: found)))
        return found.all.sorted { $0.order < $1.order }
    }

    /// A label that tools such as `herald inspect` show. At most 63 bytes are kept. Empty: no label.
    ///
    /// The corresponding C functions are `HeraldCenterSetLabel` and `HeraldCenterGetLabel`.
    public var label: String {
        get {
            withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { buffer in
                HeraldCenterGetLabel(native, buffer.baseAddress, buffer.count)
                return String(cString: buffer.baseAddress.unsafelyUnwrapped)
            }
        }
        nonmutating set { HeraldCenterSetLabel(native, newValue) }
    }

    /// Sets how many observers of one name are expected. If a name has more observers, a line on stderr reports it,
    /// once for each name. This finds code that adds observers and never removes them.
    ///
    /// The corresponding C function is `HeraldCenterSetObserverLimit`.
    ///
    /// - Parameter limit: The expected number. `nil`: any number.
    public func setObserverLimit(_ limit: Int?) { HeraldCenterSetObserverLimit(native, max(0, limit ?? 0)) }

    /// Lets the user's own tools look into this process: `herald inspect`, `herald trace`, `herald top`. Without this
    /// call, tools can look only into a process that was started with `HERALD_INSPECT=1`.
    ///
    /// The corresponding C function is `HeraldInspectorStart`.
    ///
    /// - Throws: ``WireError/unavailable(_:)`` when the socket for the tools cannot be made.
    public static func startInspector() throws(WireError) {
        Tag.describeAll()
        guard HeraldInspectorStart() == HeraldOK else {
            throw .unavailable("the inspector's socket cannot be made")
        }
    }

    /// Ends the inspector: closes its connections, and waits for its thread.
    public static func stopInspector() { HeraldInspectorStop() }

    /// A name as people read it.
    static func text(of name: NativeName, _ tag: UnsafeRawPointer?) -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 600) { buffer in
            HeraldNameDescribe(name, tag, buffer.baseAddress, buffer.count)
            return String(cString: buffer.baseAddress.unsafelyUnwrapped)
        }
    }
}

extension HeraldCenter: CustomDebugStringConvertible {
    public var debugDescription: String {
        let all = observations
        let title = label.isEmpty ? "" : " \(label)"
        let state = isSuspended ? ", suspended" : ""
        return "HeraldCenter\(title): \(all.count) observations\(state)"
            + all.prefix(20).map { "\n  \($0)" }.joined() + (all.count > 20 ? "\n  and \(all.count - 20) more" : "")
    }
}

extension WireCenter {
    /// All registrations of this process with this center now: see ``HeraldCenter/observations``.
    public var observations: [HeraldCenter.ObservationInfo] { wire.center.observations }
}
#endif
