import Foundation
import Processes
import Testing

/// The pages of the documentation and their code, compiled as a reader would compile it.
///
/// Every block fenced as `swift` is a file of its own. Comments in the page, which the reader does not see, control
/// this:
///
///     <!-- setup
///     import Herald
///     -->                      lines before each later block of the page, until the next such comment
///     <!-- continues -->       the next block is the end of the file that the block before began
///     <!-- not compiled: why -->
enum Documentation {
    struct Snippet: CustomTestStringConvertible, Sendable {
        let page: String
        let line: Int
        var code: String
        /// Why it is not compiled.
        var exemption: String?

        var testDescription: String { "\(page):\(line)" }
    }

    /// The snippets of a page.
    static func snippets(of text: String, page: String) throws -> [Snippet] {
        var snippets: [Snippet] = []
        var setup = ""
        var exemption: String?
        var continues = false
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().makeIterator()

        func takeLines(until end: String) throws -> String {
            var taken: [Substring] = []
            while let (_, line) = lines.next() {
                if line == end { return taken.joined(separator: "\n") + "\n" }
                taken.append(line)
            }
            throw Failure(description: "\(page): nothing ends a block")
        }

        while let (index, line) = lines.next() {
            if line == "<!-- setup" {
                setup = try takeLines(until: "-->")
            } else if line == "<!-- continues -->" {
                continues = true
            } else if line.hasPrefix("<!-- not compiled: ") {
                exemption = String(line.dropFirst("<!-- not compiled: ".count).dropLast(" -->".count))
            } else if line == "```swift" {
                let code = "#sourceLocation(file: \"\(page)\", line: \(index + 2))\n" + (try takeLines(until: "```"))
                if continues, let first = snippets.indices.last {
                    snippets[first].code += code
                } else {
                    snippets.append(Snippet(page: page, line: index + 1, code: setup + code, exemption: exemption))
                }
                (exemption, continues) = (nil, false)
            } else if line.hasPrefix("```") {
                _ = try takeLines(until: "```")  // another language: it may contain what looks like a block
            }
        }
        return snippets
    }

    /// Every snippet of the catalog, and of the README if it uses this module.
    static func allSnippets() throws -> [Snippet] {
        let catalog = packageFolder.appendingPathComponent("Sources/Herald/Herald.docc")
        var pages = try FileManager.default.contentsOfDirectory(at: catalog, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "md" }
        let readme = packageFolder.appendingPathComponent("README.md")
        if try String(contentsOf: readme, encoding: .utf8).contains("\nimport Herald\n") { pages.append(readme) }
        return try pages.sorted { $0.path < $1.path }.flatMap {
            try snippets(of: String(contentsOf: $0, encoding: .utf8), page: $0.lastPathComponent)
        }
    }

    /// The compiler's messages, which are none for right code. It runs as far as the analysis of flow and isolation.
    static func diagnostics(of code: String) async throws -> String {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("herald-\(UUID().uuidString).swift")
        try code.write(to: file, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(at: file) }
        let result = try await Compiler.check(file, ["-warnings-as-errors", "-module-name", "Page"])
        return result.succeeds ? "" : "failed: " + result.output
    }

    struct Failure: Error, CustomStringConvertible { let description: String }
}
