// expect: extra argument 'userInfo' in call
import Herald

func save() {
    HeraldCenter.host.post("com.acme.saved", userInfo: "report.txt")
}
