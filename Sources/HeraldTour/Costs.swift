import CHerald
import Foundation

/// A word that a handler adds to.
private typealias Word = UnsafeMutablePointer<Int>

private let handler: HeraldCallback = { _, observer, _, _, _ in
    observer.unsafelyUnwrapped.assumingMemoryBound(to: Int.self).pointee &+= 1
}

private struct Packed {
    var callback: HeraldCallback
    var context: UnsafeMutableRawPointer
}

/// What a post costs beside a bare loop of indirect calls and beside Foundation's post, in one run.
struct Costs {
    struct Row {
        let observers: Int
        let loop, topic, name, foundation: Double
    }

    static func measure(observers: [Int] = [1, 10, 100]) -> [Row] { observers.map(measure) }

    private static func measure(observers count: Int) -> Row {
        let center = HeraldCenterCreate(nil)!
        defer { HeraldCenterRelease(center) }
        let name = HeraldNameCreate("tour.cost")!
        let words = Word.allocate(capacity: count)
        words.initialize(repeating: 0, count: count)
        defer { words.deallocate() }

        let packed = (0..<count).map { Packed(callback: handler, context: UnsafeMutableRawPointer(words + $0)) }
        for entry in packed {
            HeraldCenterAddObserver(center, entry.context, handler, name, nil, HeraldSuspensionDrop)
        }
        let topic = HeraldTopicCreate(center, name, nil)!
        defer { HeraldTopicRelease(topic) }

        let foundation = NotificationCenter()
        let foundationName = Notification.Name("tour.cost")
        nonisolated(unsafe) let shared = words
        let tokens = (0..<count).map { index in
            foundation.addObserver(forName: foundationName, object: nil, queue: nil) { _ in shared[index] &+= 1 }
        }
        defer { tokens.forEach(foundation.removeObserver) }

        let turns = max(200, 100_000 / count)
        var best = [Double](repeating: .infinity, count: 4)
        for _ in 0..<9 {  // interleaved, so that all four meet the same machine
            packed.withUnsafeBufferPointer { packed in
                best[0] = min(
                    best[0],
                    time(turns) { for entry in packed { entry.callback(center, entry.context, name, nil, nil) } })
            }
            best[1] = min(best[1], time(turns) { _ = HeraldTopicPost(topic, nil) })
            best[2] = min(best[2], time(turns) { _ = HeraldCenterPostNotification(center, name, nil, nil, false) })
            best[3] = min(best[3], time(max(20, turns / 50)) { foundation.post(name: foundationName, object: nil) })
        }
        precondition(words[0] > 0)
        return Row(observers: count, loop: best[0], topic: best[1], name: best[2], foundation: best[3])
    }

    @inline(__always)
    private static func time(_ turns: Int, _ body: () -> Void) -> Double {
        let start = DispatchTime.now().uptimeNanoseconds
        for _ in 0..<turns { body() }
        return Double(DispatchTime.now().uptimeNanoseconds - start) / Double(turns)
    }
}
