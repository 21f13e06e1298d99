#if os(Linux)
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A text in Unicode's normalization form C. Texts that are equal in Swift have the same bytes in this form: "caf\u{E9}"
/// and "cafe\u{301}". The core compares bytes, so every text that becomes a name, or a part of one, is given to it in
/// this form. A subject between processes is passed on as it is.
package func canonical(_ text: String) -> String {
    // A String of Swift knows whether it is ASCII.
    if text.utf8Span.isKnownASCII { return text }
    return String(decoding: text._nfcCodeUnits, as: UTF8.self)
}

/// Whether a text has a NUL, where a text of C ends.
package func containsNul(_ text: String) -> Bool {
    text.utf8Span.span.withUnsafeBytes { $0.count > 0 && memchr($0.baseAddress!, 0, $0.count) != nil }
}
#endif
