#if os(Linux)
public import CHerald
public import CHeraldRuntime

extension HeraldCenter {
    /// The name of an untyped post, shared with C code. Equal texts make the same name, for the life of the process
    /// (R13).
    ///
    /// Texts are equal as in Swift: "caf\u{E9}" and "cafe\u{301}" make the same name. The name has the bytes of Unicode's
    /// normalization form C. Names that come from C, or from other processes, are compared byte by byte; such a name is
    /// another name if its bytes are in another form.
    ///
    /// Making a name looks up the text in a table. Store a name that is posted often in a `static let`.
    ///
    /// The corresponding C type is `HeraldNameRef`.
    public struct Name: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
        /// The name as C code knows it. It is valid for the life of the process.
        public nonisolated(unsafe) let native: HeraldNameRef
        @usableFromInline let isType: Bool

        /// The name with this text. The first call with a text allocates the name, for the life of the process.
        ///
        /// - Parameter text: The text. An empty text or a text with a NUL is a precondition failure.
        public init(_ text: String) {
            precondition(!text.isEmpty, "Herald: a name must not be empty")
            precondition(!containsNul(text), "Herald: a name must not contain a NUL")
            let made = HeraldNameCreate(canonical(text))
            check(made == nil ? HeraldOutOfMemory : HeraldOK)
            native = made.unsafelyUnwrapped
            isType = false
        }

        /// A name that C code has made, for example with `HeraldNameCreate`. In C a name is its bytes: two texts that are
        /// equal in Swift may be two names.
        ///
        /// - Parameter native: The name. It is valid for the life of the process.
        public init(_ native: HeraldNameRef) { self.init(native: native, isType: false) }

        /// The name with this text, as ``init(_:)-(String)`` makes it. From the second time on, the name is found by the address
        /// of the literal, about as fast as with a `static let`, unless the text is not in Unicode's form C.
        @inlinable public init(stringLiteral text: StaticString) {
            if text.hasPointerRepresentation,
                let known = herald_swift_literal_find(text.utf8Start, text.utf8CodeUnitCount)
            {
                self.init(native: known, isType: false)
            } else {
                self.init(literal: text)
            }
        }

        @usableFromInline init(literal text: StaticString) {
            self.init(String(describing: text))
            if text.hasPointerRepresentation { herald_swift_literal_note(text.utf8Start, native) }
        }

        /// The name with this text, if this process has made it already.
        ///
        /// Use this call for texts that come from outside. A name that has not been made has no observers of its own,
        /// and looking up its text allocates nothing.
        ///
        /// The corresponding C function is `HeraldNameFind`.
        ///
        /// - Parameter text: Any text.
        /// - Returns: The name; `nil` if this process has not made the name.
        public init?(existing text: String) {
            guard !containsNul(text), let found = HeraldNameFind(canonical(text)) else { return nil }
            native = found
            isType = false
        }

        /// - Parameter isType: Whether the name is known to stand for a type.
        @usableFromInline init(native: HeraldNameRef, isType: Bool) {
            self.native = native
            self.isType = isType
        }

        /// The text of the name, or the name of the type that the name stands for.
        public var description: String {
            if let text = HeraldNameGetUTF8String(native) { return String(cString: text) }
            return isType ? _typeName(type(named: native), qualified: true) : "address \(native)"
        }

        public static func == (one: Name, other: Name) -> Bool { one.native == other.native }
        public func hash(into hasher: inout Hasher) { hasher.combine(native) }
    }
}
#endif
