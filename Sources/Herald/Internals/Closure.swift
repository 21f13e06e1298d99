#if os(Linux)
import CHerald
import CHeraldRuntime

// Makes closures that C can call (see `herald_runtime.h`). The functions below are generic over the types in a
// closure's signature. So Swift passes them the closure in a form that does not depend on these types: the closure gets
// a message by its address, and an instance by its reference. Swift passes a closure as two words. The functions are
// written in C (closure.c): they take the two words, and retain what the closure has captured. They are inlined where the
// closure comes from: a call in between would retain and release what it has captured once more.
extension herald_swift_closure {
    @inline(__always) init<M: ~Copyable>(message body: @escaping (borrowing M) -> Void) { self = close(message: body) }

    @inline(__always) init<O: AnyObject, M: ~Copyable>(owner _: O, message body: @escaping (O, borrowing M) -> Void) {
        self = close(ownerAndMessage: body)
    }

    /// C does not check that it calls the body on the main actor: only the main actor can post main-actor messages.
    @inline(__always) init<M>(mainActorMessage body: @escaping @MainActor (M) -> Void) {
        self = close(mainActorMessage: body)
    }

    @inline(__always) init<O: AnyObject, M>(owner _: O, mainActorMessage body: @escaping @MainActor (O, M) -> Void) {
        self = close(ownerAndMainActorMessage: body)
    }

    @inline(__always) init(notice body: @escaping (HeraldCenter.Notice) -> Void) { self = close(notice: body) }

    @inline(__always) init<O: AnyObject>(owner _: O, notice body: @escaping (O, HeraldCenter.Notice) -> Void) {
        self = close(ownerAndNotice: body)
    }

    @inline(__always) init(while body: @escaping Observation.Ongoing) { self = close(while: body) }
}

@_silgen_name("herald_swift_close_message")
private func close<M: ~Copyable>(message: @escaping (borrowing M) -> Void) -> herald_swift_closure
@_silgen_name("herald_swift_close_owner_and_message")
private func close<O: AnyObject, M: ~Copyable>(
    ownerAndMessage: @escaping (O, borrowing M) -> Void
) -> herald_swift_closure
@_silgen_name("herald_swift_close_main_actor_message")
private func close<M>(mainActorMessage: @escaping @MainActor (M) -> Void) -> herald_swift_closure
@_silgen_name("herald_swift_close_owner_and_main_actor_message")
private func close<O: AnyObject, M>(
    ownerAndMainActorMessage: @escaping @MainActor (O, M) -> Void
) -> herald_swift_closure
@_silgen_name("herald_swift_close_notice")
private func close(notice: @escaping (HeraldCenter.Notice) -> Void) -> herald_swift_closure
@_silgen_name("herald_swift_close_owner_and_notice")
private func close<O: AnyObject>(ownerAndNotice: @escaping (O, HeraldCenter.Notice) -> Void) -> herald_swift_closure
@_silgen_name("herald_swift_close_while")
private func close(while: @escaping Observation.Ongoing) -> herald_swift_closure

/// Posts a call to the observers of a protocol. `call` is a non-escaping closure: Swift passes it as two words, without
/// an allocation. `herald_swift_notify` in receive.c takes the two words.
@_silgen_name("herald_swift_notify")
@usableFromInline
func postCall(_ center: OpaquePointer, _ name: NativeName, _ call: (UnsafeRawPointer) -> Void)

/// Registers an observer that hears first what is kept. `began` is a non-escaping closure: see `postCall`.
@_silgen_name("herald_swift_observe_from_kept")
func observeFromKept(
    _ wish: UnsafeMutablePointer<herald_swift_wish>, _ token: UnsafeMutablePointer<HeraldToken>, began: (Int) -> Void
) -> HeraldStatus
@_silgen_name("herald_swift_observe_by_from_kept")
func observeFromKept(
    _ wish: UnsafeMutablePointer<herald_swift_wish>, _ owners: OpaquePointer, by owner: UnsafeRawPointer,
    began: (Int) -> Void
) -> HeraldStatus

/// Ends the process if this toolchain lays out a notice, a closure, an existential, an instance or a mutex differently
/// from what Herald expects.
func checkLayouts() {
    typealias Notice = HeraldCenter.Notice
    let notice = [
        MemoryLayout<Notice>.offset(of: \.nativeName) == MemoryLayout<herald_swift_notice>.offset(of: \.name),
        MemoryLayout<Notice>.offset(of: \.tag) == MemoryLayout<herald_swift_notice>.offset(of: \.tag),
        MemoryLayout<Notice>.offset(of: \.object) == MemoryLayout<herald_swift_notice>.offset(of: \.object),
        MemoryLayout<Notice>.offset(of: \.payload) == MemoryLayout<herald_swift_notice>.offset(of: \.payload),
        MemoryLayout<Notice>.offset(of: \.call) == MemoryLayout<herald_swift_notice>.offset(of: \.call),
        MemoryLayout<Notice>.offset(of: \.subject) == MemoryLayout<herald_swift_notice>.offset(of: \.subject),
        MemoryLayout<Notice>.offset(of: \.userInfo) == MemoryLayout<herald_swift_notice>.offset(of: \.userInfo),
        MemoryLayout<Notice>.size == MemoryLayout<herald_swift_notice>.size,
    ]
    let closure = MemoryLayout<() -> Void>.size == MemoryLayout<herald_swift_closure>.size
    let nothing: (any Sendable)? = nil
    let isNil = withUnsafeBytes(of: nothing) {
        $0.load(fromByteOffset: 3 * MemoryLayout<UInt>.size, as: UInt.self) == 0
    }
    let box =
        KeptBox<UInt8>.stands(0xA5) && KeptBox<String>.stands("kept")
        && KeptBox<SIMD16<Float>>.stands(.init(repeating: 1))
    let mutex = Guarded<UInt8>.stands(0xA5) && Guarded<String>.stands("kept")
    precondition(
        closure && isNil && box && mutex && notice.allSatisfy { $0 },
        "Herald: this Swift toolchain lays out closures, existentials, instances or mutexes in a way that this version does not know"
    )
}

/// The class of the instance with which C looks how the runtime counts references (`strong.h`).
final class CountsSample {
    static func describe() { herald_swift_look_at_counts(unsafeBitCast(CountsSample.self, to: UnsafeRawPointer.self)) }

    deinit { herald_swift_counted_is_dying(address(of: self)) }
}
#endif
