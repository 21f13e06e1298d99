import CHerald

/// The address that stands for an instance in posts and registrations. It keeps nothing alive.
func address(of instance: AnyObject) -> UnsafeRawPointer {
    UnsafeRawPointer(Unmanaged.passUnretained(instance).toOpaque())
}

/// A registration whose callback is a closure. Herald owns it, through the release hook, until it is removed.
final class Observer {
    typealias Body = (_ facts: FileFacts, _ observer: Observer) -> Void
    private let body: Body
    private let center: HeraldCenterRef
    private var token = HeraldToken()
    private(set) var calls = 0
    private(set) var isRegistered = true

    /// Observes `name` (nil: any) with `folder` (nil: any).
    @discardableResult
    init(
        _ center: HeraldCenterRef, name: String? = nil, folder: Folder? = nil,
        whileSuspended behavior: HeraldSuspensionBehavior = HeraldSuspensionHold, body: @escaping Body
    ) {
        self.center = center
        self.body = body
        var options = HeraldObserverOptions()
        options.size = MemoryLayout<HeraldObserverOptions>.size
        options.suspensionBehavior = behavior
        options.release = { Unmanaged<Observer>.fromOpaque($0!).release() }
        let status = HeraldCenterAddObserverWithOptions(
            center, Unmanaged.passRetained(self).toOpaque(),
            { _, observer, _, _, userInfo in
                let observer = Unmanaged<Observer>.fromOpaque(observer!).takeUnretainedValue()
                let facts = Unmanaged<FileFacts>.fromOpaque(userInfo!).takeUnretainedValue()
                observer.calls += 1
                observer.body(facts, observer)
            },
            name.flatMap { HeraldNameCreate($0) }, folder.map { address(of: $0) }, &options, &token)
        precondition(status == HeraldOK, String(cString: HeraldStatusGetDescription(status)))
    }

    /// Never called again; the closure goes when its last call has returned.
    func remove() {
        isRegistered = false
        HeraldCenterRemoveToken(center, token)
    }
}

/// A center that keeps the facts of files while it is suspended.
func makeCenter() -> HeraldCenterRef? {
    var options = HeraldCenterOptions()
    options.size = MemoryLayout<HeraldCenterOptions>.size
    options.heldPostLimit = 1_000_000
    options.retainUserInfo = { UnsafeRawPointer(Unmanaged<FileFacts>.fromOpaque($0!).retain().toOpaque()) }
    options.releaseUserInfo = { Unmanaged<FileFacts>.fromOpaque($0!).release() }
    return HeraldCenterCreate(&options)
}
