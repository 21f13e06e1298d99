import CHerald
import CHeraldHost

extension HostCenter {
    /// Polls a name of the host center instead of observing it: how often it was posted since the last check, and the
    /// state that goes with it.
    ///
    /// ```swift
    /// let cache = try HeraldCenter.host.watch("com.acme.cache-changed")
    /// if try cache.check() > 0 { reload() }    // for the price of a few loads
    /// ```
    ///
    /// It starts no thread and calls nothing. Any thread may check; the registration ends with the last copy.
    ///
    /// The corresponding C type is `HeraldHostToken`.
    public struct Watch: Sendable {
        private let registration: Token

        fileprivate init(_ name: HeraldCenter.Name) throws(Unavailable) { registration = try Token(name) }

        /// How many posts and messages there were since the last check, on any thread.
        ///
        /// The first check returns 1 more than the posts since the watch began. So a program that reads its settings
        /// after each check above 0 reads them at least once. If the shared file had to be made again, the next check
        /// returns at least 1.
        ///
        /// The corresponding C function is `HeraldHostCheck`.
        public func check() throws(Unavailable) -> Int {
            var posts: UInt64 = 0
            try attempt(HeraldHostCheck(registration.token, &posts))
            return Int(clamping: posts)
        }

        /// The number that goes with the name, 0 at first.
        ///
        /// It outlives registrations and processes. It is lost with the shared file, that is, when the file has been
        /// removed and no process uses it any more.
        ///
        /// The corresponding C function is `HeraldHostGetState`.
        public func state() throws(Unavailable) -> UInt64 {
            var state: UInt64 = 0
            try attempt(HeraldHostGetState(registration.token, &state))
            return state
        }

        /// Sets the number that goes with the name. It posts nothing.
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
    /// - Returns: The watch, which owns the registration together with its copies.
    /// - Throws: ``Unavailable`` with the reason why the file cannot be used or the name cannot be entered in it.
    public func watch(_ name: HeraldCenter.Name) throws(Unavailable) -> Watch { try Watch(name) }

    /// The number that goes with a name: see ``Watch/state()``.
    public func state(of name: HeraldCenter.Name) throws(Unavailable) -> UInt64 { try watch(name).state() }

    /// Sets the number that goes with a name: see ``Watch/setState(_:)``.
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
    throw HostCenter.Unavailable(description: String(cString: HeraldHostGetErrorDescription()))
}
