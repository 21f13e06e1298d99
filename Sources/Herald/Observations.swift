import CHerald

extension HeraldCenter {
    /// An observation at one moment, for tests, logs and tools.
    public struct ObservationInfo: Sendable, Hashable, CustomStringConvertible {
        /// The name that is observed, or the name of the message's type or the protocol. `nil`: all.
        public let name: String?
        /// Whether it observes one subject only.
        public let hasSubject: Bool
        /// The type of the owner, or of the observer of a protocol; `nil`: a token owns it, or C does.
        public let owner: String?
        /// Whether the owner still lives.
        public let isAlive: Bool
        /// The kind of posts that it hears: `message`, `notice`, `call`; `c` for an observer in C.
        public let kind: String
        /// Where it is called: `direct`, `queue`, `actor`, `sequence`.
        public let delivery: String
        /// How many messages wait for it: in its queue, and held while the center is suspended.
        public let waiting: Int
        /// How many messages were dropped because there was no room.
        public let dropped: Int
        /// The place in the source where it was made: `Module/File.swift:12`. `nil` for an observer in C that has no
        /// describer of its own.
        public let place: String?
        /// Its place in the order of registration (R2).
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

    /// Everything that observes this center now, in the order of registration, from Swift and from C.
    ///
    /// Reading this property takes no lock while it looks at an observation, and delays no post. An observation that is
    /// added or removed during the call may be included or not.
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

    /// A label that tools such as `herald inspect` show: at most 63 bytes of it. Empty: none.
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

    /// Sets how many observers of one name are expected. If a name has more, a line on stderr says so, once for each
    /// name. This finds code that adds observers and never removes them.
    ///
    /// The corresponding C function is `HeraldCenterSetObserverLimit`.
    ///
    /// - Parameter limit: `nil`: any number.
    public func setObserverLimit(_ limit: Int?) { HeraldCenterSetObserverLimit(native, max(0, limit ?? 0)) }

    /// Lets the user's own tools look into this process: `herald inspect`, `herald trace`, `herald top`. Without this
    /// call no tool can, except in a process that was started with `HERALD_INSPECT=1`.
    ///
    /// The corresponding C function is `HeraldInspectorStart`.
    ///
    /// - Throws: ``WireError/unavailable(_:)`` when the socket for it cannot be made.
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
    /// Everything in this process that observes this center now: see ``HeraldCenter/observations``.
    public var observations: [HeraldCenter.ObservationInfo] { wire.center.observations }
}
