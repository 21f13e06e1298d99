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
    /// A `Codable` type is JSON between processes. For another format, write two functions: ``encode()`` and
    /// ``decode(_:contentType:)``. Posted to a center of its own process, such as ``local``, a message is not encoded,
    /// and its type is the key. Between processes ``wireName`` is the key.
    public protocol WireMessage: Message, Sendable {
        /// The name under which the message is posted between processes. C and the shell hear it under this name, too.
        /// There is no default: a type's own name changes with its module.
        static var wireName: Name { get }

        /// The media type of the bytes. `Codable` types have a default: `application/json`.
        static var contentType: String { get }

        /// The bytes of the message. A post calls this function on the posting thread; the host center only if there is
        /// an observer. `Codable` types have a default.
        func encode() throws -> [UInt8]

        /// The message with these bytes. `Codable` types have a default.
        ///
        /// The bytes may be anything that a process of the user, or on the network, has sent under the name. Throw an
        /// error if they are not a message. This function is called for each observer, on Herald's thread, which waits
        /// until it returns.
        ///
        /// - Parameters:
        ///   - bytes: Borrowed for the call.
        ///   - contentType: The media type that the sender gives; empty if it gives none.
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

    /// Decodes the message from JSON.
    ///
    /// Bytes of another content type are an error. Fields that the type does not have are ignored. Missing fields are
    /// an error, unless they are optional or the type's own `init(from:)` handles them. JSON that is nested more than
    /// 128 levels deep is an error, too.
    public static func decode(_ bytes: RawSpan, contentType: String) throws -> Self {
        guard contentType.isEmpty || isJSON(contentType) else { throw NotJSON(reason: contentType.debugDescription) }
        guard depth(of: bytes) <= 128 else { throw NotJSON(reason: "nested more than 128 levels deep") }
        return try JSONDecoder().decode(Self.self, from: bytes.withUnsafeBytes { Data($0) })
    }
}

private struct NotJSON: Error, CustomStringConvertible {
    let reason: String
    var description: String { "not a message's JSON: \(reason)" }
}

/// How deeply the arrays and objects of JSON are nested. A decoder calls itself for each level, and some threads have
/// small stacks.
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

/// Whether a media type is that of JSON, with or without parameters.
private func isJSON(_ contentType: String) -> Bool {
    let end = contentType.firstIndex(of: ";") ?? contentType.endIndex
    let type = contentType[..<end].split(separator: " ", omittingEmptySubsequences: true)
    return type.count == 1 && type[0].lowercased() == "application/json"
}
