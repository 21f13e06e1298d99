// expect: type 'Page' does not conform to protocol 'Copyable'
import Herald

struct Page: ~Copyable, HeraldCenter.Message { let number: Int }

func watch(_ center: HeraldCenter) -> Messages<Page> {
    center.messages(Page.self)
}
