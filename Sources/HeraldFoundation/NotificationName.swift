#if os(Linux)
import CHerald
import Herald

/// The names of the core that stand for the texts of notifications. Foundation's names may be empty and may have NULs;
/// the core's may not. So such a text is written behind a mark, as is a text that begins with the mark.
enum NotificationName {
    private static let mark: Unicode.Scalar = "\u{F8FF}", escape: Unicode.Scalar = "\u{F8FE}"

    /// A name for posts that nobody observes by their name: an address, so that only observers of every name hear it.
    nonisolated(unsafe) static let unmade: HeraldNameRef =
        HeraldNameForAddress(UnsafeMutableRawPointer.allocate(byteCount: 2, alignment: 2)).unsafelyUnwrapped

    /// The name, if somebody has made it.
    static func find(_ text: String) -> HeraldNameRef? { encoded(text).withCString { HeraldNameFind($0) } }

    static func make(_ text: String) -> HeraldNameRef {
        let name = encoded(text).withCString { HeraldNameCreate($0) }
        check(name == nil ? HeraldOutOfMemory : HeraldOK)
        return name.unsafelyUnwrapped
    }

    /// The text of a name; a description, if the name has none.
    static func text(of name: HeraldNameRef) -> String {
        let text = HeraldCenter.Name(name).description
        guard text.unicodeScalars.first == mark else { return text }
        var decoded = String.UnicodeScalarView(), isEscaped = false
        for scalar in text.unicodeScalars.dropFirst() {
            if isEscaped {
                decoded.append(scalar == "0" ? "\0" : escape)
                isEscaped = false
            } else if scalar == escape {
                isEscaped = true
            } else {
                decoded.append(scalar)
            }
        }
        return String(decoded)
    }

    /// Looks at a scalar only after its first byte, which is faster.
    private static func beginsWithMark(_ text: String) -> Bool {
        text.utf8.first == 0xEF && text.unicodeScalars.first == mark
    }

    private static func encoded(_ text: String) -> String {
        let text = canonical(text)
        guard text.isEmpty || beginsWithMark(text) || containsNul(text) else { return text }
        var encoded = String.UnicodeScalarView([mark])
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\0": encoded.append(contentsOf: [escape, "0"])
            case escape: encoded.append(contentsOf: [escape, "1"])
            default: encoded.append(scalar)
            }
        }
        return String(encoded)
    }
}
#endif
