import CHerald
import Foundation
import Herald
import Processes
import Testing

/// The command as a script uses it: each test has a folder of its own.
@Suite final class CommandTests {
    private let folder: String

    init() throws {
        var template = Array("/dev/shm/herald-command-XXXXXX".utf8CString)
        try #require(mkdtemp(&template) != nil)
        folder = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    /// Runs a script, in which `herald` is the command.
    private func script(_ text: String) throws -> ProcessOutput {
        try run(
            URL(fileURLWithPath: "/usr/bin/timeout"),
            [
                "100", "bash", "-c",
                """
                export HERALD_HOST_DIRECTORY=\(folder)
                PATH=\(heraldCommand.deletingLastPathComponent().path):$PATH
                await_watchers() {
                    for i in $(seq 200); do
                        herald list --json | grep -q "\\"name\\":\\"$1\\".*\\"watchers\\":$2" && return
                        sleep 0.05
                    done
                    echo "nobody watches $1"
                }
                \(text)
                """,
            ])
    }

    @Test("What is posted is watched: a line for each time, and how many posts it stands for")
    func watch() throws {
        let output = try script(
            """
            cd \(folder)
            herald watch a b --timeout 20 --once > once & once=$!
            herald watch a b > lines & watcher=$!
            await_watchers a 2
            herald post b
            wait $once; echo $?
            sleep 0.2; herald post a --count 1000; sleep 0.2
            kill $watcher; wait $watcher 2>/dev/null
            cat lines
            """)
        let lines = output.text.split(separator: "\n")
        #expect(lines.first == "0")
        #expect(lines.dropFirst().first == "b")
        let posts = lines.dropFirst(2).map { line in
            line == "a" ? 1 : Int(line.split(whereSeparator: { "( ".contains($0) })[1]) ?? 0
        }
        #expect(posts.reduce(0, +) == 1000, "\(output.text)")
        #expect(output.errors.isEmpty)
    }

    @Test("--exec runs a command for each time, one after the other, and posts meanwhile are put together")
    func execute() throws {
        let output = try script(
            """
            cd \(folder)
            herald watch a --exec 'echo $HERALD_NAME $HERALD_POSTS >> heard; sleep 0.3' & watcher=$!
            await_watchers a 1
            herald post a; sleep 0.1; herald post a --count 7; sleep 0.8
            kill $watcher; wait $watcher 2>/dev/null
            cat heard
            """)
        #expect(output.text == "a 1\na 7\n")
    }

    @Test("--json prints objects that a script can read")
    func json() throws {
        let output = try script(
            """
            herald watch 'quote".name' --json --once --timeout 20 > \(folder)/line & watcher=$!
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

    @Test("A line of input is a post")
    func input() throws {
        let output = try script(
            """
            herald state a 1; herald state b 2
            printf 'a\\nb\\na\\n' | herald post --stdin
            printf 'x\\ny\\n' | herald post --stdin b --count 2
            herald list
            printf 'a\\n\\n' | herald post --stdin; echo $?
            """)
        #expect(
            output.text
                == "NAME  POSTS  STATE  WATCHERS\na         2      1         0\nb         5      2         0\n64\n")
        #expect(output.errors == "herald: line 2: a name has 1 to 512 bytes\n")
    }

    @Test("A line of input may end as on other systems")
    func carriageReturns() throws {
        let output = try script(
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
    func list() throws {
        let output = try script(
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
                NAME  POSTS  STATE  WATCHERS
                a.b       0      1         1
                a.c       0      1         0
                NAME  POSTS  STATE  WATCHERS  PROCESSES
                a.b       0      1         1  WATCHER
                a.c       0      1         0  -
                NAME  POSTS  STATE  WATCHERS
                [{"name":"a.b","posts":0,"processes":[0],"state":1,"watchers":1},\
                {"name":"a.c","posts":0,"processes":[],"state":1,"watchers":0}]

                """, "\(output.errors)")
    }

    @Test("Names are bytes: what is not UTF-8 is no name, and what only looks alike is another")
    func bytes() throws {
        let output = try script(
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
    func executeToTheEnd() throws {
        let output = try script(
            """
            cd \(folder)
            herald watch a a --exec 'sleep 1; echo ran >> heard' --timeout 1 & watcher=$!
            await_watchers a 1
            herald post a; wait $watcher; echo $?
            cat heard
            """)
        #expect(output.text == "0\nran\n", "\(output.errors)")
    }

    @Test("What cannot be printed is said")
    func fullOutput() throws {
        let output = try script("herald state a 1; herald list > /dev/full; echo $?")
        #expect(output.text == "74\n")
    }

    @Test("The state of a name")
    func state() throws {
        let output = try script("herald state a; herald state a 7; herald state a; herald state a 0; herald state a")
        #expect(output.text == "0\n7\n0\n")
    }

    @Test("A terminal is shown no control characters")
    func terminal() throws {
        let output = try script("herald state $'a\\e[31m' 1; herald list | grep -c $'\\e'; herald list | grep 'u{1b}'")
        #expect(output.text.hasPrefix("0\na\\u{1b}[31m"))
    }

    @Test(
        "Wrong input is one line, and exit status 64",
        arguments: [
            ("post", "a name to post is missing"), ("post ''", "1 to 512 bytes"),
            ("post a --count 0", "--count"), ("post a --count x", "--count"), ("watch", "names"),
            ("watch a --timeout 0", "--timeout"), ("watch a --timeout x", "--timeout"), ("state", "name"),
            ("state a -1", "-1"), ("state a 18446744073709551616", "18446744073709551616"), ("list x", "x"),
            ("list --prefix ''", "1 to 511"), ("list --prefix a.", "dot"), ("list --prefix self", "self."),
            ("bench --rounds 0", "--rounds"), ("frobnicate", "frobnicate"), ("post $'\\xff'", "UTF-8"),
            ("post $(printf 'x%.0s' {1..513})", "1 to 512 bytes"), ("post a --frob", "--frob"),
        ])
    func wrong(_ arguments: String, _ part: String) throws {
        let output = try script("herald \(arguments); echo $?; ls $HERALD_HOST_DIRECTORY")
        #expect(output.text == "64\n")
        #expect(output.errors.hasPrefix("herald: ") && output.errors.contains(part), "\(output.errors)")
        #expect(output.errors.filter(\.isNewline).count == 1)
    }

    @Test(
        "Where the file cannot be used, one line says why, and the exit status is 69",
        arguments: ["post a", "watch a --timeout 5", "state a", "state a 1", "list"])
    func unusable(_ arguments: String) throws {
        let output = try script(
            """
            HERALD_HOST_DIRECTORY=/nowhere; herald \(arguments); echo $?
            HERALD_HOST_DIRECTORY=\(folder); ln -s /etc/passwd \(folder)/herald-2; herald \(arguments); echo $?
            rm \(folder)/*; echo nonsense > \(folder)/herald-2; herald \(arguments); echo $?
            cat \(folder)/*
            """)
        #expect(output.text == "69\n69\n69\nnonsense\n")
        let errors = output.errors.split(separator: "\n")
        #expect(errors.count == 3)
        #expect(errors.allSatisfy { $0.hasPrefix("herald: ") })
    }

    @Test("Where the file is; what of another version is beside it; making it anew")
    func path() throws {
        let output = try script(
            """
            echo nonsense > \(folder)/herald-2; herald post a; echo $?; herald reset; echo $?
            herald path; herald state a 7; herald reset; herald state a; herald list --verbose
            touch \(folder)/herald-$(id -u)-1 \(folder)/herald-3 \(folder)/herald-x; herald path
            """)
        #expect(
            output.text
                == "69\n0\n\(folder)/herald-2\n7\nNAME  POSTS  STATE  WATCHERS\na         0      7         0\n\(folder)/herald-2\n"
        )
        let errors = output.errors.split(separator: "\n")
        #expect(errors.count == 2 && errors[0].hasPrefix("herald: \(folder)/herald-2"))
        #expect(errors.last == "herald: 1 of 87040 names")
    }

    @Test("The time is over, nothing was heard: exit status 1")
    func timeout() throws {
        let output = try script("herald watch a --timeout 0.2; echo $?")
        #expect(output.text == "1\n" && output.errors.isEmpty)
    }

    @Test("SIGINT and a reader that goes away end it quietly")
    func signals() throws {
        let output = try script(
            """
            (trap - INT; exec herald watch a) & watcher=$!
            await_watchers a 1
            kill -INT $watcher; wait $watcher; echo $?
            (trap '' PIPE; herald watch b) | head -1 & pipe=$!
            await_watchers b 1
            herald post b; sleep 0.2; herald post b; sleep 0.2
            wait $pipe; await_watchers b 0
            """)
        #expect(output.text == "130\nb\n", "\(output.text)")
        #expect(output.errors.isEmpty, "\(output.errors)")
    }

    @Test(
        "Help reads well, and completion is there",
        arguments: ["post", "watch", "state", "list", "path", "reset", "bench"])
    func help(_ command: String) throws {
        let output = try script(
            "herald \(command) --help; herald --help; herald --version; herald --generate-completion-script bash | bash -n && echo fine"
        )
        #expect(output.status == 0)
        #expect(output.text.contains("USAGE: herald \(command)"))
        #expect(output.text.contains("EXIT STATUS"))
        #expect(output.text.hasSuffix("\(HERALD_VERSION)\nfine\n"))
        #expect(output.text.split(separator: "\n").allSatisfy { $0.count <= 100 })
    }

    @Test("The measurements are told, as a table and as JSON")
    func bench() throws {
        let output = try script(
            "herald bench --rounds 200; herald bench --rounds 50 --json; ls -d /dev/shm/herald-bench-* 2>/dev/null")
        let lines = output.text.split(separator: "\n")
        try #require(lines.count == 5, "\(output.text)\(output.errors)")
        #expect(lines[2].contains("p99.9"))
        let figures = try JSONSerialization.jsonObject(with: Data(lines[4].utf8)) as? [String: Any]
        #expect((figures?["oneWay"] as? [String: Int])?["p50"] ?? 0 > 0)
    }
}
