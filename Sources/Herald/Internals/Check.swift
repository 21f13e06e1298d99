import CHerald
import CHeraldHost
import Glibc

/// The one way in which a call to the core fails. What Herald passes is valid, so memory is out, and Swift cannot go on
/// without memory.
func check(_ status: HeraldStatus, _ file: StaticString = #fileID, _ line: UInt = #line) {
    guard status == HeraldOK else {
        fatalError("Herald: \(String(cString: HeraldStatusGetDescription(status)))", file: file, line: line)
    }
}

/// Whether a center takes a registration. Its transport may refuse: then a sentence on stderr says why, once for each
/// registration that hears nothing.
func isAccepted(_ status: HeraldStatus, by center: HeraldCenterRef, _ name: NativeName?) -> Bool {
    guard status == HeraldTransportFailed || status == HeraldInvalidArgument else {
        check(status)
        return true
    }
    let why =
        center == HeraldCenterGetHostCenter() ? HeraldHostGetErrorDescription() : HeraldStatusGetDescription(status)
    let text = name.flatMap { HeraldNameGetUTF8String($0) }.map { String(cString: $0) } ?? "any name"
    let sentence =
        "Herald: an observer of \(text.debugDescription) will hear nothing: \(why.map { String(cString: $0) } ?? "")\n"
    _ = sentence.withCString { write(STDERR_FILENO, $0, strlen($0)) }
    return false
}
