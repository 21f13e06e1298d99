#if os(Linux) && Instrumentation
/// The newest values, by key. When there is no room, the oldest value is forgotten. So memory is bounded even if
/// values are never removed.
struct Recent<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private var values: [Key: (value: Value, at: Int)] = [:]
    /// A ring of the keys in the order in which they were inserted. Values of some of them may have been removed.
    private var keys: [Key] = []
    private var next = 0
    private let limit: Int

    init(_ limit: Int) { self.limit = limit }

    var isEmpty: Bool { values.isEmpty }

    subscript(key: Key) -> Value? { values[key]?.value }

    /// Inserts a value. Returns the values that it replaced: an older one with this key, and the oldest of all if
    /// there was no room.
    mutating func insert(_ key: Key, _ value: Value) -> [Value] {
        var forgotten: [Value] = []
        if let old = values.updateValue((value, next), forKey: key) { forgotten.append(old.value) }
        if keys.count < limit {
            keys.append(key)
        } else {
            let old = keys[next]
            if values[old]?.at == next, old != key, let oldest = values.removeValue(forKey: old) {
                forgotten.append(oldest.value)
            }
            keys[next] = key
        }
        next = (next + 1) % limit
        return forgotten
    }

    mutating func remove(_ key: Key) -> Value? { values.removeValue(forKey: key)?.value }

    mutating func removeAll(where isOver: (Value) -> Bool) -> [Value] {
        let over = values.filter { isOver($0.value.value) }
        for key in over.keys { values[key] = nil }
        return over.values.map(\.value)
    }
}
#endif
