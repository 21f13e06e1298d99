// expect: no exact matches in call to instance method 'post'
import Herald

struct Saved {}

func save(_ center: HeraldCenter) {
    center.post(Saved())
}
