import CHeraldRuntime

/// The subjects for which an observer is called.
@usableFromInline enum Filter {
    case any
    case only(AnyObject)
    /// An object that is no instance, and lives for ever.
    case object(UnsafeRawPointer)
    /// Any, of names under a prefix; and what registers them.
    case under(UnsafePointer<CChar>, herald_under?)
    /// The caller passed a variable that is nil: the observer is never called.
    case nothing

    @inlinable init(_ subject: AnyObject?) { self = if let subject { .only(subject) } else { .nothing } }

    /// The instance, which is to be pinned.
    var subject: AnyObject? { if case .only(let subject) = self { subject } else { nil } }

    /// The prefix, and what registers it.
    var prefix: (text: UnsafePointer<CChar>, under: herald_under?)? {
        if case .under(let text, let under) = self { (text, under) } else { nil }
    }

    var address: UnsafeRawPointer? {
        switch self {
        case .any, .under, .nothing: nil
        case .only(let subject): UnsafeRawPointer(Herald.address(of: subject))
        case .object(let object): object
        }
    }
}
