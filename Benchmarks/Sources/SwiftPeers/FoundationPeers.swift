import Foundation
import Harness
import OpenCombine

/// NSNotificationCenter in its classic form: names, objects, blocks.
private final class FoundationPlace: Place {
    private let center: NotificationCenter
    private let name: Notification.Name?
    private let subject: AnyObject?

    init(_ center: AnyObject, _ name: UnsafePointer<CChar>?, _ subject: AnyObject?) {
        self.center = center as! NotificationCenter
        self.name = name.map { Notification.Name(String(cString: $0)) }
        self.subject = subject
    }

    private func added(_ body: @escaping @Sendable (Notification) -> Void) -> AnyObject {
        center.addObserver(forName: name, object: subject, queue: nil, using: body)
    }

    override func add(_ word: Word?) -> AnyObject {
        guard let word else { return added { _ in count_here() } }
        nonisolated(unsafe) let sum = word
        return added { _ in sum.pointee &+= 1 }
    }

    override func observe(_ owned: Owned) -> AnyObject { added { _ in owned.call() } }
    override func remove(_ registration: AnyObject) { center.removeObserver(registration) }

    override func post(_ count: Int) {
        guard let name else { return }
        let (center, subject) = (center, subject)
        for _ in 0..<count { center.post(name: name, object: subject) }
    }
}

private struct FoundationTick: NotificationCenter.MainActorMessage {
    typealias Subject = Emitter
    static var name: Notification.Name { Notification.Name("tick") }
    var value = 1
}
private final class Emitter {}

private final class TypedToken {
    let token: NotificationCenter.ObservationToken
    init(_ token: NotificationCenter.ObservationToken) { self.token = token }
}

/// Foundation's typed notifications, which belong to the main actor; the harness runs there.
private final class FoundationTypedPlace: Place {
    private let center: NotificationCenter
    private let emitter = Emitter()

    init(_ center: AnyObject) { self.center = center as! NotificationCenter }

    private func added(_ body: @escaping @MainActor (FoundationTick) -> Void) -> AnyObject {
        let center = center
        nonisolated(unsafe) let emitter = emitter
        return TypedToken(
            MainActor.assumeIsolated { center.addObserver(of: emitter, for: FoundationTick.self, using: body) })
    }

    override func add(_ word: Word?) -> AnyObject {
        guard let word else { return added { _ in count_here() } }
        nonisolated(unsafe) let sum = word
        return added { tick in sum.pointee &+= UInt64(tick.value) }
    }

    override func observe(_ owned: Owned) -> AnyObject { added { _ in owned.call() } }
    override func remove(_ registration: AnyObject) { center.removeObserver((registration as! TypedToken).token) }

    override func post(_ count: Int) {
        let center = center
        nonisolated(unsafe) let emitter = emitter
        MainActor.assumeIsolated {
            for _ in 0..<count { center.post(FoundationTick(), subject: emitter) }
        }
    }
}

private final class FoundationTypedCenter: TypedCenter {
    let center = NotificationCenter()
}

/// OpenCombine: a subject for each name and object.
private final class CombinePlace: Place {
    private let subject = PassthroughSubject<Int, Never>()

    override func add(_ word: Word?) -> AnyObject {
        guard let word else { return subject.sink { _ in count_here() } }
        return subject.sink { value in word.pointee &+= UInt64(value) }
    }

    override func observe(_ owned: Owned) -> AnyObject { subject.sink { _ in owned.call() } }
    override func remove(_ registration: AnyObject) { (registration as! AnyCancellable).cancel() }

    override func post(_ count: Int) {
        let subject = subject
        for _ in 0..<count { subject.send(1) }
    }
}

func foundationPeers() -> [peer] {
    var foundation = swiftPeer("foundation", "Foundation", objects: true, any: true)
    foundation.rival = text("swift-name")
    foundation.ahead = text("adjacent locking loose at-once small-observer small-name small-center")
    foundation.lookup = text("name")
    foundation.rank = 220
    foundation.label = text("Foundation")
    foundation.make_center = { give(NotificationCenter()) }
    foundation.make_place = { give(FoundationPlace(object($0)!, $1, object($2))) }
    var typed = swiftPeer("foundation-typed", "Foundation, typed", threadSafe: false)
    typed.rival = text("swift-type")
    typed.lookup = text("type")
    typed.rank = 230
    typed.make_center = { give(FoundationTypedCenter()) }
    typed.make_place = { c, name, _ in
        let typed = object(c) as! FoundationTypedCenter
        return give(
            typed.isOfType(name) ? FoundationTypedPlace(typed.center) : FoundationPlace(typed.center, name, nil))
    }
    var combine = swiftPeer("opencombine", "OpenCombine 0.14")
    combine.rival = text("swift-topic")
    combine.ahead = text("adjacent locking at-once")
    combine.rank = 210
    combine.label = text("OpenCombine")
    combine.make_place = { _, _, _ in give(CombinePlace()) }
    return [foundation, typed, combine]
}
