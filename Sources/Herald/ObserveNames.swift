import CHerald

extension HeraldCenter {
    /// What an observer of a name gets of posts that come while its center is suspended (R16).
    ///
    /// The corresponding C type is `HeraldSuspensionBehavior`.
    public enum SuspensionBehavior: Sendable {
        /// Nothing.
        case drop
        /// On resume, the last post of each name and subject.
        case coalesce
        /// On resume, every post up to 1024, the newest ones.
        case hold
        /// The post, at once, after all that is queued.
        case deliverImmediately

        var native: HeraldSuspensionBehavior {
            switch self {
            case .drop: HeraldSuspensionDrop
            case .coalesce: HeraldSuspensionCoalesce
            case .hold: HeraldSuspensionHold
            case .deliverImmediately: HeraldSuspensionDeliverImmediately
            }
        }
    }

    /// Observes the posts of a name, from Swift and from C, on the thread that posts, until the token goes.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - subject: Only posts about this instance; see ``observe(_:subject:_:)-(_,_,(M)->Void)``.
    ///   - whileSuspended: What to make of posts while the center is suspended.
    ///   - body: Called before the post returns; the notice is borrowed.
    public func observe(
        _ name: Name, subject: AnyObject?? = nil, whileSuspended: SuspensionBehavior = .deliverImmediately,
        _ body: @escaping @Sendable (borrowing Notice) -> Void
    ) -> ObservationToken {
        observe(.notice, name.native, Filter(subject), whileSuspended: whileSuspended) { name, object, payload in
            body(Notice(name, object, payload))
            return true
        }
    }

    /// Observes every post of the center: names, messages and calls of protocols, from Swift and from C.
    public func observeAll(
        subject: AnyObject?? = nil, whileSuspended: SuspensionBehavior = .deliverImmediately,
        _ body: @escaping @Sendable (borrowing Notice) -> Void
    ) -> ObservationToken {
        observe(.notice, nil, Filter(subject), whileSuspended: whileSuspended) { name, object, payload in
            body(Notice(name, object, payload))
            return true
        }
    }

    /// Observes the posts of a name while an owner lives; see ``observe(_:subject:by:_:)-(_,_,_,(O,M)->Void)``.
    public func observe<O: AnyObject & Sendable>(
        _ name: Name, subject: AnyObject?? = nil, by owner: O,
        whileSuspended: SuspensionBehavior = .deliverImmediately,
        _ body: @escaping @Sendable (O, borrowing Notice) -> Void
    ) {
        weak let weakly = owner
        observe(.notice, name.native, Filter(subject), by: owner, whileSuspended: whileSuspended) {
            name, object, payload in
            guard let owner = weakly else { return false }
            body(owner, Notice(name, object, payload))
            return true
        }
    }

    /// Ends what was observed by this owner of this name, whatever the subject.
    public func removeObserver<O: AnyObject>(_ owner: O, of name: Name) {
        owners.remove(owner, named: name.native, in: native)
    }
}
