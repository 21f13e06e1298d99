import CHerald
import Foundation

/// What is known of one file; the userInfo of its post.
final class FileFacts: Sendable {
    let path: String
    let bytes: Int
    let lines: Int

    init(path: String, contents: Data) {
        self.path = path
        bytes = contents.count
        lines = contents.reduce(0) { $1 == UInt8(ascii: "\n") ? $0 + 1 : $0 }
    }
}

/// A folder directly below the root, or the root itself; the object of its files' posts.
final class Folder {
    let name: String
    init(name: String) { self.name = name }
}

enum ScanError: Error, CustomStringConvertible {
    case notAFolder(String)

    var description: String {
        switch self {
        case .notAFolder(let path): "\(path) is not a folder that can be read"
        }
    }
}

/// Walks a tree and posts each regular file: the name by kind of file, the object by folder, the facts as userInfo.
/// Whatever begins with a dot is left out, and links are not followed.
struct Scanner {
    let root: String
    let center: HeraldCenterRef
    private(set) var folders: [String: Folder] = [:]
    private(set) var unreadable: [String] = []
    private(set) var posts = 0

    init(root: String, center: HeraldCenterRef) throws(ScanError) {
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

    /// `afterFolder` is called after each folder below the root has been scanned.
    mutating func run(afterFolder: () -> Void) {
        let top = list(root)
        for entry in top where folders[entry] == nil { visit(entry, folder: folders["."]!) }
        for entry in top {
            guard let folder = folders[entry] else { continue }
            visit(entry, folder: folder)
            afterFolder()
        }
    }

    private mutating func visit(_ path: String, folder: Folder) {
        let full = "\(root)/\(path)"
        switch kind(of: full) {
        case .typeDirectory:
            for entry in list(full) { visit("\(path)/\(entry)", folder: folder) }
        case .typeRegular:
            guard let contents = FileManager.default.contents(atPath: full) else {
                unreadable.append(path)
                return
            }
            post(FileFacts(path: path, contents: contents), folder: folder)
        default: break
        }
    }

    private mutating func post(_ facts: FileFacts, folder: Folder) {
        posts += 1
        guard let name = Self.name(forPath: facts.path) else { return }
        withExtendedLifetime(facts) {
            _ = HeraldCenterPostNotification(center, name, address(of: folder), address(of: facts), false)
        }
    }

    /// "file.swift" for a/b.swift, "file" for a file without an ending.
    static func name(forPath path: String) -> HeraldNameRef? {
        let file = path.split(separator: "/").last ?? ""
        guard let dot = file.lastIndex(of: "."), dot != file.startIndex else { return HeraldNameCreate("file") }
        return HeraldNameCreate("file" + file[dot...])
    }

    private func list(_ path: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).filter { !$0.hasPrefix(".") }.sorted()
    }

    private func kind(of path: String) -> FileAttributeType? {
        (try? FileManager.default.attributesOfItem(atPath: path))?[.type] as? FileAttributeType
    }
}
