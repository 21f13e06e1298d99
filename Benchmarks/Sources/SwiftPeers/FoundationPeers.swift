import Foundation
import Harness
import OpenCombine

extension NotificationCenter: MessagePoster {}

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
    foundation.make_place = { give(NotificationPlace(object($0) as! NotificationCenter, $1, object($2))) }
    var typed = swiftPeer("foundation-typed", "Foundation, typed", threadSafe: false)
    typed.rival = text("swift-type")
    typed.lookup = text("type")
    typed.rank = 230
    typed.make_center = { give(MessageCenter(NotificationCenter())) }
    typed.make_place = { c, name, _ in give((object(c) as! MessageCenter<NotificationCenter>).place(name)) }
    var combine = swiftPeer("opencombine", "OpenCombine 0.14")
    combine.rival = text("swift-topic")
    combine.ahead = text("adjacent locking at-once")
    combine.rank = 210
    combine.label = text("OpenCombine")
    combine.make_place = { _, _, _ in give(CombinePlace()) }
    return [foundation, typed, combine]
}
