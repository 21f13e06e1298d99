import Foundation
import Processes
import Testing

/// `herald watch` in scripts, units, containers and terminals. Nothing sleeps: `--ready-fd` and `--then` show when it
/// observes.
@Suite final class WatchCommandTests {
    private let scratch: Scratch
    private var folder: String { scratch.path }

    init() throws { scratch = try Scratch("watch") }

    private func script(_ text: String) async throws -> ProcessOutput {
        try await scratch.run(
            text,
            prelude: "mkfifo ready")
    }

    // ---- When it observes

    @Test("What --then posts is heard, each time; if it fails the watching ends with its status")
    func then() async throws {
        let output = try await script(
            """
            for i in $(seq 10); do herald watch a --once --timeout 250 --then 'herald post a'; done | grep -c '^a$'
            herald watch a --once --timeout 250 --exec 'cat; echo' --then 'herald post a --message hello'; echo $?
            herald watch a --then 'exit 3'; echo $?; herald watch a --then 'kill -9 $$'; echo $?
            herald watch --prefix a --timeout 250 --exec 'cat; exit 4' --count 1 --then 'herald post a.b --message x'; echo $?
            """)
        #expect(output.text == "10\nhello\n0\n3\n137\nx4\n", "\(output.text)\(output.errors)")
        #expect(
            output.errors == """
                herald: the command of --then has failed with status 3
                herald: the command of --then has failed with status 137

                """)
    }

    @Test("--ready-fd: a newline when all is observed, and the end of the file; commands do not inherit it")
    func readyDescriptor() async throws {
        let output = try await script(
            """
            herald watch a --prefix b --count 2 --exec 'ls -l /proc/self/fd | grep -c ready' --ready-fd 7 7> ready > lines &
            od -An -tx1 < ready
            herald post a b.c; wait $!; cat lines
            herald watch a --once --ready-fd 1 --then 'herald post a'
            herald watch a --ready-fd 3 3> /dev/full; echo $?
            herald watch a --once --ready-fd 3 3> >(exit) --then 'herald post a'
            """)
        #expect(output.text == " 0a\n0\n0\n\na\n74\na\n", "\(output.text)\(output.errors)")
        #expect(output.errors.hasPrefix("herald: --ready-fd 3 cannot be written: "))
    }

    @Test("The service manager is told READY=1, by a path and by an abstract name, and commands are no service")
    func serviceManager() throws {
        for path in ["\(folder)/notify", "@\(folder)/abstract"] {
            let socket = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
            defer { close(socket) }
            var address = sockaddr_un(), patience = timeval(tv_sec: 60, tv_usec: 0)
            address.sun_family = sa_family_t(AF_UNIX)
            let bytes = path.utf8.map { $0 == UInt8(ascii: "@") ? 0 : $0 }
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
            let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
            let status = withUnsafePointer(to: &address) { address in
                address.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(socket, $0, length) }
            }
            try #require(status == 0)
            setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
            let watcher = Process(), output = Pipe()
            watcher.executableURL = heraldCommand
            watcher.arguments = ["watch", "a", "--once", "--timeout", "250", "--exec", "echo [$NOTIFY_SOCKET]"]
            watcher.arguments! += ["--then", "\(heraldCommand.path) post a"]
            watcher.environment = ProcessInfo.processInfo.environment.merging(
                ["HERALD_HOST_DIRECTORY": folder, "NOTIFY_SOCKET": path]
            ) { $1 }
            watcher.standardOutput = output
            try watcher.run()
            var text = [UInt8](repeating: 0, count: 64)
            let count = recv(socket, &text, text.count, 0)
            #expect(String(decoding: text.prefix(max(0, count)), as: UTF8.self) == "READY=1")
            #expect(String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self) == "[]\n")
            watcher.waitUntilExit()
        }
    }

    // ---- How it ends

    private static let hasNamespaces: Bool = {
        let unshare = Process()
        unshare.executableURL = URL(fileURLWithPath: "/usr/bin/unshare")
        unshare.arguments = ["-Urpf", "--mount-proc", "true"]
        unshare.standardError = FileHandle.nullDevice
        guard (try? unshare.run()) != nil else { return false }
        unshare.waitUntilExit()
        return unshare.terminationStatus == 0
    }()

    @Test(
        "As process 1 it ends at a signal, whatever it does, and reaps who is left to it",
        .enabled(if: hasNamespaces, "there are no namespaces here"))
    func firstProcess() async throws {
        let output = try await script(
            """
            first() { unshare -Urpf --mount-proc --kill-child "$@"; }
            # The first process itself is signalled by a process that it has begun.
            for number in TERM INT HUP QUIT; do
                first herald watch a --then "kill -$number 1; sleep 60"; echo $?
                first herald watch a --exec "kill -$number 1; sleep 60" --then 'herald post a'; echo $?
            done 2>&1
            mkfifo input; exec 4<> input
            for command in 'herald post --stdin' 'herald top' 'herald inspect --web'; do
                # It is process 1 when the shell has become it, and herald-web when that has.
                name=herald; [ "${command##* }" = --web ] && name=herald-web
                first bash -c "(until grep -qx $name /proc/1/comm; do :; done
                    until grep -q '^SigCgt:.*[4-7c-f]...$' /proc/1/status; do :; done; kill -TERM 1) & exec $command" <&4 > /dev/null
                echo $?
            done
            # It takes the signals when it has a pipe for them.
            # (A program that is held up does not answer in time.)
            until first bash -c "(until ls -l /proc/1/fd | grep -q pipe; do :; done; kill -TERM 1) &
                    HERALD_INSPECT=1 herald watch b & exec herald trace \\$!" <&4 > /dev/null 2> refusal; status=$?
                ! grep -q 'not answer' refusal; do :; done
            echo $status
            cat > orphan <<'END'
            (while kill -0 $$; do :; done 2> /dev/null; touch over) &
            END
            first herald watch a --count 2 --exec '
                [ $HERALD_MESSAGE = leave ] && exec sh ./orphan
                until [ -e over ]; do sleep 0.01; done
                for i in $(seq 6000); do grep -q "^State:.Z" /proc/[0-9]*/status || exit 0; sleep 0.01; done; exit 9' \\
                --then 'herald post a --message leave; herald post a --message look'; echo $?
            """)
        #expect(
            output.text == "143\n143\n130\n130\n129\n129\n131\n131\n143\n143\n143\n143\n0\n",
            "\(output.text)\(output.errors)")
    }

    @Test("It ends when nobody reads its lines any more, and so do trace and top")
    func readers() async throws {
        let output = try await script(
            """
            herald watch a --then 'herald post a' | head -n 1
            for command in 'watch a' 'watch --all --json' 'top --json' 'top'; do
                timeout 250 herald $command | true; echo ${PIPESTATUS[0]}
            done
            HERALD_INSPECT=1 herald watch b & ask trace $! | true; echo ${PIPESTATUS[0]}; kill $!
            herald watch a --once --then 'herald post a' >&-; echo $?
            herald watch a --then 'herald post a' > /dev/full; echo $?
            """)
        #expect(output.text == "a\n141\n141\n141\n141\n141\n74\n74\n", "\(output.text)\(output.errors)")
    }

    @Test("A signal ends it while a reader of its lines stalls, also when it has ended but for that")
    func stalledReader() async throws {
        let output = try await script(
            """
            mkfifo lines; exec 5<> lines  # nobody reads
            head -c 60000 /dev/zero | tr '\\0' x > large
            cat > stall <<'END'
            herald post a --message @large; herald post a --message @large
            while printf x | dd of=lines oflag=nonblock conv=notrunc 2> /dev/null; do sleep 0.01; done
            touch stalled; exit $1
            END
            for status in 0 3; do
                for signal in TERM INT; do
                    rm -f stalled
                    (trap - INT; exec herald watch a --then "sh ./stall $status" > lines) & watcher=$!
                    await_file stalled
                    # It ends, and takes no signals any more.
                    [ $status = 3 ] && for i in $(seq 6000); do
                        grep -q '^SigCgt:.*[4-7c-f]...$' /proc/$watcher/status || break; sleep 0.01
                    done
                    kill -$signal $watcher; wait $watcher; echo $?
                    dd if=lines of=/dev/null iflag=nonblock bs=1M 2> /dev/null
                done
            done
            """)
        #expect(output.text == "143\n130\n143\n130\n", "\(output.text)\(output.errors)")
    }

    @Test("A signal ends top and trace, too, while a reader of their lines stalls")
    func stalledReaderOfOthers() async throws {
        let output = try await script(
            """
            mkfifo lines; exec 5<> lines  # nobody reads
            HERALD_INSPECT=1 herald watch b --busy drop --exec true & program=$!
            while [ ! -e stop ]; do herald post b; done & poster=$!
            for command in top "top --json" "trace $program"; do
                (exec herald $command > lines) & shower=$!
                for i in $(seq 1000); do  # until it writes to standard output, which is full
                    dd if=/dev/zero of=lines oflag=nonblock conv=notrunc bs=4096 count=32 2> /dev/null
                    grep -q '^[0-9]* 0x1 ' /proc/$shower/syscall 2> /dev/null && break
                    [ "$(cat /proc/$shower/wchan)" = pipe_write ] && break; sleep 0.01
                done
                kill -TERM $shower; wait $shower; echo $?
                dd if=lines of=/dev/null iflag=nonblock bs=1M 2> /dev/null
            done
            touch stop; wait $poster; kill $program
            """)
        #expect(output.text == "143\n143\n143\n", "\(output.text)\(output.errors)")
    }

    // ---- Commands

    @Test("A command that wants the terminal has it, and this process has it back")
    func terminal() async throws {
        let output = try await script(
            """
            cat > ask <<'END'
            read line < /dev/tty; echo "got $line"
            END
            printf 'one\\ntwo\\n' | script -qec "herald watch a --count 2 --exec 'sh ./ask' \\
                --then 'herald post a --message 1; herald post a --message 2'" /dev/null | grep -oE '^got.*[a-z]'
            # While the command has it, nothing of the terminal stops this process.
            cat > hold <<'END'
            read line < /dev/tty; kill -TTOU $PPID; kill -TTIN $PPID; echo "got $line"
            END
            cat > front <<'END'
            set -m; herald watch a --once --timeout 250 --exec 'exec sh ./hold' --then 'herald post a'; echo "status $?"
            END
            printf 'four\\n' | script -qec "bash ./front" /dev/null | grep -oE '^(got.*[a-z]|status [0-9]+)'
            # In the background it cannot have it, which is said; in the foreground it gets it.
            cat > job <<'END'
            set -m
            herald watch a --once --exec 'sh ./ask' --then 'herald post a' 2> said &
            for i in $(seq 6000); do grep -q terminal said && break; sleep 0.01; done
            cat said; fg
            END
            printf 'three\\n' | script -qec "bash ./job" /dev/null | grep -oE '^(got|herald: ).*[a-z]'
            """)
        #expect(
            output.text == """
                got one
                got two
                got four
                status 0
                herald: the command waits for the terminal, which 'watch' does not have in the background: \
                bring it to the foreground, or give the command other input
                got three

                """, "\(output.text)\(output.errors)")
    }

    @Test("A message that the environment has no room for is the command's input alone")
    func largeMessages() async throws {
        let output = try await script(
            """
            head -c 65536 /dev/zero | tr '\\0' x > large
            one=$(head -c 100000 /dev/zero | tr '\\0' y)
            watch() {
                herald watch a --once --exec 'echo "${HERALD_MESSAGE-none}" | wc -c; echo "$HERALD_MESSAGE_LENGTH"
                    cmp - large && /bin/echo same' --then 'herald post a --message @large'
            }
            watch; export HERALD_MESSAGE_LENGTH=7; watch
            # The system gives programs a quarter of the stack.
            ulimit -S -s 600; ONE=$one watch
            """)
        #expect(output.text == "65537\n\nsame\n65537\n\nsame\n5\n65536\nsame\n", "\(output.text)\(output.errors)")
    }

    @Test("While a command runs, posts wait, or the newest takes its place")
    func busy() async throws {
        let output = try await script(
            """
            for busy in queue restart; do
                mkdir $busy; cd $busy
                herald watch $busy --count 2 --timeout 100 --busy $busy --exec '
                    trap "echo ended; exit 1" TERM
                    echo $HERALD_MESSAGE
                    [ $HERALD_MESSAGE = 1 ] || exit 0
                    touch begun; until [ -e go ]; do sleep 0.01; done' --then "
                        herald post $busy --message 1; until [ -e begun ]; do sleep 0.01; done
                        herald post $busy --message 2; [ $busy = restart ] || touch go"
                echo $?; cd ..
            done
            """)
        #expect(output.text == "1\n2\n0\n1\nended\n2\n0\n", "\(output.text)\(output.errors)")
    }

    @Test("While a command runs, posts are dropped; what was lost before them is told with the next")
    func drop() async throws {
        let output = try await script(
            """
            # Each command runs while the next three messages are posted, until one was dropped.
            cat > run <<'END'
            echo $HERALD_MESSAGE; last=$(cat last)
            [ $HERALD_MESSAGE -gt $((last + 1)) ] && touch dropped
            echo $HERALD_MESSAGE > last
            until [ -e dropped ] || [ -e posted.$((HERALD_MESSAGE + 3)) ]; do sleep 0.01; done
            END
            cat > posts <<'END'
            until [ -e dropped ] || ! kill -0 $PPID; do
                n=$((n + 1)); herald post a --message $n; touch posted.$n
            done
            exit 9
            END
            echo 0 > last
            herald watch a --busy drop --exec 'sh ./run' --then 'exec sh ./posts' > runs 2> errors; echo $?
            sort -nuc runs && echo in order

            # What is lost while it is stopped is counted by a message that is dropped.
            head -c 65536 /dev/zero > large; rm -f dropped
            cat > run <<'END'
            [ $HERALD_MISSED = 0 ] || touch missed
            [ $HERALD_LENGTH = 1 ] && touch begun && until [ -e go ]; do sleep 0.01; done
            END
            cat > posts <<'END'
            herald post b --message 1; until [ -e begun ]; do sleep 0.01; done
            kill -STOP $PPID; herald post b --message @large --count 1000; kill -CONT $PPID
            herald post b --message 22; touch go
            for i in $(seq 1000); do [ -e missed ] && exit 9; herald post b --message 22; done
            exit 8
            END
            herald watch b --busy drop --exec 'sh ./run' --then 'exec sh ./posts' 2> errors; echo $?
            """)
        #expect(output.text == "9\nin order\n9\n", "\(output.text)\(output.errors)")
    }

    @Test("A command that is replaced has ended with all of its processes, and those that do not listen are killed")
    func groups() async throws {
        let output = try await script(
            """
            cat > serve <<'END'
            trap '' TERM; echo $$ > pid; touch begun; while :; do sleep 0.1; done
            END
            cat > next <<'END'
            for i in $(seq 6000); do
                grep -q '^State:.[^ZX]' /proc/$(cat pid)/status 2> /dev/null || { echo alone; exit; }; sleep 0.01
            done
            echo together
            END
            herald watch a --count 2 --busy restart --exec '[ $HERALD_MESSAGE = 2 ] && exec sh ./next; sh ./serve; echo ended' \\
                --then 'herald post a --message 1; until [ -e begun ]; do sleep 0.01; done; herald post a --message 2'
            echo $?; kill -9 $(cat pid) 2> /dev/null
            """)
        #expect(output.text == "alone\n0\n", "\(output.text)\(output.errors)")
    }

    // ---- What it hears

    @Test("--object has the messages about a text, to the byte, and no other post")
    func object() async throws {
        let output = try await script(
            """
            cat > post <<'END'
            herald post a b.c; herald post a --message 1; herald post a --message 2 --object $'e\\xcc\\x81'
            herald post a --message 3 --object $'\\xc3\\xa9'; herald post b.c --message 4 --object $'\\xc3\\xa9'
            END
            herald watch a --prefix b --count 2 --timeout 250 --object $'\\xc3\\xa9' --then 'bash ./post'
            """)
        #expect(output.text == "a [\u{e9}]: 3\nb.c [\u{e9}]: 4\n", "\(output.text)\(output.errors)")
    }

    @Test("Each line of input is a message, of any bytes")
    func lines() async throws {
        let output = try await script(
            """
            herald watch a b --count 8 --timeout 250 --json --then '
                printf "one\\\\n\\\\ntwo\\\\r\\\\n\\\\377" | herald post a b --stdin --message - --object o' |
                grep -oE '"(name|message|base64)":"[^"]*"' | paste -sd' '
            (head -c 70000 /dev/zero; echo; echo next) | herald post c --stdin --message -; echo $?
            herald watch c --once --timeout 250 --then '(echo next; head -c 70000 /dev/zero) | herald post c --stdin --message - 2>&1'
            """)
        let a = #""message":"one" "name":"a""#
        #expect(
            output.text.hasPrefix(
                #"\#(a) "message":"one" "name":"b" "message":"" "name":"a" "message":"" "name":"b" "#
                    + #""message":"two" "name":"a" "message":"two" "name":"b" "base64":"/w==" "name":"a" "base64":"/w==" "name":"b""#
                    + "\n"), "\(output.text)\(output.errors)")
        #expect(output.text.contains("herald: line 2: a message has at most 65536 bytes"), "\(output.text)")
    }

    @Test("--verbose tells of those who observe a prefix, or all names")
    func wideAudience() async throws {
        let output = try await script(
            """
            herald post a.b -v
            herald watch --prefix a --once --then 'herald post a.b -v'
            """)
        let errors = output.errors.split(separator: "\n")
        #expect(errors.count == 2 && errors[0] == "herald: a.b: 0 processes observe it", "\(output.errors)")
        #expect(errors.last == "herald: a.b: 1 process observes a prefix or all names", "\(output.errors)")
    }
}
