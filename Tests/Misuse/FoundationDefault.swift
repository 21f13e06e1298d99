// expect-only: 'default' is unavailable: write `HeraldCenter.local`; the center of all processes of the user is `HeraldCenter.host`
import Herald

func save() {
    #if MISUSE
    HeraldCenter.default.post("saved")
    #else
    HeraldCenter.local.post("saved")
    #endif
}
