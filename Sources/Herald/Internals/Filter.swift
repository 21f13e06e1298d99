/// Which subject an observer asked for.
@usableFromInline enum Filter {
    case any
    case only(AnyObject)
    /// A variable was given, and it is nil: nothing is ever about that.
    case nothing

    /// `subject` left out or a literal nil is any; the second optional tells it from a variable that is nil.
    @inlinable init<Subject: AnyObject>(_ subject: Subject??) {
        switch subject {
        case .none: self = .any
        case .some(.none): self = .nothing
        case .some(.some(let subject)): self = .only(subject)
        }
    }

    var subject: AnyObject? { if case .only(let subject) = self { subject } else { nil } }
}
