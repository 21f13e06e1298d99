import Herald
import Synchronization

/// Counts files, lines and bytes. Observers may be called on any thread, so the count has a lock.
final class Tally: Sendable {
    struct Count: Sendable {
        var files = 0, lines = 0, bytes = 0

        mutating func add(_ file: FileScanned) {
            files += 1
            lines += file.lines
            bytes += file.bytes
        }
    }
    private let count = Mutex(Count())

    var value: Count { count.withLock { $0 } }

    func add(_ file: FileScanned) { count.withLock { $0.add(file) } }
}

/// Shows the files of a folder while the view lives. The view's `deinit` need not remove the observer.
final class FolderView: Sendable {
    let shown = Tally()

    init(of folder: Folder, on center: HeraldCenter) {
        // The closure keeps the tally, which thus outlives the view. No call may come after the view's end. If one did
        // come, the tally would count it.
        let shown = shown
        center.observe(FileScanned.self, subject: folder, by: self) { _, file in shown.add(file) }
    }
}

/// Counts every file on this actor, in posting order, while the scan goes on.
actor LineCounter {
    private(set) var count = Tally.Count()
    var files: Int { count.files }

    func observe(_ center: HeraldCenter) {
        center.observe(FileScanned.self, on: self) { counter, file in counter.count.add(file) }
    }
}

/// Records the calls of the methods of `ScanObserver`.
final class ScanLog: ScanObserver {
    private let record = Mutex((unreadable: [String](), files: 0))

    func scanCouldNotRead(_ path: String) { record.withLock { $0.unreadable.append(path) } }
    func scanEnds(after files: Int) { record.withLock { $0.files = files } }

    var sentence: String {
        let record = record.withLock { $0 }
        let unreadable = record.unreadable.isEmpty ? "" : ", but not \(record.unreadable.joined(separator: ", "))"
        return "\(record.files) files were read\(unreadable)"
    }
}
