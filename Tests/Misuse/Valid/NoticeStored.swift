import Herald

final class Log: @unchecked Sendable {
    var last: HeraldCenter.Name?
    var userInfo: (any Sendable)?
}

func watch(_ log: Log, _ center: HeraldCenter) -> HeraldCenter.ObservationToken {
    center.observeAll { notice in
        log.last = notice.name
        log.userInfo = notice.userInfo
    }
}
