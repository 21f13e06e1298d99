import Foundation

/// The path of the package, and of its built executables.
package let packageFolder = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
package let productFolder = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()

/// The command `herald`, which `make command` builds from the package in `Command`.
package let heraldCommand: URL = {
    let command = packageFolder.appendingPathComponent(".build-native/herald")
    precondition(
        FileManager.default.isExecutableFile(atPath: command.path),
        "\(command.path) is missing: run 'make command' first")
    return command
}()

package struct ProcessOutput {
    package let status: Int32
    package let text: String
    package let errors: String
}

/// How many programs run at once: many tests use them, and some look at the time.
private let atOnce = DispatchSemaphore(value: 2)

/// Runs a program to its end, on a thread of its own, so that waiting for it blocks no thread of the tests' tasks.
package func run(_ executable: URL, _ arguments: [String]) async throws -> ProcessOutput {
    try await withCheckedThrowingContinuation { done in
        Thread {
            atOnce.wait()
            let result = Result { try runHere(executable, arguments) }
            atOnce.signal()
            done.resume(with: result)
        }.start()
    }
}

private func runHere(_ executable: URL, _ arguments: [String]) throws -> ProcessOutput {
    let process = Process()
    process.executableURL = executable
    process.arguments = arguments
    process.currentDirectoryURL = packageFolder
    let output = Pipe()
    let errors = Pipe()
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    let text = output.fileHandleForReading.readDataToEndOfFile()
    let said = errors.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return ProcessOutput(
        status: process.terminationStatus, text: String(decoding: text, as: UTF8.self),
        errors: String(decoding: said, as: UTF8.self))
}

package func shell(_ command: String) async throws -> String {
    try await run(URL(fileURLWithPath: "/bin/sh"), ["-c", command]).text
}
