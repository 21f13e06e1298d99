#if os(Linux)
import CHerald
import Foundation
import Herald

/// A post as an observer gets it: from a ``HeraldNotificationCenter``, from Swift by a name, or from C.
struct Heard {
    let name: HeraldNameRef
    let object: UnsafeRawPointer?
    let payload: UnsafeRawPointer?
    let tag: UnsafeRawPointer?

    /// What a HeraldNotificationCenter has sent, or nil.
    var sent: UnsafePointer<Sent>? { tag == Sent.tag ? payload?.assumingMemoryBound(to: Sent.self) : nil }

    /// The notification, if one was posted as such.
    var posted: UnsafePointer<Notification>? {
        guard let sent, sent.pointee.kind == nil else { return nil }
        return sent.pointee.value.assumingMemoryBound(to: Notification.self)
    }

    /// The post as a notification. Nil for messages and calls of Herald's own.
    var notification: Notification? {
        if let sent { return sent.pointee.notification }
        if tag == Sent.tag || Tag.isOfType(tag) { return nil }
        let post = HeraldCenter.Posted(name, object, payload, tag)
        return Notification(
            name: Notification.Name(NotificationName.text(of: name)), object: post.subject,
            userInfo: post.userInfo.map(entries))
    }

    /// The message, if one of this kind was posted. Messages of a kind have one type.
    func message<M>(of kind: any MessageKind.Type, as _: M.Type) -> UnsafePointer<M>? {
        guard let sent, let posted = sent.pointee.kind, posted == kind else { return nil }
        return sent.pointee.value.assumingMemoryBound(to: M.self)
    }
}

/// A payload of Herald as Foundation has it.
private func entries(of payload: any Sendable) -> [AnyHashable: Any] {
    guard let entries = payload as? [String: any Sendable] else {
        return payload as? [AnyHashable: Any] ?? ["userInfo": payload]
    }
    return Dictionary(uniqueKeysWithValues: entries.map { (AnyHashable($0), $1 as Any) })
}
#endif
