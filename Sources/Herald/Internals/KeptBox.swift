#if os(Linux)
/// A kept message on the heap. The userInfo of its post is the address of the value in the box (`Tag.kept`). So observers
/// read the value as that of any message, and the hooks of the tag find the box.
@_fixed_layout @usableFromInline final class KeptBox<M: Sendable>: Sendable {
    @usableFromInline let value: M

    @inlinable init(_ value: M) {
        // Only an imported struct of C can have a greater alignment.
        precondition(MemoryLayout<M>.alignment <= 16, "Herald: a kept message is aligned to 16 bytes at most")
        self.value = value
    }

    /// Whether the value stands where `userInfo(of:)` says.
    static func stands(_ value: M) -> Bool where M: Equatable {
        let box = KeptBox(value)
        return withExtendedLifetime(box) {
            userInfo(of: box).assumingMemoryBound(to: M.self).pointee == value
        }
    }
}

/// The value stands behind what Swift's runtime has in each instance. `checkLayouts` checks this.
private let valueOffset = 16

/// The userInfo of a kept post. It is valid as long as the box.
func userInfo(of box: AnyObject) -> UnsafeRawPointer { address(of: box) + valueOffset }

/// The address of the box of a userInfo.
func box(of userInfo: UnsafeRawPointer) -> UnsafeRawPointer { userInfo - valueOffset }
#endif
