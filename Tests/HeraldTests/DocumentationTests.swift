import Processes
import Testing

@Suite struct DocumentationTests {
    @Test("The documentation's code compiles without a warning", arguments: try Documentation.snippets(trait: nil))
    func compiles(_ snippet: Documentation.Snippet) async throws {
        let diagnostics = try await Documentation.diagnostics(of: snippet.code)
        #expect(diagnostics.isEmpty, "\(diagnostics)")
    }

    @Test("Most of it is compiled, and what is not says why")
    func fewAreExempt() throws {
        let snippets = try Documentation.pages().flatMap(\.snippets)
        let exempt = snippets.filter { $0.exemption != nil }
        #expect(exempt.allSatisfy { !$0.exemption!.isEmpty })
        #expect(exempt.count * 10 < snippets.count)
    }

    @Test("A wrong snippet is found: an error, a warning, and what only the analysis of isolation sees")
    func findsWrongCode() async throws {
        let setup = "import Herald\nstruct Saved: HeraldCenter.Message { var path: String }\n"
        for (code, complaint) in [
            ("HeraldCenter.local.post(Saved(pth: \"a\"))", "incorrect argument label"),
            ("HeraldCenter.local.observe(Saved.self) { _ in }", "is unused"),
            (
                """
                final class Box { var count = 0 }
                func send(_ box: Box) { Task { box.count += 1 }; box.count += 1 }
                """, "sending"
            ),
        ] {
            let said = try await Documentation.diagnostics(of: setup + code)
            #expect(said.contains(complaint), "\(code)")
        }
    }

    @Test("A page's comments say what a snippet is compiled with")
    func readsPages() async throws {
        let text = """
            <!-- setup
            let a = 1
            -->
            ```swift
            let b = a
            ```
            <!-- continues -->
            ```swift
            let c = b
            ```
            <!-- not compiled: it is only a word -->
            ```swift
            word
            ```
            ```c
            int d;
            ```
            <!-- sh setup
            mkdir site
            -->
            <!-- shown: text -->
            ```sh
            echo text
            ```
            <!-- continues -->
            <!-- needs the trait Network -->
            ```swift
            let d = c
            ```
            ```swift
            .package(path: "herald")
            ```
            """
        let page = try Documentation.page(text, named: "Page.md"), snippets = page.snippets
        try #require(snippets.count == 3 && page.shells.count == 1 && page.manifests.count == 1)
        #expect(page.shells[0].setup == "mkdir site\n" && page.shells[0].text == "echo text\n")
        #expect(page.shells[0].shown == ["text"] && page.shells[0].exemption == nil)
        #expect(page.manifests[0].code == ".package(path: \"herald\")\n")
        #expect(snippets[2].trait == "Network" && snippets[2].code.hasPrefix(snippets[1].code))
        #expect(snippets[2].code.hasSuffix("let d = c\n") && !snippets[1].code.contains("let d"))
        let said = try await Documentation.diagnostics(of: snippets[0].code)
        #expect(said.isEmpty)
        #expect(snippets[0].code.contains("let c = b") && snippets[0].exemption == nil)
        #expect(snippets[1].exemption == "it is only a word")
        #expect(throws: Documentation.Failure.self) { try Documentation.page("```swift\n", named: "Page.md") }
    }
}
