// expect: type 'any UserObserver' does not conform to the 'Sendable' protocol
import Herald

#if MISUSE
protocol UserObserver: AnyObject { func userChanged() }
#else
protocol UserObserver: AnyObject, Sendable { func userChanged() }
#endif

func change(_ center: HeraldCenter) {
    center.notify(UserObserver.self) { $0.userChanged() }
}
