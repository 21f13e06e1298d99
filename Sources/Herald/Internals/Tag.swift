#if os(Linux)
import CHerald
import CHeraldRuntime

/// The tags of posts from Swift. A post's tag shows what the post's userInfo is (R21). Each tag is a constant: the
/// address of a type's metadata.
@usableFromInline package enum Tag {
    @usableFromInline enum Message {}
    @usableFromInline enum Kept {}
    @usableFromInline enum Call {}
    @usableFromInline enum UserInfo {}

    /// The userInfo is the address of a message. The post's name stands for the type of the message.
    @inlinable static var message: UnsafeRawPointer {
        unsafeBitCast(Message.self as Any.Type, to: UnsafeRawPointer.self)
    }
    /// The same, and the message is in a `KeptBox`, so that its post can be kept, and held.
    static var kept: UnsafeRawPointer { unsafeBitCast(Kept.self as Any.Type, to: UnsafeRawPointer.self) }
    /// The userInfo is the address of a closure that takes an observer of the protocol.
    @inlinable static var call: UnsafeRawPointer { unsafeBitCast(Call.self as Any.Type, to: UnsafeRawPointer.self) }
    /// The userInfo is the address of an `any Sendable`, or NULL.
    @inlinable static var userInfo: UnsafeRawPointer {
        unsafeBitCast(UserInfo.self as Any.Type, to: UnsafeRawPointer.self)
    }

    @inline(__always)
    static func isMessage(_ tag: UnsafeRawPointer?) -> Bool { tag == message || tag == kept }

    /// Whether the post's name stands for a type.
    @inline(__always)
    package static func isOfType(_ tag: UnsafeRawPointer?) -> Bool { isMessage(tag) || tag == call }

    @inline(__always)
    static func isSwift(_ tag: UnsafeRawPointer?) -> Bool {
        isOfType(tag) || tag == userInfo || herald_swift_is_lent(tag)
    }

    private static let described: Void = {
        checkLayouts()
        CountsSample.describe()
        herald_swift_tags_are(message, kept, call, userInfo)
        Observation.Extra.describe()
        Beginning.describe()
        Insight.describe()
        var options = HeraldTagOptions()
        options.size = MemoryLayout<HeraldTagOptions>.size
        options.retainObject = { retained($0) }
        options.releaseObject = { release($0) }
        // A suspended center holds a userInfo as a copy on the heap. A message or a call is borrowed from the post, and
        // cannot be held.
        options.retainUserInfo = {
            let copy = UnsafeMutablePointer<any Sendable>.allocate(capacity: 1)
            copy.initialize(to: $0.unsafelyUnwrapped.assumingMemoryBound(to: (any Sendable).self).pointee)
            return UnsafeRawPointer(copy)
        }
        options.releaseUserInfo = {
            let copy = UnsafeMutableRawPointer(mutating: $0.unsafelyUnwrapped).assumingMemoryBound(
                to: (any Sendable).self)
            copy.deinitialize(count: 1)
            copy.deallocate()
        }
        check(HeraldTagSetOptions(userInfo, &options))
        options.retainUserInfo = {
            _ = retained(box(of: $0.unsafelyUnwrapped))
            return $0
        }
        options.releaseUserInfo = { release(box(of: $0.unsafelyUnwrapped)) }
        check(HeraldTagSetOptions(kept, &options))
        options.borrowed = true
        options.retainUserInfo = nil
        options.releaseUserInfo = nil
        check(HeraldTagSetOptions(message, &options))
        check(HeraldTagSetOptions(call, &options))
    }()

    /// Describes to the core what posts and observers of Swift are, and how to hold the posts of each tag. Called
    /// before any center is made; only the first call does anything.
    static func describeAll() { described }
}
#endif
