// expect: cannot convert value of type 'Saved' to expected argument type 'HeraldCenter.Name'
import Herald

struct Saved: HeraldCenter.Message {}

func save() {
    HeraldCenter.host.post(Saved())
}
