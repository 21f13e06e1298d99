import Foundation
import Glibc

/// A headless Chromium, driven through its debugging pipe.
final class Browser {
    struct Failure: Error, CustomStringConvertible { let description: String }

    static let program = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    private let process: pid_t
    private let folder: String
    private let input: Int32, output: Int32
    private var unread = Data()
    private var asked = 0
    private var session: String?
    /// Addresses that the browser has requested, and its error messages.
    private(set) var requests: [String] = []
    private(set) var complaints: [String] = []

    init(folder: String) throws {
        guard let program = Self.program else { throw Failure(description: "there is no Chromium") }
        self.folder = folder
        var toBrowser: [Int32] = [-1, -1], fromBrowser: [Int32] = [-1, -1]
        guard pipe(&toBrowser) == 0, pipe(&fromBrowser) == 0 else { throw Failure(description: "no pipe") }
        let mine = [toBrowser[1], fromBrowser[0]]
        for end in toBrowser + fromBrowser { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        // Other numbers than 3 and 4, which the browser reads and writes.
        let read = fcntl(toBrowser[0], F_DUPFD_CLOEXEC, 20), write = fcntl(fromBrowser[1], F_DUPFD_CLOEXEC, 20)
        close(toBrowser[0])
        close(fromBrowser[1])
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_adddup2(&actions, read, 3)
        posix_spawn_file_actions_adddup2(&actions, write, 4)
        for number in [STDOUT_FILENO, STDERR_FILENO] {
            posix_spawn_file_actions_addopen(&actions, number, "/dev/null", O_WRONLY, 0)
        }
        let words = [
            program, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
            "--remote-debugging-pipe", "--user-data-dir=\(folder)/browser", "about:blank",
        ].map { (word: String) in strdup(word) }
        var id: pid_t = 0
        let status = posix_spawn(&id, program, &actions, nil, words + [nil], environ)
        words.forEach { free($0) }
        posix_spawn_file_actions_destroy(&actions)
        close(read)
        close(write)
        (process, input, output) = (id, mine[0], mine[1])
        guard status == 0 else { throw Failure(description: "Chromium does not start") }
        let targets = try call("Target.getTargets")["targetInfos"] as? [[String: Any]] ?? []
        guard let page = targets.first(where: { $0["type"] as? String == "page" })?["targetId"] else {
            throw Failure(description: "Chromium has no page")
        }
        session = try call("Target.attachToTarget", ["targetId": page, "flatten": true])["sessionId"] as? String
        for domain in ["Page", "Network", "Runtime", "Log"] { _ = try call("\(domain).enable") }
    }

    deinit {
        kill(process, SIGKILL)
        waitpid(process, nil, 0)
        close(input)
        close(output)
    }

    func resize(_ width: Int, _ height: Int) throws {
        _ = try call(
            "Emulation.setDeviceMetricsOverride",
            ["width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600])
    }

    func show(_ address: String) throws { _ = try call("Page.navigate", ["url": address]) }

    /// The value of an expression in the page.
    func value<Value>(_ expression: String, as type: Value.Type = Value.self) throws -> Value {
        let answer = try call("Runtime.evaluate", ["expression": expression, "returnByValue": true])
        if let problem = answer["exceptionDetails"] { throw Failure(description: "\(expression): \(problem)") }
        guard let value = (answer["result"] as? [String: Any])?["value"] as? Value else {
            throw Failure(description: "\(expression) is no \(type): \(answer)")
        }
        return value
    }

    /// Waits until an expression is true, and calls `again` each time that it is not. Returns false after the time
    /// limit.
    func waits(_ expression: String, seconds: Double = 60, again: () throws -> Void = {}) throws -> Bool {
        let end = Date() + seconds
        while Date() < end {
            try again()
            // Names are missing until the page has loaded.
            if try value("(() => { try { return Boolean(\(expression)) } catch { return false } })()", as: Bool.self) {
                return true
            }
            usleep(50_000)
        }
        return false
    }

    private func call(_ method: String, _ parameters: [String: Any] = [:]) throws -> [String: Any] {
        asked += 1
        var request: [String: Any] = ["id": asked, "method": method, "params": parameters]
        request["sessionId"] = session
        let bytes = try JSONSerialization.data(withJSONObject: request) + [0]
        guard bytes.withUnsafeBytes({ write(input, $0.baseAddress, $0.count) }) == bytes.count else {
            throw Failure(description: "Chromium has ended")
        }
        while true {
            let answer = try next()
            guard answer["id"] as? Int == asked else {
                note(answer)
                continue
            }
            if let error = answer["error"] { throw Failure(description: "\(method): \(error)") }
            return answer["result"] as? [String: Any] ?? [:]
        }
    }

    private func next() throws -> [String: Any] {
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            if let end = unread.firstIndex(of: 0) {
                let text = Data(unread[..<end])
                unread = Data(unread[(end + 1)...])
                return try JSONSerialization.jsonObject(with: text) as? [String: Any] ?? [:]
            }
            var waits = [pollfd(fd: output, events: Int16(POLLIN), revents: 0)]
            guard poll(&waits, 1, 60_000) > 0 else { throw Failure(description: "Chromium says nothing") }
            let length = read(output, &piece, piece.count)
            guard length > 0 else { throw Failure(description: "Chromium has ended") }
            unread += piece[..<length]
        }
    }

    private func note(_ event: [String: Any]) {
        guard let method = event["method"] as? String, let about = event["params"] as? [String: Any] else { return }
        switch method {
        case "Network.requestWillBeSent":
            requests.append((about["request"] as? [String: Any])?["url"] as? String ?? "?")
        case "Runtime.exceptionThrown", "Log.entryAdded": complaints.append("\(about)")
        default: break
        }
    }
}
