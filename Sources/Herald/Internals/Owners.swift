import CHerald
import Synchronization

/// Which registrations belong to which owner, for one center: weakly, for replacing and removing them.
///
/// *Ownership.* An owner is known by its address and told from a later one at the same address by a weak reference.
/// Registrations of the dead, and those about a subject that is dead, are found by each add, which looks at a few.
/// *Threads.* One lock. No registration is ended and no reference is given back under it, for both may run user code,
/// which may come back.
@usableFromInline final class Owners: Sendable {
    static let local = Owners()

    struct Key: Hashable {
        let name: NativeName
        let subject: UnsafeRawPointer?
    }

    private struct Record {
        let registration: Registration
        weak var subject: AnyObject?
        let hasSubject: Bool
        var place: Int  // in the round
    }

    private struct Entry {
        weak var owner: AnyObject?
        var records: [Key: Record] = [:]
    }

    /// Owners and subjects are compared, never used.
    private struct State: @unchecked Sendable {
        var entries: [ObjectIdentifier: Entry] = [:]
        /// Every record, in the order in which they are looked after.
        var round: [(owner: ObjectIdentifier, key: Key)] = []
        var next = 0
    }

    private let state = Mutex(State())

    /// Whether this owner has a registration under this key.
    func has(_ owner: AnyObject, _ key: Key) -> Bool {
        var used: AnyObject?  // given back outside the lock
        let found = state.withLock { state in
            guard let entry = state.entries[ObjectIdentifier(owner)] else { return false }
            used = entry.owner
            return used === owner && entry.records[key] != nil
        }
        withExtendedLifetime(used) {}
        return found
    }

    /// Notes a registration; ends, in the center, the one that it replaces and a few that are found dead.
    func add(
        _ owner: AnyObject, _ key: Key, subject: AnyObject?, _ registration: Registration, in center: HeraldCenterRef
    ) {
        let id = ObjectIdentifier(owner)
        var ended: [Registration] = []
        var used: [AnyObject?] = []  // given back outside the lock
        state.withLock { state in
            if let entry = state.entries[id] {
                used.append(entry.owner)
                if entry.owner !== owner {  // the owner of before has died at this address
                    for key in entry.records.keys { ended.append(Self.take(&state, id, key)!) }
                }
            }
            if let replaced = Self.take(&state, id, key) { ended.append(replaced) }
            Self.sweep(&state, &ended, &used)
            let record = Record(
                registration: registration, subject: subject, hasSubject: subject != nil, place: state.round.count)
            state.round.append((id, key))
            state.entries[id, default: Entry(owner: owner)].records[key] = record
        }
        for registration in ended { registration.end(in: center) }
        withExtendedLifetime(used) {}
    }

    /// Ends the registrations of an owner: all, or those of one name. The owner may be about to die.
    func remove(_ owner: AnyObject, named name: NativeName? = nil, in center: HeraldCenterRef) {
        let id = ObjectIdentifier(owner)
        let ended = state.withLock { state in
            (state.entries[id]?.records.keys).map { keys in
                keys.filter { name == nil || $0.name == name }.map { Self.take(&state, id, $0)! }
            }
        }
        for registration in ended ?? [] { registration.end(in: center) }
    }

    /// Takes a record out, and its owner's entry when it was the last.
    private static func take(_ state: inout State, _ id: ObjectIdentifier, _ key: Key) -> Registration? {
        guard let record = state.entries[id]?.records.removeValue(forKey: key) else { return nil }
        if state.entries[id]!.records.isEmpty { state.entries[id] = nil }
        let last = state.round.removeLast()
        if record.place < state.round.count {  // the last one takes its place
            state.round[record.place] = last
            state.entries[last.owner]!.records[last.key]!.place = record.place
        }
        return record.registration
    }

    /// Looks at two records; takes them out if their owner or subject is gone. More than one add brings, so the dead
    /// cannot pile up.
    private static func sweep(_ state: inout State, _ ended: inout [Registration], _ used: inout [AnyObject?]) {
        for _ in 0..<2 where !state.round.isEmpty {
            state.next = state.next < state.round.count ? state.next : 0
            let (id, key) = state.round[state.next]
            let entry = state.entries[id]!
            let owner = entry.owner
            let record = entry.records[key]!
            let subject = record.subject
            used.append(owner)
            used.append(subject)
            if owner == nil || (record.hasSubject && subject == nil) {
                ended.append(take(&state, id, key)!)
            } else {
                state.next += 1
            }
        }
    }
}
