/// The type of the argument `subject:` when the argument is left out or is a literal `nil`. Then the observer is called
/// for posts about any subject, and for posts without a subject.
///
/// Where the documentation shows `subject: AnySubject`, you can also pass an instance of the message's `Subject` class,
/// or an optional of that class. Then the observer is called only for posts about that instance (R1).
///
/// Only a literal `nil` makes an `AnySubject`. If you pass a variable of an optional type that is `nil`, the observer
/// is never called. For example, a weak variable whose instance is gone does not make an observer of everything.
public struct AnySubject: ExpressibleByNilLiteral, Sendable {
    public init(nilLiteral: ()) {}
}
