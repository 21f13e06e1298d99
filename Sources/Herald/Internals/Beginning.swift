#if os(Linux)
import CHerald
import CHeraldRuntime
import Synchronization

/// The beginning of a registration between processes that hears first what is kept (R25). The center hands over what is
/// kept after the registration was made, on a thread of its own.
///
/// *Threads.* Herald's thread hears what is kept, and then calls `over`. *Ordering.* The count is relaxed: one thread
/// uses it. *Ownership.* The listener's extra has the beginning. So `began` and `cannotBegin` are released when the body is.
@usableFromInline final class Beginning: @unchecked Sendable {
    private let began: @Sendable (Int) -> Void
    private let cannotBegin: @Sendable (WireError) -> Void
    private let heard = Atomic(0)
    /// The owner of the registration, set before the registration is made. After the owner is gone, nothing is called.
    private weak var owner: AnyObject?
    private var hasOwner = false

    fileprivate init(_ began: @escaping @Sendable (Int) -> Void, _ cannotBegin: @escaping @Sendable (WireError) -> Void)
    {
        self.began = began
        self.cannotBegin = cannotBegin
    }

    /// Called before the registration is made.
    func belongs(to owner: AnyObject) {
        self.owner = owner
        hasOwner = true
    }

    /// Called in each call of the observer that brings an element: counts what was kept.
    fileprivate func note() {
        if HeraldPostIsKept() { heard.add(1, ordering: .relaxed) }
    }

    /// What was kept has been heard, or cannot be had now. After a failure, the center tries again.
    func over(_ status: HeraldStatus) {
        let count = heard.exchange(0, ordering: .relaxed)
        let owner = owner
        if hasOwner && owner == nil { return }
        if status == HeraldOK { began(count) } else { cannotBegin(.unavailable(Wire.reason(of: status))) }
        withExtendedLifetime(owner) {}
    }

    /// Tells C of the function that it calls after what is kept.
    static func describe() {
        herald_swift_begun_is { extra, status in
            withInstance(of: Observation.Extra.self, at: extra.unsafelyUnwrapped) { $0.beginning?.over(status) }
        }
    }
}

extension Source {
    /// The same elements, beginning with those that are kept.
    @usableFromInline func beginning(
        from start: HeraldCenter.Start, began: @escaping @Sendable (Int) -> Void,
        cannotBegin: @escaping @Sendable (WireError) -> Void
    ) -> Source {
        guard case .kept = start, let read else { return self }
        let beginning = Beginning(began, cannotBegin)
        var source = Source(center, name, key: key, filter) { name, object, payload, tag in
            guard let element = read(name, object, payload, tag) else { return nil }
            beginning.note()
            return element
        }
        source.beginning = beginning
        return source
    }
}
#endif
