import Herald

func save() {
    HeraldCenter.local.post("com.acme.saved", userInfo: "report.txt")
}
