import CHerald

/// Which registrations belong to which owner, for one center: weakly, for replacing and removing them.
///
/// *Ownership.* An owner and a subject are known by their addresses, which stay theirs as long as they are noted here:
/// a pin keeps the memory of the dead. No reference is ever made strong, for giving it back could be the
/// end of an instance on a thread that has nothing to do with it. The dead are found by each add, which looks at a few:
/// there are never more of them than the table has once been large.
/// A table lives as long as a handle on its center, or a registration that it notes, so that whoever makes a handle on
/// a center that C keeps finds the owners of the handles before.
/// *Threads.* One lock. No registration is ended under it, for that may run user code, which may come back.
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
        withExtendedLifetime(other) {}  // given back outside the lock
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

    /// Notes a registration; ends, in the center, the one that it replaces and those that are found dead.
    func add(
        _ owner: AnyObject, _ key: Key, subject: AnyObject?, _ registration: Registration, in center: HeraldCenterRef
    ) {
        let place = Place(owner: ObjectIdentifier(owner), key: key)
        let record = Record(
            place: place, registration: registration, owner: Pin(owner), subject: subject.map(Pin.init))
        let ended = state.withLock { state in
            let replaced = state.index[place].map { Self.take($0, out: &state) }
            let dead = [Self.sweep(&state), Self.sweep(&state)]  // more than an add brings
            Self.insert(record, into: &state)
            return dead + [replaced]
        }
        for registration in ended { registration?.end(in: center) }
    }

    /// Ends the registrations of an owner that are meant. The owner may be about to die.
    func remove(_ owner: AnyObject, in center: HeraldCenterRef, where isMeant: (Key) -> Bool) {
        let ended = state.withLock { state in
            var ended: [Registration] = []
            var at = state.first[ObjectIdentifier(owner)]
            while let index = at {
                let record = state.records[index].unsafelyUnwrapped
                at = record.next
                if isMeant(record.place.key) { ended.append(Self.take(index, out: &state)) }
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

    /// Looks at one record; takes it out if its owner or its subject is gone.
    private static func sweep(_ state: inout State) -> Registration? {
        guard !state.records.isEmpty else { return nil }
        state.swept = (state.swept + 1) % state.records.count
        guard let record = state.records[state.swept], record.owner.isGone || record.subject?.isGone == true else {
            return nil
        }
        return take(state.swept, out: &state)
    }
}
