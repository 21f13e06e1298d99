#if os(Linux)
import Dispatch
import Foundation

/// Whether this is the main actor's place: the main thread, or, in a program that waits in `async` code on Linux, the
/// thread that works for the main queue.
var isOnMain: Bool { Thread.isMainThread || DispatchQueue.getSpecific(key: mainQueue) != nil }

private let mainQueue: DispatchSpecificKey<Void> = {
    let key = DispatchSpecificKey<Void>()
    DispatchQueue.main.setSpecific(key: key, value: ())
    return key
}()
#endif
