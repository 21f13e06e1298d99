#if os(Linux)
import CHerald
import CHeraldRuntime

/// The subjects for which an observer is called, and the place in the source where the observer was added.
@frozen @usableFromInline struct Filter {
    @frozen @usableFromInline enum Choice {
        case any
        case only(AnyObject)
        /// An object that HeraldObjectForString has made. The object is not an instance of Swift, and lives for ever.
        case object(UnsafeRawPointer)
        /// No post: the caller has passed a text that no post can be about, or a prefix with which no name can begin.
        /// The observer is never called.
        case nothing
    }

    @usableFromInline let choice: Choice
    /// Only names that begin with this prefix and a dot. The text lives for ever.
    @usableFromInline let prefix: UnsafePointer<CChar>?
    /// The source file and the line. `file` is the text of a literal: the text ends with a NUL and lives for ever.
    @usableFromInline let file: UnsafePointer<UInt8>, line: UInt

    /// - Parameter file: `#fileID`.
    @inlinable init(
        _ choice: Choice, under prefix: UnsafePointer<CChar>? = nil, _ file: StaticString, _ line: UInt
    ) {
        self.choice = choice
        self.prefix = prefix
        self.file = file.utf8Start
        self.line = line
    }

    @inlinable init(_ file: StaticString, _ line: UInt) { self.init(.any, file, line) }

    /// Only posts about this text. No post can be about a text with a NUL, so an observer with such a text is never
    /// called.
    @usableFromInline init(text: String, _ file: StaticString, _ line: UInt) { self.init(.about(text), file, line) }

    /// Only posts of these names.
    @usableFromInline init(_ names: HeraldCenter.Names, _ choice: Choice, _ file: StaticString, _ line: UInt) {
        if case .none = names.choice {
            self.init(.nothing, file, line)
        } else {
            self.init(choice, under: names.prefix, file, line)
        }
    }

    @usableFromInline init(_ names: HeraldCenter.Names, _ file: StaticString, _ line: UInt) {
        self.init(names, .any, file, line)
    }

    @usableFromInline init(_ names: HeraldCenter.Names, text: String, _ file: StaticString, _ line: UInt) {
        self.init(names, .about(text), file, line)
    }

    var isNothing: Bool { if case .nothing = choice { true } else { false } }

    /// The instance, if the observer is for one instance. While the registration exists, the instance's address is not
    /// reused (`Pin`).
    var subject: AnyObject? { if case .only(let subject) = choice { subject } else { nil } }

    var address: UnsafeRawPointer? {
        switch choice {
        case .any, .nothing: nil
        case .only(let subject): UnsafeRawPointer(Herald.address(of: subject))
        case .object(let object): object
        }
    }
}

extension Filter.Choice {
    static func about(_ text: String) -> Self {
        guard !containsNul(text), let object = HeraldObjectForString(text) else {
            complain("no message is about \(text.debugDescription)")
            return .nothing
        }
        return .object(object)
    }
}
#endif
