/// Which subject an observer asked for.
@usableFromInline enum Filter {
    case any
    case only(AnyObject)
    /// A variable was given, and it is nil: nothing is ever about that.
    case nothing

    @inlinable init(_ subject: AnyObject?) { self = if let subject { .only(subject) } else { .nothing } }

    @usableFromInline var subject: AnyObject? { if case .only(let subject) = self { subject } else { nil } }
}
