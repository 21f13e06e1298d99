/// The subjects for which an observer is called.
@usableFromInline enum Filter {
    case any
    case only(AnyObject)
    /// An object that is no instance, and lives for ever.
    case object(UnsafeRawPointer)
    /// The caller passed a variable that is nil: the observer is never called.
    case nothing

    @inlinable init(_ subject: AnyObject?) { self = if let subject { .only(subject) } else { .nothing } }

    /// The instance, which is to be pinned.
    var subject: AnyObject? { if case .only(let subject) = self { subject } else { nil } }

    var address: UnsafeRawPointer? {
        switch self {
        case .any, .nothing: nil
        case .only(let subject): UnsafeRawPointer(Herald.address(of: subject))
        case .object(let object): object
        }
    }
}
