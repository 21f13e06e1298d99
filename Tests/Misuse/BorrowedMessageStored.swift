// expect: 'page' is borrowed and cannot be consumed
import Herald

struct Page: ~Copyable, HeraldCenter.Message { let number: Int }

final class Reader: @unchecked Sendable {
    var last: Page?
}

func watch(_ reader: Reader, _ center: HeraldCenter) -> HeraldCenter.ObservationToken {
    center.observe(Page.self) { page in reader.last = consume page }
}
