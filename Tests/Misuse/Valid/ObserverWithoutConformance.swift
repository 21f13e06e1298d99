import Herald

protocol UserObserver: AnyObject, Sendable { func userChanged() }

final class View: UserObserver { func userChanged() {} }

func watch(_ view: View, _ center: HeraldCenter) {
    center.addObserver(view, as: UserObserver.self)
}
