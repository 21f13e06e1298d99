import Foundation
import Processes
import Testing

/// The shell lines of the README and of the guides, run as a reader types them: a line that goes on has a terminal of
/// its own, and the next one is typed when it is ready.
@Suite struct DocumentationShellTests {
    @Test(
        "What the documentation types into a shell does what the page shows",
        arguments: try Documentation.pages().flatMap(\.shells).filter {
            $0.exemption == nil && (hasServer || !$0.text.contains("nats://a:4222"))
        })
    func runs(_ shell: Documentation.Shell) async throws {
        let output = try await Self.run(shell)
        #expect(output.text == "done\n", "\(output.text)\(output.errors)")
    }

    @Test("Most of it is run, and what is not says why")
    func fewAreExempt() throws {
        let shells = try Documentation.pages().flatMap(\.shells)
        let exempt = shells.compactMap(\.exemption)
        #expect(!exempt.contains("") && exempt.count * 2 < shells.count)
    }

    @Test("A line that fails, one that ends too soon, and what is not shown are found")
    func findsWrongLines() async throws {
        for (text, complaint) in [
            ("herald post com.acme.saved; herald posts", "failed"), ("herald watch --prefix com", "not shown: text"),
            ("herald watch com.acme.saved --timeout 0.01\nwait $goes_on || :", "ended"),
        ] {
            let page = "<!-- sh setup\npatience=1\n-->\n<!-- shown: text -->\n```sh\n\(text)\n```\n"
            let output = try await Self.run(#require(Documentation.page(page, named: "Page.md").shells.first))
            #expect(output.text.contains(complaint), "\(output.text)\(output.errors)")
        }
    }

    /// What goes on until somebody ends it.
    private static func goesOn(_ line: Substring) -> Bool {
        let words = line.prefix { $0 != "#" }
        return words.contains(/\b(herald|nats-server)\b/)
            && words.contains(/herald( --network \S+)? (watch|trace|top|inspect --web)|^nats-server/)
            && !words.contains(/--once|--count|--limit|--perfetto|& *$/)
    }

    /// - Note: 4312 is the process that the setup has named `$program`, and nats://a:4222 is a server.
    private static func run(_ shell: Documentation.Shell) async throws -> ProcessOutput {
        let lines = shell.text.split(separator: "\n").map { line in
            let text = line.replacingOccurrences(of: "4312", with: "$program")
                .replacingOccurrences(of: "nats://a:4222", with: "$url")
            return "\(goesOn(line) ? "in_terminal" : "here") <<'line'\n\(text)\nline\n"
        }
        let script = """
            set -m  # each terminal is a group of processes
            package='\(packageFolder.path)'; patience=60; goes_on=
            trap 'for process in $goes_on; do kill -- -$process; done 2> /dev/null; exit 143' TERM
            make() { command make -n -C "$package" "$@"; }  # the target is there; its recipe has its own tests
            herald() {  # a watcher in a terminal of its own says when it is ready
                case $1 in inspect | trace) ask "$@"; return ;; esac
                local ready=; [ -e /proc/$BASHPID/fd/9 ] && [[ " $* " = *" watch "* ]] && ready='--ready-fd 9'
                command herald "$@" $ready
            }
            here() { local line; line=$(cat); eval "$line" >> shown 2>> errors || echo "failed: $line"; }
            patiently() { for i in $(seq $((20 * patience))); do "$@" && return; sleep 0.05; done; return 1; }
            shows_more() { [ $(wc -c < shown) -gt $1 ]; }
            in_terminal() {
                local line before=$(wc -c < shown); line=$(cat)
                [[ $line = *" watch "* ]] && mkfifo ready || ln -s /dev/null ready
                ( eval "$line" ) 9> ready >> shown 2>> errors & goes_on="$goes_on $!"
                read -r _ < ready; rm ready
                [[ $line = *" --kept "* ]] || return 0
                # What is kept is shown a moment later; who types the next line has seen it.
                patiently shows_more $before || echo "shows nothing: $line"
            }
            touch shown
            \(shell.setup)
            \(lines.joined())
            while read -r text && [ "$text" ]; do
                patiently grep -qF -- "$text" shown || { echo "not shown: $text"; head -c 2000 shown errors; }
            done <<'end of what is shown'
            \(shell.shown.joined(separator: "\n"))
            end of what is shown
            for process in $goes_on; do kill -0 $process 2> /dev/null || { echo ended; cat errors; }; done
            for process in $goes_on; do kill -- -$process; wait $process 2> /dev/null; done
            echo done
            """
        return try await shell.text.contains("nats://a:4222")
            ? networkScript(script, config: jetStream) : Scratch("shell").run(script)
    }
}
