// expect: cannot convert value of type 'Device' to expected argument type 'String'
import Herald

final class Device: Sendable {}

struct LinkState: HeraldCenter.KeptMessage, HeraldCenter.WireMessage, Codable {
    typealias Subject = Device
    static let wireName: HeraldCenter.Name = "com.acme.link"
}

func forget(_ device: Device) -> Bool {
    #if MISUSE
    HeraldCenter.host.forget(LinkState.self, subject: device)
    #else
    HeraldCenter.host.forget(LinkState.self, subject: "eth0")
    #endif
}
