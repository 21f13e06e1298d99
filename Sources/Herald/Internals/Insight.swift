#if os(Linux)
import CHerald
import CHeraldRuntime
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Describes Swift's observers and names to the core's inspection (`herald/inspect.h`). Only Swift knows the names of
/// types, and what a mailbox holds.
enum Insight {
    /// Gives C the functions that describe observers and names. Called before any center is made.
    static func describe() {
        var insight = herald_swift_insight(
            owner: { type, description in
                let type = unsafeBitCast(type.unsafelyUnwrapped, to: Any.Type.self)
                Insight.copy(_typeName(type, qualified: false), to: &description.unsafelyUnwrapped.pointee.owner)
            },
            extra: { extra, description in
                withInstance(of: Observation.Extra.self, at: extra.unsafelyUnwrapped) { extra in
                    guard let delivery = extra.delivery else { return }
                    let place = description.unsafelyUnwrapped
                    Insight.copy(delivery.kind, to: &place.pointee.delivery)
                    place.pointee.waiting = UInt64(delivery.waiting)
                    place.pointee.dropped = UInt64(delivery.dropped)
                    place.pointee.carrier = address(of: delivery)
                }
            },
            name: { name, buffer, size in
                guard let name, let buffer, size > 0 else { return 0 }
                let text = _typeName(type(named: name), qualified: false)
                _ = text.withCString { strncpy(buffer, $0, size - 1) }
                buffer[size - 1] = 0
                return text.utf8.count
            })
        herald_swift_insight_is(&insight)
    }

    /// Copies a text into an array of characters in a C struct, and ends the copy with a NUL. A text that is too long
    /// is cut.
    static func copy<Array>(_ text: String, to array: inout Array) {
        withUnsafeMutableBytes(of: &array) { bytes in
            let count = min(text.utf8.count, bytes.count - 1)
            bytes.copyBytes(from: text.utf8.prefix(count))
            bytes[count] = 0
        }
    }
}

extension String {
    /// The text in an array of characters in a C struct.
    init<Array>(inArray array: Array) {
        self = withUnsafeBytes(of: array) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
}
#endif
