// expect: cannot convert value of type 'HeraldCenter.Name' to expected argument type 'M.Type'
import Herald

func watch(_ host: HostCenter, _ network: some WireCenter, _ name: HeraldCenter.Name) -> HeraldCenter.ObservationToken {
    #if MISUSE
    network.observe(name, from: .kept) { _ in }
    #else
    host.observe(name, from: .kept) { _ in }
    #endif
}
