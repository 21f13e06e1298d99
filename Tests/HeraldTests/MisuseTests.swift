import Foundation
import Processes
import Testing

/// Each file of Tests/Misuse misuses Herald once, and says what the compiler makes of it. The file of the same name in
/// Valid differs in the misuse alone and compiles without a remark, so the other one fails for the reason it names.
@Suite(.serialized) struct MisuseTests {
    private static let folder = packageFolder.appendingPathComponent("Tests/Misuse")

    static let cases: [String] = names(in: folder)

    private static func names(in folder: URL) -> [String] {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return files.filter { $0.hasSuffix(".swift") }.sorted()
    }

    @Test("Every misuse has a valid counterpart, and there are some")
    func counterparts() {
        #expect(!Self.cases.isEmpty)
        #expect(Self.cases == Self.names(in: Self.folder.appendingPathComponent("Valid")))
    }

    @Test("A misuse does not compile, or warns, as its first line says", arguments: cases)
    func misuse(_ name: String) async throws {
        let file = Self.folder.appendingPathComponent(name)
        let first = try #require(String(contentsOf: file, encoding: .utf8).split(separator: "\n").first)
        let result = try await Compiler.check(file, ["-parse-as-library"])
        if let expected = first.suffix(after: "// expect: ") {
            #expect(!result.succeeds, "\(name) compiles")
            // Notes count: where several overloads fail, the reason stands in one.
            #expect(result.remarks.contains { $0.text.contains(expected) }, "\(result.output)")
        } else {
            let expected = try #require(
                first.suffix(after: "// expect-warning: "), "\(name) does not say what to expect")
            #expect(result.succeeds, "\(result.output)")
            #expect(result.remarks.contains { !$0.isError && $0.text.contains(expected) }, "\(result.output)")
        }
    }

    @Test("Its counterpart compiles without a remark", arguments: cases)
    func valid(_ name: String) async throws {
        let result = try await Compiler.check(
            Self.folder.appendingPathComponent("Valid").appendingPathComponent(name), ["-parse-as-library"])
        #expect(result.succeeds && result.output.isEmpty, "\(result.output)")
    }
}

extension Substring {
    fileprivate func suffix(after start: String) -> Substring? {
        hasPrefix(start) ? dropFirst(start.count) : nil
    }
}
