// expect: 'notice' cannot be captured by an escaping closure since it is a borrowed parameter
import Herald

// The parameter's type is written out because the compiler of Swift 6.3.1 crashes where it should refuse `{ notice in`.
func watch(_ center: HeraldCenter) -> HeraldCenter.ObservationToken {
    center.observe("saved") { (notice: borrowing HeraldCenter.Notice) in
        #if MISUSE
            keep { print(notice.name) }
        #else
            let name = notice.name
            keep { print(name) }
        #endif
    }
}

func keep(_ work: @escaping () -> Void) {}
