// expect: type 'any UserObserver' does not conform to the 'Sendable' protocol
import Herald

protocol UserObserver: AnyObject { func userChanged() }

func change(_ center: HeraldCenter) {
    center.notify(UserObserver.self) { $0.userChanged() }
}
