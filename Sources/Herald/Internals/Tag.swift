import CHerald

/// What travels with a post to say what its userInfo is (R21). A tag is the address of a type's metadata: a constant.
@usableFromInline enum Tag {
    @usableFromInline enum Message {}
    @usableFromInline enum Call {}
    @usableFromInline enum UserInfo {}

    /// The address of a message of the type that the name is.
    @inlinable static var message: UnsafeRawPointer {
        unsafeBitCast(Message.self as Any.Type, to: UnsafeRawPointer.self)
    }
    /// The address of a closure that takes a protocol's observer.
    @inlinable static var call: UnsafeRawPointer { unsafeBitCast(Call.self as Any.Type, to: UnsafeRawPointer.self) }
    /// The address of an `any Sendable`, or nothing.
    @inlinable static var userInfo: UnsafeRawPointer {
        unsafeBitCast(UserInfo.self as Any.Type, to: UnsafeRawPointer.self)
    }

    static func isSwift(_ tag: UnsafeRawPointer?) -> Bool { tag == message || tag == call || tag == userInfo }

    private static let described: Void = {
        var options = HeraldTagOptions()
        options.size = MemoryLayout<HeraldTagOptions>.size
        options.retainObject = { retained($0) }
        options.releaseObject = { release($0) }
        // A userInfo is copied to the heap; a message or a call on the poster's stack cannot be kept.
        options.retainUserInfo = {
            let kept = UnsafeMutablePointer<any Sendable>.allocate(capacity: 1)
            kept.initialize(to: $0.unsafelyUnwrapped.assumingMemoryBound(to: (any Sendable).self).pointee)
            return UnsafeRawPointer(kept)
        }
        options.releaseUserInfo = {
            let kept = UnsafeMutableRawPointer(mutating: $0.unsafelyUnwrapped).assumingMemoryBound(
                to: (any Sendable).self)
            kept.deinitialize(count: 1)
            kept.deallocate()
        }
        check(HeraldTagSetOptions(userInfo, &options))
        options.borrowed = true
        options.retainUserInfo = nil
        options.releaseUserInfo = nil
        check(HeraldTagSetOptions(message, &options))
        check(HeraldTagSetOptions(call, &options))
    }()

    /// Tells the core how the posts of each tag are kept. Before any center is handed out.
    static func describeAll() { described }
}
