import ArgumentParser

/// A name that can be posted, or a prefix of such names. They are compared byte for byte: texts that only look alike
/// differ.
enum HostName {
    static let help: ArgumentHelp = "A name, of 1 to 512 bytes."

    @Sendable static func check(_ text: String) throws -> String {
        guard (1...512).contains(text.utf8.count) else { throw ValidationError("a name has 1 to 512 bytes") }
        guard !isUnder("self", text) else {
            throw ValidationError("names that begin with self. do not leave their process")
        }
        return text
    }

    @Sendable static func checkPrefix(_ text: String) throws -> String {
        try checkNoPattern(text)
        guard (1...511).contains(text.utf8.count), text.utf8.last != UInt8(ascii: ".") else {
            throw ValidationError("a prefix has 1 to 511 bytes, and ends before the dot")
        }
        guard text != "self", !isUnder("self", text) else {
            throw ValidationError("names that begin with self. do not leave their process")
        }
        return text
    }

    /// Throws for a pattern of another system, such as com.acme.* or com.acme.>, which would be a name here.
    static func checkNoPattern(_ text: String) throws {
        let wild: Set<Substring> = ["*", "**", ">"],
            parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard let first = parts.firstIndex(where: { wild.contains($0) }) else { return }
        let prefix = parts[..<first].joined(separator: ".")
        guard !prefix.isEmpty else {
            throw ValidationError("\(text) is not a pattern here: --all is for all names")
        }
        throw ValidationError(
            "\(text) is not a pattern here: --prefix \(prefix) is for the names that begin with \(prefix) and a dot")
    }

    /// Whether a name begins with the prefix and a dot.
    static func isUnder(_ prefix: String, _ name: String) -> Bool {
        name.utf8.starts(with: prefix.utf8) && name.utf8.dropFirst(prefix.utf8.count).first == UInt8(ascii: ".")
    }
}
