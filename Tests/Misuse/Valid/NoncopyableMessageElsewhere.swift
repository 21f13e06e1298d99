import Herald

struct Page: HeraldCenter.Message { let number: Int }

func watch(_ center: HeraldCenter) -> Messages<Page> {
    center.messages(Page.self)
}
