public import CHerald

extension HeraldCenter {
    /// The name of an untyped notification, shared with C code: equal texts are one name for the life of the process
    /// (R13).
    ///
    /// Making one looks its text up; keep names that are posted often in a `static let`.
    ///
    /// The corresponding C type is `HeraldNameRef`.
    public struct Name: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
        /// The name as C code knows it; alive for ever.
        public nonisolated(unsafe) let native: HeraldNameRef
        private let isType: Bool

        /// The name with this text, made if nobody has made it. The text is not empty and holds no NUL.
        public init(_ text: String) {
            precondition(!text.isEmpty, "Herald: a name is not empty")
            precondition(!text.utf8.contains(0), "Herald: a name holds no NUL")
            let made = HeraldNameCreate(text)
            check(made == nil ? HeraldOutOfMemory : HeraldOK)
            native = made.unsafelyUnwrapped
            isType = false
        }

        public init(stringLiteral text: String) { self.init(text) }

        /// The name with this text if somebody has made it. For names that come from outside: a name that nobody made
        /// has no observers of its own, and looking it up makes nothing grow.
        ///
        /// The corresponding C function is `HeraldNameFind`.
        public init?(existing text: String) {
            guard !text.utf8.contains(0), let found = HeraldNameFind(text) else { return nil }
            native = found
            isType = false
        }

        /// `isType`: the name is known to be that of a type.
        init(native: HeraldNameRef, isType: Bool) {
            self.native = native
            self.isType = isType
        }

        /// The text; for a message, the name of its type.
        public var description: String {
            if let text = HeraldNameGetUTF8String(native) { return String(cString: text) }
            return isType ? _typeName(type(named: native), qualified: true) : "address \(native)"
        }

        public static func == (one: Name, other: Name) -> Bool { one.native == other.native }
        public func hash(into hasher: inout Hasher) { hasher.combine(native) }
    }
}
