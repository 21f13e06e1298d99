#if os(Linux)
import CHerald

// Posts of messages that are kept: the message is in a `KeptBox`.
extension HeraldCenter {
    @usableFromInline func postKept(_ box: AnyObject, _ name: NativeName, _ subject: AnyObject?) {
        let object = subject.map { address(of: $0) }, userInfo = userInfo(of: box)
        if !Self.isKept(HeraldCenterPostKept(native, name, object, userInfo, Tag.kept, 0, nil), name) {
            HeraldCenterPostTagged(native, name, object, userInfo, Tag.kept, 0)
        }
        withExtendedLifetime((box, subject)) {}
    }

    /// Whether a kept post was made. If not, nothing was posted, and the message must be posted as one that is not kept:
    /// the center keeps as many as it may, the subject is in its `deinit`, or the center is over a transport. If memory
    /// is out, this function ends the process.
    static func isKept(_ status: HeraldStatus, _ name: NativeName) -> Bool {
        if status == HeraldQueueFull, isFull.take() {
            complain("a center keeps as many messages as it may, so a \(type(named: name)) was posted and not kept")
        }
        if status == HeraldQueueFull || status == HeraldInvalidArgument { return false }
        check(status)
        return true
    }

    /// Whether a full center has been reported.
    private static let isFull = First()
}

extension TopicReference {
    @usableFromInline func postKept(_ box: AnyObject) {
        let userInfo = userInfo(of: box)
        if !HeraldCenter.isKept(HeraldTopicPostKept(native, userInfo, Tag.kept, nil), name) {
            HeraldTopicPostTagged(native, userInfo, Tag.kept)
        }
        withExtendedLifetime((box, self)) {}
    }
}
#endif
