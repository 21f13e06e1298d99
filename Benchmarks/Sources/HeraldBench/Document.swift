import Foundation

/// A text of the repository that shows figures of the results, between two lines that mark their place.
struct Document {
    static let begin = "<!-- figures: begin -->", end = "<!-- figures: end -->"

    /// The path in the repository.
    let path: String
    let figures: (Page) -> String

    static let all = [
        Document(path: "README.md", figures: readme),
        Document(path: "Sources/Herald/Herald.docc/Lifetimes.md", figures: lifetimes),
    ]

    private static func readme(_ page: Page) -> String {
        [
            Markdown.picture(page.charts[0], folder: "Benchmarks/Results/"),
            Markdown.text(page.brief),
            origin(page) + ". The page has the rules that others fail, the other rows, each "
                + "next to its floor, the range of each figure over several placements of the code, and "
                + "the plots: [`Benchmarks/Results/page.md`](Benchmarks/Results/page.md).",
        ].joined(separator: "\n\n")
    }

    /// The cost of a weak owner, compared with a token.
    private static func lifetimes(_ page: Page) -> String {
        let results = page.results
        func median(_ row: String, _ id: String) -> String { results[row]?[id]?.median.map(Page.number) ?? "–" }
        let rows = [
            ["a token; the body captures what it needs, strongly", median("post.1", "swift-topic")],
            ["an owner, held weakly", median("post.1", "swift-owner")],
            ["the same, which others reference weakly, too", median("swift.owner.shared", "herald")],
            ["for comparison: a bare weak load and a call, without a center", median("swift.owner", "floor")],
        ]
        return [Markdown.text(.table(header: ["", "a post, ns"], rows: rows)), origin(page) + "."]
            .joined(separator: "\n\n")
    }

    private static func origin(_ page: Page) -> String {
        let about = page.results.about
        return "Medians of one run, all in turn: \(page.machine); \(about.kernel); "
            + "commit \(about.commit), \(about.date)" + (about.kind == .quick ? ", a quick run" : "")
    }

    /// The text with the page's figures between its marks.
    func insert(_ page: Page, into text: String) throws -> String {
        let (before, after) = try around(text)
        return before + Self.begin + "\n" + figures(page) + "\n" + Self.end + after
    }

    func checkPlace(in text: String) throws { _ = try around(text) }

    private func around(_ text: String) throws -> (before: String, after: String) {
        let parts = text.components(separatedBy: Self.begin)
        let rest = parts.last!.components(separatedBy: Self.end)
        guard parts.count == 2, rest.count == 2, !parts[0].contains(Self.end) else {
            throw Failure("\(path) needs one line \(Self.begin) and, below it, one line \(Self.end)")
        }
        return (parts[0], rest[1])
    }
}
