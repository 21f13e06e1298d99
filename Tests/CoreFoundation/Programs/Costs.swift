import CoreFoundation
import Foundation

/// A post of CoreFoundation's local center beside one of Foundation's, in turns, the best of each.
func costs() {
    let center = CFNotificationCenterGetLocalCenter()
    let name: CFNotificationName = string("com.acme.document-saved")
    nonisolated(unsafe) var count = 0
    withUnsafeMutablePointer(to: &count) { word in
        CFNotificationCenterAddObserver(
            center, word, { _, observer, _, _, _ in observer!.assumingMemoryBound(to: Int.self).pointee += 1 }, name,
            nil,
            .deliverImmediately)
        let foundation = NotificationCenter.default
        let foundationName = Notification.Name("com.acme.document-saved")
        nonisolated(unsafe) let counter = word
        let token = foundation.addObserver(forName: foundationName, object: nil, queue: nil) { _ in counter.pointee += 1
        }
        var best = (cf: Double.infinity, foundation: Double.infinity)
        for _ in 0..<15 {
            best.cf = min(
                best.cf, time(100_000) { CFNotificationCenterPostNotification(center, name, nil, nil, true) })
            best.foundation = min(best.foundation, time(20_000) { foundation.post(name: foundationName, object: nil) })
        }
        foundation.removeObserver(token)
        print(
            """
            {"row":"post on CF's local center, beside Foundation's post","floor":\(best.foundation),"value":\(best.cf),\
            "ratio":\(best.cf / best.foundation),"unit":"ns","budget":"ratio <= 1/5","met":\(best.cf * 5 <= best.foundation)}
            """)
    }
}

private func time(_ count: Int, _ work: () -> Void) -> Double {
    let begin = DispatchTime.now().uptimeNanoseconds
    for _ in 0..<count { work() }
    return Double(DispatchTime.now().uptimeNanoseconds - begin) / Double(count)
}
