import ArgumentParser
import CHeraldHost

struct Reset: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Replace the shared file.",
        discussion: """
            For a file that is damaged, or has the wrong mode. All processes that use it go on with the new one, and each \
            observer is called once; the numbers of names are kept, as far as the old file can be read.
            """)

    func run() throws { try attempt(HeraldHostReset()) }
}
