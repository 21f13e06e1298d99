import Foundation

/// The Swift compiler, with the Herald module that these tests were built with.
package enum Compiler {
    /// A message of the compiler about a place in the file.
    package struct Remark {
        package let isError: Bool
        /// Nil if the message has no place.
        package let line: Int?
        package let text: String
    }

    package struct Result {
        package let succeeds: Bool
        package let remarks: [Remark]
        package let output: String
    }

    /// Compiles one file as far as SIL, which includes the checks of ownership and isolation.
    package static func check(_ file: URL, _ arguments: [String]) async throws -> Result {
        let output = try await run(
            URL(fileURLWithPath: "/usr/bin/env"),
            [
                "swiftc", "-emit-sil", "-o", "/dev/null", "-swift-version", "6", "-diagnostic-style", "llvm",
                "-I", productFolder.appendingPathComponent("Modules").path,
                "-I", packageFolder.appendingPathComponent("CSources/CHerald/include").path,
                "-I", packageFolder.appendingPathComponent("CSources/CHeraldHost/include").path,
                "-I", packageFolder.appendingPathComponent("CSources/CHeraldNetwork/include").path,
                "-I", packageFolder.appendingPathComponent("CSources/CHeraldRuntime/include").path,
            ] + arguments + [file.path])
        let text = output.text + output.errors
        return Result(
            succeeds: output.status == 0, remarks: text.split(separator: "\n").compactMap(remark), output: text)
    }

    private static func remark(_ line: Substring) -> Remark? {
        if let found = line.range(of: ": error: ") ?? line.range(of: "error: ", options: .anchored) {
            return Remark(
                isError: true, line: number(in: line[..<found.lowerBound]), text: String(line[found.upperBound...]))
        }
        if let found = line.range(of: ": warning: ") ?? line.range(of: ": note: ") {
            return Remark(
                isError: false, line: number(in: line[..<found.lowerBound]), text: String(line[found.upperBound...]))
        }
        return nil
    }

    /// The line in `file.swift:line:column`.
    private static func number(in place: Substring) -> Int? {
        place.split(separator: ":").suffix(2).first.flatMap { Int($0) }
    }
}
