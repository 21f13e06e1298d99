import Testing

/// Thrown by `expectMessage` and `expectNoMessage` outside of Swift Testing, for example in XCTest, and in a task that
/// belongs to no test. A test that throws it fails.
///
/// In a test of Swift Testing these functions record an issue at their own line instead, and throw what `#require`
/// throws.
public struct MessageExpectationFailure: Error, CustomStringConvertible, Sendable {
    /// A sentence for people: where the call is, what it expected, and what happened. Its text may change.
    public let description: String
}

/// The place of a call that expects something. (`#_sourceLocation` as a default argument would make every caller import
/// Testing.)
struct Place: Sendable {
    private let location: SourceLocation

    init(_ fileID: String, _ filePath: String, _ line: Int, _ column: Int) {
        location = SourceLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    }

    /// Fails the test that runs in this task. An issue is reported at this place; an error that a test throws would be
    /// reported at the test.
    func fail(_ sentence: String) throws -> Never {
        if Test.current != nil {
            let isAsExpected = false
            try #require(isAsExpected, Comment(rawValue: sentence), sourceLocation: location)
        }
        throw MessageExpectationFailure(description: "\(location.fileID):\(location.line): \(sentence)")
    }
}
