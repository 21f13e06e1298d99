#if os(Linux)
import CHerald
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Ends the process if a call of the core has failed. Herald passes valid arguments, so a call fails only when memory
/// is out. Swift cannot go on without memory.
package func check(_ status: HeraldStatus, _ file: StaticString = #fileID, _ line: UInt = #line) {
    guard status == HeraldOK else {
        fatalError("Herald: \(String(cString: HeraldStatusGetDescription(status)))", file: file, line: line)
    }
}

/// Whether a center has accepted a registration. If the center's transport has refused the registration, this function
/// prints the reason on stderr. If memory is out, it ends the process.
func isAccepted(_ status: HeraldStatus, by center: HeraldCenterRef, _ name: NativeName?) -> Bool {
    guard status == HeraldTransportFailed || status == HeraldInvalidArgument else {
        check(status)
        return true
    }
    let wire = Wire.of(center), reason = Wire.reason
    let text = name.flatMap { HeraldNameGetUTF8String($0) }.map { String(cString: $0) } ?? "any name"
    complain("an observer of \(text.debugDescription) will not be called: \(reason)")
    if let name { wire?.say(.refused(name: HeraldCenter.Name(native: name, isType: false), reason: reason)) }
    return false
}

/// Prints a line on stderr.
package func complain(_ sentence: String) {
    _ = "Herald: \(sentence)\n".withCString { write(STDERR_FILENO, $0, strlen($0)) }
}
#endif
