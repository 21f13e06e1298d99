import Herald

protocol UserObserver: AnyObject, Sendable { func userChanged() }

func change(_ center: HeraldCenter) {
    center.notify(UserObserver.self) { $0.userChanged() }
}
