import CHerald

/// The registrations of each owner with one center, for replacing and removing them.
///
/// *Ownership.* Owners and subjects are recorded by their addresses. A pin retains their memory, so an address is not
/// used again while it is recorded. The table never makes a strong reference: releasing it could deinitialize an
/// instance on an unrelated thread. Each add checks two records and removes those whose owner or subject is gone, so
/// there are never more of them than the table had records at its largest. A table lives as long as a handle on its
/// center, or a registration that it records. So a new handle on a center that C retains finds the owners that earlier
/// handles have recorded.
/// *Threads.* One lock. No registration is ended under it, because that may run user code, which may call this table.
@usableFromInline final class Owners: Sendable {
    static let local = Owners(nil)

    private struct Known: @unchecked Sendable {
        weak let owners: Owners?
    }
    private static let known = Guarded<[UInt: Known]>([:])

    /// The table of a center.
    static func of(_ center: HeraldCenterRef) -> Owners {
        let address = UInt(bitPattern: center)
        return known.withLock { known in
            if let owners = known[address]?.owners { return owners }
            let owners = Owners(address)
            known[address] = Known(owners: owners)
            return owners
        }
    }

    private let center: UInt?

    private init(_ center: UInt?) { self.center = center }

    deinit {
        guard let center else { return }
        // Unless a new table of the same center has come meanwhile.
        let other = Self.known.withLock { known in
            let other = known[center]?.owners
            if other == nil { known[center] = nil }
            return other
        }
        withExtendedLifetime(other) {}  // released outside the lock
    }

    struct Key: Hashable {
        let kind: Observation.Kind
        let name: NativeName?
        let subject: UnsafeRawPointer?
    }

    private struct Place: Hashable {
        let owner: ObjectIdentifier
        let key: Key
    }

    private struct Record {
        let place: Place
        let registration: Registration
        let owner: Pin
        let subject: Pin?
        // The owner's other records.
        var next: Int?
        var previous: Int?
    }

    private struct State: @unchecked Sendable {
        var records: [Record?] = []
        var free: [Int] = []
        var index: [Place: Int] = [:]
        var first: [ObjectIdentifier: Int] = [:]
        var swept = 0
    }

    private let state = Guarded(State())

    /// Whether this owner has a registration under this key.
    func has(_ owner: AnyObject, _ key: Key) -> Bool {
        let place = Place(owner: ObjectIdentifier(owner), key: key)
        return state.withLock { $0.index[place] != nil }
    }

    /// Records a registration. Ends the one that it replaces, and those whose owner or subject it finds gone.
    func add(
        _ owner: AnyObject, _ key: Key, subject: AnyObject?, _ registration: Registration, in center: HeraldCenterRef
    ) {
        let place = Place(owner: ObjectIdentifier(owner), key: key)
        let record = Record(
            place: place, registration: registration, owner: Pin(owner), subject: subject.map(Pin.init))
        let ended = state.withLock { state in
            let replaced = state.index[place].map { Self.take($0, out: &state) }
            let gone = [Self.sweep(&state), Self.sweep(&state)]  // two, because an add inserts one
            Self.insert(record, into: &state)
            return gone + [replaced]
        }
        for registration in ended { registration?.end(in: center) }
    }

    /// Ends the registrations of an owner whose keys match. The owner may be in its `deinit`.
    func remove(_ owner: AnyObject, in center: HeraldCenterRef, where matches: (Key) -> Bool) {
        let ended = state.withLock { state in
            var ended: [Registration] = []
            var at = state.first[ObjectIdentifier(owner)]
            while let index = at {
                let record = state.records[index].unsafelyUnwrapped
                at = record.next
                if matches(record.place.key) { ended.append(Self.take(index, out: &state)) }
            }
            return ended
        }
        for registration in ended.reversed() { registration.end(in: center) }
    }

    private static func insert(_ record: Record, into state: inout State) {
        var record = record
        let index = state.free.popLast() ?? state.records.count
        if index == state.records.count { state.records.append(nil) }
        record.next = state.first[record.place.owner]
        if let next = record.next { state.records[next]?.previous = index }
        state.records[index] = record
        state.first[record.place.owner] = index
        state.index[record.place] = index
    }

    private static func take(_ index: Int, out state: inout State) -> Registration {
        let record = state.records[index].unsafelyUnwrapped
        state.records[index] = nil
        state.free.append(index)
        state.index[record.place] = nil
        if let next = record.next { state.records[next]?.previous = record.previous }
        if let previous = record.previous {
            state.records[previous]?.next = record.next
        } else {
            state.first[record.place.owner] = record.next
        }
        return record.registration
    }

    /// Checks the next record, and takes it out if its owner or its subject is gone.
    private static func sweep(_ state: inout State) -> Registration? {
        guard !state.records.isEmpty else { return nil }
        state.swept = (state.swept + 1) % state.records.count
        guard let record = state.records[state.swept], record.owner.isGone || record.subject?.isGone == true else {
            return nil
        }
        return take(state.swept, out: &state)
    }
}
