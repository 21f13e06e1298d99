// expect: cannot convert value of type 'String' to expected argument type 'HeraldCenter.Name'
import Herald

func post(_ text: String, _ center: HeraldCenter) {
    #if MISUSE
    center.post(text)
    #else
    center.post(HeraldCenter.Name(text))
    #endif
}
