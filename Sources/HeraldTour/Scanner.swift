import Foundation
import Herald

enum ScanError: Error, CustomStringConvertible {
    case notAFolder(String)

    var description: String {
        switch self {
        case .notAFolder(let path): "\(path) is not a folder that can be read"
        }
    }
}

/// Walks a tree and posts a message about each regular file. It skips files and folders whose names begin with a dot,
/// and does not follow links.
final class Scanner {
    private let root: String
    private let center: HeraldCenter
    private(set) var folders: [String: Folder] = [:]
    private(set) var posts = 0
    /// Observers are called after each change, with the old value and the new.
    @Watched private(set) var largest: FileScanned?

    init(root: String, center: HeraldCenter) throws(ScanError) {
        self.root = root
        self.center = center
        guard let entries = try? FileManager.default.contentsOfDirectory(atPath: root) else {
            throw .notAFolder(root)
        }
        folders["."] = Folder(name: ".")
        for entry in entries where !entry.hasPrefix(".") && kind(of: "\(root)/\(entry)") == .typeDirectory {
            folders[entry] = Folder(name: entry)
        }
    }

    /// Scans the files of the root first, then one folder after the other.
    func run() {
        center.notify(ScanObserver.self) { $0.scanBegins(of: root) }
        let top = list(root)
        for entry in top where folders[entry] == nil { visit(entry, folder: folders["."]!) }
        center.post(ScanStep.folder("."))
        for entry in top {
            guard let folder = folders[entry] else { continue }
            visit(entry, folder: folder)
            center.post(ScanStep.folder(entry))
        }
        center.post(ScanStep.end)
        center.notify(ScanObserver.self) { $0.scanEnds(after: posts) }
    }

    private func visit(_ path: String, folder: Folder) {
        let full = "\(root)/\(path)"
        switch kind(of: full) {
        case .typeDirectory:
            for entry in list(full) { visit("\(path)/\(entry)", folder: folder) }
        case .typeRegular:
            guard let contents = FileManager.default.contents(atPath: full) else {
                center.notify(ScanObserver.self) { $0.scanCouldNotRead(path) }
                return
            }
            let lines = contents.reduce(0) { $1 == UInt8(ascii: "\n") ? $0 + 1 : $0 }
            let file = FileScanned(path: path, bytes: contents.count, lines: lines)
            posts += 1
            center.post(file, subject: folder)
            if file.bytes > largest?.bytes ?? -1 { largest = file }
            center.post("scan.progress", userInfo: path)  // a name, for observers that do not know the types
        default: break
        }
    }

    private func list(_ path: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).filter { !$0.hasPrefix(".") }.sorted()
    }

    private func kind(of path: String) -> FileAttributeType? {
        (try? FileManager.default.attributesOfItem(atPath: path))?[.type] as? FileAttributeType
    }
}
