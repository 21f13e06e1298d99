import Foundation
import Processes
import Testing

/// Each file of Tests/Misuse misuses Herald, inside `#if MISUSE`, and names the compiler's message in its first line. The
/// message comes once, or on each line with the mark `// here`; `expect-only` is for a message that must be the only
/// error. The file compiles without a message if MISUSE is not defined. So it fails for the named reason and no other.
@Suite(.serialized) struct MisuseTests {
    private static let folder = packageFolder.appendingPathComponent("Tests/Misuse")

    static let cases: [String] = {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return files.filter { $0.hasSuffix(".swift") }.sorted()
    }()

    private static func lines(of name: String) throws -> [Substring] {
        try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8).split(separator: "\n")
    }

    private static func compile(_ name: String, misused: Bool) async throws -> Compiler.Result {
        try await Compiler.check(
            folder.appendingPathComponent(name), ["-parse-as-library"] + (misused ? ["-D", "MISUSE"] : []))
    }

    @Test("Every file says which lines are the misuse, and no file has gone")
    func marked() throws {
        #expect(Self.cases.count >= 60)
        for name in Self.cases {
            let marks = try Self.lines(of: name).contains { $0.drop { $0 == " " } == "#if MISUSE" }
            #expect(marks, "\(name)")
        }
    }

    @Test("A misuse does not compile, or warns, as its first line says", arguments: cases)
    func misuse(_ name: String) async throws {
        let first = try #require(Self.lines(of: name).first)
        let result = try await Self.compile(name, misused: true)
        if let expected = first.suffix(after: "// expect on each marked line: ") {
            let lines = try String(contentsOf: Self.folder.appendingPathComponent(name), encoding: .utf8)
                .split(separator: "\n", omittingEmptySubsequences: false)
            let marked = lines.indices.filter { lines[$0].hasSuffix("// here") }.map { $0 + 1 }
            let told = Set(result.remarks.filter { $0.text.contains(expected) }.compactMap(\.line))
            #expect(!marked.isEmpty && told.isSuperset(of: marked), "\(result.output)")
            #expect(result.remarks.allSatisfy { !$0.isError || marked.contains($0.line ?? 0) }, "\(result.output)")
        } else if let expected = first.suffix(after: "// expect: ") {
            #expect(!result.succeeds, "\(name) compiles")
            // Notes count: if several overloads fail, the reason is in a note.
            #expect(result.remarks.contains { $0.text.contains(expected) }, "\(result.output)")
        } else if let expected = first.suffix(after: "// expect-only: ") {
            #expect(!result.succeeds, "\(name) compiles")
            #expect(result.remarks.filter(\.isError).map(\.text) == [String(expected)], "\(result.output)")
        } else {
            let expected = try #require(
                first.suffix(after: "// expect-warning: "), "\(name) does not say what to expect")
            #expect(result.succeeds, "\(result.output)")
            #expect(result.remarks.contains { !$0.isError && $0.text.contains(expected) }, "\(result.output)")
        }
    }

    @Test("Without the misuse it compiles without a remark", arguments: cases)
    func valid(_ name: String) async throws {
        let result = try await Self.compile(name, misused: false)
        #expect(result.succeeds && result.output.isEmpty, "\(result.output)")
    }
}

extension Substring {
    fileprivate func suffix(after start: String) -> Substring? {
        hasPrefix(start) ? dropFirst(start.count) : nil
    }
}
