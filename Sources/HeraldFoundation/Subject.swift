#if os(Linux)
import Herald

/// What a post is about, as the core compares it: by an address.
enum Subject {
    case none
    /// The address of an instance that the poster keeps.
    case instance(UnsafeRawPointer)
    /// An instance that is observed. Its memory is kept, so no other instance gets its address.
    case pinned(Pin)
    case value(ValueBox)

    var address: UnsafeRawPointer? {
        switch self {
        case .none: nil
        case .instance(let address): address
        case .pinned(let pin): pin.address
        case .value(let box): Herald.address(of: box)
        }
    }

    /// What is posted with this object. A value that nobody observes is no subject.
    static func posted(_ object: Any) -> Subject {
        if let instance = instance(object) { return .instance(Herald.address(of: instance)) }
        return flat(object) { posted($0) } ?? ValueBox.find(object).map { .value($0) } ?? .none
    }

    static func observed(_ object: Any) -> Subject {
        if let instance = instance(object) { return .pinned(Pin(instance)) }
        return flat(object) { observed($0) } ?? .value(ValueBox.make(object))
    }

    /// The value as an instance, if it is one. (`as AnyObject` puts other values into boxes, and takes hundreds of
    /// nanoseconds on Linux to look for bridges.)
    @inline(__always)
    static func instance(_ value: Any) -> AnyObject? {
        func open<Value>(_ value: Value) -> AnyObject? {
            Value.self is AnyClass ? unsafeBitCast(value, to: AnyObject.self) : nil
        }
        return _openExistential(value, do: open)
    }

    /// The value inside of an optional.
    private static func flat(_ object: Any, _ then: (Any) -> Subject) -> Subject? {
        guard let optional = object as? any Flat else { return nil }
        return optional.content.map(then) ?? Subject.none
    }
}

private protocol Flat { var content: Any? { get } }
extension Optional: Flat { fileprivate var content: Any? { self } }

/// A value that is observed as an object. Equal values have one box, as long as one of them is observed. Values are
/// compared as `AnyHashable` does.
final class ValueBox: @unchecked Sendable {
    private final class Entry: @unchecked Sendable {
        let value: AnyHashable
        weak var box: ValueBox?
        init(_ value: AnyHashable) { self.value = value }
    }

    /// Nil for a value that equals nothing, not even itself: no post finds its box.
    private let entry: Entry?

    private init(_ entry: Entry?) { self.entry = entry }

    /// By their hashes. Under the lock no value is hashed, compared or released, because that may run code of the
    /// user's.
    private struct Table: Sendable { var entries: [Int: [Entry]] = [:] }
    private static let table = Guarded(Table())

    static func find(_ value: Any) -> ValueBox? { key(value).flatMap { find($0, among: entries(of: $0.hashValue)) } }

    static func make(_ value: Any) -> ValueBox {
        guard let value = key(value) else { return ValueBox(nil) }
        let entry = Entry(value), box = ValueBox(entry), hash = value.hashValue
        entry.box = box
        while true {
            let known = entries(of: hash)
            if let box = find(value, among: known) { return box }
            let isAdded = table.withLock { table in  // unless another thread has added one
                let others = table.entries[hash] ?? []
                guard others.elementsEqual(known, by: ===) else { return false }
                table.entries[hash] = others + [entry]
                return true
            }
            if isAdded { return box }
        }
    }

    private static func entries(of hash: Int) -> [Entry] { table.withLock { $0.entries[hash] } ?? [] }

    private static func find(_ value: AnyHashable, among entries: [Entry]) -> ValueBox? {
        for entry in entries where entry.value == value {
            if let box = entry.box { return box }
        }
        return nil
    }

    private static func key(_ value: Any) -> AnyHashable? {
        guard let value = value as? any Hashable, isItself(value) else { return nil }
        return AnyHashable(value)
    }
    private static func isItself<Value: Equatable>(_ value: Value) -> Bool { value == value }

    deinit {
        guard let entry else { return }
        let hash = entry.value.hashValue
        let left: [Entry] = ValueBox.table.withLock { table in
            let all = table.entries[hash] ?? []
            let rest = all.filter { $0 !== entry }
            table.entries[hash] = rest.isEmpty ? nil : rest
            return all
        }
        withExtendedLifetime(left) {}
    }
}
#endif
