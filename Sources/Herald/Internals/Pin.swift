import CHeraldRuntime

/// Retains an instance's memory, not the instance: its address is not used again, and `isGone` can be asked at any
/// time. The reference is unowned and never loaded, because the instance may be in its `deinit` when the pin is made.
struct Pin {
    private unowned let instance: AnyObject
    let address: UnsafeRawPointer

    init(_ instance: AnyObject) {
        self.instance = instance
        address = Herald.address(of: instance)
    }

    var isGone: Bool { herald_swift_is_dying(address) }
}
