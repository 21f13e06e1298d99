internal import FoundationEssentials

extension HeraldCenter {
    /// A message that can leave its process: the same value goes to ``local``, to ``host`` and to a network center.
    ///
    /// ```swift
    /// struct Saved: HeraldCenter.WireMessage, Codable {
    ///     static let wireName: HeraldCenter.Name = "com.acme.saved"
    ///     var path: String
    /// }
    /// ```
    ///
    /// A `Codable` type is JSON between processes. Another format is two functions: ``encode()`` and
    /// ``decode(_:contentType:)``. In its own process a message is not encoded, and its type is the key; between
    /// processes ``wireName`` is.
    public protocol WireMessage: Message, Sendable {
        /// The name under which the message is posted between processes, where C and the shell hear it, too. There is
        /// no default: a type's own name changes with its module.
        static var wireName: Name { get }

        /// What the bytes are: a media type. Given for `Codable` types: `application/json`.
        static var contentType: String { get }

        /// The bytes of the message. Called by a post that somebody hears, on the posting thread. Given for `Codable`
        /// types.
        func encode() throws -> [UInt8]

        /// The message with these bytes. Given for `Codable` types.
        ///
        /// The bytes may be anything that a process of the user, or on the network, has sent under the name: throw if
        /// they are not a message. It is called for each observer, on Herald's thread, which waits for it.
        ///
        /// - Parameters:
        ///   - bytes: Borrowed for the call.
        ///   - contentType: What the sender says that they are; empty if it does not say.
        static func decode(_ bytes: RawSpan, contentType: String) throws -> Self
    }
}

extension HeraldCenter.WireMessage where Self: Codable {
    /// `application/json`.
    public static var contentType: String { "application/json" }

    /// The message as JSON.
    public func encode() throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        return try [UInt8](encoder.encode(self))
    }

    /// The message that JSON stands for.
    ///
    /// Bytes of another content type are no message. Fields that the type does not have are ignored; those that are
    /// missing are an error, unless they are optional or the type's own `init(from:)` knows better. So is what is
    /// nested more than 128 levels deep.
    public static func decode(_ bytes: RawSpan, contentType: String) throws -> Self {
        guard contentType.isEmpty || isJSON(contentType) else { throw NotJSON(reason: contentType.debugDescription) }
        guard depth(of: bytes) <= 128 else { throw NotJSON(reason: "nested more than 128 levels deep") }
        return try JSONDecoder().decode(Self.self, from: bytes.withUnsafeBytes { Data($0) })
    }
}

private struct NotJSON: Error, CustomStringConvertible {
    let reason: String
    var description: String { "not JSON as messages have it: \(reason)" }
}

/// How deeply the arrays and objects of JSON are nested. A decoder calls itself for each, on whatever thread, and stacks
/// are small on some.
private func depth(of json: RawSpan) -> Int {
    json.withUnsafeBytes { json in
        var depth = 0, deepest = 0, isText = false, isEscaped = false
        for byte in json {
            if isText {
                if !isEscaped && byte == UInt8(ascii: "\"") { isText = false }
                isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
            } else {
                switch byte {
                case UInt8(ascii: "\""): isText = true
                case UInt8(ascii: "["), UInt8(ascii: "{"):
                    depth += 1
                    deepest = max(deepest, depth)
                case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
                default: break
                }
            }
        }
        return deepest
    }
}

/// Whether a media type is JSON's, whatever its parameters.
private func isJSON(_ contentType: String) -> Bool {
    let end = contentType.firstIndex(of: ";") ?? contentType.endIndex
    let type = contentType[..<end].split(separator: " ", omittingEmptySubsequences: true)
    return type.count == 1 && type[0].lowercased() == "application/json"
}
