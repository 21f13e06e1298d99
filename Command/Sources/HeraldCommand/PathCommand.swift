import ArgumentParser
import CHeraldHost
@preconcurrency import Glibc
import Inspecting

struct Path: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print where the shared file is, or would be.",
        discussion: """
            Processes meet when this is the same for them. Files of other versions of Herald that processes use in the \
            same folder are named on stderr: those processes do not meet these.
            """)

    func run() throws {
        guard let path = HeraldHostGetPath() else {
            throw Unusable(String(cString: HeraldHostGetErrorDescription()))
        }
        print(printable(String(cString: path)))
        try attempt(
            HeraldHostVisitOtherFiles(
                { _, path in
                    guard let path else { return }
                    fputs("herald: another version of Herald uses \(printable(String(cString: path)))\n", stderr)
                }, nil))
    }
}
