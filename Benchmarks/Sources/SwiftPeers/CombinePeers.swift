import Harness

// OpenCombine takes longer to build than all other peers together. `make bench-check`, which does not count it, leaves it
// out: see Package.swift.
#if OPENCOMBINE
import OpenCombine

/// OpenCombine: a subject for each name and object.
private final class CombinePlace: Place {
    private let subject = PassthroughSubject<Int, Never>()

    override func add(_ word: Word?) -> AnyObject {
        guard let word else { return subject.sink { _ in count_here() } }
        return subject.sink { value in word.pointee &+= UInt64(value) }
    }

    override func observe(_ owned: Owned) -> AnyObject { subject.sink { _ in owned.call() } }
    override func remove(_ registration: AnyObject) { (registration as! AnyCancellable).cancel() }

    override func post(_ count: Int) {
        let subject = subject
        for _ in 0..<count { subject.send(1) }
    }
}

func combinePeers() -> [peer] {
    var combine = swiftPeer("opencombine", "OpenCombine 0.14")
    combine.rival = text("swift-topic")
    combine.ahead = text("adjacent locking at-once")
    combine.rank = 210
    combine.label = text("OpenCombine")
    combine.make_place = { _, _, _ in give(CombinePlace()) }
    return [combine]
}

/// The last value for observers that come late, as in Latecomers.swift.
func combineLatecomers() -> [task] {
    [
        swiftTask("kept-post-combine") {
            let subject = CurrentValueSubject<Int, Never>(0), sum = newWord()
            let observation = subject.sink { sum.pointee &+= UInt64($0) }
            return { count in
                for _ in 0..<count { subject.send(1) }
                withExtendedLifetime(observation) {}
            }
        },
        swiftTask("kept-read-combine") {
            let subject = CurrentValueSubject<Int, Never>(1), sum = newWord()
            return { count in for _ in 0..<count { sum.pointee &+= UInt64(subject.value) } }
        },
        swiftTask("kept-begin-combine") {
            let subject = CurrentValueSubject<Int, Never>(1), sum = newWord()
            return { count in for _ in 0..<count { subject.sink { sum.pointee &+= UInt64($0) }.cancel() } }
        },
    ]
}
#else
func combinePeers() -> [peer] { [] }
func combineLatecomers() -> [task] { [] }
#endif
