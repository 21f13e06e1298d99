import Foundation

/// The README and the guides, with what a reader copies from them: code, shell lines, and lines of manifests.
///
/// Every block fenced as `swift` is a file of its own, and every block fenced as `sh` a script of its own. Comments in
/// the page, which the reader does not see, control this:
///
///     <!-- setup
///     import Herald
///     -->                      lines before each later block of Swift, until the next such comment
///     <!-- sh setup
///     mkdir site
///     -->                      lines before the next block of shell lines
///     <!-- continues -->       the next block is the end of the file that the block before began
///     <!-- needs the trait Network -->      the tests of that trait compile it
///     <!-- not compiled: why -->
///     <!-- not run: why -->
///     <!-- shown: text -->     a line that the next block of shell lines prints
///
/// A block of Swift that begins with `.package(` or `.target(` has lines of a manifest.
package enum Documentation {
    package struct Snippet: Sendable, CustomStringConvertible {
        package let page: String
        package let line: Int
        package var code: String
        package var trait: String?
        /// Why it is not compiled.
        package var exemption: String?

        package var description: String { "\(page):\(line)" }
    }

    /// Lines that a reader types into a shell.
    package struct Shell: Sendable, CustomStringConvertible {
        package let page: String
        package let line: Int
        package let setup: String
        package let text: String
        package let shown: [String]
        /// Why they are not run.
        package let exemption: String?

        package var description: String { "\(page):\(line)" }
    }

    package struct Page: Sendable {
        package var snippets: [Snippet] = []
        package var shells: [Shell] = []
        /// Blocks with lines of a manifest.
        package var manifests: [Snippet] = []
    }

    /// What comments say about the next block.
    private struct Notes {
        var exemption: String?
        var continues = false
        var trait: String?
        var setup = ""
        var shown: [String] = []
    }

    package static func page(_ text: String, named name: String) throws -> Page {
        var page = Page(), notes = Notes(), setup = ""
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().makeIterator()

        func takeLines(until end: String) throws -> String {
            var taken: [Substring] = []
            while let (_, line) = lines.next() {
                if line == end { return taken.joined(separator: "\n") + "\n" }
                taken.append(line)
            }
            throw Failure(description: "\(name): nothing ends a block")
        }

        func comment(_ line: Substring, _ begin: String) -> String? {
            line.hasPrefix("<!-- \(begin)") && line.hasSuffix(" -->")
                ? String(line.dropFirst("<!-- \(begin)".count).dropLast(" -->".count)) : nil
        }

        while let (index, line) = lines.next() {
            if line == "<!-- setup" {
                setup = try takeLines(until: "-->")
            } else if line == "<!-- sh setup" {
                notes.setup = try takeLines(until: "-->")
            } else if line == "<!-- continues -->" {
                notes.continues = true
            } else if let trait = comment(line, "needs the trait ") {
                notes.trait = trait
            } else if let why = comment(line, "not compiled: ") ?? comment(line, "not run: ") {
                notes.exemption = why
            } else if let text = comment(line, "shown: ") {
                notes.shown.append(text)
            } else if line == "```sh" {
                page.shells.append(
                    Shell(
                        page: name, line: index + 1, setup: notes.setup, text: try takeLines(until: "```"),
                        shown: notes.shown, exemption: notes.exemption))
                notes = Notes()
            } else if line == "```swift" {
                let body = try takeLines(until: "```")
                let code = "#sourceLocation(file: \"\(name)\", line: \(index + 2))\n" + body
                var snippet = Snippet(
                    page: name, line: index + 1, code: setup + code, trait: notes.trait,
                    exemption: notes.exemption)
                if body.hasPrefix(".package(") || body.hasPrefix(".target(") {
                    snippet.code = body
                    page.manifests.append(snippet)
                } else if notes.continues, let last = page.snippets.indices.last {
                    snippet.code = page.snippets[last].code + code
                    // Code that needs no trait is also compiled without what comes after it.
                    if notes.trait == page.snippets[last].trait {
                        page.snippets[last].code = snippet.code
                    } else {
                        page.snippets.append(snippet)
                    }
                } else {
                    page.snippets.append(snippet)
                }
                notes = Notes()
            } else if line.hasPrefix("```") {
                _ = try takeLines(until: "```")  // another language: it may contain what looks like a block
            }
        }
        return page
    }

    /// The README and every page of the catalog.
    package static func pages() throws -> [Page] {
        let catalog = packageFolder.appendingPathComponent("Sources/Herald/Herald.docc")
        let guides = try FileManager.default.contentsOfDirectory(at: catalog, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "md" }
        return try ([packageFolder.appendingPathComponent("README.md")] + guides).sorted { $0.path < $1.path }.map {
            try page(String(contentsOf: $0, encoding: .utf8), named: $0.lastPathComponent)
        }
    }

    /// Every snippet that needs this trait, or none, and is to be compiled.
    package static func snippets(trait: String?) throws -> [Snippet] {
        try pages().flatMap(\.snippets).filter { $0.exemption == nil && $0.trait == trait }
    }

    /// The compiler's messages, which are none for right code. It runs as far as the analysis of flow and isolation.
    package static func diagnostics(of code: String) async throws -> String {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("herald-\(UUID().uuidString).swift")
        try code.write(to: file, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(at: file) }
        let result = try await Compiler.check(file, ["-warnings-as-errors", "-module-name", "Page"])
        return result.succeeds ? "" : "failed: " + result.output
    }

    package struct Failure: Error, CustomStringConvertible { package let description: String }
}
