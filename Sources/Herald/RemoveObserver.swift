#if os(Linux)
import CHerald
import CHeraldRuntime

extension HeraldCenter {
    /// Ends all registrations of this owner with this center, including those made by `addObserver`.
    ///
    /// This function does not wait, and running calls of observers go on. If another thread has already decided to call
    /// an observer, this call may still begin after the function has returned (R6).
    ///
    /// - Parameter owner: The owner that was given to `observe` or `addObserver`. The owner's `deinit` may call this
    ///   function.
    public func removeObserver<O: AnyObject>(_ owner: O) {
        removeAll(of: owner)
    }

    /// Ends the registrations of this owner for a type of message, regardless of the subject. Does not wait.
    ///
    /// - Parameters:
    ///   - owner: The owner that was given to `observe`. The owner's `deinit` may call this function.
    ///   - type: The type of the messages.
    public func removeObserver<O: AnyObject, M: AnyMessage & ~Copyable>(_ owner: O, of _: M.Type) {
        remove(of: owner, HERALD_SWIFT_MESSAGES, Herald.name(of: M.self))
    }

    /// Ends the registration of this owner for a type of message about one instance. Does not wait.
    ///
    /// - Parameters:
    ///   - owner: The owner that was given to `observe`. The owner's `deinit` may call this function.
    ///   - type: The type of the messages.
    ///   - subject: The instance that was given to `observe`. A registration without a subject stays.
    public func removeObserver<O: AnyObject, M: AnyMessage & ~Copyable>(
        _ owner: O, of _: M.Type, subject: M.Subject
    ) {
        remove(of: owner, HERALD_SWIFT_MESSAGES, Herald.name(of: M.self), subject: subject)
    }

    /// Ends the registrations of this owner for a name, whatever their subjects are. This call does not wait for
    /// running bodies.
    ///
    /// - Parameters:
    ///   - owner: The owner that was passed to `observe`. The owner's `deinit` may make this call.
    ///   - name: The name that the owner observes.
    public func removeObserver<O: AnyObject>(_ owner: O, of name: Name) {
        remove(of: owner, HERALD_SWIFT_NOTICES, name.native)
    }

    /// Ends the registration of this owner for a name and one subject. This call does not wait for running bodies.
    ///
    /// - Parameters:
    ///   - owner: The owner that was passed to `observe`. The owner's `deinit` may make this call.
    ///   - name: The name that the owner observes.
    ///   - subject: The instance that was passed to `observe`. A registration without a subject is not ended by this
    ///     call.
    public func removeObserver<O: AnyObject>(_ owner: O, of name: Name, subject: AnyObject) {
        remove(of: owner, HERALD_SWIFT_NOTICES, name.native, subject: subject)
    }

    /// Ends the registrations of this owner for the same `posts:`, regardless of the subject. Does not wait.
    ///
    /// - Parameters:
    ///   - owner: The owner that was given to `observe`. The owner's `deinit` may call this function.
    ///   - names: What was given to `observe(posts:)`.
    public func removeObserver<O: AnyObject>(_ owner: O, posts names: Names) {
        remove(of: owner, HERALD_SWIFT_NOTICES, names.key)
    }

    /// Ends the registrations of this owner for the same `posts:` about one instance. Does not wait.
    ///
    /// - Parameters:
    ///   - owner: The owner that was given to `observe`. The owner's `deinit` may call this function.
    ///   - names: What was given to `observe(posts:)`.
    ///   - subject: The instance that was given to `observe`. A registration without a subject stays.
    public func removeObserver<O: AnyObject>(_ owner: O, posts names: Names, subject: AnyObject) {
        remove(of: owner, HERALD_SWIFT_NOTICES, names.key, subject: subject)
    }

    /// How many messages the registrations of this owner have dropped because a buffer was full.
    ///
    /// - Parameter owner: The owner that was given to `observe`.
    /// - Returns: The sum over all registrations that the owner has now.
    public func dropped<O: AnyObject>(by owner: O) -> Int {
        herald_swift_owners_count_dropped(owners.native, address(of: owner))
    }
}

extension WireCenter {
    /// Ends the registrations of this owner for the messages of a type, whatever their subjects are. This call does not
    /// wait for running bodies.
    ///
    /// - Parameters:
    ///   - owner: The owner that was passed to `observe`. The owner's `deinit` may make this call.
    ///   - type: The type that the owner observes.
    public func removeObserver<O: AnyObject, M: HeraldCenter.WireMessage>(_ owner: O, of _: M.Type) {
        wire.center.remove(of: owner, HERALD_SWIFT_NOTICES, Herald.name(of: M.self))
    }

    /// Ends the registration of this owner for this name. Does not wait for running calls of the body.
    ///
    /// - Parameters:
    ///   - owner: The owner that was given to `observe`. The owner's `deinit` may make this call.
    ///   - name: The name that the owner observes.
    public func removeObserver<O: AnyObject>(_ owner: O, of name: HeraldCenter.Name) {
        wire.center.removeObserver(owner, of: name)
    }

    /// Ends all registrations of this owner with this center. Does not wait for running calls of bodies. The owner's
    /// `deinit` may make this call.
    public func removeObserver<O: AnyObject>(_ owner: O) {
        wire.center.removeObserver(owner)
    }

    /// Ends the registrations of this owner for the same `messages:`, regardless of the subject. Does not wait for
    /// running calls of the body.
    ///
    /// - Parameters:
    ///   - owner: The owner that was given to `observe`. The owner's `deinit` may make this call.
    ///   - names: What was given to `observe(messages:)`.
    public func removeObserver<O: AnyObject>(_ owner: O, messages names: HeraldCenter.Names) {
        wire.center.remove(of: owner, HERALD_SWIFT_NOTICES, names.key(notDecoded: true))
    }

    /// How many messages and posts the registrations of this owner have dropped because a buffer was full.
    ///
    /// - Parameter owner: The owner that was given to `observe`.
    /// - Returns: The sum over all registrations that the owner has now.
    public func dropped<O: AnyObject>(by owner: O) -> Int { wire.center.dropped(by: owner) }
}
#endif
