import CHerald

extension HeraldCenter {
    /// A post as an observer of a name gets it: borrowed for the call.
    ///
    /// A post carries a tag that tells whether it came from Swift or from C, and what its payload is. So a payload is
    /// never read as a type that it does not have (R21).
    public struct Notice: ~Copyable {
        let nativeName: HeraldNameRef?
        let tag: UnsafeRawPointer?
        let object: UnsafeRawPointer?
        let payload: UnsafeRawPointer?

        init(_ name: HeraldNameRef?, _ object: UnsafeRawPointer?, _ payload: UnsafeRawPointer?) {
            nativeName = name
            self.object = object
            self.payload = payload
            tag = HeraldGetCurrentTag()
        }

        /// The name that was posted. For a message it stands for the type.
        public var name: Name {
            Name(native: nativeName.unsafelyUnwrapped, isType: tag == Tag.message || tag == Tag.call)
        }

        /// The subject of a post from Swift, if it has one.
        public var subject: AnyObject? { Tag.isSwift(tag) ? object.map(instance(at:)) : nil }

        /// The payload of an untyped post from Swift.
        public var userInfo: (any Sendable)? {
            guard tag == Tag.userInfo, let payload else { return nil }
            return payload.assumingMemoryBound(to: (any Sendable).self).pointee
        }

        /// The message, if the post is one and its type is copyable. `nil` for a held post (R16): a message is borrowed
        /// from its post.
        public var message: Any? {
            guard tag == Tag.message, let payload, let nativeName else { return nil }
            let type: (any (AnyMessage & ~Copyable).Type)? = cast(type(named: nativeName))
            return type?._message(at: payload)
        }

        /// The address of the subject, for posts from Swift and from C. Compare it; only the poster knows what it
        /// points to.
        public var rawSubject: UnsafeRawPointer? { object }

        /// The payload of a post from C. Only the poster knows what it points to; see ``rawTag``.
        public var rawUserInfo: UnsafeRawPointer? { Tag.isSwift(tag) ? nil : payload }

        /// The tag of a post from C, if it has one.
        public var rawTag: UnsafeRawPointer? { Tag.isSwift(tag) ? nil : tag }
    }

    /// The part of a ``Notice`` that can be copied, for queues and sequences.
    public struct Posted: Sendable {
        /// The name that was posted.
        public let name: Name
        /// The payload of an untyped post from Swift; `nil` for messages and for posts from C, whose payload is
        /// borrowed.
        public let userInfo: (any Sendable)?

        init(_ notice: borrowing Notice) {
            name = notice.name
            userInfo = notice.userInfo
        }
    }
}
