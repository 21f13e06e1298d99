// expect: argument type 'View' does not conform to expected type 'UserObserver'
import Herald

protocol UserObserver: AnyObject, Sendable { func userChanged() }

final class View: Sendable {}

func watch(_ view: View, _ center: HeraldCenter) {
    center.addObserver(view, as: UserObserver.self)
}
