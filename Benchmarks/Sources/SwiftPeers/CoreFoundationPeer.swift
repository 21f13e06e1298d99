import CoreFoundation
import Harness

private nonisolated(unsafe) let local = CFNotificationCenterGetLocalCenter()

/// The center of a row. CoreFoundation has one for all rows, so each row has names of its own.
private final class Number {
    nonisolated(unsafe) static var last = 0
    let number: Int
    init() {
        Number.last += 1
        number = Number.last
    }
}

private final class Registration {
    let observer: UnsafeMutableRawPointer
    let owned: Owned?
    init(_ observer: UnsafeMutableRawPointer, _ owned: Owned? = nil) {
        self.observer = observer
        self.owned = owned
    }
}

/// CoreFoundation's functions, which HeraldCF implements.
private final class CoreFoundationPlace: Place {
    private let name: CFString?
    private let subject: UnsafeRawPointer?

    init(_ number: Number, _ name: UnsafePointer<CChar>?, _ subject: UnsafeRawPointer?) {
        self.name = name.map {
            CFStringCreateWithCString(nil, "\(number.number).\(String(cString: $0))", CFStringEncoding(0x0800_0100))
        }
        self.subject = subject
    }

    private func added(_ observer: UnsafeMutableRawPointer, _ callback: @escaping CFNotificationCallback) {
        CFNotificationCenterAddObserver(local, observer, callback, name, subject, .deliverImmediately)
    }

    override func add(_ word: Word?) -> AnyObject {
        let registration = word.map { Registration($0) } ?? Registration(.allocate(byteCount: 8, alignment: 8))
        if word == nil {
            added(registration.observer) { _, _, _, _, _ in count_here() }
        } else {
            added(registration.observer) { _, word, _, _, _ in word!.assumingMemoryBound(to: UInt64.self).pointee &+= 1
            }
        }
        return registration
    }

    override func observe(_ owned: Owned) -> AnyObject {
        let registration = Registration(give(owned), owned)
        added(registration.observer) { _, owned, _, _, _ in
            Unmanaged<Owned>.fromOpaque(owned!).takeUnretainedValue().call()
        }
        return registration
    }

    override func remove(_ registration: AnyObject) {
        CFNotificationCenterRemoveObserver(local, (registration as! Registration).observer, name, subject)
    }

    override func post(_ count: Int) {
        for _ in 0..<count { CFNotificationCenterPostNotification(local, name, subject, nil, true) }
    }
}

func coreFoundationPeer() -> peer {
    var it = swiftPeer("cf", "CFNotificationCenter (HeraldCF)", objects: true, any: true)
    it.role = text("herald")
    it.lookup = text("name")
    it.rank = 60
    it.make_center = { give(Number()) }
    it.make_place = { give(CoreFoundationPlace(object($0) as! Number, $1, $2)) }
    it.owns = false
    return it
}
