#if os(Linux)
import CHeraldRuntime
import Synchronization

extension HeraldCenter {
    /// Observes all messages whose types conform to a protocol, on the posting thread, while the token lives.
    ///
    /// ```swift
    /// protocol Audited: HeraldCenter.Message { var text: String { get } }
    ///
    /// let token = center.observe(conforming: (any Audited).self) { message in print(message.text) }
    /// ```
    ///
    /// The observer is registered for all posts of the center, because a protocol has no list of its types. So every
    /// post of the center calls it. Whether a struct or an enum conforms is looked up once, and a type that does not is
    /// remembered. A message that is heard costs a copy and a cast, and a class instance is cast in each post, because a
    /// subclass may conform. Posts of names and messages that cannot be copied are not heard. Of posts while the center
    /// is suspended, the observer counts as one of all names with ``SuspensionBehavior/deliverImmediately`` (R16).
    ///
    /// Observers are called in the order of registration (R2), before the post returns (R3). After the registration has
    /// ended, no new call of the body starts (R6).
    ///
    /// - Parameters:
    ///   - type: The protocol as a type: `(any Audited).self`.
    ///   - body: Called with a copy of the message. The body may post, observe and cancel (R7).
    ///   - file: The source file of this call. Inspection tools show `file` and `line`.
    ///   - line: The source line of this call.
    /// - Returns: The token that owns the registration.
    public func observe<Family>(
        conforming type: Family.Type, _ body: @escaping @Sendable (Family) -> Void,
        file: StaticString = #fileID, line: UInt = #line
    ) -> ObservationToken {
        let strangers = Strangers()
        return observe(
            HERALD_SWIFT_NOTICES, HERALD_SWIFT_PLAIN, nil, Filter(file, line),
            herald_swift_closure(notice: { notice in
                guard let name = notice.messageName, !strangers.contains(name), let message = notice.message else {
                    return
                }
                if let member: Family = cast(message) {
                    body(member)
                } else if !(Herald.type(named: name) is AnyClass) {
                    strangers.add(name)
                }
            }))
    }
}

extension HeraldCenter.Notice {
    /// The name of the message's type, if the post is a message.
    fileprivate var messageName: NativeName? { Tag.isMessage(tag) ? nativeName : nil }
}

/// Names of types that do not conform. A name has one place, and a newer name takes the place of an older one, which is
/// then looked up again. A name stands for its type as long as the process lives, so an entry stays true.
///
/// *Ordering.* Relaxed: an entry is one word and refers to no other memory. A thread that misses an entry looks the type
/// up once more.
private final class Strangers: @unchecked Sendable {
    private static let count = 64
    private let names = UnsafeMutablePointer<Atomic<UInt>>.allocate(capacity: count)

    init() { for place in 0..<Self.count { (names + place).initialize(to: Atomic(0)) } }

    deinit {
        names.deinitialize(count: Self.count)
        names.deallocate()
    }

    /// Metadata is aligned to 8 bytes at least, and most of it lies 16 bytes apart or more.
    @inline(__always)
    private func place(_ name: UInt) -> UnsafeMutablePointer<Atomic<UInt>> {
        names + Int(truncatingIfNeeded: (name >> 4 ^ name >> 10) & UInt(Self.count - 1))
    }

    @inline(__always)
    func contains(_ name: NativeName) -> Bool {
        let name = UInt(bitPattern: name)
        return place(name).pointee.load(ordering: .relaxed) == name
    }

    func add(_ name: NativeName) {
        let name = UInt(bitPattern: name)
        place(name).pointee.store(name, ordering: .relaxed)
    }
}
#endif
