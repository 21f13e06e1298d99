// expect: no exact matches in call to instance method 'post'
import Herald

#if MISUSE
struct Saved {}
#else
struct Saved: HeraldCenter.Message {}
#endif

func save(_ center: HeraldCenter) {
    center.post(Saved())
}
