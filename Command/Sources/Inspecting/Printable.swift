import FoundationEssentials

/// A text for a terminal, on one line: characters that control a terminal or cannot be seen are written as `\u{1b}`.
///
/// Different texts stay different: if a text already has `\u{`, the backslash is written as `\u{5c}`.
package func printable(_ text: String) -> String {
    escaped(text) { scalar, rest in
        let isEscape = scalar == "\\" && rest.starts(with: ["u", "{"])
        return isEscape || isHidden(scalar) ? "\\u{\(String(scalar.value, radix: 16))}" : nil
    }
}

/// A JSON text for a terminal, on one line: the same characters are escaped in JSON's way. The value does not change.
package func printable(json text: String) -> String {
    escaped(text) { scalar, _ in
        guard isHidden(scalar) else { return nil }
        // In JSON these stand only between the values.
        if ["\t", "\n", "\r"].contains(scalar) { return " " }
        return scalar.utf16.map { unit in
            let digits = String(unit, radix: 16)
            return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }.joined()
    }
}

/// A value as JSON, on one line, for a terminal.
package func json(_ value: some Encodable) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return (try? encoder.encode(value)).map { printable(json: String(decoding: $0, as: UTF8.self)) } ?? ""
}

/// The number as a text, if readers that take JSON numbers as JavaScript does would round it; else nil.
package func exactText(_ number: UInt64) -> String? { number > 1 << 53 ? "\(number)" : nil }

/// Control characters, with C1 and DEL; separators of lines; format characters, such as those of bidirectional text,
/// tags and others without a width. The two joiners are not hidden: scripts and emoji are written with them.
private func isHidden(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case ..<0x20, 0x7f...0x9f, 0xe0000...0xe007f: return true
    case ..<0x7f, 0x200c, 0x200d: return false
    default: break
    }
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: return true
    default: return false
    }
}

/// - Parameter escape: Returns the replacement for a character, given the rest of the text behind it; nil: the
///   character stays.
private func escaped(
    _ text: String, _ escape: (Unicode.Scalar, ArraySlice<Unicode.Scalar>) -> String?
) -> String {
    let scalars = Array(text.unicodeScalars)
    var result = String.UnicodeScalarView()
    for (index, scalar) in scalars.enumerated() {
        if let instead = escape(scalar, scalars[(index + 1)...]) {
            result.append(contentsOf: instead.unicodeScalars)
        } else {
            result.append(scalar)
        }
    }
    return String(result)
}
