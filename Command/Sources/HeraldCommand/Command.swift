import ArgumentParser
import CHerald
import CHeraldHost
#if canImport(Glibc)
@preconcurrency import Glibc
#elseif canImport(Musl)
@preconcurrency import Musl
#endif
import Herald
import Inspecting

/// The command `herald`: the host center for shells and scripts.
@main struct Command: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "herald",
        abstract: "Post and observe names between the processes of a user, and between machines.",
        usage: "herald [--network <servers>] <subcommand>",
        discussion: """
            A post of a name reaches every process that observes the name: programs with HeraldCenter.host in Swift, \
            with HeraldCenterGetHostCenter in C, and 'herald watch'. It carries the name alone or, with --message, up \
            to 64 KiB, their type and their object. No daemon runs. With --network it reaches all machines. Names have 1 to 512 bytes of UTF-8.

            EXAMPLES
              herald watch com.acme.cache-changed --exec 'make -C site'
              herald post com.acme.cache-changed
              herald post com.acme.saved --object notes.txt --message @notes.txt
              herald watch --prefix com.acme --json
              herald watch build.done --once --timeout 60 && notify-send 'built'
              inotifywait -m -q site | herald post --stdin com.acme.site-changed
              herald watch com.acme.answer --once --then 'herald post com.acme.question'
              herald state com.acme.level 3; herald state com.acme.level
              herald post com.acme.settings --keep --message @settings.json; herald watch --kept com.acme.settings
              herald --network nats://a:4222 watch com.acme.built
              herald --network nats://a:4222 stream create SAVED --names com.acme.saved
              herald --network nats://a:4222 watch com.acme.saved --durable indexer --exec ./index

            ENVIRONMENT
              HERALD_HOST_DIRECTORY   the folder of the shared file, in place of the user's runtime folder ($XDG_RUNTIME_DIR, \
            /run/user/UID or /dev/shm)

            EXIT STATUS
              0    done
              1    'watch --timeout' ended without a post, or with fewer than --count; 'kept forget' found nothing
              64   the arguments or the input are wrong, or a message is too large
              66   the file of a message cannot be read
              69   the shared file or the network cannot be used; one line on stderr gives the reason
              74   the output cannot be written
              75   there is no room for a message now
              77   the network's servers do not allow it
              124  the last command of 'watch --exec' that failed ran out of time
              'watch --then' gives the status of its command if that has failed, and 'watch --exec' that of the last one \
            that failed: 126 if it could not be started, 128 and the signal's number if a signal ended it.

            Completion: herald --generate-completion-script bash (zsh, fish)
            """,
        version: String(cString: HeraldGetVersion()),
        subcommands: [
            Post.self, Watch.self, State.self, KeptCommand.self, StreamCommand.self, List.self, Path.self, Reset.self,
            Inspect.self,
            Trace.self, Top.self,
            Bench.self,
            BenchAnswer.self,
        ])

    @OptionGroup(title: "Network Options") var network: NetworkOptions

    static func main() {
        holdStandardDescriptors()
        signal(SIGPIPE, SIG_DFL)  // if the reader goes away, this process ends, even if its parent ignored the signal
        Signals.prepareFirstProcess()
        unblockSignals()
        setvbuf(stdout, nil, Int32(_IOLBF), 0)
        do {
            try checkArguments()
            try checkCommand()
            var command = try parseAsRoot()
            try NetworkOptions.check(command)
            try command.run()
            guard fflush(stdout) == 0, ferror(stdout) == 0 else {
                fail("the output cannot be written", status: EX_IOERR)
            }
        } catch let error as Unusable {
            fail(error.reason, status: error.status)
        } catch {
            guard exitCode(for: error) != .success else { exit(withError: error) }  // help, version, completion
            if let error = error as? ExitCode { exit(withError: error) }
            fail(message(for: error), status: exitCode(for: error).rawValue)
        }
    }

    /// Rejects arguments that are not UTF-8: Swift would replace bytes in them, and another name would be posted.
    private static func checkArguments() throws {
        for index in 1..<max(1, Int(CommandLine.argc)) {
            guard let argument = CommandLine.unsafeArgv[index] else { break }
            if String(validatingCString: argument) == nil {
                throw ValidationError("argument \(index) is not UTF-8")
            }
        }
    }

    /// Throws if there is no such command; the error names a command with a similar spelling.
    private static func checkCommand() throws {
        guard let word = NetworkOptions.firstWord(of: CommandLine.arguments.dropFirst()) else { return }
        let known = configuration.subcommands.map { $0._commandName } + ["help"]
        guard !known.contains(word) else { return }
        let shown = configuration.subcommands.filter { $0.configuration.shouldDisplay }.map { $0._commandName }
        let near = shown.map { ($0, distance(word, $0)) }.min { $0.1 < $1.1 }
        guard let near, near.1 <= 2 else {
            throw ValidationError("there is no command \(word): there are \(shown.joined(separator: ", "))")
        }
        throw ValidationError("there is no command \(word): did you mean \(near.0)?")
    }

    /// How many letters must be added, left out, changed, or exchanged with the next.
    private static func distance(_ one: String, _ other: String) -> Int {
        let (a, b) = (Array(one.utf8), Array(other.utf8))
        guard a.count <= 32, !a.isEmpty else { return .max }
        var rows = [Array(0...b.count)]
        for i in 1...a.count {
            var row = [i]
            for j in 1...b.count {
                var best = min(rows[i - 1][j] + 1, row[j - 1] + 1, rows[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1))
                if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] { best = min(best, rows[i - 2][j - 2] + 1) }
                row.append(best)
            }
            rows.append(row)
        }
        return rows[a.count][b.count]
    }

    /// Opens /dev/null for each standard descriptor that is closed. Otherwise another file would get its number, and
    /// the output would be written to it.
    private static func holdStandardDescriptors() {
        for (descriptor, mode) in [(STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDONLY)]
        where fcntl(descriptor, F_GETFD) < 0 {
            guard open("/dev/null", mode) == descriptor else { continue }
        }
    }

    /// Prints an error on one line, and exits.
    private static func fail(_ text: String, status: Int32) -> Never {
        let line = printable(text.split(whereSeparator: \.isNewline).joined(separator: " "))
        fputs("herald: \(line)\n", stderr)
        endProcess(status)
    }
}

/// Throws if a call of the C library has failed.
func attempt(_ status: HeraldStatus) throws {
    let reason = String(cString: HeraldHostGetErrorDescription())
    switch status {
    case HeraldOK: return
    case HeraldTooLarge: throw Unusable(reason, status: EX_USAGE)
    case HeraldQueueFull: throw Unusable(reason, status: EX_TEMPFAIL)
    case HeraldOutOfMemory: throw Unusable(String(cString: HeraldStatusGetDescription(status)))
    default: throw Unusable(reason)
    }
}
