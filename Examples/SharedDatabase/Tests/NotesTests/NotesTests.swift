import Foundation
import Testing

/// A folder for a database and a host center of its own.
func makeFolder() -> URL {
    var template = Array("/dev/shm/herald-notes-XXXXXX".utf8CString)
    precondition(mkdtemp(&template) != nil)
    return URL(fileURLWithPath: String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self))
}

/// Runs the program as processes that share a file.
@Suite final class NotesTests {
    private let folder = makeFolder()

    deinit { try? FileManager.default.removeItem(at: folder) }

    private func start(_ arguments: String...) throws -> (process: Process, output: FileHandle) {
        let process = Process(), pipe = Pipe()
        process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appendingPathComponent("Notes")
        process.arguments = arguments.map { $0.replacingOccurrences(of: "FILE", with: "\(folder.path)/notes.sqlite") }
        process.environment = ProcessInfo.processInfo.environment.merging(["HERALD_HOST_DIRECTORY": folder.path]) { $1 }
        process.standardOutput = pipe
        try process.run()
        return (process, pipe.fileHandleForReading)
    }

    private func finish(_ arguments: String...) throws {
        let (process, _) = try start(arguments[0], arguments[1], arguments[2])
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
    }

    @Test("A change in one process is observed in another within milliseconds; what is rolled back is not")
    func changes() throws {
        let (watcher, output) = try start("watch", "FILE")
        defer { watcher.terminate() }
        var text = ""
        /// Waits for a line, and returns the milliseconds in it.
        func line(_ start: String) -> Int? {
            while true {
                if let line = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().first(where: {
                    $0.hasPrefix(start)
                }) {
                    return line.split(separator: " ").dropLast(2).last.flatMap { Int($0) }
                }
                let data = output.availableData
                if data.isEmpty { return nil }
                text += String(decoding: data, as: UTF8.self)
            }
        }
        let guardian = DispatchWorkItem { watcher.terminate() }
        DispatchQueue.global().asyncAfter(deadline: .now() + 60, execute: guardian)
        defer { guardian.cancel() }
        _ = line("0 notes")
        var delays: [Int] = []
        for number in 1...20 {
            try finish("try", "FILE", "never")
            try finish("add", "FILE", "note \(number)")
            delays.append(try #require(line("\(number) notes: note \(number)"), "\(text)"))
        }
        #expect(!text.contains("never"))
        print("observed after \(delays.sorted()[10]) ms in the middle, \(delays.max() ?? 0) ms at the most")
        #expect(delays.sorted()[10] < 500)
    }

    @Test("Several writers at once: the last number is told")
    func writers() throws {
        let (watcher, output) = try start("watch", "FILE")
        defer { watcher.terminate() }
        let guardian = DispatchWorkItem { watcher.terminate() }
        DispatchQueue.global().asyncAfter(deadline: .now() + 60, execute: guardian)
        defer { guardian.cancel() }
        var text = ""
        while !text.contains("0 notes") { text += String(decoding: output.availableData, as: UTF8.self) }
        let writers = try (0..<8).map { try start("add", "FILE", "note \($0)").process }
        for writer in writers {
            writer.waitUntilExit()
            #expect(writer.terminationStatus == 0)
        }
        while !text.contains("8 notes") {
            let data = output.availableData
            try #require(!data.isEmpty, "\(text)")
            text += String(decoding: data, as: UTF8.self)
        }
    }
}
