import CHeraldRuntime

/// Closures as C calls them (see `herald_runtime.h`).
///
/// A closure that is stored in a struct with the same type parameters has the form in which these types are unknown: it
/// takes a message by its address and an instance by its reference. The two words of the struct, and with them the
/// reference to what the closure has captured, move into the `herald_closure`.
extension herald_closure {
    init<M: ~Copyable>(message body: @escaping (borrowing M) -> Void) { self = Self.moved(OfMessage(body: body)) }

    init<O: AnyObject, M: ~Copyable>(owner _: O, message body: @escaping (O, borrowing M) -> Void) {
        self = Self.moved(OfOwnerAndMessage(body: body))
    }

    /// Right for main-actor messages: they can only be posted on the main actor.
    init<M>(mainActorMessage body: @escaping @MainActor (M) -> Void) {
        self = Self.moved(OfMainActorMessage(body: body))
    }

    init<O: AnyObject, M>(owner _: O, mainActorMessage body: @escaping @MainActor (O, M) -> Void) {
        self = Self.moved(OfOwnerAndMainActorMessage(body: body))
    }

    init(notice body: @escaping (HeraldCenter.Notice) -> Void) { self = Self.moved(OfNotice(body: body)) }

    init<O: AnyObject>(owner _: O, notice body: @escaping (O, HeraldCenter.Notice) -> Void) {
        self = Self.moved(OfOwnerAndNotice(body: body))
    }

    init(while body: @escaping Observation.Ongoing) { self = Self.moved(While(body: body)) }

    private static func moved<Words>(_ words: Words) -> herald_closure {
        var closure = herald_closure()
        withUnsafeMutableBytes(of: &closure) {
            _ = $0.baseAddress.unsafelyUnwrapped.initializeMemory(as: Words.self, to: words)
        }
        return closure
    }
}

private struct OfMessage<M: ~Copyable> { let body: (borrowing M) -> Void }
private struct OfOwnerAndMessage<O: AnyObject, M: ~Copyable> { let body: (O, borrowing M) -> Void }
private struct OfMainActorMessage<M> { let body: @MainActor (M) -> Void }
private struct OfOwnerAndMainActorMessage<O: AnyObject, M> { let body: @MainActor (O, M) -> Void }
private struct OfNotice { let body: (HeraldCenter.Notice) -> Void }
private struct OfOwnerAndNotice<O: AnyObject> { let body: (O, HeraldCenter.Notice) -> Void }
private struct While { let body: Observation.Ongoing }

/// Posts a call to the observers of a protocol. Swift passes a closure that does not escape as two words, without an
/// allocation: `herald_notify` in receive.c takes them.
@_silgen_name("herald_notify")
@usableFromInline
func postCall(_ center: OpaquePointer, _ name: NativeName, _ call: (UnsafeRawPointer) -> Void)

/// Ends the process if this toolchain lays out anything otherwise than C expects.
func checkLayouts() {
    typealias Notice = HeraldCenter.Notice
    let notice = [
        MemoryLayout<Notice>.offset(of: \.nativeName) == MemoryLayout<herald_notice>.offset(of: \.name),
        MemoryLayout<Notice>.offset(of: \.tag) == MemoryLayout<herald_notice>.offset(of: \.tag),
        MemoryLayout<Notice>.offset(of: \.object) == MemoryLayout<herald_notice>.offset(of: \.object),
        MemoryLayout<Notice>.offset(of: \.payload) == MemoryLayout<herald_notice>.offset(of: \.payload),
        MemoryLayout<Notice>.offset(of: \.call) == MemoryLayout<herald_notice>.offset(of: \.call),
        MemoryLayout<Notice>.offset(of: \.subject) == MemoryLayout<herald_notice>.offset(of: \.subject),
        MemoryLayout<Notice>.offset(of: \.userInfo) == MemoryLayout<herald_notice>.offset(of: \.userInfo),
        MemoryLayout<Notice>.size == MemoryLayout<herald_notice>.size,
    ]
    let closure = MemoryLayout<OfMessage<Int>>.size == MemoryLayout<herald_closure>.size
    let nothing: (any Sendable)? = nil
    let isNil = withUnsafeBytes(of: nothing) {
        $0.load(fromByteOffset: 3 * MemoryLayout<UInt>.size, as: UInt.self) == 0
    }
    precondition(
        closure && isNil && notice.allSatisfy { $0 },
        "Herald: this Swift toolchain lays out closures or existentials in a way that this version does not know")
}
