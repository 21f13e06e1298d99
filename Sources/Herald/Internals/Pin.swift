import CHeraldRuntime

/// Keeps the memory of an instance, not the instance: its address is not reused, and `isGone` can be read at any time.
/// The reference is unowned and never loaded, because the instance may be in its `deinit` when the pin is made.
struct Pin {
    private unowned let instance: AnyObject
    let address: UnsafeRawPointer

    init(_ instance: AnyObject) {
        self.instance = instance
        address = Herald.address(of: instance)
    }

    var isGone: Bool { herald_swift_is_dying(address) }
}
