#if os(Linux)
import CHeraldRuntime

@usableFromInline package typealias NativeName = OpaquePointer

/// The address of an instance, which is not retained.
@inlinable @inline(__always)
package func address<T: AnyObject>(of instance: T) -> UnsafeRawPointer {
    UnsafeRawPointer(Unmanaged.passUnretained(instance).toOpaque())
}

/// Retains an instance, and returns its address. C then owns the reference.
package func owned(_ instance: AnyObject) -> UnsafeMutableRawPointer { Unmanaged.passRetained(instance).toOpaque() }

/// Retains the instance at an address, and returns the address. C then owns the reference. Returns nil for a nil
/// address, and for an instance that is being deinitialized, because such an instance can no longer be retained.
package func retained(_ address: UnsafeRawPointer?) -> UnsafeRawPointer? {
    guard let address, !herald_swift_is_dying(address) else { return nil }
    return UnsafeRawPointer(Unmanaged<AnyObject>.fromOpaque(address).retain().toOpaque())
}

/// Takes over a reference that `owned` or `retained` has made, and returns the instance.
@inline(__always)
func taken<T: AnyObject>(_: T.Type, at address: UnsafeRawPointer) -> T {
    Unmanaged<T>.fromOpaque(address).takeRetainedValue()
}

/// Returns the instance at an address, or nil if the address is nil or the instance is being deinitialized.
package func instance(at address: UnsafeRawPointer?) -> AnyObject? {
    retained(address).map { taken(AnyObject.self, at: $0) }
}

/// Releases a reference that C owned.
package func release(_ address: UnsafeRawPointer?) {
    Unmanaged<AnyObject>.fromOpaque(address.unsafelyUnwrapped).release()
}

/// Calls `body` with the address of a value. A value of size 0 has no address of its own: then `body` gets another
/// address, which is not NULL.
@inlinable @inline(__always)
package func withAddress<T: ~Copyable>(of value: borrowing T, _ body: (UnsafeRawPointer) -> Void) {
    withUnsafePointer(to: value) { body(MemoryLayout<T>.size == 0 ? Tag.message : UnsafeRawPointer($0)) }
}

/// Calls `body` with the value at an address. The value is not copied: this function is not specialized, and lends any
/// value by its address.
package func lend<T: ~Copyable>(_ value: UnsafePointer<T>, to body: (borrowing T) -> Void) { body(value.pointee) }

/// The name that stands for a type: the address of the type's metadata, with the low bit set. HeraldNameForAddress
/// makes the same name. Here the name is a constant at the call site.
@inlinable @inline(__always)
func name<T: ~Copyable>(of type: T.Type) -> NativeName {
    let metadata = unsafeBitCast(type, to: UInt.self)
    return NativeName(bitPattern: metadata | 1).unsafelyUnwrapped
}

/// The type that a name stands for.
func type(named name: NativeName) -> Any.Type {
    unsafeBitCast(UInt(bitPattern: name) & ~1, to: Any.Type.self)
}

/// Calls `body` with the instance at an address, without retaining the instance. The caller must keep the instance
/// alive during the call.
@inline(__always)
package func withInstance<T: AnyObject, Result>(
    of _: T.Type, at address: UnsafeRawPointer, _ body: (T) -> Result
) -> Result {
    Unmanaged<T>.fromOpaque(address)._withUnsafeGuaranteedRef(body)
}

/// Casts a value. Where the compiler knows both types, it rejects some casts as impossible, for example a cast to a
/// metatype of types that cannot be copied (`Notice.message`). Here the types are generic, so the compiler accepts the
/// cast.
func cast<From, To>(_ value: From) -> To? { value as? To }
#endif
