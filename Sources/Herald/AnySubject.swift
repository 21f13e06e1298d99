/// The type of `subject:` when it is left out or is a literal `nil`: the observer is called for every post.
///
/// Where the documentation shows `subject: AnySubject`, an instance of the message's `Subject` class can be passed as
/// well, optional or not. Then the observer is called only for posts about that instance (R1).
///
/// Only a literal makes an `AnySubject`. If a variable of an optional type is `nil`, the observer is never called. So
/// an observer of an instance that is gone does not become an observer of everything.
public struct AnySubject: ExpressibleByNilLiteral, Sendable {
    public init(nilLiteral: ()) {}
}
