import ArgumentParser
import CHeraldHost
#if canImport(Glibc)
@preconcurrency import Glibc
#elseif canImport(Musl)
@preconcurrency import Musl
#endif
import Inspecting

struct Path: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print where the shared file is, or would be.",
        discussion: """
            Processes meet when this is the same for them. On stderr it says which folders were passed over, and why; \
            and which other files of yours processes use, in other folders or by other versions of Herald: those \
            processes do not meet these.
            """)

    func run() throws {
        guard let path = HeraldHostGetPath() else {
            throw Unusable(String(cString: HeraldHostGetErrorDescription()))
        }
        print(printable(String(cString: path)))
        try attempt(HeraldHostVisitFolders({ _, info in info.map { Self.tell($0.pointee) } }, nil))
        try attempt(
            HeraldHostVisitOtherFiles(
                { _, path in
                    guard let path else { return }
                    fputs("herald: another version of Herald uses \(printable(String(cString: path)))\n", stderr)
                }, nil))
    }

    private static func tell(_ info: HeraldHostFolderInfo) {
        func text(_ text: UnsafePointer<CChar>?) -> String? { text.map { printable(String(cString: $0)) } }
        guard let path = text(info.path), let source = text(info.source), !info.isChosen else { return }
        if let problem = text(info.problem) {
            fputs("herald: \(path) (\(source)) is passed over: \(problem)\n", stderr)
        }
        guard info.isFileInUse, let file = text(info.file) else { return }
        fputs("herald: processes that see other folders use \(file), and do not meet those that use this one\n", stderr)
    }
}
