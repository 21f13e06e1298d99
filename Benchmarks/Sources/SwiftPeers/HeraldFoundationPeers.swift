import Harness
import HeraldFoundation

extension HeraldNotificationCenter: MessagePoster {}

/// Foundation's interface over Herald, used as Foundation's own center is.
func heraldFoundationPeers() -> [peer] {
    var moved = swiftPeer("moved", "NotificationCenter (HeraldFoundation)", objects: true, any: true)
    moved.role = text("herald")
    moved.lookup = text("name")
    moved.rank = 70
    moved.make_center = { give(HeraldNotificationCenter()) }
    moved.make_place = { give(NotificationPlace(object($0) as! HeraldNotificationCenter, $1, object($2))) }
    var typed = swiftPeer("moved-typed", "NotificationCenter, typed (HeraldFoundation)", threadSafe: false)
    typed.role = text("herald")
    typed.lookup = text("type")
    typed.make_center = { give(MessageCenter(HeraldNotificationCenter())) }
    typed.make_place = { c, name, _ in
        give((object(c) as! MessageCenter<HeraldNotificationCenter>).place(name))
    }
    return [moved, typed]
}
