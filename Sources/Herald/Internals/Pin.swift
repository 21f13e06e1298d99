import CHeraldRuntime

/// Keeps an instance's memory, not the instance: its address is not used again, and it may be asked whether it is gone.
/// An unowned reference does that; it is never loaded, for the instance may be about to die when the pin is made.
struct Pin {
    private unowned let instance: AnyObject
    let address: UnsafeRawPointer

    init(_ instance: AnyObject) {
        self.instance = instance
        address = Herald.address(of: instance)
    }

    var isGone: Bool { herald_is_dying(address) }
}
