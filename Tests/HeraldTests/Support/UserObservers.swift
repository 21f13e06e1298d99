import Herald

protocol UserObserver: Sendable {
    func userNameChanged(old: String, new: String)
    func userLoggedOut()
}

extension UserObserver {
    func userLoggedOut() {}  // Swift's counterpart of an optional method
}

protocol CartObserver: AnyObject, Sendable {
    func cartChanged(count: Int)
}

protocol AdminObserver: UserObserver {}

/// Logs what it hears, and runs an action if it has one.
final class UserScreen: UserObserver, CartObserver, AdminObserver {
    let name: String
    let log: Log<String>
    let onCall: Box<(@Sendable (UserScreen) -> Void)?> = Box(nil)

    init(_ name: String, _ log: Log<String>) {
        self.name = name
        self.log = log
    }

    func userNameChanged(old: String, new: String) {
        log.append("\(name): \(old) to \(new)")
        onCall.value?(self)
    }

    func cartChanged(count: Int) { log.append("\(name): \(count)") }
}

final class UserSession: UserObserver {
    let log: Log<String>

    init(_ log: Log<String>) { self.log = log }

    func userNameChanged(old: String, new: String) {}
    func userLoggedOut() { log.append("logged out") }
}

extension HeraldCenter {
    func rename(_ new: String) { notify(UserObserver.self) { $0.userNameChanged(old: "a", new: new) } }
}
