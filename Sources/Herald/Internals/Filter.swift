import CHeraldRuntime

/// The subjects for which an observer is called, and the place in the source where the observer was added.
@frozen @usableFromInline struct Filter {
    @frozen @usableFromInline enum Choice {
        case any
        case only(AnyObject)
        /// An object that HeraldObjectForString has made. The object is not an instance of Swift, and lives for ever.
        case object(UnsafeRawPointer)
        /// Any subject, but only names that begin with this prefix and a dot. The text lives for ever.
        case under(UnsafePointer<CChar>)
        /// No post: the caller has passed a variable that is nil, a text that no post can be about, or a prefix with
        /// which no name can begin. The observer is never called.
        case nothing
    }

    @usableFromInline let choice: Choice
    /// The source file and the line. `file` is the text of a literal: the text ends with a NUL and lives for ever.
    @usableFromInline let file: UnsafePointer<UInt8>, line: UInt

    /// - Parameter file: `#fileID`.
    @inlinable init(_ choice: Choice, _ file: StaticString, _ line: UInt) {
        self.choice = choice
        self.file = file.utf8Start
        self.line = line
    }

    @inlinable init(_ file: StaticString, _ line: UInt) { self.init(.any, file, line) }

    @inlinable init(_ subject: AnyObject?, _ file: StaticString, _ line: UInt) {
        self.init(subject.map { .only($0) } ?? .nothing, file, line)
    }

    var isNothing: Bool { if case .nothing = choice { true } else { false } }

    /// The instance, if the observer is for one instance. While the registration exists, the instance's address is not
    /// reused (`Pin`).
    var subject: AnyObject? { if case .only(let subject) = choice { subject } else { nil } }

    /// The prefix, if the observer is for a prefix.
    var prefix: UnsafePointer<CChar>? { if case .under(let text) = choice { text } else { nil } }

    var address: UnsafeRawPointer? {
        switch choice {
        case .any, .under, .nothing: nil
        case .only(let subject): UnsafeRawPointer(Herald.address(of: subject))
        case .object(let object): object
        }
    }
}
