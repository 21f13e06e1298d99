import Testing

@testable import HeraldBench

@Suite struct AddingTests {
    private func run(_ commit: String, _ rows: [Row], _ contestants: [Contestant], gate: [Verdict] = []) -> Results {
        var results = results(rows: rows, gate: gate, contestants: contestants)
        results.about.commit = commit
        return results
    }

    @Test("Rows that are added are in their places, and the page says of which run they are")
    func rows() throws {
        let before = run("1", [row("post.1", [cell("topic", 1)]), row("signals.live", [cell("topic", 1)])], [topic])
        let later = run(
            "2", [row("signals.live", [cell("topic", 2)]), row("signals.x", [cell("qt", 3)])], [topic, qt])
        let all = before.adding(later, of: "signals.")
        #expect(all.rows.map(\.id) == ["post.1", "signals.live", "signals.x"])
        #expect(all["signals.live"]?["topic"]?.median == 2 && all["post.1"]?["topic"]?.median == 1)
        #expect(all.about.commit == "1" && all.contestants == [topic, qt])
        #expect(all.added?.map { "\($0.rows) \($0.about.commit)" } == ["signals. 2"])
        let page = Markdown.text(Page(results: all).blocks)
        #expect(page.contains("`make bench ONLY=signals.`") && page.contains("commit 2, 2026-01-01."))
        #expect(!Markdown.text(Page(results: before).blocks).contains("ONLY"))
        // Once more: the later of two runs of the same rows is the one that counts.
        let again = all.adding(run("3", [row("signals.x", [cell("qt", 4)])], [qt]), of: "signals.")
        #expect(again["signals.x"]?["qt"]?.median == 4 && again.added?.map(\.about.commit) == ["3"])
        #expect(again.contestants == [topic, qt])
    }

    @Test("The rules are put to newcomers, and what was said of the others stays")
    func gate() throws {
        let folder = try Folder()
        try folder.program("qt")
        try folder.program("topic", gate: "echo fail now")
        let said = Gate.rules.map { Verdict(contestant: "topic", rule: $0.name, outcome: .pass) }
        let before = run("1", [], [topic], gate: said)
        let later = Session(
            programs: folder.programs, effort: brief, about: before.about, only: "signals.", before: before,
            progress: Progress()
        ).run()
        let all = before.adding(later, of: "signals.").gate
        #expect(all.filter { $0.contestant == "topic" } == said)
        #expect(all.count == 2 * Gate.rules.count && all.allSatisfy { $0.outcome == .pass })
    }

    @Test("Adding needs to be told which rows")
    func which() throws {
        let folder = try Folder()
        let run = try #require(
            try Bench.parseAsRoot(["run", "--add", "--results", folder.path, "--programs", folder.path]) as? Run)
        #expect(throws: (any Error).self) { try run.run() }
    }
}
