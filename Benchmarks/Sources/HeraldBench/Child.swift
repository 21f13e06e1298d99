import Foundation

/// A program that is measured, and the conversation with it: a line to it, a line from it, within a time limit.
///
/// If it ends, crashes, hangs or prints nonsense, that is an error with a sentence, and the other programs go on.
final class Child {
    private let process = Process()
    private let input = Pipe(), output = Pipe()
    private let folder: URL
    private var complaints: URL { folder.appendingPathComponent("stderr") }
    private var unread: [UInt8] = []
    private let name: String

    /// The folder belongs to the child, and is removed with it.
    init(_ program: String, _ arguments: [String], folder: URL) throws {
        name = (program as NSString).lastPathComponent
        self.folder = folder
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(["HERALD_HOST_DIRECTORY": folder.path]) { $1 }
        process.standardInput = input
        process.standardOutput = output
        _ = FileManager.default.createFile(atPath: complaints.path, contents: nil)
        process.standardError = FileHandle(forWritingAtPath: complaints.path) ?? FileHandle.nullDevice
        do {
            try process.run()
        } catch {
            throw Failure("\(name) cannot be started: \(error.localizedDescription)")
        }
    }

    deinit {
        end()
        try? FileManager.default.removeItem(at: folder)
    }

    /// Sends a line and returns the answering line.
    func ask(_ line: String, within seconds: Double) throws -> String {
        try? input.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8))
        return try answer(within: seconds)
    }

    /// The next line of its output.
    func answer(within seconds: Double) throws -> String {
        let deadline = Date(timeIntervalSinceNow: seconds)
        while true {
            if let newline = unread.firstIndex(of: 10) {
                defer { unread.removeSubrange(...newline) }
                return String(decoding: unread[..<newline], as: UTF8.self)
            }
            var wait = pollfd(fd: output.fileHandleForReading.fileDescriptor, events: Int16(POLLIN), revents: 0)
            let left = deadline.timeIntervalSinceNow
            guard left > 0, poll(&wait, 1, Int32(left * 1000) + 1) > 0 else {
                end()
                throw Silence(name: name, description: "\(name) does not answer within \(Int(seconds)) s")
            }
            var bytes = [UInt8](repeating: 0, count: 65536)
            let count = read(wait.fd, &bytes, bytes.count)
            guard count > 0 else { throw Failure(obituary()) }
            unread += bytes[..<count]
        }
    }

    /// How the process ended.
    private func obituary() -> String {
        guard hasEnded(within: 2) else {
            end()
            return "\(name) has closed its output"
        }
        let last = (try? String(contentsOf: complaints, encoding: .utf8))?.split(separator: "\n").last.map(String.init)
        if process.terminationReason == .uncaughtSignal {
            return "\(name) ended by signal \(process.terminationStatus)"
                + (Self.signals[process.terminationStatus].map { " (\($0))" } ?? "")
        }
        return "\(name) ended with status \(process.terminationStatus)" + (last.map { ": \($0)" } ?? "")
    }

    static let signals: [Int32: String] = [
        SIGSEGV: "segmentation fault", SIGABRT: "abort", SIGILL: "illegal instruction", SIGBUS: "bus error",
        SIGKILL: "killed", SIGTRAP: "trap", SIGTERM: "terminated",
    ]

    /// Stops all its threads, so that none disturbs the next program's turn; and continues them.
    func pause() { if process.isRunning { kill(process.processIdentifier, SIGSTOP) } }
    func resume() { if process.isRunning { kill(process.processIdentifier, SIGCONT) } }

    /// The process state as the kernel reports it: T is stopped; nil when there is no such process.
    var state: String? {
        guard process.isRunning else { return nil }
        let stat = try? String(contentsOfFile: "/proc/\(process.processIdentifier)/stat", encoding: .utf8)
        return stat?.split(separator: ")").last?.split(separator: " ").first.map(String.init)
    }

    /// Kills it at once: its answers have been read, and its own children end with it.
    func end() {
        guard process.isRunning else { return }
        kill(process.processIdentifier, SIGKILL)
        _ = hasEnded(within: 2)
    }

    private func hasEnded(within seconds: Double) -> Bool {
        let deadline = Date(timeIntervalSinceNow: seconds)
        while process.isRunning && deadline.timeIntervalSinceNow > 0 { usleep(500) }
        return !process.isRunning
    }
}

/// A child that hangs.
struct Silence: Error, CustomStringConvertible {
    let name: String
    let description: String
}
