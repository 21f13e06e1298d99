/// What `subject:` is when it is left out, or is a literal `nil`: whatever a post is about.
///
/// Wherever the documentation shows `subject: AnySubject` an instance will do as well, optional or not, of the class
/// that the message names as its `Subject`: then only what is about that instance is heard.
///
/// Only a literal makes one. A variable that is `nil`, of whatever optional type, is no subject and is never heard of:
/// an observer of something that is gone does not become one of everything.
public struct AnySubject: ExpressibleByNilLiteral, Sendable {
    @inlinable public init(nilLiteral: ()) {}
}
