import Harness
import Herald

struct Tick: HeraldCenter.Message, Sendable {
    typealias Subject = Nothing
    var value = 1
}

private final class Center: TypedCenter {
    let center = HeraldCenter()
}

private func center(_ pointer: UnsafeMutableRawPointer?) -> HeraldCenter { (object(pointer) as! Center).center }

private func place(
    _ pointer: UnsafeMutableRawPointer?, _ name: UnsafePointer<CChar>?, _ subject: UnsafeRawPointer?,
    _ typed: (HeraldCenter) -> Place
) -> UnsafeMutableRawPointer {
    let center = object(pointer) as! Center
    return give(center.isOfType(name) ? typed(center.center) : NamePlace(center.center, name, object(subject)))
}

/// A token in an allocation of its own, as a program keeps it in an instance.
private typealias Held = UnsafeMutablePointer<HeraldCenter.ObservationToken?>

private func hold(_ token: consuming HeraldCenter.ObservationToken) -> UnsafeMutableRawPointer {
    let held = Held.allocate(capacity: 1)
    held.initialize(to: token)
    return UnsafeMutableRawPointer(held)
}
private func held(_ registration: UnsafeMutableRawPointer) -> Held {
    registration.assumingMemoryBound(to: HeraldCenter.ObservationToken?.self)
}

/// Observers with tokens.
private class TokenPlace: Place {
    final let center: HeraldCenter
    init(_ center: HeraldCenter) { self.center = center }

    override func removing(_ registration: UnsafeMutableRawPointer) { held(registration).pointee = nil }
    final func removeAndWait(_ registration: UnsafeMutableRawPointer) { held(registration).pointee?.cancel() }
}

private final class TypedPlace: TokenPlace {
    private let subject: Nothing?

    init(_ center: HeraldCenter, _ subject: AnyObject?) {
        self.subject = subject as! Nothing?
        super.init(center)
    }

    // Each closure is written where it is passed, as in a program: a value of a function's type is called through a
    // thunk.
    override func adding(_ word: Word?) -> UnsafeMutableRawPointer {
        guard let word else {
            return if let subject {
                hold(center.observe(Tick.self, subject: subject) { _ in count_here() })
            } else {
                hold(center.observe(Tick.self) { _ in count_here() })
            }
        }
        nonisolated(unsafe) let sum = word
        return if let subject {
            hold(center.observe(Tick.self, subject: subject) { tick in sum.pointee &+= UInt64(tick.value) })
        } else {
            hold(center.observe(Tick.self) { tick in sum.pointee &+= UInt64(tick.value) })
        }
    }

    override func observing(_ owned: Owned) -> UnsafeMutableRawPointer {
        if let subject {
            hold(center.observe(Tick.self, subject: subject) { _ in owned.call() })
        } else {
            hold(center.observe(Tick.self) { _ in owned.call() })
        }
    }

    override func post(_ count: Int) {
        let center = center
        if let subject {
            for _ in 0..<count { center.post(Tick(), subject: subject) }
        } else {
            for _ in 0..<count { center.post(Tick()) }
        }
    }
}

private final class TopicPlace: TokenPlace {
    private let topic: HeraldCenter.Topic<Tick>

    init(topicOf center: HeraldCenter) {
        topic = center.topic(for: Tick.self)
        super.init(center)
    }

    override func adding(_ word: Word?) -> UnsafeMutableRawPointer {
        guard let word else { return hold(center.observe(Tick.self) { _ in count_here() }) }
        nonisolated(unsafe) let sum = word
        return hold(center.observe(Tick.self) { tick in sum.pointee &+= UInt64(tick.value) })
    }

    override func observing(_ owned: Owned) -> UnsafeMutableRawPointer {
        hold(center.observe(Tick.self) { _ in owned.call() })
    }

    override func post(_ count: Int) {
        let topic = topic
        for _ in 0..<count { topic.post(Tick()) }
    }
}

private final class NamePlace: TokenPlace {
    private let name: HeraldCenter.Name?
    private let subject: AnyObject?

    init(_ center: HeraldCenter, _ name: UnsafePointer<CChar>?, _ subject: AnyObject?) {
        self.name = name.map { HeraldCenter.Name(String(cString: $0)) }
        self.subject = subject
        super.init(center)
    }

    private func held(_ body: @escaping @Sendable (HeraldCenter.Notice) -> Void) -> UnsafeMutableRawPointer {
        switch (name, subject) {
        case (let name?, let subject?): hold(center.observe(name, subject: subject, body))
        case (let name?, nil): hold(center.observe(name, body))
        case (nil, let subject?): hold(center.observeAll(subject: subject, body))
        case (nil, nil): hold(center.observeAll(body))
        }
    }

    override func adding(_ word: Word?) -> UnsafeMutableRawPointer {
        guard let word else { return held { _ in count_here() } }
        nonisolated(unsafe) let sum = word
        return held { _ in sum.pointee &+= 1 }
    }

    override func observing(_ owned: Owned) -> UnsafeMutableRawPointer { held { _ in owned.call() } }

    override func post(_ count: Int) {
        guard let name else { return }
        let (center, subject) = (center, subject)
        for _ in 0..<count { center.post(name, subject: subject) }
    }
}

final class Owner: @unchecked Sendable {
    let word: Word?
    let owned: Owned?

    init(_ word: Word?, _ owned: Owned? = nil) {
        self.word = word
        self.owned = owned
    }

    func hear(_ tick: borrowing Tick) {
        if let word { word.pointee &+= UInt64(tick.value) } else { count_here() }
    }
}

/// Observers that are owners, held weakly. The registration is the owner. Posted to by topic, or by type.
private final class OwnerPlace: Place {
    private let center: HeraldCenter
    private let topic: HeraldCenter.Topic<Tick>?

    init(_ center: HeraldCenter, byTopic: Bool) {
        self.center = center
        topic = byTopic ? center.topic(for: Tick.self) : nil
    }

    override func add(_ word: Word?) -> AnyObject {
        let owner = Owner(word)
        center.observe(Tick.self, by: owner) { owner, tick in owner.hear(tick) }
        return owner
    }

    override func observe(_ owned: Owned) -> AnyObject {
        let owner = Owner(nil)
        center.observe(Tick.self, by: owner) { _, _ in owned.call() }
        return owner
    }

    override func remove(_ registration: AnyObject) { center.removeObserver(registration) }

    override func post(_ count: Int) {
        if let topic {
            for _ in 0..<count { topic.post(Tick()) }
        } else {
            let center = center
            for _ in 0..<count { center.post(Tick()) }
        }
    }
}

private protocol Hearing: AnyObject, Sendable { func heard() }

private final class Hearer: Hearing, @unchecked Sendable {
    private let word: Word?
    private let owned: Owned?
    init(_ word: Word?, _ owned: Owned?) {
        self.word = word
        self.owned = owned
    }
    func heard() {
        if let word { word.pointee &+= 1 } else if let owned { owned.call() } else { count_here() }
    }
}

/// Observers by protocol: the call is typed, the observer weak.
private final class ProtocolPlace: Place {
    private let center: HeraldCenter
    init(_ center: HeraldCenter) { self.center = center }

    private func added(_ hearer: Hearer) -> Hearer {
        center.addObserver(hearer, as: Hearing.self)
        return hearer
    }

    override func add(_ word: Word?) -> AnyObject { added(Hearer(word, nil)) }
    override func observe(_ owned: Owned) -> AnyObject { added(Hearer(nil, owned)) }
    override func remove(_ registration: AnyObject) { center.removeObserver(registration) }

    override func post(_ count: Int) {
        let center = center
        for _ in 0..<count { center.notify(Hearing.self) { $0.heard() } }
    }
}

func heraldPeers() -> [peer] {
    func make(
        _ name: StaticString, _ title: StaticString, objects: Bool = false, any: Bool = false, waits: Bool = true
    ) -> peer {
        var it = swiftPeer(name, title, objects: objects, any: any)
        it.role = text("herald")
        it.make_center = { give(Center()) }
        if waits {
            it.remove_and_wait = { (place($0) as! TokenPlace).removeAndWait($1!) }
            it.forget = {
                held($0!).deinitialize(count: 1)
                held($0!).deallocate()
            }
        }
        return it
    }
    var topic = make("swift-topic", "Herald (Swift), by topic")
    topic.like = text("swift-type")
    topic.make_place = { c, name, subject in place(c, name, subject) { TopicPlace(topicOf: $0) } }
    var typed = make("swift-type", "Herald (Swift), by type", objects: true)
    typed.lookup = text("type")
    typed.rank = 40
    typed.label = text("Herald, Swift")
    typed.make_place = { c, name, subject in place(c, name, subject) { TypedPlace($0, object(subject)) } }
    var name = make("swift-name", "Herald (Swift), by name", objects: true, any: true)
    name.lookup = text("name")
    name.make_place = { give(NamePlace(center($0), $1, object($2))) }
    var owner = make("swift-owner", "Herald (Swift), weak owner", waits: false)
    owner.like = text("swift-type")
    owner.rank = 50
    owner.make_place = { c, name, subject in place(c, name, subject) { OwnerPlace($0, byTopic: true) } }
    var ownerByType = make("swift-owner-type", "Herald (Swift), weak owner by type", waits: false)
    ownerByType.like = text("swift-type")
    ownerByType.lookup = text("type")
    ownerByType.make_place = { c, name, subject in place(c, name, subject) { OwnerPlace($0, byTopic: false) } }
    var hearers = make("swift-protocol", "Herald (Swift), protocol", waits: false)
    hearers.like = text("swift-type")
    hearers.lookup = text("protocol")
    hearers.make_place = { c, name, subject in place(c, name, subject) { ProtocolPlace($0) } }
    hearers.owns = false
    return [topic, typed, name, owner, ownerByType, hearers]
}
