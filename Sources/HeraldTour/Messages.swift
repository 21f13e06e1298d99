import Herald

/// A folder directly below the root, or the root itself: the subject of the messages about its files.
final class Folder: Sendable {
    let name: String
    init(name: String) { self.name = name }
}

/// A file has been read.
struct FileScanned: HeraldCenter.Message, Sendable {
    typealias Subject = Folder
    let path: String
    let bytes: Int
    let lines: Int

    /// "file.swift" for a/b.swift, "file" for a file without an ending.
    var kind: String {
        let file = path.split(separator: "/").last ?? ""
        guard let dot = file.lastIndex(of: "."), dot != file.startIndex else { return "file" }
        return "file" + file[dot...]
    }
}

/// The progress of the scan.
enum ScanStep: HeraldCenter.Message, Sendable {
    case folder(String)
    case end
}

/// Observers of a scan conform to this protocol, and implement the methods that they need.
protocol ScanObserver: Sendable {
    func scanBegins(of root: String)
    func scanCouldNotRead(_ path: String)
    func scanEnds(after files: Int)
}

extension ScanObserver {
    func scanBegins(of root: String) {}
    func scanCouldNotRead(_ path: String) {}
    func scanEnds(after files: Int) {}
}
