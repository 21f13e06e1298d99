#if os(Linux)
internal import FoundationEssentials

extension HeraldCenter {
    /// A message that can leave its process. The same value can be posted to ``local``, to ``host`` and to a network
    /// center.
    ///
    /// ```swift
    /// struct Saved: HeraldCenter.WireMessage, Codable {
    ///     static let wireName: HeraldCenter.Name = "com.acme.saved"
    ///     var path: String
    /// }
    /// ```
    ///
    /// Between processes, a message of a `Codable` type is sent as JSON, and observers are found by ``wireName``. For
    /// another format, write two functions: ``encode()`` and ``decode(_:contentType:)``. A center within the process,
    /// such as ``local``, does not encode the message, and finds observers by the message's type.
    public protocol WireMessage: Message, Sendable {
        /// The name under which the message is posted between processes. Observers in C and in the shell use this name,
        /// too. There is no default, because the name of a Swift type contains the name of its module, which may
        /// change.
        static var wireName: Name { get }

        /// The media type of the bytes. `Codable` types have a default: `application/json`.
        static var contentType: String { get }

        /// Returns the bytes of the message. A post calls this function on the posting thread. The host center calls it
        /// only if the message has an observer. `Codable` types have a default.
        func encode() throws -> [UInt8]

        /// Returns the message that the bytes stand for. `Codable` types have a default.
        ///
        /// The bytes may be anything that a process of the user, or a process on the network, has sent under the name.
        /// If the bytes are not a message, throw an error. Herald's thread calls this function for each observer, and
        /// does nothing else until the function returns.
        ///
        /// - Parameters:
        ///   - bytes: Borrowed for the call.
        ///   - contentType: The media type that the sender gives; empty if the sender gives none.
        static func decode(_ bytes: RawSpan, contentType: String) throws -> Self
    }
}

extension HeraldCenter.WireMessage where Self: Codable {
    /// `application/json`.
    public static var contentType: String { "application/json" }

    /// Returns the message as JSON.
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

/// Returns how deeply the arrays and objects in JSON are nested. A JSON decoder calls itself for each level, and some
/// threads have small stacks.
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

/// Whether a media type is `application/json`, with or without parameters.
private func isJSON(_ contentType: String) -> Bool {
    let end = contentType.firstIndex(of: ";") ?? contentType.endIndex
    let type = contentType[..<end].split(separator: " ", omittingEmptySubsequences: true)
    return type.count == 1 && type[0].lowercased() == "application/json"
}
#endif
