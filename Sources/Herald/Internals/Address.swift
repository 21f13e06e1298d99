import CHeraldRuntime

@usableFromInline typealias NativeName = OpaquePointer

/// The address of an instance. It retains nothing.
@inlinable @inline(__always)
func address<T: AnyObject>(of instance: T) -> UnsafeRawPointer {
    UnsafeRawPointer(Unmanaged.passUnretained(instance).toOpaque())
}

/// Retains the instance at an address; C then owns the reference. Nil for an instance that is being deinitialized,
/// which can no longer be retained.
func retained(_ address: UnsafeRawPointer?) -> UnsafeRawPointer? {
    guard let address, !herald_swift_is_dying(address) else { return nil }
    return UnsafeRawPointer(Unmanaged<AnyObject>.fromOpaque(address).retain().toOpaque())
}

/// The instance at an address. Nil for one that is being deinitialized.
func instance(at address: UnsafeRawPointer?) -> AnyObject? {
    retained(address).map { Unmanaged<AnyObject>.fromOpaque($0).takeRetainedValue() }
}

/// Releases a reference that C owned.
func release(_ address: UnsafeRawPointer?) {
    Unmanaged<AnyObject>.fromOpaque(address.unsafelyUnwrapped).release()
}

/// Calls `body` with the address of a value. A value of size 0 has no address of its own, so some other address is
/// passed, which is not NULL.
@inlinable @inline(__always)
func withAddress<T: ~Copyable>(of value: borrowing T, _ body: (UnsafeRawPointer) -> Void) {
    withUnsafePointer(to: value) { body(MemoryLayout<T>.size == 0 ? Tag.message : UnsafeRawPointer($0)) }
}

/// The name that stands for a type: the address of its metadata with the low bit set. HeraldNameForAddress makes the
/// same name; here it is a constant of the call site.
@inlinable @inline(__always)
func name<T: ~Copyable>(of type: T.Type) -> NativeName {
    let metadata = unsafeBitCast(type, to: UInt.self)
    return NativeName(bitPattern: metadata | 1).unsafelyUnwrapped
}

/// The type that a name stands for.
func type(named name: NativeName) -> Any.Type {
    unsafeBitCast(UInt(bitPattern: name) & ~1, to: Any.Type.self)
}

/// Calls `body` with the instance at an address, without retaining it. The caller keeps the instance alive during the
/// call.
@inline(__always)
func withInstance<T: AnyObject, Result>(of _: T.Type, at address: UnsafeRawPointer, _ body: (T) -> Result) -> Result {
    Unmanaged<T>.fromOpaque(address)._withUnsafeGuaranteedRef(body)
}

/// A cast that the compiler would otherwise reject as impossible, for example with types that cannot be copied.
func cast<From, To>(_ value: From) -> To? { value as? To }
