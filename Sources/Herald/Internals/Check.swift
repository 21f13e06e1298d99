import CHerald

/// The one way in which a call to the core fails. What Herald passes is valid, so memory is out, and Swift cannot go on
/// without memory; or a center that came from C has a transport that refuses.
func check(_ status: HeraldStatus, _ file: StaticString = #fileID, _ line: UInt = #line) {
    guard status == HeraldOK else {
        fatalError("Herald: \(String(cString: HeraldStatusGetDescription(status)))", file: file, line: line)
    }
}
