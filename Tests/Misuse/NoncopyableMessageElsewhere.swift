// expect: type 'Page' does not conform to protocol 'Copyable'
import Herald

#if MISUSE
struct Page: ~Copyable, HeraldCenter.Message { let number: Int }
#else
struct Page: HeraldCenter.Message { let number: Int }
#endif

func watch(_ center: HeraldCenter) -> Messages<Page> {
    center.messages(Page.self)
}
