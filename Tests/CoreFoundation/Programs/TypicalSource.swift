// A source as it is written for macOS. A line that ends in "Linux:" has the one spelling that differs.
import CoreFoundation
import Foundation
import HeraldCF

/// The notifications between an application and its extension.
final class Bridge {
    static var changed: CFNotificationName { CFNotificationName("org.herald.test.bridge" as CFString) }
    private let center = CFNotificationCenterGetDistributedCenter()
    private(set) var received: [(object: String?, userInfo: [AnyHashable: Any])] = []

    init() {
        let callback: CFNotificationCallback = { _, observer, name, object, userInfo in
            guard let observer, let name, name == Bridge.changed else { return }
            let bridge = Unmanaged<Bridge>.fromOpaque(observer).takeUnretainedValue()
            let object = object.map { Unmanaged<CFString>.fromOpaque($0).takeUnretainedValue() }
            bridge.received.append(
                (
                    object.map { String($0) },  // Linux: not `$0 as String`
                    userInfo.map { [AnyHashable: Any]($0) } ?? [:]  // Linux: not `$0 as? [AnyHashable: Any]`
                ))
        }
        CFNotificationCenterAddObserver(
            center, Unmanaged.passUnretained(self).toOpaque(), callback, Bridge.changed.rawValue, nil,
            .deliverImmediately)
    }

    deinit { CFNotificationCenterRemoveEveryObserver(center, Unmanaged.passUnretained(self).toOpaque()) }

    func post(_ document: String, _ userInfo: [String: Any]) {
        let object = CFString(document)  // Linux: not `document as CFString`
        withExtendedLifetime(object) {
            CFNotificationCenterPostNotification(
                center, Bridge.changed, Unmanaged.passUnretained(object).toOpaque(), CFDictionary(userInfo), true)
        }
    }

    func postOnce() {
        CFNotificationCenterPostNotification(center, Bridge.changed, nil, ["path": "b.txt"] as CFDictionary, true)
    }
}

func bridge() {
    let bridge = Bridge()
    bridge.post("document", ["path": "a.txt", "size": 3])
    while bridge.received.count < 1 { _ = RunLoop.main.run(mode: .default, before: .now + 10) }
    bridge.postOnce()
    while bridge.received.count < 2 { _ = RunLoop.main.run(mode: .default, before: .now + 10) }
    for post in bridge.received {
        print(post.object ?? "-", post.userInfo["path"] as? String ?? "-", post.userInfo["size"] as? Int ?? 0)
    }
}
