import Harness

typealias Word = UnsafeMutablePointer<UInt64>

/// A place of a peer in Swift: the `void *` of the harness. A registration is an object, or another value if the peer
/// overrides the three functions that have pointers.
class Place {
    func add(_ word: Word?) -> AnyObject { fatalError("abstract") }
    func observe(_ owned: Owned) -> AnyObject { fatalError("abstract") }
    func remove(_ registration: AnyObject) { fatalError("abstract") }
    func post(_ count: Int) { fatalError("abstract") }

    func adding(_ word: Word?) -> UnsafeMutableRawPointer { give(add(word)) }
    func observing(_ owned: Owned) -> UnsafeMutableRawPointer { give(observe(owned)) }
    func removing(_ registration: UnsafeMutableRawPointer) { remove(object(registration)!) }
}

/// A listener of the gate's, released with the last closure that captures it.
final class Owned: @unchecked Sendable {
    private let listener: listener

    init(_ listener: listener) { self.listener = listener }
    func call() { listener.call(listener.context) }
    deinit { listener.release?(listener.context) }
}

/// An empty object: the center of a peer that has none.
final class Nothing {}

/// If types are the names, there is one place for the type: that of the first name. Other names have places by name.
class TypedCenter {
    private var typed: String?

    func isOfType(_ name: UnsafePointer<CChar>?) -> Bool {
        guard let name = name.map({ String(cString: $0) }) else { return false }
        typed = typed ?? name
        return typed == name
    }
}

func give(_ object: AnyObject) -> UnsafeMutableRawPointer { Unmanaged.passRetained(object).toOpaque() }
func take(_ pointer: UnsafeMutableRawPointer?) { Unmanaged<AnyObject>.fromOpaque(pointer!).release() }
func object(_ pointer: UnsafeRawPointer?) -> AnyObject? {
    pointer.map { Unmanaged<AnyObject>.fromOpaque($0).takeUnretainedValue() }
}
func place(_ pointer: UnsafeMutableRawPointer?) -> Place {
    Unmanaged<Place>.fromOpaque(pointer!).takeUnretainedValue()
}

func text(_ text: StaticString) -> UnsafePointer<CChar> {
    UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self)
}

/// The part that all peers in Swift have in common. Each peer makes centers and places its own way.
func swiftPeer(
    _ name: StaticString, _ title: StaticString, threadSafe: Bool = true, objects: Bool = false, any: Bool = false
) -> peer {
    var it = peer()
    it.name = text(name)
    it.title = text(title)
    it.thread_safe = threadSafe
    it.objects = objects
    it.any = any
    it.owns = true
    it.make_center = { give(Nothing()) }
    it.end_center = take
    it.make_object = { give(Nothing()) }
    it.end_object = take
    it.end_place = take
    it.add = { place($0).adding($1) }
    it.observe = { place($0).observing(Owned($1!.pointee)) }
    it.remove = { place($0).removing($1!) }
    it.forget = take
    it.post = { place($0).post($1) }
    return it
}
