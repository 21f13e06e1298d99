import Foundation
import Harness

extension NotificationCenter: MessagePoster {}

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
    return [foundation, typed]
}
