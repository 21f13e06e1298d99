import Herald

struct Page: ~Copyable, HeraldCenter.Message { let number: Int }

final class Reader: @unchecked Sendable {
    var last: Int?
}

func watch(_ reader: Reader, _ center: HeraldCenter) -> HeraldCenter.ObservationToken {
    center.observe(Page.self) { page in reader.last = page.number }
}
