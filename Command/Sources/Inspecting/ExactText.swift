/// A text that is equal only to the same bytes. Swift's strings are also equal to other spellings of the same
/// characters, as é and e with a combining accent are; such names differ.
package struct ExactText: Hashable, Comparable {
    package let text: String

    package init(_ text: String) { self.text = text }

    package static func == (one: Self, other: Self) -> Bool { one.text.utf8.elementsEqual(other.text.utf8) }

    package static func < (one: Self, other: Self) -> Bool { one.text.utf8.lexicographicallyPrecedes(other.text.utf8) }

    package func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte) }
    }
}
