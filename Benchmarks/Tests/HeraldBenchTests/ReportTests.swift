import Foundation
import Testing

@testable import HeraldBench

@Suite struct ReportTests {
    let committed = repository + "/Benchmarks/Results"
    let folder: Folder
    init() throws { folder = try Folder() }

    private func committedReport() throws -> Report { Report(results: try .read(committed + "/results.json")) }

    @Test("The page, the plots and the documents show what the committed results say")
    func committedFiles() throws {
        #expect(try committedReport().differences(in: committed, documents: repository) == [])
        #expect(try committedReport().results.about.kind == .full)
    }

    @Test("A figure that was changed by hand, in the results or in a document, is found")
    func changed() throws {
        for document in Document.all {
            let copy = URL(fileURLWithPath: folder.path + "/" + document.path)
            try FileManager.default.createDirectory(
                at: copy.deletingLastPathComponent(), withIntermediateDirectories: true)
            try FileManager.default.copyItem(atPath: repository + "/" + document.path, toPath: copy.path)
        }
        let readme = folder.path + "/README.md"
        var report = try committedReport()
        try report.write(to: folder.path)
        #expect(try report.differences(in: folder.path, documents: folder.path) == [])
        let text = try String(contentsOfFile: readme, encoding: .utf8)
        let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("| loop of calls") })
        try text.replacingOccurrences(of: line, with: line + "1").write(
            toFile: readme, atomically: true, encoding: .utf8)
        #expect(try report.differences(in: folder.path, documents: folder.path) == [readme])
        var results = report.results
        let at = try #require(results.rows.firstIndex { $0.id == "post.1" })
        let own = try #require(results.rows[at].cells.firstIndex { $0.contestant == "topic" })
        results.rows[at].cells[own].median! *= 1.5
        report = Report(results: results)
        // Both pages, and at least two plots.
        #expect(try report.differences(in: folder.path, documents: folder.path).count >= 4)
    }

    @Test("The place for figures has to be there, once", arguments: Document.all.indices)
    func place(_ index: Int) throws {
        let (document, page) = (Document.all[index], Page(results: try committedReport().results))
        let (begin, end) = (Document.begin, Document.end)
        for text in ["no place", end + "\n" + begin, begin + end + begin + end] {
            #expect(throws: Failure.self) { try document.insert(page, into: text) }
        }
        let inserted = try document.insert(page, into: "a\n" + begin + "\nold\n" + end + "\nb")
        #expect(inserted.hasPrefix("a\n") && inserted.hasSuffix("\nb") && !inserted.contains("old"))
        #expect(document.path == "README.md" || !inserted.contains("–"))  // in the README, peers without a figure
        #expect(try document.insert(page, into: inserted) == inserted)
    }

    @Test("What is no result, and what is not there, is a sentence")
    func noResult() throws {
        #expect(throws: Failure.self) { try Results.read(folder.path + "/absent.json") }
        for text in ["{}", #"{"format":1}"#, #"{"format":2}"#] {
            try text.write(toFile: folder.path + "/other.json", atomically: true, encoding: .utf8)
            let error = #expect(throws: Failure.self) { try Results.read(folder.path + "/other.json") }
            if text.contains("1") { #expect(error?.description.contains("its format is 1, not 2") == true) }
        }
        let again = try JSONDecoder().decode(Results.self, from: committedReport().results.encoded())
        #expect(again == (try committedReport().results))
    }

    @Test("A folder that cannot be written into is an error before anything is measured")
    func unwritable() throws {
        try "".write(toFile: folder.path + "/file", atomically: true, encoding: .utf8)
        try folder.program("herald", list: "touch \(folder.path)/started")
        var run = try #require(
            try Bench.parseAsRoot([
                "run", "--quick", "--results", folder.path + "/file/results", "--programs", folder.path,
            ])
                as? Run)
        #expect(throws: Failure.self) { try run.run() }
        run = try #require(
            try Bench.parseAsRoot([
                "run", "--results", folder.path, "--programs", folder.path, "--documents", folder.path + "/file",
            ]) as? Run)
        #expect(throws: Failure.self) { try run.run() }
        #expect(!FileManager.default.fileExists(atPath: folder.path + "/started"))
    }

    @Test("The README's sentence on costs is what the run says, within a factor of two")
    func sentence() throws {
        let results = try committedReport().results
        let text = try String(contentsOfFile: repository + "/README.md", encoding: .utf8)
        #expect(
            text.contains("some ten nanoseconds to a closure, and some fifteen to an owner that is held weakly.")
        )
        for (way, said) in [("swift-topic", 10.0), ("swift-type", 10), ("swift-owner", 15)] {
            let best = try #require(results["post.1"]?[way]?.best)
            #expect(best > said / 2 && best < said * 2, "\(way): \(best)")
        }
    }

    @Test("What contestants name in the committed run is there")
    func names() throws {
        let results = try committedReport().results
        let words = Set(Ahead.reasons.compactMap(\.word))
        var used: Set<String> = []
        for one in results.contestants {
            #expect((one.rival != nil) == (one.role == .peer), "\(one.id)")
            for other in [one.rival, one.like].compactMap({ $0 }) {
                #expect(results.contestant(other) != nil, "\(one.id)")
            }
            used.formUnion(one.ahead?.split(separator: " ").map(String.init) ?? [])
        }
        #expect(used == words)
    }

    @Test("The committed run has every row, and a reason for every row in which Herald is behind")
    func complete() throws {
        let results = try committedReport().results
        let matrix = Matrix(contestants: results.contestants)
        #expect(Set(results.rows.map(\.id)).isSuperset(of: matrix.plans.map(\.id)))
        #expect(results.gate.count == Gate.rules.count * matrix.centers.count)
        #expect(results.behind.filter { $0.reason == nil } == [])
        #expect(Budget.all.allSatisfy { $0.verdict(in: results) != nil && !$0.reason.isEmpty })
        #expect(!Markdown.text(Page(results: results).blocks).contains("no reason is known"))
    }
}
