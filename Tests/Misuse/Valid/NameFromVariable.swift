import Herald

func post(_ text: String, _ center: HeraldCenter) {
    center.post(HeraldCenter.Name(text))
}
