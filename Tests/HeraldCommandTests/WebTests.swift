import Foundation
import Processes
import Testing

/// `herald inspect --web`.
@Suite(.serialized) final class WebTests {
    private let scratch: Scratch
    private var folder: String { scratch.path }
    private var programs: [Process] = []

    init() throws { scratch = try Scratch("web") }

    deinit {
        for program in programs where program.isRunning {
            kill(program.processIdentifier, SIGCONT)
            program.terminate()
        }
        for program in programs { program.waitUntilExit() }
    }

    /// The command, with the folder of these tests.
    private func command(_ arguments: [String], _ variables: [String: String] = [:]) -> Process {
        let program = Process()
        program.executableURL = heraldCommand
        program.arguments = arguments
        program.environment = ProcessInfo.processInfo.environment
            .merging(variables) { $1 }.merging(["HERALD_HOST_DIRECTORY": folder]) { $1 }
        return program
    }

    @discardableResult private func begin(_ arguments: [String], input: String? = nil) throws -> Process {
        let program = command(arguments, ["HERALD_INSPECT": "1"])
        program.standardOutput = FileHandle(forWritingAtPath: "/dev/null")
        program.standardInput = FileHandle(forReadingAtPath: "/dev/null")
        if arguments.first == "inspect" {
            _ = FileManager.default.createFile(atPath: "\(folder)/address", contents: nil)
            program.standardOutput = FileHandle(forWritingAtPath: "\(folder)/address")
        }
        try program.run()
        programs.append(program)
        return program
    }

    private func post(_ name: String, message: String? = nil) throws {
        let program = try begin(["post", name] + (message.map { ["--message", $0] } ?? []))
        program.waitUntilExit()
        #expect(program.terminationStatus == 0)
    }

    /// Waits until no program of the folder is traced: the page's request to pause goes through its server.
    private func awaitUntraced() throws {
        for _ in 0..<1_200 {
            let list = command(["inspect", "--json"]), output = Pipe()
            list.standardOutput = output
            try list.run()
            let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            list.waitUntilExit()
            if text.contains("\"tracing\":false") && !text.contains("\"tracing\":true") { return }
            usleep(50_000)
        }
        throw Browser.Failure(description: "a program is still traced")
    }

    /// Serves the page and returns its address.
    private func serve() throws -> String {
        try begin(["inspect", "--web"])
        for _ in 0..<1_200 {
            let text = try String(contentsOfFile: "\(folder)/address", encoding: .utf8)
            if text.hasSuffix("\n") { return String(text.dropLast()) }
            usleep(50_000)
        }
        throw Browser.Failure(description: "herald inspect --web prints no address")
    }

    private func page(_ address: String) throws -> Browser {
        let browser = try Browser(folder: folder)
        try browser.resize(1280, 900)
        try browser.show(address)
        return browser
    }

    /// The page requested nothing from other servers, and had no errors.
    private func expectClean(_ browser: Browser, _ address: String) throws {
        let site = try #require(address.split(separator: "?").first)
        #expect(browser.requests.allSatisfy { $0.hasPrefix(site) || $0 == "data:," }, "\(browser.requests)")
        #expect(browser.complaints.isEmpty, "\(browser.complaints)")
    }

    // ---- The server

    /// The first line of the server's answer.
    private func answer(_ address: String, _ request: String) async throws -> String {
        let port = try #require(URL(string: address)?.port)
        let output = try await run(
            URL(fileURLWithPath: "/usr/bin/timeout"),
            [
                "60", "bash", "-c",
                """
                exec 5<>/dev/tcp/127.0.0.1/\(port); printf '\(request)\\r\\n\\r\\n' >&5; IFS= read -r line <&5; printf '%s' "$line"
                """,
            ])
        return output.text.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    @Test("The page is for who knows its address")
    func strangers() async throws {
        let address = try serve()
        let port = try #require(URL(string: address)?.port), query = try #require(URL(string: address)?.query)
        let host = "Host: 127.0.0.1:\(port)"
        let shorter = String(query.dropLast()), other = shorter + (query.hasSuffix("0") ? "1" : "0")
        let well = "HTTP/1.1 200 OK", refused = "HTTP/1.1 403 Forbidden"
        #expect(try await answer(address, "GET /?\(query) HTTP/1.1\\r\\n\(host)") == well)
        #expect(try await answer(address, "GET /?\(query) HTTP/1.1\\r\\nHost: localhost:\(port)") == well)
        for path in [
            "/", "/?", "/?token=", "/?\(shorter)", "/?\(other)", "/?\(query)&\(query)", "/events", "/x",
            "/events?\(other)",
        ] {
            #expect(try await answer(address, "GET \(path) HTTP/1.1\\r\\n\(host)") == refused, "\(path)")
        }
        for host in [
            "Host: evil.example", "Host: evil.example:\(port)", "Host: 127.0.0.1", "X: y",
            "Host: 127.0.0.1:\(port).evil",
        ] {
            #expect(try await answer(address, "GET /?\(query) HTTP/1.1\\r\\n\(host)") == refused, "\(host)")
            #expect(try await answer(address, "GET /events?\(query) HTTP/1.1\\r\\n\(host)") == refused, "\(host)")
        }
        #expect(
            try await answer(address, "POST /?\(query) HTTP/1.1\\r\\n\(host)\\r\\nContent-Length: 0").contains(" 405 "))
        #expect(try await answer(address, "GET /other?\(query) HTTP/1.1\\r\\n\(host)").contains(" 404 "))
        // Only this machine can reach it.
        let listening = try await shell("ss -ltnH 'sport = :\(port)' 2>/dev/null | awk '{print $4}'")
        #expect(listening.isEmpty || listening == "127.0.0.1:\(port)\n", "\(listening)")
    }

    @Test("A port that is taken, and what does not go together, is said in a line")
    func refusals() async throws {
        let address = try serve()
        let port = try #require(URL(string: address)?.port)
        for (words, status, part) in [
            ("--web --port \(port)", "69", "cannot be served on port \(port)"), ("--web --json", "64", "exclude"),
            ("--port 8080", "64", "--port goes with --web"), ("--web --port 70000", "64", "--port"),
        ] {
            let text = try await shell("timeout 250 \(heraldCommand.path) inspect \(words) 2>&1; echo $?")
            #expect(text.contains(part) && text.hasSuffix("\n\(status)\n"), "\(text)")
            #expect(text.split(separator: "\n").count == 2, "\(text)")
        }
    }

    @Test("Without a page nothing is traced, and a page that does not read holds nobody up", .timeLimit(.minutes(10)))
    func readers() async throws {
        let watch = try begin(["watch", "com.acme.read"])
        let address = try serve()
        let port = try #require(URL(string: address)?.port), query = try #require(URL(string: address)?.query)
        let text = try await shell(
            """
            export HERALD_HOST_DIRECTORY=\(folder); herald=\(heraldCommand.path)
            cat > \(folder)/script <<'END'
            await_traced() {
                for i in $(seq 600); do
                    $herald inspect --json | grep -q '"program":"herald".*"tracing":'$1 && echo $1 && break; sleep 0.1
                done
            }
            await_traced false
            exec 5<>/dev/tcp/127.0.0.1/\(port); printf 'GET /events?\(query) HTTP/1.1\\r\\nHost: 127.0.0.1:\(port)\\r\\n\\r\\n' >&5
            await_traced true
            # It reads nothing; another one does.
            exec 6<>/dev/tcp/127.0.0.1/\(port); printf 'GET /events?\(query) HTTP/1.1\\r\\nHost: 127.0.0.1:\(port)\\r\\n\\r\\n' >&6
            IFS= read -t 250 -r line <&6  # it is sent events from here on
            : > \(folder)/read; cat <&6 > \(folder)/read & reader=$!
            # A program that is held up loses events. So it posts until twenty are there.
            read_all() { [ "$(grep -c '"type":"post".*com.acme.read' \(folder)/read)" -ge 20 ]; }
            for i in $(seq 200); do
                $herald post com.acme.read --message "$i"
                [ "$i" -lt 20 ] || { read_all && break; sleep 0.1; }
            done
            kill $reader
            read_all && echo read
            grep -o '"type":"post","span":"[^"]*"' \(folder)/read | sort | uniq -d  # none comes twice
            exec 5>&- 6>&-
            await_traced false
            END
            herald=$herald timeout 560 bash \(folder)/script
            """)
        #expect(text == "false\ntrue\nread\nfalse\n", "\(text)")
        #expect(watch.isRunning)
    }

    @Test("What is too long, too slow or too much keeps nobody out", .timeLimit(.minutes(10)))
    func greedy() async throws {
        let address = try serve()
        let port = try #require(URL(string: address)?.port), query = try #require(URL(string: address)?.query)
        let text = try await shell(
            """
            cat > \(folder)/script <<'END'
            get() { exec 5<>/dev/tcp/127.0.0.1/\(port); printf 'GET /?\(query) HTTP/1.1\\r\\nHost: 127.0.0.1:\(port)\\r\\n\\r\\n' >&5; IFS= read -t 60 -r line <&5; echo "$line"; exec 5>&-; }
            # A line without end, and headers without end.
            for start in 'GET /' 'GET / HTTP/1.1\\r\\nX: '; do
                exec 6<>/dev/tcp/127.0.0.1/\(port); (trap '' PIPE; printf "$start"; head -c 400000 /dev/zero | tr '\\0' a) >&6 2>/dev/null
                IFS= read -t 60 -r line <&6; echo "$line"; exec 6>&-
            done
            get
            # More connections than it takes, which ask nothing.
            for i in $(seq 100); do exec {last}<>/dev/tcp/127.0.0.1/\(port); done
            get
            for i in $(seq 600); do open=$(ls /proc/$1/fd | wc -l); [ $open -lt 60 ] && break; sleep 0.1; done
            [ $open -lt 60 ] && echo few || echo $open
            # Those that it has taken end by themselves.
            IFS= read -t 60 -r line <&$last; status=$?; [ $status -lt 128 ] && echo ended || echo $status
            get
            END
            timeout 560 bash \(folder)/script \(try #require(programs.last).processIdentifier) 2>&1
            """)
        let well = "HTTP/1.1 200 OK\r\n", refused = "HTTP/1.1 400 Bad Request\r\n"
        #expect(text == "\(refused)\(refused)\(well)\(well)few\nended\n\(well)", "\(text)")
    }

    @Test("Pages that do not read are closed, and others have their places", .timeLimit(.minutes(10)))
    func deaf() async throws {
        try begin(["watch", "--exec", "true"] + (0..<10_000).map { "com.acme.name-\($0)" })
        let address = try serve()
        let port = try #require(URL(string: address)?.port), query = try #require(URL(string: address)?.query)
        let text = try await shell(
            """
            cat > \(folder)/script <<'END'
            page() { exec 5<>/dev/tcp/127.0.0.1/\(port); printf 'GET /events?\(query) HTTP/1.1\\r\\nHost: 127.0.0.1:\(port)\\r\\n\\r\\n' >&5; IFS= read -t ${1:-60} -r line <&5; echo "$line"; }
            for i in 10 11 12 13; do page; eval "exec $i<&5"; done
            page
            until page 5 | grep 200; do sleep 0.1; done
            awk '/VmHWM/ { print ($2 < 200000 ? "small" : $2) }' /proc/$1/status
            END
            timeout 560 bash \(folder)/script \(try #require(programs.last).processIdentifier) 2>&1
            """)
        let well = "HTTP/1.1 200 OK\r\n"
        #expect(text == "\(well)\(well)\(well)\(well)HTTP/1.1 503 Service Unavailable\r\n\(well)small\n", "\(text)")
    }

    // ---- In a browser

    private static let browser = Browser.program != nil

    @Test("A post made while the page is open appears", .enabled(if: browser, "Chromium is not installed"))
    func live() throws {
        let nasty = "<img src=x onerror=\"document.title='hit'\">"
        try begin(["watch", "com.acme.seen", nasty])
        let address = try serve()
        let browser = try page(address)
        #expect(try browser.waits("document.body.dataset.drawn"))
        #expect(try browser.waits("document.body.innerText.includes('com.acme.seen')"))
        try post("com.acme.seen", message: "one")
        #expect(try browser.waits("[...spans.values()].some(s => s.type === 'post' && s.name === 'com.acme.seen')"))
        #expect(
            try browser.waits(
                "[...document.querySelectorAll('#rows tr')].some(r => r.innerText.includes('com.acme.seen') && r.cells[2].innerText === '1')"
            ))
        try post(nasty)
        #expect(try browser.waits("[...spans.values()].some(s => s.name.startsWith('<img'))"))
        #expect(try browser.waits("document.querySelector('#graph').textContent.includes('<img src=x')"))
        #expect(try browser.value("document.title", as: String.self) == "Herald inspector")
        #expect(try browser.value("document.images.length", as: Int.self) == 0)
        // The filter finds it, and nothing else.
        _ = try browser.value("{ at('filter').value = 'ACME.SEEN'; draw(); 1 }", as: Int.self)
        #expect(try browser.value("document.querySelectorAll('#rows tr').length", as: Int.self) == 1)
        try expectClean(browser, address)
    }

    @Test("A message is followed into another process", .enabled(if: browser, "Chromium is not installed"))
    func followed() throws {
        try begin(["watch", "com.acme.sent"])
        // It posts after its own observer was called. A post from a shell would be over before it could be inspected.
        try begin(["watch", "com.acme.sent", "--exec", "true"])
        let address = try serve()
        let browser = try page(address)
        #expect(
            try browser.waits("[...programs.values()].filter(p => p.observers.size === 1 && p.counts).length === 2"))
        // The page does not show when it begins to trace a program. Earlier posts are not followed.
        #expect(
            try browser.waits("[...cameAs.values()].some(all => all.length === 2)") {
                try post("com.acme.sent", message: "one")
            })
        #expect(
            try browser.value("new Set([...cameAs.values()].flat().map(s => s.program.pid)).size", as: Int.self) == 2)
        // Opening one of them shows both, and their calls.
        _ = try browser.value(
            "{ open = [...cameAs.values()].find(all => all.length === 2)[0]; draw(); 1 }", as: Int.self)
        #expect(try browser.value("document.querySelectorAll('#post .row').length", as: Int.self) >= 2)
        try expectClean(browser, address)
    }

    @Test("At 390 pixels nothing has to be scrolled sideways", .enabled(if: browser, "Chromium is not installed"))
    func narrow() throws {
        let long = "com.acme." + String(repeating: "long", count: 40)
        try begin(["watch", "com.acme.narrow", long])
        let browser = try page(try serve())
        for _ in 0..<5 { try post(long, message: "x") }
        for (width, height) in [(390, 844), (1280, 900)] {
            try browser.resize(width, height)
            #expect(try browser.waits("document.body.innerText.includes('com.acme.narrow') && spans.size > 0"))
            _ = try browser.value(
                "{ open = [...spans.values()].find(s => s.type === 'post'); draw(); 1 }", as: Int.self)
            #expect(try browser.waits("document.documentElement.scrollWidth <= \(width)"))
            #expect(
                try browser.value(
                    "getComputedStyle(document.querySelector('#graph')).display === 'none'", as: Bool.self)
                    == (width < 600))
            #expect(
                try browser.value(
                    "[...document.querySelectorAll('#rows tr, #post .row, #list summary')].every(e => e.getBoundingClientRect().right <= innerWidth)",
                    as: Bool.self))
        }
    }

    @Test(
        "A program that ends, one that stops, and ten thousand names",
        .enabled(if: browser, "Chromium is not installed"))
    func many() throws {
        let many = try begin(["watch", "--exec", "true"] + (0..<10_000).map { "com.acme.name-\($0)" })
        let address = try serve()
        let browser = try page(address)
        #expect(try browser.waits("[...programs.values()].some(p => p.observers.size === 10000)", seconds: 60))
        for name in 0..<5 { try post("com.acme.name-\(name)") }
        #expect(try browser.waits("document.querySelector('#shown').innerText === '100 of 10,000'"))
        #expect(try browser.waits("document.querySelector('#more').innerText.includes('more names')"))
        #expect(try browser.value("document.querySelectorAll('#graph .node').length", as: Int.self) < 200)
        let times = try browser.value(
            "{ const all = []; for (let i = 0; i < 11; i++) { draw(); all.push(timing.last); } all.sort((a, b) => a - b)[5] }",
            as: Double.self)
        print("a draw of 10,000 names: \(times) ms")
        kill(many.processIdentifier, SIGSTOP)
        #expect(
            try browser.waits(
                "document.querySelector('#said').innerText.includes('does not answer') || document.querySelector('#said').innerText.includes('ended')",
                seconds: 60))
        kill(many.processIdentifier, SIGCONT)
        #expect(
            try browser.waits(
                "[...programs.values()].some(p => p.state === '' && p.observers.size === 10000)", seconds: 60))
        many.terminate()
        many.waitUntilExit()
        #expect(try browser.waits("document.querySelector('#said').innerText.includes('has ended')"))
        // A program that is killed while it does not answer.
        let stopped = try begin(["watch", "com.acme.stopped"]), number = stopped.processIdentifier
        #expect(try browser.waits("programs.get(\(number)).observers.size === 1"))
        kill(number, SIGSTOP)
        #expect(try browser.waits("programs.get(\(number)).state === 'does not answer'"))
        kill(number, SIGKILL)
        stopped.waitUntilExit()
        #expect(try browser.waits("programs.get(\(number)).state === 'ended'"))
        try expectClean(browser, address)
    }

    @Test(
        "What two programs count of one post, observers of any name, and posts in callbacks",
        .enabled(if: browser, "Chromium is not installed"))
    func counted() throws {
        let address = try serve()
        let browser = try page(address)
        #expect(try browser.waits("connected"))
        _ = try browser.value("{ at('pause').click(); 1 }", as: Int.self)
        let said: [(String, String, [String])] = [1, 2].flatMap { pid in
            [
                ("program", pid, [#"{"program":"p","state":""}"#]),
                (
                    "observers", pid,
                    [
                        #"{"type":"center","center":1,"kind":"host"}"#,
                        #"{"type":"observer","center":1,"id":"7","name":"n","owner":"o","delivery":"direct"}"#,
                        #"{"type":"observer","center":1,"id":"8","owner":"any","delivery":"direct"}"#,
                        #"{"type":"observer","center":1,"id":"9","name":"n","owner":"later","delivery":"actor"}"#,
                    ]
                ),
                (
                    "counts", pid,
                    [
                        #"{"type":"count","window":1000000000,"center":1,"name":"n","posts":10,"calls":10,"ns":100000000,"longest":5}"#,
                        #"{"type":"end","of":"counts"}"#,
                    ]
                ),
                (
                    "events", pid,
                    [
                        #"{"type":"call","span":"4","parent":"3","center":1,"id":"7","name":"n","begin":40,"end":60,"thread":1}"#,
                        #"{"type":"post","span":"3","parent":"2","center":1,"name":"n","begin":40,"end":60,"thread":1}"#,
                        #"{"type":"call","span":"2","parent":"1","center":1,"id":"7","name":"n","begin":0,"end":100,"thread":1}"#,
                        #"{"type":"post","span":"1","parent":"0","center":1,"name":"n","begin":0,"end":100,"thread":1}"#,
                        #"{"type":"queued","span":"5","parent":"0","center":1,"id":"9","name":"n","carrier":"0x1","message":9223372036854775809,"begin":1,"end":1,"thread":1,"outcome":"merged"}"#,
                        #"{"type":"queued","span":"6","parent":"0","center":1,"id":"9","name":"n","carrier":"0x1","message":9223372036854775810,"begin":1,"end":1,"thread":1,"outcome":"merged"}"#,
                        #"{"type":"heard","span":"7","parent":"0","center":1,"id":"9","name":"n","carrier":"0x1","message":3,"begin":0,"end":500000000,"thread":1,"outcome":"returned"}"#,
                    ]
                ),
            ].map { ($0.0, "\($0.1)", $0.2) }
        }
        for (event, pid, lines) in said {
            let text = try JSONEncoder().encode(([pid] + lines).joined(separator: "\n"))
            _ = try browser.value("{ hear.\(event)(\(String(decoding: text, as: UTF8.self))); 1 }", as: Int.self)
        }
        _ = try browser.value("{ draw(); 1 }", as: Int.self)
        #expect(try browser.value("at('rate').textContent", as: String.self) == "10")
        #expect(
            try browser.value("collect().map(n => n.name + ' ' + n.posts).join()", as: String.self)
                == "n 10,any name 10")
        #expect(try browser.value("queuedOf.size", as: Int.self) == 4)
        let first = "programs.get(1)"
        #expect(try browser.value("\(first).inCalls === 120 && \(first).inNested === 20", as: Bool.self))
        #expect(try browser.value("at('busy').textContent", as: String.self) == "16.7 %")  // 20 % less a sixth
        #expect(
            try browser.value(
                "[...document.querySelectorAll('#rows tr')].some(r => r.innerText.includes('later') && r.innerText.includes('10.0 %'))",
                as: Bool.self))
        #expect(browser.complaints.isEmpty, "\(browser.complaints)")
    }

    @Test("While it is paused nothing is traced, and it goes on", .enabled(if: browser, "Chromium is not installed"))
    func pause() throws {
        try begin(["watch", "com.acme.pause", "com.acme.unseen"])
        let address = try serve()
        let browser = try page(address)
        #expect(try browser.waits("[...programs.values()].some(p => p.observers.size === 2)"))
        _ = try browser.value("{ at('pause').click(); 1 }", as: Int.self)
        try awaitUntraced()
        try post("com.acme.unseen", message: "unseen")
        _ = try browser.value("{ at('pause').click(); 1 }", as: Int.self)
        #expect(
            try browser.waits("[...spans.values()].some(s => s.name === 'com.acme.pause')") {
                try post("com.acme.pause", message: "seen")
            })
        let unseen = "[...spans.values()].some(s => s.name === 'com.acme.unseen')"
        #expect(try browser.value(unseen, as: Bool.self) == false)
        try expectClean(browser, address)
    }
}
