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
}
