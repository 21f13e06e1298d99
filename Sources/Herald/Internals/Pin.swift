#if os(Linux)
import CHeraldRuntime

/// Keeps the memory of an instance, but does not keep the instance alive. So the address is not reused, and `isGone`
/// can be read at any time. The reference is unowned, because the instance may be in its `deinit` when the pin is made.
/// It is never loaded: a load would end the process if the instance were gone.
package struct Pin {
    private unowned let instance: AnyObject
    package let address: UnsafeRawPointer

    package init(_ instance: AnyObject) {
        self.instance = instance
        address = Herald.address(of: instance)
    }

    package var isGone: Bool { herald_swift_is_dying(address) }
}
#endif
