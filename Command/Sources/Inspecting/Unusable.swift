#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The shared file, or another resource of the system, cannot be used.
package struct Unusable: Error {
    package let reason: String
    package let status: Int32
    /// For a program that exists but cannot be inspected now: "does not answer".
    package var how: String?

    package init(_ reason: String, status: Int32 = EX_UNAVAILABLE) {
        self.reason = reason
        self.status = status
    }
}
