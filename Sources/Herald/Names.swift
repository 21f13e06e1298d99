#if os(Linux)
import CHerald

extension HeraldCenter {
    /// Which names an observer observes: one name, all names below a prefix (R26), or all names.
    ///
    /// ```swift
    /// let token = center.observe(posts: .under("com.acme")) { print($0.name) }
    /// ```
    ///
    /// A literal stands for the name with this text.
    public struct Names: Sendable, ExpressibleByStringLiteral {
        enum Choice: Sendable {
            case one(Name)
            /// The prefix was made as a name, so that its text lives as long as the process.
            case under(Name)
            case all, none
        }

        let choice: Choice

        /// One name.
        public static func named(_ name: Name) -> Names { Names(choice: .one(name)) }

        /// All names that begin with a prefix and a dot. The prefix itself is not such a name. Messages in this process
        /// have no such names.
        ///
        /// - Parameter prefix: A text of at most 511 bytes, without a NUL and without a dot at its end. The text stays in
        ///   memory until the process ends. With any other text an observer is never called, and a sentence on stderr
        ///   says so.
        public static func under(_ prefix: String) -> Names {
            isPrefix(prefix) ? Names(choice: .under(Name(prefix))) : noPrefix(prefix)
        }

        /// All names that begin with another name and a dot, byte for byte.
        ///
        /// - Parameter prefix: A name that has a text. See ``under(_:)-(String)`` for what no name begins with.
        public static func under(_ prefix: Name) -> Names {
            let isGood = HeraldNameGetUTF8String(prefix.native).map { isPrefix(String(cString: $0)) } ?? false
            return isGood ? Names(choice: .under(prefix)) : noPrefix(prefix.description)
        }

        private static func isPrefix(_ text: String) -> Bool {
            guard let last = text.utf8.last else { return false }
            return last != UInt8(ascii: ".") && text.utf8.count <= 511 && !containsNul(text)
        }

        private static func noPrefix(_ text: String) -> Names {
            complain("\(text.debugDescription) is no prefix of names")
            return Names(choice: .none)
        }

        /// All names, and in this process all messages.
        public static let all = Names(choice: .all)

        init(choice: Choice) { self.choice = choice }

        public init(stringLiteral text: StaticString) { self.init(choice: .one(Name(stringLiteral: text))) }

        /// The name to register with the core. Nil: all names, or those below the prefix.
        package var native: NativeName? { if case .one(let name) = choice { name.native } else { nil } }

        /// The prefix. It lives as long as the process.
        var prefix: UnsafePointer<CChar>? {
            if case .under(let name) = choice { HeraldNameGetUTF8String(name.native) } else { nil }
        }

        /// The prefix; "" for all names; nil for one name, and for no name at all.
        package var prefixText: String? {
            if case .all = choice { "" } else { prefix.map { String(cString: $0) } }
        }

        /// Tells an owner's registrations apart, as `Source.key`.
        var key: NativeName? { key(notDecoded: false) }

        /// The three low bits of a name with a text are 0. One of them tells the names below a prefix from the name of
        /// the same text, and another, posts that are not decoded from the posts of the name alone. The third stands
        /// for no name at all.
        func key(notDecoded: Bool) -> NativeName? {
            let mark: UInt = notDecoded ? 4 : 0
            return switch choice {
            case .one(let name): NativeName(bitPattern: UInt(bitPattern: name.native) | mark)
            case .under(let name): NativeName(bitPattern: UInt(bitPattern: name.native) | mark | 2)
            case .all: nil
            case .none: NativeName(bitPattern: 1)
            }
        }
    }
}
#endif
