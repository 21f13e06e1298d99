#if os(Linux)
/// Thrown by `expectMessage` and `expectNoMessage`. A test that throws it fails, in Swift Testing and in XCTest.
///
/// Both report a thrown error at the test. So the description begins with the file and the line of the call.
public struct MessageExpectationFailure: Error, CustomStringConvertible, Sendable {
    /// A sentence for people: where the call is, what it expected, and what happened. Its text may change.
    public let description: String
}

/// The place of a call that expects something.
struct Place: Sendable {
    let file: StaticString, line: UInt

    init(_ file: StaticString, _ line: UInt) {
        self.file = file
        self.line = line
    }

    func failure(_ sentence: String) -> MessageExpectationFailure {
        MessageExpectationFailure(description: "\(file):\(line): \(sentence)")
    }
}
#endif
