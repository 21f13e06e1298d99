#if os(Linux)
import CHerald
import CHeraldHost

extension HostCenter {
    /// Polls a name of the host center, in place of an observer. ``check()`` returns how often the name was posted
    /// since the last check; ``state()`` returns a number that any process can set for the name.
    ///
    /// ```swift
    /// let cache = try HeraldCenter.host.watch("com.acme.cache-changed")
    /// if try cache.check() > 0 { reload() }    // for the price of a few loads
    /// ```
    ///
    /// A watch starts no thread, and Herald calls nothing in the program for it. Any thread may use a watch. The
    /// registration ends with the last copy of the watch.
    ///
    /// The corresponding C type is `HeraldHostToken`.
    public struct Watch: Sendable {
        private let registration: Token

        fileprivate init(_ name: HeraldCenter.Name) throws(Unavailable) { registration = try Token(name) }

        /// How many posts and messages of the name there were since the last check, whichever thread made that check.
        ///
        /// The first check returns 1 plus the number of posts since the watch began. So a program that reads its
        /// settings after each check above 0 reads them at least once. If the shared file had to be made again, the
        /// next check returns at least 1.
        ///
        /// The corresponding C function is `HeraldHostCheck`.
        public func check() throws(Unavailable) -> Int {
            var posts: UInt64 = 0
            try attempt(HeraldHostCheck(registration.token, &posts))
            return Int(clamping: posts)
        }

        /// The number that is set for the name, 0 at first.
        ///
        /// The number outlives registrations and processes. It is lost with the shared file, once the file has been
        /// removed and no process uses the removed file any more.
        ///
        /// The corresponding C function is `HeraldHostGetState`.
        public func state() throws(Unavailable) -> UInt64 {
            var state: UInt64 = 0
            try attempt(HeraldHostGetState(registration.token, &state))
            return state
        }

        /// Sets the number for the name, and posts nothing.
        ///
        /// The corresponding C function is `HeraldHostSetState`.
        public func setState(_ state: UInt64) throws(Unavailable) {
            try attempt(HeraldHostSetState(registration.token, state))
        }
    }

    /// Begins to watch a name: see ``Watch``.
    ///
    /// The corresponding C function is `HeraldHostRegisterCheck`.
    ///
    /// - Parameter name: The name to watch.
    /// - Returns: The watch. The watch and its copies own the registration.
    /// - Throws: ``Unavailable`` with the reason why the file cannot be used, or why the name cannot be entered in the
    ///   file.
    public func watch(_ name: HeraldCenter.Name) throws(Unavailable) -> Watch { try Watch(name) }

    /// The number that is set for a name: see ``Watch/state()``.
    public func state(of name: HeraldCenter.Name) throws(Unavailable) -> UInt64 { try watch(name).state() }

    /// Sets the number for a name: see ``Watch/setState(_:)``.
    public func setState(_ state: UInt64, of name: HeraldCenter.Name) throws(Unavailable) {
        try watch(name).setState(state)
    }
}

private final class Token: Sendable {
    let token: HeraldHostToken

    init(_ name: HeraldCenter.Name) throws(HostCenter.Unavailable) {
        var token: HeraldHostToken = 0
        try attempt(HeraldHostRegisterCheck(HeraldNameGetUTF8String(name.native), &token))
        self.token = token
    }

    deinit { HeraldHostCancel(token) }
}

private func attempt(_ status: HeraldStatus) throws(HostCenter.Unavailable) {
    guard status != HeraldOK else { return }
    throw HostCenter.Unavailable(description: Wire.reason)
}
#endif
