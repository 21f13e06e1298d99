// expect: argument type 'View' does not conform to expected type 'UserObserver'
import Herald

protocol UserObserver: AnyObject, Sendable { func userChanged() }

#if MISUSE
final class View: Sendable {}
#else
final class View: UserObserver { func userChanged() {} }
#endif

func watch(_ view: View, _ center: HeraldCenter) {
    center.addObserver(view, as: UserObserver.self)
}
