#if canImport(Glibc)
@preconcurrency import Glibc
#elseif canImport(Musl)
@preconcurrency import Musl
#endif
import Herald
import Inspecting

/// A command that this process has started with /bin/sh.
///
/// *Ownership.* One thread makes it, signals it and reaps it. Its number is not given to another process until it is
/// reaped, nor to another group until no process of its group is left.
struct Child {
    let id: pid_t

    /// Starts it for a post, in a process group of its own. Its standard input is the message.
    /// - Parameter missed: The messages that were lost since the last command for a message.
    init(_ command: String, for post: WirePost, missed: Int) throws {
        let input = try Self.file(of: post.bytes ?? [])
        defer { close(input) }
        let inherited = Self.inherited(), variables = Self.variables(of: post, missed)
        let message = post.bytes.flatMap { !$0.contains(0) ? String(validating: $0, as: UTF8.self) : nil }
        guard let message else {
            id = try Self.start(command, variables, inherited, input: input)
            return
        }
        // The system limits the size of a program's arguments and environment, and the shell adds arguments for the
        // programs that it runs.
        let withMessage = variables + [("HERALD_MESSAGE", message)]
        if Self.fits(withMessage, inherited) {
            id = try Self.start(command, withMessage, inherited, input: input)
        } else {
            let length = ("HERALD_MESSAGE_LENGTH", "\(message.utf8.count)")
            id = try Self.start(command, variables + [length], inherited, input: input)
        }
    }

    /// Starts it for no post: in the process group of this process, with its standard input.
    init(_ command: String) throws { id = try Self.start(command, [], Self.inherited(), input: nil) }

    /// - Parameter input: Nil: the command is for no post.
    private static func start(
        _ command: String, _ variables: [(name: String, value: String)],
        _ inherited: [UnsafeMutablePointer<CChar>?], input: Int32?
    ) throws -> pid_t {
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
        var flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
        if let input {
            flags |= POSIX_SPAWN_SETPGROUP
            posix_spawnattr_setpgroup(&attributes, 0)
            posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
        }
        posix_spawnattr_setflags(&attributes, Int16(flags))

        let added = variables.map { strdup("\($0.name)=\($0.value)") }
        let arguments = ["sh", "-c", command].map { (text: String) in strdup(text) }
        defer { (added + arguments).forEach { free($0) } }
        var id: pid_t = 0
        let error = posix_spawn(&id, "/bin/sh", &actions, &attributes, arguments + [nil], inherited + added + [nil])
        guard error == 0 else { throw Unusable(String(cString: strerror(error))) }
        return id
    }

    /// Sends a signal to all processes of the command, stopped ones too.
    func signal(_ number: Int32) {
        kill(-id, number)
        kill(-id, SIGCONT)
    }

    /// Whether one of its processes has not been reaped.
    var isAlive: Bool { kill(-id, 0) == 0 }

    // ---- Its input

    /// All variables that `variables` may set.
    private static let names: Set<String> = [
        "HERALD_NAME", "HERALD_POSTS", "HERALD_OBJECT", "HERALD_TYPE", "HERALD_SEQUENCE", "HERALD_MISSED",
        "HERALD_SENDER", "HERALD_KEPT", "HERALD_STORED", "HERALD_DELIVERIES", "HERALD_LENGTH", "HERALD_MESSAGE",
        "HERALD_MESSAGE_LENGTH",
    ]

    private static func variables(of post: WirePost, _ missed: Int) -> [(name: String, value: String)] {
        var variables = [("HERALD_NAME", "\(post.name)"), ("HERALD_POSTS", "\(post.count)")]
        if post.isKept { variables.append(("HERALD_KEPT", "1")) }
        if let stored = post.stored {
            variables.append(("HERALD_STORED", "\(stored.sequence)"))
            variables.append(("HERALD_DELIVERIES", "\(stored.deliveries)"))
        }
        guard let bytes = post.bytes else { return variables }
        if let subject = post.subject { variables.append(("HERALD_OBJECT", subject)) }
        if let type = post.type { variables.append(("HERALD_TYPE", type)) }
        variables.append(("HERALD_SEQUENCE", "\(post.sequence)"))
        variables.append(("HERALD_MISSED", "\(missed)"))
        variables.append(("HERALD_SENDER", "\(post.sender)"))
        variables.append(("HERALD_LENGTH", "\(bytes.count)"))
        return variables
    }

    /// The kernel's limit for one variable, and for all variables and arguments together; and the part that is left to
    /// the shell.
    private static let mostOfOne = 128 << 10, mostOfAll = min(sysconf(Int32(_SC_ARG_MAX)), 6 << 20), margin = 32 << 10

    /// Whether a shell with these variables can start programs with them.
    private static func fits(
        _ variables: [(name: String, value: String)], _ inherited: [UnsafeMutablePointer<CChar>?]
    ) -> Bool {
        let added = variables.map { $0.name.utf8.count + $0.value.utf8.count + 2 }
        let all = added + inherited.map { strlen($0!) + 1 }
        let pointer = MemoryLayout<UnsafeMutablePointer<CChar>>.size
        return added.allSatisfy { $0 <= mostOfOne } && all.reduce(0) { $0 + $1 + pointer } <= mostOfAll - margin
    }

    /// This process's environment, byte for byte, without the variables that an outer `watch` has set for a post.
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
