#if os(Linux)
import CHerald
import CHeraldRuntime

/// A table of one center's registrations, by owner, for replacing and removing registrations; see `owners.c`.
@usableFromInline final class Owners: @unchecked Sendable {
    /// The table of the local center. It lives as long as the process.
    static let local = Owners(of: HeraldCenterGetLocalCenter())

    let native: OpaquePointer

    init(of center: HeraldCenterRef) {
        let found = herald_swift_owners_of(center)
        check(found == nil ? HeraldOutOfMemory : HeraldOK)
        native = found.unsafelyUnwrapped
    }

    deinit { herald_swift_owners_release(native) }
}

extension HeraldCenter {
    /// Ends all registrations of an owner. The owner may be in its `deinit`.
    func removeAll(of owner: AnyObject) { remove(of: owner, herald_swift_choice()) }

    /// Ends the registrations of an owner for a name, a type or a protocol, by its key: those about `subject`, or all
    /// if `subject` is nil.
    func remove(of owner: AnyObject, _ kind: herald_swift_kind, _ key: NativeName?, subject: AnyObject? = nil) {
        remove(
            of: owner,
            herald_swift_choice(
                by_key: true, by_subject: subject != nil, kind: kind, key: key,
                subject: subject.map { UnsafeRawPointer(address(of: $0)) }))
    }

    private func remove(of owner: AnyObject, _ choice: herald_swift_choice) {
        withUnsafePointer(to: choice) { herald_swift_owners_remove(owners.native, address(of: owner), $0) }
    }
}
#endif
