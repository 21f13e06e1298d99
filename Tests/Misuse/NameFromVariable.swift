// expect: cannot convert value of type 'String' to expected argument type 'HeraldCenter.Name'
import Herald

func post(_ text: String, _ center: HeraldCenter) {
    center.post(text)
}
