import Foundation
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

    @Test(
        "On another system the sources are one sentence",
        arguments: ["arm64-apple-macosx14", "x86_64-unknown-windows-msvc", "aarch64-unknown-linux-android28"])
    func otherSystems(_ system: String) async throws {
        let sources = packageFolder.appendingPathComponent("Sources")
        let modules = try FileManager.default.contentsOfDirectory(atPath: sources.path).filter { $0 != "HeraldTour" }
        for module in modules {
            let files = try FileManager.default.subpathsOfDirectory(atPath: sources.path + "/" + module)
                .filter { $0.hasSuffix(".swift") }.map { "\(sources.path)/\(module)/\($0)" }
            // Without a standard library of that system.
            let output = try await run(
                URL(fileURLWithPath: "/usr/bin/env"),
                [
                    "swiftc", "-frontend", "-typecheck", "-parse-stdlib", "-target", system, "-module-name", module,
                    "-diagnostic-style", "llvm", "-DNetwork", "-DInstrumentation",
                ] + files)
            let said = output.errors.split(separator: "\n").filter { $0.contains("warning:") || $0.contains("error:") }
            #expect(output.status == 0, "\(output.errors)")
            #expect(said.count == (module == "Herald" ? 1 : 0), "\(output.errors)")
            #expect(said.allSatisfy { $0.contains("Herald runs on Linux alone") })
        }
    }
}
