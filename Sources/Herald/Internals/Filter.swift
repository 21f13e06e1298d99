import CHeraldRuntime

/// The subjects for which an observer is called, and the place in the source where it was added.
@frozen @usableFromInline struct Filter {
    @frozen @usableFromInline enum Choice {
        case any
        case only(AnyObject)
        /// An object that is not an instance, and lives for ever.
        case object(UnsafeRawPointer)
        /// Any subject, but only names under this prefix; and the function that registers the observer, or nil as in
        /// `Wire`.
        case under(UnsafePointer<CChar>, herald_under?)
        /// The caller passed a variable that is nil: the observer is never called.
        case nothing
    }

    @usableFromInline let choice: Choice
    /// The source file, as the text of a literal, which ends with a NUL and lives for ever; and the line in it.
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

    /// The instance, whose address is kept from reuse (`Pin`).
    var subject: AnyObject? { if case .only(let subject) = choice { subject } else { nil } }

    /// The prefix, and the function that registers the observer.
    var prefix: (text: UnsafePointer<CChar>, under: herald_under?)? {
        if case .under(let text, let under) = choice { (text, under) } else { nil }
    }

    var address: UnsafeRawPointer? {
        switch choice {
        case .any, .under, .nothing: nil
        case .only(let subject): UnsafeRawPointer(Herald.address(of: subject))
        case .object(let object): object
        }
    }
}
