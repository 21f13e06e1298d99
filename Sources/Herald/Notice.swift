import CHerald

extension HeraldCenter {
    /// A post as an observer of a name hears it: borrowed for the call.
    ///
    /// Whether a post came from Swift or from C, and what it carries, travels with it, so nothing is ever read as what
    /// it is not (R21).
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

        /// What was posted. A message's name is that of its type.
        public var name: Name {
            Name(native: nativeName.unsafelyUnwrapped, isType: tag == Tag.message || tag == Tag.call)
        }

        /// What the post is about, if it came from Swift and has a subject.
        public var subject: AnyObject? { Tag.isSwift(tag) ? object.map(instance(at:)) : nil }

        /// What an untyped post from Swift carries.
        public var userInfo: (any Sendable)? {
            guard tag == Tag.userInfo, let payload else { return nil }
            return payload.assumingMemoryBound(to: (any Sendable).self).pointee
        }

        /// The message, if this is one of a type that can always be copied. `nil` if a suspended center kept the post:
        /// a message lives as long as its post.
        public var message: Any? {
            guard tag == Tag.message, let payload, let nativeName else { return nil }
            let type: (any (AnyMessage & ~Copyable).Type)? = cast(type(named: nativeName))
            return type?._message(at: payload)
        }

        /// The object's address, whoever posted. Compare it; what it points to is the poster's secret.
        public var rawSubject: UnsafeRawPointer? { object }

        /// What a post from C carries: whatever its poster says it is.
        public var rawUserInfo: UnsafeRawPointer? { Tag.isSwift(tag) ? nil : payload }

        /// The tag of a post from C, if it has one.
        public var rawTag: UnsafeRawPointer? { Tag.isSwift(tag) ? nil : tag }
    }

    /// A post of a name as a sequence hands it over: what can be kept of a ``Notice``.
    public struct Posted: Sendable {
        public let name: Name
        /// What an untyped post from Swift carries; `nil` for messages and for posts from C, whose payload is borrowed.
        public let userInfo: (any Sendable)?

        init(_ notice: borrowing Notice) {
            name = notice.name
            userInfo = notice.userInfo
        }
    }
}
