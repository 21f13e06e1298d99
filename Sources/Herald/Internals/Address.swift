import CHeraldRuntime

@usableFromInline typealias NativeName = OpaquePointer

/// The address that stands for an instance. It keeps nothing alive.
@inlinable @inline(__always)
func address<T: AnyObject>(of instance: T) -> UnsafeRawPointer {
    UnsafeRawPointer(Unmanaged.passUnretained(instance).toOpaque())
}

/// The instance at an address that is known to be one that lives.
func instance(at address: UnsafeRawPointer) -> AnyObject {
    Unmanaged<AnyObject>.fromOpaque(address).takeUnretainedValue()
}

/// Adds a reference to the instance at an address, for C to keep; NULL for one that is being deinitialised, for then it
/// is too late.
func retained(_ address: UnsafeRawPointer?) -> UnsafeRawPointer? {
    guard let address, !herald_is_dying(address) else { return nil }
    return UnsafeRawPointer(Unmanaged<AnyObject>.fromOpaque(address).retain().toOpaque())
}

/// Gives back a reference that C kept.
func release(_ address: UnsafeRawPointer?) {
    Unmanaged<AnyObject>.fromOpaque(address.unsafelyUnwrapped).release()
}

/// Where a value is during a call. A value without a size has no place of its own: any address but NULL will do.
@inlinable @inline(__always)
func withAddress<T: ~Copyable>(of value: borrowing T, _ body: (UnsafeRawPointer) -> Void) {
    withUnsafePointer(to: value) { body(MemoryLayout<T>.size == 0 ? Tag.message : UnsafeRawPointer($0)) }
}

/// The name that a type is: the address of its metadata with the low bit set, as HeraldNameForAddress makes it, but a
/// constant of the call site.
@inlinable @inline(__always)
func name<T: ~Copyable>(of type: T.Type) -> NativeName {
    let metadata = unsafeBitCast(type, to: UInt.self)
    return NativeName(bitPattern: metadata | 1).unsafelyUnwrapped
}

/// The type that a name is.
func type(named name: NativeName) -> Any.Type {
    unsafeBitCast(UInt(bitPattern: name) & ~1, to: Any.Type.self)
}

/// Calls with the instance at an address that somebody else keeps alive meanwhile; counts no reference.
@inline(__always)
func withInstance<T: AnyObject>(of _: T.Type, at address: UnsafeMutableRawPointer, _ body: (T) -> Void) {
    Unmanaged<T>.fromOpaque(address)._withUnsafeGuaranteedRef(body)
}

/// A cast that the compiler takes for impossible, as it does with types that cannot be copied.
func cast<From, To>(_ value: From) -> To? { value as? To }
