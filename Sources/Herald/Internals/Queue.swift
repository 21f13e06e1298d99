#if os(Linux)
/// A queue: first in, first out.
@usableFromInline struct Queue<Element> {
    @usableFromInline var elements: [Element?] = []
    @usableFromInline var head = 0

    @usableFromInline init() {}

    @inlinable var count: Int { elements.count - head }

    var first: Element? { head < elements.count ? elements[head] : nil }

    @inlinable mutating func append(_ element: Element) { elements.append(element) }

    /// Changes the last element. The queue must not be empty.
    @inlinable mutating func replaceLast(_ change: (Element) -> Element) {
        let last = elements.count - 1
        elements[last] = change(elements[last].unsafelyUnwrapped)
    }

    @inlinable mutating func popFirst() -> Element? {
        guard head < elements.count else { return nil }
        let first = elements[head].take()
        head += 1
        if head == elements.count {
            elements.removeAll(keepingCapacity: head <= 1024)
            head = 0
        } else if head >= 64, head * 2 >= elements.count {  // moves at most one element for each popped one
            elements.removeFirst(head)
            head = 0
        }
        return first
    }
}

extension Queue: Sendable where Element: Sendable {}
#endif
