// expect: 'notice' is borrowed and cannot be consumed
import Herald

final class Log: @unchecked Sendable {
    #if MISUSE
        var last: HeraldCenter.Notice?
    #else
        var last: HeraldCenter.Name?
        var userInfo: (any Sendable)?
    #endif
}

func watch(_ log: Log, _ center: HeraldCenter) -> HeraldCenter.ObservationToken {
    #if MISUSE
        center.observeAll { notice in log.last = consume notice }
    #else
        center.observeAll { notice in
            log.last = notice.name
            log.userInfo = notice.userInfo
        }
    #endif
}
