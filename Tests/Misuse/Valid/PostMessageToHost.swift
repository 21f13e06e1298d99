import Herald

extension HeraldCenter.Name { static let saved: Self = "com.acme.saved" }

func save() {
    HeraldCenter.host.post(.saved)
}
