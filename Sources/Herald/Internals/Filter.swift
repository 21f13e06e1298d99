/// The subjects for which an observer is called.
@usableFromInline enum Filter {
    case any
    case only(AnyObject)
    /// The caller passed a variable that is nil: the observer is never called.
    case nothing

    @inlinable init(_ subject: AnyObject?) { self = if let subject { .only(subject) } else { .nothing } }

    @usableFromInline var subject: AnyObject? { if case .only(let subject) = self { subject } else { nil } }
}
