import CoreFoundation
import Foundation
import HeraldCF  // declares the distributed center, which the toolchain's header hides

private nonisolated(unsafe) var heardFrom: Set<String> = []

private func note(_ center: String) {
    guard heardFrom.insert(center).inserted, heardFrom.count == 2 else { return }
    print(heardFrom.sorted().joined(separator: " "))
    exit(0)
}

private func string(_ text: String) -> CFString { CFStringCreateWithCString(nil, text, 0x0800_0100)! }

/// Ends the program when the Darwin and the distributed center have both called, on any kind of main thread.
package func hearBothCenters(_ name: String) {
    CFNotificationCenterAddObserver(
        CFNotificationCenterGetDarwinNotifyCenter(), nil, { _, _, _, _, _ in note("Darwin") }, string(name), nil,
        .deliverImmediately)
    let object = string("hearing")
    CFNotificationCenterAddObserver(
        CFNotificationCenterGetDistributedCenter(), nil, { _, _, _, _, _ in note("distributed") }, string(name),
        Unmanaged.passUnretained(object).toOpaque(), .deliverImmediately)
    withExtendedLifetime(object) {}
    print("ready")
    fflush(nil)
}

package func postToBothCenters(_ name: String) {
    CFNotificationCenterPostNotification(CFNotificationCenterGetDarwinNotifyCenter(), string(name), nil, nil, true)
    let object = string("hearing")
    CFNotificationCenterPostNotification(
        CFNotificationCenterGetDistributedCenter(), string(name), Unmanaged.passUnretained(object).toOpaque(), nil, true
    )
    withExtendedLifetime(object) {}
}
