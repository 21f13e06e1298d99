import Herald
import Synchronization

/// What an observer counts. Observers may be called on any thread, so it has a lock.
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

/// Shows the files of a folder as long as somebody holds the view. It says nothing when it goes.
final class FolderView: Sendable {
    let shown = Tally()

    init(of folder: Folder, on center: HeraldCenter) {
        let shown = shown  // outlives the view: what is heard after it has gone would show
        center.observe(FileScanned.self, subject: folder, by: self) { _, file in shown.add(file) }
    }
}

/// Hears of every file on its own actor, in the order of the posts, while the scan goes on.
actor LineCounter {
    private(set) var count = Tally.Count()
    var files: Int { count.files }

    func observe(_ center: HeraldCenter) {
        center.observe(FileScanned.self, on: self) { counter, file in counter.count.add(file) }
    }
}

/// Keeps what the protocol tells.
final class ScanLog: ScanObserver {
    private let told = Mutex((unreadable: [String](), files: 0))

    func scanCouldNotRead(_ path: String) { told.withLock { $0.unreadable.append(path) } }
    func scanEnds(after files: Int) { told.withLock { $0.files = files } }

    var sentence: String {
        let told = told.withLock { $0 }
        let unreadable = told.unreadable.isEmpty ? "" : ", but not \(told.unreadable.joined(separator: ", "))"
        return "\(told.files) files were read\(unreadable)"
    }
}
