import CHerald

extension HeraldCenter {
    /// What an observer of a name gets of posts that come while its center is suspended (R16).
    ///
    /// The corresponding C type is `HeraldSuspensionBehavior`.
    public enum SuspensionBehavior: Sendable {
        /// Nothing.
        case drop
        /// On resume, the last post of each name and subject; earlier, if something is posted that another hears at
        /// once.
        case coalesce
        /// On resume, or earlier as said, every post up to 1024, the newest ones.
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
    ///   - subject: Only posts about this instance. Left out or a literal `nil`: all. A variable that is `nil`: none,
    ///     ever.
    ///   - whileSuspended: What to make of posts while the center is suspended. What is kept is heard on the thread
    ///     that resumes the center, or posts something that others hear at once: mind it if a subject is not
    ///     `Sendable`.
    ///   - body: Called before the post returns; the notice is borrowed.
    public func observe(
        _ name: Name, subject: AnySubject = nil, whileSuspended: SuspensionBehavior = .deliverImmediately,
        _ body: @escaping @Sendable (borrowing Notice) -> Void
    ) -> ObservationToken {
        observe(.notice, name.native, .any, whileSuspended: whileSuspended, Self.read(body))
    }

    /// Observes the posts of a name about one instance, until the token goes.
    @_disfavoredOverload @_documentation(visibility: internal)
    public func observe(
        _ name: Name, subject: AnyObject?, whileSuspended: SuspensionBehavior = .deliverImmediately,
        _ body: @escaping @Sendable (borrowing Notice) -> Void
    ) -> ObservationToken {
        observe(.notice, name.native, Filter(subject), whileSuspended: whileSuspended, Self.read(body))
    }

    /// Observes every post of the center: names, messages and calls of protocols, from Swift and from C.
    public func observeAll(
        subject: AnySubject = nil, whileSuspended: SuspensionBehavior = .deliverImmediately,
        _ body: @escaping @Sendable (borrowing Notice) -> Void
    ) -> ObservationToken {
        observe(.notice, nil, .any, whileSuspended: whileSuspended, Self.read(body))
    }

    /// Observes every post about one instance.
    @_disfavoredOverload @_documentation(visibility: internal)
    public func observeAll(
        subject: AnyObject?, whileSuspended: SuspensionBehavior = .deliverImmediately,
        _ body: @escaping @Sendable (borrowing Notice) -> Void
    ) -> ObservationToken {
        observe(.notice, nil, Filter(subject), whileSuspended: whileSuspended, Self.read(body))
    }

    /// Observes the posts of a name while an owner lives. The owner is held weakly; observing the same name and subject
    /// again with the same owner replaces what was before.
    public func observe<O: AnyObject & Sendable>(
        _ name: Name, subject: AnySubject = nil, by owner: O,
        whileSuspended: SuspensionBehavior = .deliverImmediately,
        _ body: @escaping @Sendable (O, borrowing Notice) -> Void
    ) {
        observe(.notice, name.native, .any, by: owner, whileSuspended: whileSuspended, Self.read(for: owner, body))
    }

    /// Observes the posts of a name about one instance while an owner lives.
    @_disfavoredOverload @_documentation(visibility: internal)
    public func observe<O: AnyObject & Sendable>(
        _ name: Name, subject: AnyObject?, by owner: O,
        whileSuspended: SuspensionBehavior = .deliverImmediately,
        _ body: @escaping @Sendable (O, borrowing Notice) -> Void
    ) {
        observe(
            .notice, name.native, Filter(subject), by: owner, whileSuspended: whileSuspended,
            Self.read(for: owner, body))
    }

    /// Observes every post of the center while an owner lives.
    public func observeAll<O: AnyObject & Sendable>(
        subject: AnySubject = nil, by owner: O, whileSuspended: SuspensionBehavior = .deliverImmediately,
        _ body: @escaping @Sendable (O, borrowing Notice) -> Void
    ) {
        observe(.notice, nil, .any, by: owner, whileSuspended: whileSuspended, Self.read(for: owner, body))
    }

    /// Observes every post about one instance while an owner lives.
    @_disfavoredOverload @_documentation(visibility: internal)
    public func observeAll<O: AnyObject & Sendable>(
        subject: AnyObject?, by owner: O, whileSuspended: SuspensionBehavior = .deliverImmediately,
        _ body: @escaping @Sendable (O, borrowing Notice) -> Void
    ) {
        observe(.notice, nil, Filter(subject), by: owner, whileSuspended: whileSuspended, Self.read(for: owner, body))
    }

    private static func read(_ body: @escaping (borrowing Notice) -> Void) -> Observation.Body {
        { name, object, payload in
            body(Notice(name, object, payload))
            return true
        }
    }

    private static func read<O: AnyObject>(
        for owner: O, _ body: @escaping (O, borrowing Notice) -> Void
    ) -> Observation.Body {
        weak let weakly = owner
        return { name, object, payload in
            guard let owner = weakly else { return false }
            body(owner, Notice(name, object, payload))
            return true
        }
    }

    /// Ends what was observed by this owner of this name, whatever the subject.
    public func removeObserver<O: AnyObject>(_ owner: O, of name: Name) {
        owners.remove(owner, in: native) { $0.kind == .notice && $0.name == name.native }
    }

    /// Ends what was observed by this owner of this name about this instance.
    public func removeObserver<O: AnyObject>(_ owner: O, of name: Name, subject: AnyObject) {
        let key = Owners.Key(kind: .notice, name: name.native, subject: address(of: subject))
        owners.remove(owner, in: native) { $0 == key }
    }
}
