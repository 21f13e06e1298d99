import Herald

func watch(_ center: HeraldCenter) -> HeraldCenter.ObservationToken {
    center.observe("saved") { (notice: borrowing HeraldCenter.Notice) in
        let name = notice.name
        keep { print(name) }
    }
}

func keep(_ work: @escaping () -> Void) {}
