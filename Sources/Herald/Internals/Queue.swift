/// First in, first out.
@usableFromInline struct Queue<Element> {
    private var elements: [Element?] = []
    private var head = 0

    @usableFromInline init() {}

    @usableFromInline var count: Int { elements.count - head }

    @usableFromInline mutating func append(_ element: Element) { elements.append(element) }

    @usableFromInline mutating func popFirst() -> Element? {
        guard head < elements.count else { return nil }
        let first = elements[head].take()
        head += 1
        if head == elements.count {
            elements.removeAll(keepingCapacity: head <= 1024)
            head = 0
        } else if head >= 64, head * 2 >= elements.count {  // moved once for each that was popped
            elements.removeFirst(head)
            head = 0
        }
        return first
    }
}
