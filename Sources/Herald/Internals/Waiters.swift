#if os(Linux)
/// The tasks that wait for an element: first come, first served. A task that is cancelled is found in constant time.
@usableFromInline struct Waiters<Element: Sendable>: Sendable {
    @usableFromInline typealias Continuation = UnsafeContinuation<Element?, Never>

    /// The numbers of the tasks, in the order in which the tasks began to wait. Numbers of tasks that were cancelled
    /// may still be among them.
    private var numbers = Queue<Int>()
    private var continuations: [Int: Continuation] = [:]
    private var lastNumber = 0

    @usableFromInline init() {}

    @usableFromInline var isEmpty: Bool { continuations.isEmpty }

    /// A number for a task that may have to wait.
    mutating func makeNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    mutating func append(_ number: Int, _ continuation: Continuation) {
        if numbers.count > 2 * continuations.count + 64 {  // most numbers are of cancelled tasks
            numbers = Queue()
            for number in continuations.keys.sorted() { numbers.append(number) }
        }
        numbers.append(number)
        continuations[number] = continuation
    }

    @usableFromInline mutating func popFirst() -> Continuation? {
        while let number = numbers.popFirst() {
            if let continuation = continuations.removeValue(forKey: number) { return continuation }
        }
        return nil
    }

    mutating func remove(_ number: Int) -> Continuation? { continuations.removeValue(forKey: number) }

    /// Removes and returns all waiting continuations, in no particular order.
    mutating func removeAll() -> [Continuation] {
        defer { self = Waiters(after: lastNumber) }
        return Array(continuations.values)
    }

    private init(after lastNumber: Int) { self.lastNumber = lastNumber }
}
#endif
