import Herald

struct Saved: HeraldCenter.Message {}

func save(_ center: HeraldCenter) {
    center.post(Saved())
}
