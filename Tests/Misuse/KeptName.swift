// expect: cannot convert value of type 'HeraldCenter.Name' to expected argument type 'M.Type'
import Herald

func watch(_ center: HeraldCenter, _ name: HeraldCenter.Name) -> HeraldCenter.ObservationToken {
    #if MISUSE
    center.observe(name, from: .kept) { _ in }
    #else
    center.observe(name) { _ in }
    #endif
}
