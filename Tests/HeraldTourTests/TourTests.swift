import Foundation
import Processes
import Testing

/// `make run` reports the truth: its counts equal those of find and wc.
@Suite struct TourTests {
    static let tour = productFolder.appendingPathComponent("HeraldTour")

    @Test("The tour's tallies are what find and wc say")
    func talliesAgree() async throws {
        let folder = try makeTree()
        defer { try? FileManager.default.removeItem(at: folder) }
        let output = try await run(Self.tour, ["--tallies-only", folder.path])
        #expect(output.status == 0)
        #expect(try await tally("total", in: output.text) == expected(in: folder, "-type f"))
        for (label, pattern) in [
            ("file.swift", "-name '*.swift'"), ("file.c", "-name '*.c'"), ("file.md", "-name '*.md'"),
            ("file", "-not -name '*.*'"),
        ] {
            #expect(try await tally(label, in: output.text) == expected(in: folder, "-type f \(pattern)"), "\(label)")
        }
        #expect(
            try await tally("folder Sources", in: output.text)
                == expected(in: folder.appendingPathComponent("Sources"), "-type f"))
        let atTheTop = try await expected(in: folder, "-maxdepth 1 -type f")
        #expect(try tally("folder .", in: output.text) == atTheTop)
        #expect(try tally("a view that stays", in: output.text) == atTheTop)
        #expect(try tally("a view that went away", in: output.text)[0] == 1)
        #expect(try await tally("an actor", in: output.text) == expected(in: folder, "-type f"))
        #expect(output.text.contains("a loop in a task heard of 3 folders"))
        #expect(output.text.contains("a ticker heard 2 files"))
        #expect(output.text.contains("an observer of a protocol heard: 184 files were read\n"))
        #expect(output.text.contains("the largest file: Sources/Deep/er/59.swift\n"))
        #expect(output.text.contains("was posted 184 times while the center was suspended, and told 1 times: Sources/"))
    }

    @Test("The tour of the package itself agrees, too")
    func packageAgrees() async throws {
        let root = packageFolder
        let output = try await run(Self.tour, ["--tallies-only", root.path])
        #expect(output.status == 0)
        for folder in ["CSources", "Sources", "Tests"] {
            #expect(
                try await tally("folder \(folder)", in: output.text)
                    == expected(in: root.appendingPathComponent(folder), "-type f"), "\(folder)")
        }
    }

    @Test("A message goes to the other process and back, by the way that it tells")
    func messageReturns() async throws {
        let folder = packageFolder.appendingPathComponent("Tests/Model")
        let output = try await run(Self.tour, ["--tallies-only", folder.path])
        #expect(output.status == 0 && output.errors.isEmpty)
        let line = try #require(
            output.text.wholeMatch(
                of: /(?s).*\n  a struct went from (\d+) to (\d+) to (\d+) 100 times, in \d+ us each\n/))
        #expect(line.1 == line.3 && line.1 != line.2)
        #expect(output.text.contains("\n  an observer that came late to process \(line.1) began with: sunny\n"))
        #expect(
            output.text.contains("\n  process \(line.2) came late, and began with what was posted before: cloudy\n"))
        #expect(output.text.contains("\n  process \(line.1) posted a name\n"))
        #expect(output.text.contains("\n  process \(line.2) heard of "))
    }

    @Test("A folder that is not there is one clear line")
    func missingFolder() async throws {
        let output = try await run(Self.tour, ["--tallies-only", "/no/such/folder"])
        #expect(output.status == 1)
        #expect(output.errors == "herald tour: /no/such/folder is not a folder that can be read\n")
        #expect(try await run(Self.tour, ["a", "b"]).status == 1)
    }

    private func makeTree() throws -> URL {
        let root = FileManager.default.temporaryDirectory.appendingPathComponent("herald-tour-\(UUID().uuidString)")
        var files = ["a.swift": "one\ntwo\n", "README.md": "#\n\n", "LICENSE": "no newline at the end", "empty.c": ""]
        for index in 0..<60 {
            files["Sources/Deep/er/\(index).swift"] = String(repeating: "line\n", count: index)
            files["Sources/x\(index).c"] = "int x;\n"
            files["Other/name with space \(index).md"] = "\u{e9}\n"
        }
        files[".hidden/secret.swift"] = "not counted\n"
        for (path, contents) in files {
            let url = root.appendingPathComponent(path)
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(contents.utf8).write(to: url)
        }
        try FileManager.default.createSymbolicLink(
            at: root.appendingPathComponent("link.swift"), withDestinationURL: root.appendingPathComponent("a.swift"))
        return root
    }

    /// Files, lines and bytes as find and wc count them, without names that begin with a dot.
    private func expected(in folder: URL, _ filter: String) async throws -> [Int] {
        let found = "find '\(folder.path)' -mindepth 1 -name '.*' -prune -o \(filter) -print0"
        let files = try await shell("\(found) | tr -dc '\\0' | wc -c")
        let lines = try await shell("\(found) | xargs -0 -r cat | wc -l")
        let bytes = try await shell("\(found) | xargs -0 -r cat | wc -c")
        return [files, lines, bytes].map { Int($0.trimmingCharacters(in: .whitespacesAndNewlines)) ?? -1 }
    }

    private func tally(_ label: String, in text: String) throws -> [Int] {
        let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("  \(label)  ") })
        return line.dropFirst(2 + label.count).split(separator: " ").compactMap { Int($0) }
    }
}
