#if canImport(Glibc)
@preconcurrency import Glibc
#elseif canImport(Musl)
@preconcurrency import Musl
#endif

// Functions of the C library by other names, for places where something of Swift's has theirs.

package func readBytes(_ file: Int32, _ bytes: UnsafeMutableRawPointer, _ count: Int) -> Int {
    read(file, bytes, count)
}
package func writeBytes(_ file: Int32, _ bytes: UnsafeRawPointer, _ count: Int) -> Int { write(file, bytes, count) }
package func makeSocket(_ domain: Int32, _ type: Int32, _ protocolNumber: Int32) -> Int32 {
    socket(domain, type, protocolNumber)
}
package func endProcess(_ status: Int32) -> Never { exit(status) }
