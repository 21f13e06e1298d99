import Testing

@Suite struct DocumentationTests {
    @Test("The documentation's code compiles without a warning", arguments: try Documentation.allSnippets())
    func compiles(_ snippet: Documentation.Snippet) async throws {
        guard snippet.exemption == nil else { return }
        let diagnostics = try await Documentation.diagnostics(of: snippet.code)
        #expect(diagnostics.isEmpty, "\(diagnostics)")
    }

    @Test("Most of it is compiled, and what is not says why")
    func fewAreExempt() throws {
        let snippets = try Documentation.allSnippets()
        let exempt = snippets.filter { $0.exemption != nil }
        #expect(exempt.allSatisfy { !$0.exemption!.isEmpty })
        #expect(exempt.count * 3 < snippets.count)
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
            """
        let snippets = try Documentation.snippets(of: text, page: "Page.md")
        #expect(snippets.count == 2)
        let said = try await Documentation.diagnostics(of: snippets[0].code)
        #expect(said.isEmpty)
        #expect(snippets[0].code.contains("let c = b") && snippets[0].exemption == nil)
        #expect(snippets[1].exemption == "it is only a word")
        #expect(throws: Documentation.Failure.self) { try Documentation.snippets(of: "```swift\n", page: "Page.md") }
    }
}
