// expect: no exact matches in call to instance method 'post'
import Herald

#if MISUSE
func relay<M: HeraldCenter.AnyMessage>(_ message: M, on center: HeraldCenter) {
    center.post(message)
}
#else
func relay<M: HeraldCenter.Message & ~Copyable>(_ message: borrowing M, on center: HeraldCenter) {
    center.post(message)
}
#endif
