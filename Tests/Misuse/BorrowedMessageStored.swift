// expect: 'page' is borrowed and cannot be consumed
import Herald

struct Page: ~Copyable, HeraldCenter.Message { let number: Int }

final class Reader: @unchecked Sendable {
    #if MISUSE
    var last: Page?
    #else
    var last: Int?
    #endif
}

func watch(_ reader: Reader, _ center: HeraldCenter) -> HeraldCenter.ObservationToken {
    #if MISUSE
    center.observe(Page.self) { page in reader.last = consume page }
    #else
    center.observe(Page.self) { page in reader.last = page.number }
    #endif
}
