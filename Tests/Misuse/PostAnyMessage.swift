// expect: no exact matches in call to instance method 'post'
import Herald

func relay<M: HeraldCenter.AnyMessage>(_ message: M, on center: HeraldCenter) {
    center.post(message)
}
