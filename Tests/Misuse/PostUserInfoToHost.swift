// expect: extra argument 'userInfo' in call
import Herald

func save() {
    #if MISUSE
    HeraldCenter.host.post("com.acme.saved", userInfo: "report.txt")
    #else
    HeraldCenter.local.post("com.acme.saved", userInfo: "report.txt")
    #endif
}
