import CHerald
import Foundation
import Herald
import Processes
import Testing

/// The command as a script uses it. Each test has a folder of its own.
@Suite final class CommandTests {
    private let scratch: Scratch
    private var folder: String { scratch.path }

    init() throws { scratch = try Scratch("command") }

    /// Runs a script, in which `herald` is the command.
    private func script(_ text: String) async throws -> ProcessOutput {
        try await scratch.run(
            text,
            prelude: """
                await_watchers() {
                    for i in $(seq 1200); do
                        herald list --json | grep -q "\\"name\\":\\"$1\\".*\\"watchers\\":$2" && await_catching && return
                        sleep 0.05
                    done
                    echo "nobody watches $1"
                }
                # A watcher is listed while it tries its names, too. Once it observes all of them, it catches SIGCHLD.
                await_catching() {
                    for pid in $(jobs -pr); do
                        for j in $(seq 1200); do
                            tr '\\0' ' ' < /proc/$pid/cmdline 2>/dev/null | grep -q '^[^ ]*herald watch ' || break
                            grep -q '^SigCgt:.*[37bf]....$' /proc/$pid/status 2>/dev/null && break
                            sleep 0.05
                        done
                    done
                }
                await_line() {  # posts name $2 until the file $1 has a line of it, for those who watch more than a name
                    for i in $(seq 1200); do
                        herald post $2; sleep 0.05
                        grep -qw "$2" $1 2> /dev/null && return
                    done
                    echo "nobody hears $2"
                }
                await_lines() {  # until the file $1, which may not be there yet, has $3 lines with $2
                    local count
                    for i in $(seq 1200); do
                        count=$(grep -cw "$2" $1 2> /dev/null); [ "${count:-0}" -ge $3 ] && return; sleep 0.05
                    done
                    echo "$1 has no $3 of $2"
                }
                """)
    }

    @Test("What is posted is watched: a line for each time, and how many posts it stands for")
    func watch() async throws {
        let output = try await script(
            """
            cd \(folder)
            herald watch a b --timeout 250 --once > once & once=$!
            herald watch a b > lines & watcher=$!
            await_watchers a 2
            herald post b
            wait $once; echo $?
            await_lines lines b 1; herald post a --count 1000
            for i in $(seq 1200); do  # until all are heard: two names that are posted at once have no order
                sed 's/^a$/a (1 posts)/' lines | tr -d '(' | awk '$1 == "a" { n += $2 } END { exit n < 1000 }' && break
                sleep 0.05
            done
            herald post b; await_lines lines b 2
            kill $watcher; wait $watcher 2>/dev/null
            cat lines
            """)
        let lines = output.text.split(separator: "\n")
        #expect(lines.first == "0")
        #expect(lines.dropFirst().first == "b" && lines.last == "b")
        let posts = lines.dropFirst(2).dropLast().map { line in
            line == "a" ? 1 : Int(line.split(whereSeparator: { "( ".contains($0) })[1]) ?? 0
        }
        #expect(posts.reduce(0, +) == 1000, "\(output.text)")
        #expect(output.errors.isEmpty)
    }

    @Test("--exec runs a command for each time, one after the other, and posts meanwhile are put together")
    func execute() async throws {
        let output = try await script(
            """
            cd \(folder)
            herald watch a --count 8 --exec '
                echo $HERALD_NAME $HERALD_POSTS >> heard; while [ ! -e go ]; do sleep 0.02; done' & watcher=$!
            await_watchers a 1
            herald post a; await_lines heard a 1; herald post a --count 7; touch go
            wait $watcher; cat heard
            """)
        // Posts that had come when the first command ended, and posts that came later.
        let posts = output.text.split(separator: "\n").map { $0.hasPrefix("a ") ? Int($0.dropFirst(2)) ?? 0 : 0 }
        #expect(posts.first == 1 && posts.reduce(0, +) == 8 && posts.count <= 3, "\(output.text)")
    }

    @Test("--json prints objects that a script can read")
    func json() async throws {
        let output = try await script(
            """
            herald watch 'quote".name' --json --once --timeout 250 > \(folder)/line & watcher=$!
            await_watchers 'quote...name' 1
            herald post 'quote".name'; wait $watcher
            cat \(folder)/line
            herald state 'quote".name' 18446744073709551615
            herald list --json
            """)
        let lines = output.text.split(separator: "\n").map { Data($0.utf8) }
        try #require(lines.count == 2, "\(output.text)\(output.errors)")
        let line = try JSONSerialization.jsonObject(with: lines[0]) as? [String: Any]
        #expect(line?["name"] as? String == "quote\".name")
        #expect(line?["posts"] as? Int == 1)
        #expect(abs((line?["time"] as? Double ?? 0) - Date().timeIntervalSince1970) < 60)
        let list = try JSONSerialization.jsonObject(with: lines[1]) as? [[String: Any]]
        #expect(list?.count == 1)
        #expect(list?[0]["state"] as? UInt64 == .max)
        #expect(list?[0]["posts"] as? Int == 1)
        #expect(list?[0]["watchers"] as? Int == 0)
    }

    @Test("What is kept is watched first, marked, also after its poster has ended; it is listed and forgotten")
    func kept() async throws {
        let output = try await script(
            """
            cd \(folder)
            printf '{"theme":"dark"}' > s.json
            herald post a.s --keep --message @s.json --type application/json
            herald post a.s --keep --message one --object x; herald post a.s --keep --message two --object y
            herald post a.s --message plain; herald post a.other --message plain
            herald kept list; herald kept list --prefix b; herald list --prefix a | cut -d ' ' -f 1
            herald kept list --prefix a --json
            herald watch --kept a.s --count 3; herald watch --kept a.s --object y --once --json | grep -o '"kept":true'
            herald watch --kept a.s --once --exec 'echo "$HERALD_KEPT $HERALD_MESSAGE"'
            herald watch --kept a.s --count 4 > lines & watcher=$!
            await_lines lines kept 3; herald post a.s --keep --message three --object y; wait $watcher; tail -n 1 lines
            herald kept forget a.s; echo $?; herald kept forget a.s; echo $?; herald kept forget a.s --object x
            herald kept list
            herald state a.level 7; herald watch --kept a.level --once
            """)
        #expect(
            output.text == """
                NAME  OBJECT  TYPE              BYTES
                a.s   -       application/json     16
                a.s   x       -                     3
                a.s   y       -                     3
                NAME  OBJECT  TYPE  BYTES
                NAME
                a.s
                [{"length":16,"message":"{\\"theme\\":\\"dark\\"}","name":"a.s","type":"application/json"},\
                {"length":3,"message":"one","name":"a.s","object":"x"},\
                {"length":3,"message":"two","name":"a.s","object":"y"}]
                a.s (kept): {"theme":"dark"}
                a.s [x] (kept): one
                a.s [y] (kept): two
                "kept":true
                1 {"theme":"dark"}
                a.s [y]: three
                0
                1
                NAME  OBJECT  TYPE  BYTES
                a.s   y       -         5
                a.level (kept)

                """, "\(output.text)\(output.errors)")
        #expect(output.errors == "herald: nothing is kept of a.s\n")
    }

    @Test("A line of input is a post")
    func input() async throws {
        let output = try await script(
            """
            herald state a 1; herald state b 2
            printf 'a\\nb\\na\\n' | herald post --stdin
            printf 'x\\ny\\n' | herald post --stdin b --count 2
            herald list
            printf 'a\\n\\n' | herald post --stdin; echo $?
            """)
        #expect(
            output.text
                == "NAME  POSTS  STATE  WATCHERS  KEPT\na         2      1         0     0\nb         5      2         0     0\n64\n"
        )
        #expect(output.errors == "herald: line 2: a name has 1 to 512 bytes\n")
    }

    @Test("A line of input may end as on other systems")
    func carriageReturns() async throws {
        let output = try await script(
            """
            herald state a 1; herald state b 2
            printf 'a\\r\\nb\\r\\na\\r' | herald post --stdin
            herald list --json | grep -o '"posts":[0-9]*'
            printf '\\r\\n' | herald post --stdin; echo $?
            """)
        #expect(output.text == "\"posts\":2\n\"posts\":1\n64\n", "\(output.text)\(output.errors)")
        #expect(output.errors == "herald: line 1: a name has 1 to 512 bytes\n")
    }

    @Test("The list has the names under a prefix, and the processes that watch them")
    func list() async throws {
        let output = try await script(
            """
            for name in a a.b a.c ab.c; do herald state $name 1; done
            herald watch a.b & watcher=$!
            await_watchers a.b 1
            herald list --prefix a
            herald list --prefix a --processes | sed "s/\\b$watcher\\b/WATCHER/"
            herald list --prefix a.b; herald list --prefix a --json --processes | sed "s/\\b$watcher\\b/0/"
            kill $watcher
            """)
        #expect(
            output.text == """
                NAME  POSTS  STATE  WATCHERS  KEPT
                a.b       0      1         1     0
                a.c       0      1         0     0
                NAME  POSTS  STATE  WATCHERS  KEPT  PROCESSES
                a.b       0      1         1     0  WATCHER
                a.c       0      1         0     0  -
                NAME  POSTS  STATE  WATCHERS  KEPT
                [{"kept":0,"name":"a.b","posts":0,"processes":[0],"state":1,"watchers":1},\
                {"kept":0,"name":"a.c","posts":0,"processes":[],"state":1,"watchers":0}]

                """, "\(output.errors)")
    }

    @Test("Names are bytes: what is not UTF-8 is no name, and what only looks alike is another")
    func bytes() async throws {
        let output = try await script(
            """
            herald state $'e\\xcc\\x81' 7; herald state $'\\xc3\\xa9'
            herald watch $'e\\xcc\\x81' $'\\xc3\\xa9' --once & watcher=$!
            await_watchers $'\\xc3\\xa9' 1; herald post $'\\xc3\\xa9'; wait $watcher
            printf 'a\\xff\\n' | herald post --stdin; echo $?
            printf 'a\\0b\\n' | herald post --stdin; echo $?
            herald post self.a; echo $?
            """)
        #expect(output.text == "0\n\u{e9}\n64\n64\n64\n", "\(output.errors)")
        #expect(output.errors.filter(\.isNewline).count == 3)
    }

    @Test("A command that runs when the time is over is waited for, and what it was run for has been heard")
    func executeToTheEnd() async throws {
        let output = try await script(
            """
            cd \(folder)
            for try in 1 2 3 4 5 6; do  # until the post comes before the time is over
                herald watch a a --exec "sleep 11; echo ran >> heard.$try" --timeout 10 & watcher=$!
                await_watchers a 1
                herald post a; wait $watcher; status=$?; [ -e heard.$try ] && break
            done
            echo $status; cat heard.$try
            """)
        #expect(output.text == "0\nran\n", "\(output.errors)")
    }

    @Test("What cannot be printed is said")
    func fullOutput() async throws {
        let output = try await script("herald state a 1; herald list > /dev/full; echo $?")
        #expect(output.text == "74\n")
    }

    @Test("The state of a name")
    func state() async throws {
        let output = try await script(
            "herald state a; herald state a 7; herald state a; herald state a 0; herald state a")
        #expect(output.text == "0\n7\n0\n")
    }

    @Test("A terminal is shown no control characters")
    func terminal() async throws {
        let output = try await script(
            "herald state $'a\\e[31m' 1; herald list | grep -c $'\\e'; herald list | grep 'u{1b}'")
        #expect(output.text.hasPrefix("0\na\\u{1b}[31m"))
    }

    // Arguments, and a part of what is said. With its type written, it compiles three seconds sooner.
    private static let wrongInput: [(String, String)] = [
        ("post", "a name to post is missing"), ("post ''", "1 to 512 bytes"),
        ("post a --count 0", "--count"), ("post a --count x", "--count"), ("watch", "names"),
        ("post a --type text/plain", "--type needs --message"),
        ("post a --object x", "--object needs --message"), ("post a --keep", "--keep needs --message"),
        ("watch --kept --all", "give names, and no --all"),
        ("watch --kept --prefix a", "give names, and no --prefix"),
        ("kept forget", "name"), ("kept forget 'a.*'", "is not a pattern here"),
        ("kept list --prefix a.", "prefix"),
        ("kept create", "kept create needs --network"), ("kept create --replicas 6", "--replicas 6 is not"),
        ("post --stdin --message -", "names to post"),
        ("post a --message x --type $'text/plain\\r\\n'", "--type has the control character U+000D"),
        ("post a --message x --object $(printf 'x%.0s' {1..1025})", "1024"),
        ("watch --prefix ''", "1 to 511"), ("watch --prefix com.", "dot"), ("watch --prefix self.a", "self."),
        ("watch --prefix $(printf 'x%.0s' {1..512})", "1 to 511"), ("watch a --count 0", "--count"),
        ("watch a --exec-timeout 1", "needs --exec"), ("watch a --exec true --exec-timeout 0", "--exec-timeout"),
        ("watch a --timeout 0", "--timeout"), ("watch a --timeout x", "--timeout"), ("state", "name"),
        ("state a -1", "-1"), ("state a 18446744073709551616", "18446744073709551616"), ("list x", "x"),
        ("list --prefix ''", "1 to 511"), ("list --prefix a.", "dot"), ("list --prefix self", "self."),
        ("watch 'com.acme.*'", "--prefix com.acme is"), ("watch 'a.b.>'", "--prefix a.b is"),
        ("watch '*'", "--all"),
        ("watch --prefix 'com.acme.*'", "--prefix com.acme is"), ("list --prefix 'a.*.b'", "--prefix a is"),
        ("watch --all a", "a without it"), ("watch --all --prefix a", "a without it"),
        ("watch a --json --exec true", "--json is about the lines"),
        ("watch a --once --count 3", "give one of them"),
        ("watch a --timeout -1", "--timeout -1 is not a positive"), ("watch a --count -1", "--count -1 is not"),
        ("watch a --exec true --exec-timeout -0.5", "--exec-timeout -0.5 is not"),
        ("post a -c -1", "--count -1 is not"),
        ("state a x", "x is no number from 0"), ("state a 1 2", "more than one number"),
        ("trace x", "not a process number"),
        ("trace 1 --limit -1", "--limit -1 is not"), ("bench --rounds -1", "--rounds -1 is not"),
        ("pots a.b", "no command pots: did you mean post?"), ("--network nats://a wacth b", "did you mean watch?"),
        ("watch a --busy drop", "--busy needs --exec"), ("watch a --exec true --busy maybe", "'drop' or 'restart'"),
        ("watch a --ready-fd 9", "--ready-fd 9 is not open"),
        ("watch a --ready-fd -1", "--ready-fd -1 is no descriptor"),
        ("watch a --ready-fd 0 < /dev/null", "--ready-fd 0 is not open for writing"),
        ("bench --rounds 0", "--rounds"), ("frobnicate", "frobnicate"), ("post $'\\xff'", "UTF-8"),
        ("post $(printf 'x%.0s' {1..513})", "1 to 512 bytes"), ("post a --frob", "--frob"),
        ("state a --network nats://a", "--network is for post, watch, kept and stream"),
        ("--network nats://a list", "--network is for post, watch, kept and stream"),
        ("stream list", "stream needs --network"), ("post a --store --message x", "--store needs --network"),
        ("post a --store", "--store needs --message"), ("watch a --durable b", "--durable needs --network"),
        ("post a --store --keep --message x", "give one of them"),
        ("watch a --from next", "--from needs --durable"),
        ("watch a --stream S", "--stream needs --durable"), ("watch a --attempts 2", "--attempts needs --durable"),
        ("watch a b --durable c", "one name, one --prefix or --all"),
        ("watch a --durable b.c", "no name of a stream"),
        ("watch a --durable b --kept", "--kept is not for --durable"),
        ("watch a --durable b --exec true --busy drop", "--busy is not for --durable"),
        ("watch a --durable b --object c", "--object is not for --durable"),
        ("stream create S --all --age 0x10", "--age 0x10 is not"),
        ("watch a --durable b --attempts 0", "--attempts 0 is not"), ("watch a --durable b --from 0", "--from"),
        ("stream create S", "nothing to store"), ("stream create 'S T' --all", "no name of a stream"),
        ("stream create S --all --names a", "give --all alone"), ("stream create S --names 'a.*'", "--prefix a is"),
        ("stream create S --all --replicas 6", "from 1 to 5"), ("stream create S --all --age 0", "--age 0 is not"),
        ("stream create S --all --age 1y", "--age 1y is not"),
        ("stream create S --all --age 99999999999", "11,000 days"),
        ("stream create S --all --bytes 1X", "--bytes 1X is not"),
        ("stream create S --all --bytes 9999999999G", "too large"),
        ("stream create S --all --refuse-when-full", "needs --bytes"), ("stream forget a b c", "two names"),
        ("post a --ca b", "--ca needs --network"),
        ("--network nats://a --cert b post c", "--cert and --key need each other"),
        ("--network http://a post b", "nats:// or tls://"), ("--network '' watch b", "server"),
        ("--network nats://a --network-prefix '*' post b", "begin with"),
        ("--network nats://a --ca /nowhere post b", "/nowhere"),
    ]

    @Test("Wrong input is one line, and exit status 64", arguments: wrongInput)
    func wrong(_ arguments: String, _ part: String) async throws {
        let output = try await script("herald \(arguments); echo $?; ls $HERALD_HOST_DIRECTORY")
        #expect(output.text == "64\n")
        #expect(output.errors.hasPrefix("herald: ") && output.errors.contains(part), "\(output.errors)")
        #expect(output.errors.filter(\.isNewline).count == 1)
    }

    @Test(
        "Where the file cannot be used, one line says why, and the exit status is 69",
        arguments: [
            "post a", "post a --message x", "post a --verbose", "watch a --timeout 5", "watch --all --timeout 5",
            "watch --prefix a --exec true", "state a", "state a 1", "list",
        ])
    func unusable(_ arguments: String) async throws {
        let output = try await script(
            """
            HERALD_HOST_DIRECTORY=/nowhere; herald \(arguments); echo $?
            HERALD_HOST_DIRECTORY=\(folder); ln -s /etc/passwd \(folder)/herald-3; herald \(arguments); echo $?
            rm \(folder)/*; echo nonsense > \(folder)/herald-3; herald \(arguments); echo $?
            cat \(folder)/*
            """)
        #expect(output.text == "69\n69\n69\nnonsense\n")
        let errors = output.errors.split(separator: "\n")
        #expect(errors.count == 3)
        #expect(errors.allSatisfy { $0.hasPrefix("herald: ") })
    }

    @Test("Where the file is; what of another version is beside it; making it anew")
    func path() async throws {
        let output = try await script(
            """
            echo nonsense > \(folder)/herald-3; herald post a; echo $?; herald reset; echo $?
            herald path; herald state a 7; herald reset; herald state a; herald list --verbose
            touch \(folder)/herald-$(id -u)-1 \(folder)/herald-2 \(folder)/herald-4 \(folder)/herald-x; herald path
            """)
        #expect(
            output.text
                == "69\n0\n\(folder)/herald-3\n7\nNAME  POSTS  STATE  WATCHERS  KEPT\na         0      7         0     0\n\(folder)/herald-3\n"
        )
        let errors = output.errors.split(separator: "\n")
        #expect(errors.count == 2 && errors[0].hasPrefix("herald: \(folder)/herald-3"))
        #expect(errors.last == "herald: 1 of 87040 names")
    }

    @Test("Folders that were passed over are told, with the reason; and what is wrong with the one that was named")
    func folders() async throws {
        let output = try await script(
            """
            chmod 770 \(folder); herald path; echo $?
            unset HERALD_HOST_DIRECTORY; export XDG_RUNTIME_DIR=\(folder); herald path | grep -c herald-
            chmod 700 \(folder); herald path
            """)
        #expect(output.text == "69\n1\n\(folder)/herald-3\n")
        let errors = output.errors.split(separator: "\n")
        #expect(errors.first?.hasSuffix("others can write to it (its mode is 0770)") == true, "\(errors)")
        #expect(
            errors.contains(
                "herald: \(folder) (XDG_RUNTIME_DIR) is passed over: others can write to it (its mode is 0770)"),
            "\(errors)")
    }

    @Test("The time is over, nothing was heard: exit status 1")
    func timeout() async throws {
        let output = try await script("herald watch a --timeout 0.2; echo $?")
        #expect(output.text == "1\n" && output.errors.isEmpty)
    }

    @Test("SIGINT and a reader that goes away end it quietly")
    func signals() async throws {
        let output = try await script(
            """
            (trap - INT; exec herald watch a) & watcher=$!
            await_watchers a 1
            kill -INT $watcher; wait $watcher; echo $?
            (trap '' PIPE; herald watch b) | { head -1; exec <&-; touch \(folder)/gone; } & pipe=$!
            await_watchers b 1
            herald post b; await_file \(folder)/gone; herald post b
            wait $pipe; await_watchers b 0
            """)
        #expect(output.text == "130\nb\n", "\(output.text)")
        #expect(output.errors.isEmpty, "\(output.errors)")
    }

    // ---- Messages

    @Test("A message is printed with what it is about, on one line")
    func messages() async throws {
        let output = try await script(
            """
            cd \(folder)
            herald watch a --count 7 --timeout 250 > lines & watcher=$!
            await_watchers a 1
            herald post a --message 'hello' --object 'notes.txt' --type text/plain
            printf 'two\\nlines\\e' > file; herald post a --message @file
            printf 'in\\xff' | herald post a --message - --type image/png
            printf 'in\\xff' | herald post a --message - --object x
            herald post a --message '-x' --object '--y'
            herald post a --message ''; herald post a --message $'\\xc3\\xa9'
            wait $watcher; echo $?; cat lines
            """)
        #expect(
            output.text == """
                0
                a [notes.txt]: hello
                a: two\\u{a}lines\\u{1b}
                a: 3 bytes of image/png
                a [x]: 3 bytes
                a [--y]: -x
                a:\u{20}
                a: \u{e9}

                """, "\(output.errors)")
    }

    @Test("--json has all of a message: its text, or its bytes where they are none")
    func messagesAsJSON() async throws {
        let output = try await script(
            """
            cd \(folder)
            head -c 65536 /dev/urandom > random
            herald watch a --json --count 3 --timeout 250 > lines & watcher=$!
            await_watchers a 1
            herald post a --message $'tab\\tand "quote"' --object about --type text/plain & sender=$!
            wait $sender; herald post a --message @random; await_lines lines base64 1; herald post a
            wait $watcher
            echo $sender; cat lines; base64 -w0 random
            """)
        let lines = output.text.split(separator: "\n")
        try #require(lines.count == 5, "\(output.text.prefix(1000))\(output.errors)")
        let objects = try lines[1...3].map {
            try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
        let (text, bytes, plain) = (objects[0], objects[1], objects[2])
        #expect(text["message"] as? String == "tab\tand \"quote\"")
        #expect(text["object"] as? String == "about" && text["type"] as? String == "text/plain")
        #expect(text["length"] as? Int == 15 && text["missed"] as? Int == 0)
        #expect(text["sender"] as? Int == Int(lines[0]))
        #expect(
            Set(text.keys) == [
                "name", "time", "message", "object", "type", "length", "missed", "sender", "sequence",
            ])
        #expect(Set(bytes.keys) == ["name", "time", "base64", "length", "missed", "sender", "sequence"])
        #expect(bytes["base64"] as? String == String(lines[4]) && bytes["length"] as? Int == 65536)
        #expect((bytes["sequence"] as? Int ?? 0) - (text["sequence"] as? Int ?? 0) == 1)
        #expect(Set(plain.keys) == ["name", "time", "posts"])
    }

    @Test("A message for several names, several times, and for each line of input")
    func manyMessages() async throws {
        let output = try await script(
            """
            cd \(folder)
            herald watch a b --count 10 --timeout 250 > lines & watcher=$!
            await_watchers b 1
            herald post a b --message x --count 2; printf '1\\n2\\n' | herald post a b --stdin --message y
            printf 'b\\r\\na\\n' | herald post --stdin --message z
            wait $watcher; sort lines | uniq -c | tr -s ' '
            """)
        #expect(output.text == " 2 a: x\n 2 a: y\n 1 a: z\n 2 b: x\n 2 b: y\n 1 b: z\n", "\(output.errors)")
    }

    @Test("What is too large, or cannot be read, is one line, and nothing is posted")
    func noMessages() async throws {
        let output = try await script(
            """
            cd \(folder)
            head -c 65537 /dev/zero > large
            herald watch a > lines & watcher=$!
            await_watchers a 1
            herald post b a --message @large; echo $?; herald post a --message @/dev/zero; echo $?
            herald post a --message @missing; echo $?; herald post a --message @/; echo $?
            herald post a --message - <&-; echo $?
            herald post nobody --message x; echo $?
            herald post a --message end; await_lines lines end 1; kill $watcher; cat lines
            """)
        #expect(output.text == "64\n64\n66\n66\n66\n0\na: end\n")
        let errors = output.errors.split(separator: "\n")
        #expect(errors.count == 5 && errors.allSatisfy { $0.hasPrefix("herald: ") }, "\(output.errors)")
        #expect(errors.first == "herald: a message has at most 65536 bytes, and this one has 65537")
        #expect(errors.dropFirst(2).first == "herald: missing cannot be read: No such file or directory")
    }

    @Test("--verbose tells how many processes observe a name")
    func audience() async throws {
        let output = try await script(
            """
            herald watch a > /dev/null & herald watch a b > /dev/null &
            await_watchers a 2; await_watchers b 1
            herald post a b c --verbose --count 3
            printf 'b\\nb\\n' | herald post --stdin -v --message x
            kill $(jobs -p)
            """)
        #expect(
            output.errors == """
                herald: a: 2 processes observe it
                herald: b: 1 process observes it
                herald: c: 0 processes observe it
                herald: b: 1 process observes it

                """)
    }

    // ---- What is watched, and for how long

    @Test("--prefix and --all, and a name that is selected twice is heard once")
    func prefixes() async throws {
        let output = try await script(
            """
            cd \(folder)
            herald watch --all > all & herald watch --prefix a --prefix a.b ac a.b.c > under &
            herald watch --prefix a --json > json & touch all under json
            await_line all ready; await_line under a.ready; await_line json a.ready
            herald post a a.b a.b.c a.bc ab.c ac; herald post a.b --message x --object o; herald post ab.c --message y
            herald post a.stop; for file in all under json; do await_lines $file a.stop 1; done
            kill $(jobs -p)
            for file in all under; do grep -vE "ready|stop" $file; echo; done
            grep -vE "ready|stop" json | grep -o '"name":"[^"]*"'
            """)
        #expect(
            output.text == """
                a
                a.b
                a.b.c
                a.bc
                ab.c
                ac
                a.b [o]: x
                ab.c: y

                a.b
                a.b.c
                a.bc
                ac
                a.b [o]: x

                "name":"a.b"
                "name":"a.b.c"
                "name":"a.bc"
                "name":"a.b"

                """, "\(output.errors)")
    }

    @Test("--count counts posts, whatever number of lines they make")
    func count() async throws {
        let output = try await script(
            """
            cd \(folder)
            herald watch a --count 1000 --timeout 250 > lines & watcher=$!
            herald watch a --count 1000 --timeout 250 --exec 'echo $HERALD_POSTS >> posts; sleep 0.1' & runner=$!
            await_watchers a 2
            herald watch a --count 1001 --timeout 2 > /dev/null & short=$!
            herald post a --count 1000
            wait $watcher; echo $?; wait $runner; echo $?; wait $short; echo $?
            sed 's/^a$/a (1 posts)/' lines | tr -d '(' | awk '{ sum += $2 } END { print sum }'
            awk '{ sum += $1 } END { print sum }' posts
            """)
        #expect(output.text == "0\n0\n1\n1000\n1000\n", "\(output.errors)")
    }

    @Test("--verbose has the time and the number of the name")
    func verbose() async throws {
        let output = try await script(
            """
            cd \(folder)
            herald state a 7
            herald watch a -v --count 2 --timeout 250 > lines & herald watch a -v --json --once --timeout 250 > json &
            await_watchers a 2
            herald post a --message x; await_lines lines x 1; herald post a; wait; cat lines; grep -o '"state":7' json
            """)
        let lines = output.text.split(separator: "\n")
        try #require(lines.count == 3, "\(output.text)\(output.errors)")
        let time = #/20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d\d\dZ /#
        #expect(lines[0].prefixMatch(of: time) != nil && lines[0].hasSuffix("Z a: x state=7"))
        #expect(lines[1].prefixMatch(of: time) != nil && lines[1].hasSuffix("Z a state=7"))
        #expect(lines[2] == "\"state\":7")
    }

    // ---- Commands

    @Test("A command has the message as its input and in its environment, and nothing of the one before")
    func messageForCommand() async throws {
        let output = try await script(
            """
            cd \(folder)
            export HERALD_OBJECT=outer HERALD_MESSAGE=outer
            herald watch a --count 4 --timeout 250 --exec '
                env | grep ^HERALD_ | grep -vE "DIRECTORY|SEQUENCE|SENDER" | sort
                od -An -tx1; echo --' > heard & watcher=$!
            await_watchers a 1
            herald post a --message $'x\\ty' --object about --type text/plain
            printf 'a\\0' | herald post a --message -; herald post a; printf 'b\\xff' | herald post a --message -
            wait $watcher; echo $?; cat heard
            """)
        // The post of the name alone may be heard before or after the messages.
        let parts = output.text.dropFirst(2).split(separator: "--\n").map(String.init)
        #expect(output.text.hasPrefix("0\n") && parts.count == 4, "\(output.text)\(output.errors)")
        let expected = [
            """
            HERALD_LENGTH=3
            HERALD_MESSAGE=x\ty
            HERALD_MISSED=0
            HERALD_NAME=a
            HERALD_OBJECT=about
            HERALD_POSTS=1
            HERALD_TYPE=text/plain
             78 09 79

            """,
            "HERALD_LENGTH=2\nHERALD_MISSED=0\nHERALD_NAME=a\nHERALD_POSTS=1\n 61 00\n",
            "HERALD_NAME=a\nHERALD_POSTS=1\n",
            "HERALD_LENGTH=2\nHERALD_MISSED=0\nHERALD_NAME=a\nHERALD_POSTS=1\n 62 ff\n",
        ]
        #expect(Set(parts) == Set(expected), "\(output.text)")
    }

    @Test("A command has the largest message, and a message's sequence and sender")
    func largeMessageForCommand() async throws {
        let output = try await script(
            """
            cd \(folder)
            head -c 65536 /dev/zero | tr '\\0' x > large
            herald watch a --once --timeout 250 --exec '
                cmp - large && echo same; [ "$HERALD_MESSAGE" = "$(cat large)" ] && echo same
                [ $HERALD_SEQUENCE -gt 0 ] && echo $HERALD_SENDER' > heard & watcher=$!
            await_watchers a 1
            herald post a --message @large & sender=$!
            wait $watcher; sed "s/^$sender$/sender/" heard
            """)
        #expect(output.text == "same\nsame\nsender\n", "\(output.errors)")
    }

    @Test(
        "The exit status is that of the last command that failed",
        arguments: [
            ("exit 3", 3), ("true", 0), ("kill -KILL $$", 137), ("[ $HERALD_NAME = b ]", 1), ("kill $$; true", 143),
            ("no-such-command 2>/dev/null", 127),
        ])
    func failingCommand(_ command: String, _ status: Int) async throws {
        let output = try await script(
            """
            herald watch a b --count 2 --timeout 250 --exec '\(command)' & watcher=$!
            await_watchers b 1
            herald post a; herald post b; wait $watcher; echo $?
            """)
        #expect(output.text == "\(status)\n" && output.errors.isEmpty, "\(output.text)\(output.errors)")
    }

    @Test(
        "A command that takes too long is ended, one that does not listen is killed",
        arguments: [
            "while sleep 0.1; do echo >> beats; done", "sh -c 'while sleep 0.1; do echo >> beats; done'; true",
            "trap '' TERM; while sleep 0.1; do echo >> beats; done", "echo > beats; kill -STOP $$; echo >> beats",
        ])
    func slowCommand(_ command: String) async throws {
        let output = try await script(
            """
            cd \(folder)
            command=$(cat <<'end'
            \(command)
            end
            )
            : > beats  # it may be ended before the first
            herald watch a --once --exec "$command" --exec-timeout 0.5 & watcher=$!
            await_watchers a 1
            herald post a; wait $watcher; echo $?
            beats=$(wc -c < beats); sleep 0.5; echo $(($(wc -c < beats) - beats))
            """)
        #expect(output.text == "124\n0\n" && output.errors.isEmpty, "\(output.text)\(output.errors)")
    }

    @Test("Commands within their time are left alone, and the next has a time of its own")
    func quickCommands() async throws {
        let output = try await script(
            """
            cd \(folder)
            herald watch a --count 11 --exec 'sleep 1; echo ran' --exec-timeout 10 > heard & watcher=$!
            await_watchers a 1
            for i in $(seq 11); do herald post a --message $i; done; wait $watcher; echo $?; grep -c ran heard
            """)
        #expect(output.text == "0\n11\n" && output.errors.isEmpty, "\(output.errors)")
    }

    @Test(
        "A signal ends a running command, and then the watcher as if there were none",
        arguments: [("TERM", 143), ("INT", 130), ("HUP", 129), ("QUIT", 131)])
    func signalsForCommands(_ signal: String, _ status: Int) async throws {
        let output = try await script(
            """
            cd \(folder); ulimit -c 0
            run() {
                rm -f begun
                (trap - INT QUIT; exec herald watch $1 --exec "$2") & watcher=$!
                await_watchers $1 1
            }
            run a 'echo $$ > pid; touch begun; sleep 60'
            herald post a; await_file begun; kill -\(signal) $watcher; wait $watcher 2>/dev/null; echo $?
            run b 'trap "sleep 0.3; echo cleaned; exit 0" \(signal); touch begun; while :; do sleep 0.1; done'
            herald post b; await_file begun; kill -\(signal) $watcher; wait $watcher 2>/dev/null; echo $?
            run c true
            kill -\(signal) $watcher; wait $watcher 2>/dev/null; echo $?
            kill -0 $(cat pid) 2>/dev/null && echo late
            """)
        #expect(
            output.text == "\(status)\ncleaned\n\(status)\n\(status)\n", "\(output.text)\(output.errors)")
    }

    @Test("A command that does not listen to the signal is killed after five seconds; an ignored signal stays ignored")
    func deafCommand() async throws {
        let output = try await script(
            """
            cd \(folder)
            (trap '' HUP; exec herald watch a --exec 'trap "" TERM; touch begun; sleep 30; touch late') & watcher=$!
            await_watchers a 1
            herald post a; await_file begun
            kill -HUP $watcher; sleep 0.3; kill -0 $watcher && echo alive
            SECONDS=0; kill $watcher; wait $watcher 2>/dev/null; echo $?
            [ $SECONDS -ge 4 ] && echo in time; ls | grep late
            """)
        #expect(output.text == "alive\n143\nin time\n", "\(output.text)\(output.errors)")
    }

    @Test("A command's signals are as they are at first, and its processes are a group")
    func commandSignals() async throws {
        let output = try await script(
            """
            cd \(folder)
            (trap '' INT HUP PIPE; exec herald watch a --once --timeout 250 --exec '
                grep -E "^Sig(Blk|Ign)" /proc/self/status
                [ $$ = $(cut -d" " -f5 /proc/$$/stat) ] && echo group') > heard & watcher=$!
            await_watchers a 1
            herald post a; wait $watcher; cat heard
            """)
        let lines = output.text.split(separator: "\n")
        try #require(lines.count == 3, "\(output.text)\(output.errors)")
        #expect(lines[0] == "SigBlk:\t0000000000000000")
        // The C library keeps 32 and 33 for itself.
        #expect((UInt64(lines[1].split(separator: "\t")[1], radix: 16) ?? .max) & 0x7fff_ffff == 0)
        #expect(lines[2] == "group")
    }

    @Test(
        "Help reads well, and completion is there",
        arguments: [
            "post", "watch", "state", "kept list", "kept forget", "kept create", "stream create", "stream list",
            "stream info", "stream rm", "stream observers", "stream forget", "list", "path",
            "reset", "inspect", "trace", "top", "bench",
        ])
    func help(_ command: String) async throws {
        let output = try await script(
            "herald \(command) --help; herald --help; herald --version; herald --generate-completion-script bash | bash -n && echo fine"
        )
        #expect(output.status == 0)
        #expect(output.text.contains("USAGE: herald \(command)"))
        #expect(output.text.contains("EXIT STATUS"))
        #expect(output.text.hasSuffix("\(HERALD_VERSION)\nfine\n"))
        #expect(output.text.split(separator: "\n").allSatisfy { $0.count <= 100 })
    }

    @Test("The manual page has the options that the help has, command by command, and is well formed")
    func manual() async throws {
        let page = try String(contentsOf: packageFolder.appendingPathComponent("Command/herald.1"), encoding: .utf8)
            .replacing("\\-", with: "-").replacing(#/\\f[A-Z]/#, with: "")
        func options(_ text: some StringProtocol) -> Set<String> {
            Set(String(text).matches(of: #/(?:^|[^-\w])(--[a-z][a-z-]*)/#).map { String($0.output.1) })
        }
        let commands = [
            "post", "watch", "state", "kept list", "kept forget", "kept create", "stream create", "stream list",
            "stream info", "stream rm", "stream observers", "stream forget", "list", "path", "reset", "inspect",
            "trace", "top", "bench",
        ]
        for command in commands {
            let help = try await script("herald \(command) --help").text
            let begin = try #require(page.firstRange(of: "\n.SS herald \(command)\n"))
            let rest = page[begin.upperBound...]
            let end = try #require(rest.firstRange(of: #/\n\.S[SH] /#))
            #expect(
                options(rest[..<end.lowerBound]) == options(help).subtracting(["--help", "--version"]), "\(command)")
        }
        let all = try await script(
            "herald --help; " + commands.map { "herald \($0) --help" }.joined(separator: "; ")
        )
        .text
        #expect(options(page) == options(all))
        let file = packageFolder.appendingPathComponent("Command/herald.1").path
        #expect(
            try await script("! command -v groff > /dev/null || groff -man -Tutf8 -ww '\(file)' > /dev/null").errors
                == "")
    }

    @Test("The measurements are told, as a table and as JSON")
    func bench() async throws {
        let output = try await script(
            """
            herald bench --rounds 200 & one=$!
            wait $one
            herald bench --rounds 50 --json & two=$!
            wait $two
            ls -d /dev/shm/herald-bench-$one-* /dev/shm/herald-bench-$two-* 2>/dev/null
            """)
        let lines = output.text.split(separator: "\n")
        try #require(lines.count == 5, "\(output.text)\(output.errors)")
        #expect(lines[2].contains("p99.9"))
        let figures = try JSONSerialization.jsonObject(with: Data(lines[4].utf8)) as? [String: Any]
        #expect((figures?["oneWay"] as? [String: Int])?["p50"] ?? 0 > 0)
    }
}
