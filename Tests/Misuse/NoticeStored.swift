// expect: 'notice' is borrowed and cannot be consumed
import Herald

final class Log: @unchecked Sendable {
    var last: HeraldCenter.Notice?
}

func watch(_ log: Log, _ center: HeraldCenter) -> HeraldCenter.ObservationToken {
    center.observeAll { notice in log.last = consume notice }
}
