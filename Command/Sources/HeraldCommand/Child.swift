@preconcurrency import Glibc
import Herald
import Inspecting

/// A command that runs for a post, in a process group of its own.
///
/// *Ownership.* One thread makes it, signals it and reaps it: its number is its own until it is reaped.
struct Child {
    private let id: pid_t

    /// Starts it with /bin/sh. Its standard input is the message.
    init(_ command: String, for post: WirePost) throws {
        var actions = posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

        let input = try Self.file(of: post.bytes ?? [])
        defer { close(input) }
        posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)

        let added = Self.variables(of: post).map { strdup("\($0.name)=\($0.value)") }
        let arguments = ["sh", "-c", command].map { (text: String) in strdup(text) }
        defer { (added + arguments).forEach { free($0) } }
        var id: pid_t = 0
        let error = posix_spawn(
            &id, "/bin/sh", &actions, &attributes, arguments + [nil], Self.inherited() + added + [nil])
        guard error == 0 else { throw Unusable(String(cString: strerror(error))) }
        self.id = id
    }

    /// Sends a signal to all processes of the command, stopped ones too.
    func signal(_ number: Int32) {
        kill(-id, number)
        kill(-id, SIGCONT)
    }

    /// Its exit status as a shell tells it; nil: it still runs.
    func reap() -> Int32? {
        var status: Int32 = 0
        guard waitpid(id, &status, WNOHANG) == id else { return nil }
        let signal = status & 0x7f
        return signal == 0 ? status >> 8 & 0xff : 128 + signal
    }

    // ---- What it gets

    /// All variables that `variables` gives, of whatever post.
    private static let names: Set<String> = [
        "HERALD_NAME", "HERALD_POSTS", "HERALD_OBJECT", "HERALD_TYPE", "HERALD_SEQUENCE", "HERALD_MISSED",
        "HERALD_SENDER", "HERALD_LENGTH", "HERALD_MESSAGE",
    ]

    private static func variables(of post: WirePost) -> [(name: String, value: String)] {
        var variables = [("HERALD_NAME", "\(post.name)"), ("HERALD_POSTS", "\(post.count)")]
        guard let bytes = post.bytes else { return variables }
        if let subject = post.subject { variables.append(("HERALD_OBJECT", subject)) }
        if let type = post.type { variables.append(("HERALD_TYPE", type)) }
        variables.append(("HERALD_SEQUENCE", "\(post.sequence)"))
        variables.append(("HERALD_MISSED", "\(post.missed)"))
        variables.append(("HERALD_SENDER", "\(post.sender)"))
        variables.append(("HERALD_LENGTH", "\(bytes.count)"))
        if !bytes.contains(0), let text = String(validating: bytes, as: UTF8.self) {
            variables.append(("HERALD_MESSAGE", text))
        }
        return variables
    }

    /// This process's environment, byte for byte, without what an outer `watch` has told about a post.
    private static func inherited() -> [UnsafeMutablePointer<CChar>?] {
        var variables: [UnsafeMutablePointer<CChar>?] = []
        var next = environ
        while let variable = next.pointee {
            let name = String(cString: variable).prefix { $0 != "=" }
            if !names.contains(String(name)) { variables.append(variable) }
            next += 1
        }
        return variables
    }

    /// An open file with these bytes and no name; /dev/null if there are none.
    private static func file(of bytes: [UInt8]) throws -> Int32 {
        guard !bytes.isEmpty else {
            let null = open("/dev/null", O_RDONLY | O_CLOEXEC)
            guard null >= 0 else { throw Unusable("/dev/null: \(String(cString: strerror(errno)))") }
            return null
        }
        for folder in ["/dev/shm", "/tmp"] {
            var path = Array("\(folder)/herald-message-XXXXXX".utf8CString)
            let file = mkstemp(&path)
            guard file >= 0 else { continue }
            unlink(path)
            _ = fcntl(file, F_SETFD, FD_CLOEXEC)
            if pwrite(file, bytes, bytes.count, 0) == bytes.count { return file }
            close(file)
        }
        throw Unusable("there is no room for its input in /dev/shm and /tmp")
    }
}
