import CoreFoundation

/// KKWatchAppNotificationCenter in Swift, over the same calls: names between processes, any number of targets for each,
/// one lower registration for a name.
///
/// Bugs of the original: after a name's last target had left it was never registered below again; targets were kept
/// alive; a target that was added or removed during a call broke the iteration.
final class WatchAppNotificationCenter {
    nonisolated(unsafe) static let shared = WatchAppNotificationCenter()

    private struct Target {
        weak var object: AnyObject?
        let action: (AnyObject, String) -> Void
    }
    private var targets: [String: [Target]] = [:]
    private var pointer: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    func addTarget<T: AnyObject>(_ target: T, for name: String, action: @escaping (T, String) -> Void) {
        if targets[name, default: []].isEmpty {
            CFNotificationCenterAddObserver(
                CFNotificationCenterGetDarwinNotifyCenter(), pointer,
                { _, observer, name, _, _ in
                    let center = Unmanaged<WatchAppNotificationCenter>.fromOpaque(observer!).takeUnretainedValue()
                    center.receive(text(of: name!))
                }, string(name), nil, .deliverImmediately)
        }
        targets[name, default: []].append(Target(object: target) { action($0 as! T, $1) })
    }

    func removeTarget(_ target: AnyObject, for name: String) {
        targets[name]?.removeAll { $0.object == nil || $0.object === target }
        leave(name)
    }

    func post(_ name: String) {
        CFNotificationCenterPostNotification(
            CFNotificationCenterGetDarwinNotifyCenter(), string(name), nil, nil, true)
    }

    private func receive(_ name: String) {
        for target in targets[name, default: []] {
            if let object = target.object { target.action(object, name) }
        }
        targets[name]?.removeAll { $0.object == nil }
        leave(name)
    }

    private func leave(_ name: String) {
        guard targets[name]?.isEmpty == true else { return }
        targets[name] = nil
        CFNotificationCenterRemoveObserver(
            CFNotificationCenterGetDarwinNotifyCenter(), pointer, string(name), nil)
    }
}

private final class Screen {}

/// Prints the posts that it hears. Each name is left and joined again between two posts, and ends the program the third
/// time.
func watch(_ names: [String]) {
    let center = WatchAppNotificationCenter.shared
    nonisolated(unsafe) var screen = Screen()
    nonisolated(unsafe) var heard = 0
    func join() {
        for name in names {
            center.addTarget(screen, for: name) { _, name in
                heard += 1
                print(name)
                fflush(nil)
                if heard == 3 * names.count { exit(0) }
            }
        }
    }
    join()
    center.addTarget(screen, for: "leave") { _, _ in
        screen = Screen()  // all targets are released with it
        print("left")
        fflush(nil)
    }
    center.addTarget(center, for: "join") { _, _ in
        join()
        print("joined")
        fflush(nil)
    }
    print("ready")
    fflush(nil)
    CFRunLoopRun()
}

func post(_ names: [String]) {
    for name in names { WatchAppNotificationCenter.shared.post(name) }
}
