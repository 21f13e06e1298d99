#if Instrumentation
    /// The newest values, by key. When there is no room, the oldest is forgotten, so that values that are never removed
    /// take bounded memory.
    struct Recent<Key: Hashable & Sendable, Value: Sendable>: Sendable {
        private var values: [Key: (value: Value, at: Int)] = [:]
        /// The keys in a ring; some may have been removed.
        private var keys: [Key] = []
        private var next = 0
        private let limit: Int

        init(_ limit: Int) { self.limit = limit }

        var isEmpty: Bool { values.isEmpty }

        subscript(key: Key) -> Value? { values[key]?.value }

        /// Returns the value that had to be forgotten.
        mutating func insert(_ key: Key, _ value: Value) -> Value? {
            var forgotten = values.updateValue((value, next), forKey: key)?.value
            if keys.count < limit {
                keys.append(key)
            } else {
                let old = keys[next]
                if values[old]?.at == next, old != key { forgotten = values.removeValue(forKey: old)?.value }
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
