import CoreFoundation
import Foundation

private nonisolated(unsafe) var passed = 0
private nonisolated(unsafe) var failed = 0

private func check(_ condition: Bool, _ what: String) {
    if condition {
        passed += 1
    } else {
        failed += 1
        print("FAILED \(what)")
    }
}

func string(_ text: String) -> CFString { CFStringCreateWithCString(nil, text, CFStringEncoding(0x0800_0100))! }

/// An observer as in Swift code on macOS: an object that C knows by its address.
private final class Heard {
    var names: [String] = []
    var pointer: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    static let callback: CFNotificationCallback = { _, observer, name, _, _ in
        let heard = Unmanaged<Heard>.fromOpaque(observer!).takeUnretainedValue()
        heard.names.append(text(of: name!))
    }

    func take() -> [String] {
        defer { names = [] }
        return names
    }
}

func text(of string: CFString) -> String {
    var bytes = [UInt8](repeating: 0, count: 1024)
    CFStringGetCString(string, &bytes, 1024, CFStringEncoding(0x0800_0100))
    return String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
}

/// The promises of CFNotificationCenter, from Swift.
func semantics() {
    let center: CFNotificationCenter = CFNotificationCenterGetLocalCenter()
    let (one, other) = (Heard(), Heard())
    let saved: CFNotificationName = string("document saved")
    for observer in [one, other] {
        CFNotificationCenterAddObserver(
            center, observer.pointer, Heard.callback, saved, nil, .deliverImmediately)
    }
    CFNotificationCenterPostNotification(center, saved, nil, nil, true)
    CFNotificationCenterPostNotification(center, string("document saved"), nil, nil, true)
    CFNotificationCenterPostNotification(center, string("another"), nil, nil, true)
    check(one.take() == ["document saved", "document saved"], "names are compared by what they say")
    check(other.take().count == 2, "both hear")

    CFNotificationCenterRemoveEveryObserver(center, one.pointer)
    CFNotificationCenterPostNotificationWithOptions(
        center, saved, nil, nil, CFOptionFlags(kCFNotificationDeliverImmediately))
    check(one.take().isEmpty && other.take().count == 1, "that observer is removed, and no other")

    let document = Heard()
    CFNotificationCenterAddObserver(center, one.pointer, Heard.callback, nil, document.pointer, .coalesce)
    CFNotificationCenterPostNotification(center, saved, document.pointer, nil, true)
    CFNotificationCenterPostNotification(center, string("of any name"), document.pointer, nil, true)
    CFNotificationCenterPostNotification(center, saved, nil, nil, true)
    check(one.take() == ["document saved", "of any name"], "any name, one object")
    CFNotificationCenterRemoveObserver(center, one.pointer, nil, document.pointer)
    CFNotificationCenterRemoveEveryObserver(center, other.pointer)

    // Swift's native strings, as Foundation bridges them.
    for text in ["grüß", "日本語", "e\u{301}", "😀", "plain", String(repeating: "lang ", count: 200)] {
        let native = NSString(string: text)
        let name = unsafeBitCast(native, to: CFString.self)
        CFNotificationCenterAddObserver(center, one.pointer, Heard.callback, name, nil, .deliverImmediately)
        CFNotificationCenterPostNotification(center, string(text), nil, nil, true)
        CFNotificationCenterPostNotification(center, name, nil, nil, true)
        check(one.take().count == 2, "a string of Swift's own: \(text)")
        CFNotificationCenterRemoveObserver(center, one.pointer, name, nil)
        CFNotificationCenterPostNotification(center, name, nil, nil, true)
        check(one.take().isEmpty, "and it is removed by it")
        withExtendedLifetime(native) {}
    }

    let darwin: CFNotificationCenter = CFNotificationCenterGetDarwinNotifyCenter()
    CFNotificationCenterAddObserver(
        darwin, one.pointer, { _, _, _, _, _ in CFRunLoopStop(CFRunLoopGetMain()) }, saved, nil,
        .deliverImmediately)
    CFNotificationCenterPostNotification(darwin, saved, nil, nil, true)
    let result = CFRunLoopRunInMode(kCFRunLoopDefaultMode, 60, false)
    check(result == .stopped, "the Darwin center is heard on the main run loop")
    CFNotificationCenterRemoveEveryObserver(darwin, one.pointer)
    check(CFGetTypeID(darwin) == CFNotificationCenterGetTypeID(), "a type of its own")

    // Growth is in Native/semantics.c.
    print("\(passed) passed, \(failed) failed")
    exit(failed == 0 ? 0 : 1)
}
