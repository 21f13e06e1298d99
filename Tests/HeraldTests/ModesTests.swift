import Processes
import Testing

/// The modes in which programs that use Herald are compiled.
@Suite struct ModesTests {
    static let modes: [[String]] = [
        ["-swift-version", "6"],
        ["-swift-version", "5"],
        ["-swift-version", "5", "-strict-concurrency=complete"],
        ["-default-isolation", "MainActor"],
        ["-enable-upcoming-feature", "NonisolatedNonsendingByDefault"],
        ["-enable-upcoming-feature", "InferIsolatedConformances"],
    ]

    @Test("Every form of observing compiles without a remark in every mode of the language", arguments: modes)
    func forms(_ mode: [String]) async throws {
        let file = packageFolder.appendingPathComponent("Tests/Modes/Forms.swift")
        let result = try await Compiler.check(file, ["-parse-as-library"] + mode)
        #expect(result.succeeds && result.output.isEmpty, "\(result.output)")
    }

    @Test("A program that imports one of our modules alone knows HeraldCenter", arguments: ["NETWORK", "SUPPORT", ""])
    func alone(_ module: String) async throws {
        let file = packageFolder.appendingPathComponent("Tests/Modes/Alone.swift")
        let result = try await Compiler.check(
            file, ["-parse-as-library"] + (module.isEmpty ? [] : ["-D", module]))
        #expect(result.succeeds && result.output.isEmpty, "\(result.output)")
    }
}
