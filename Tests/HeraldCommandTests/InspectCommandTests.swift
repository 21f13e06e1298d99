import Foundation
import Processes
import Testing

/// `herald inspect`, `trace` and `top`, looking into `herald watch`.
@Suite final class InspectCommandTests {
    private let scratch: Scratch
    private var folder: String { scratch.path }

    init() throws { scratch = try Scratch("inspect") }

    private func script(_ text: String) async throws -> ProcessOutput {
        try await scratch.run(
            text,
            prelude: """
                begin() {  # a program that observes $1
                    HERALD_INSPECT=1 herald watch "$1" > lines & program=$!
                    for i in $(seq 1200); do herald inspect | grep -q " $program " && break; sleep 0.05; done
                    for i in $(seq 1200); do herald inspect $program | grep -q "observers of 1 names" && return; sleep 0.05; done
                    echo "nobody observes $1"
                }
                post_on() { for i in $(seq 5000); do sleep 0.05; herald post "$1"; done > /dev/null 2>&1 & poster=$!; }
                # The poster's shell has the signals blocked that the tests' threads have.
                trap '{ kill -CONT $program; kill $program; kill -KILL $poster; } 2>/dev/null' EXIT
                """)
    }

    @Test("Programs are found that let themselves be looked into, and no others")
    func list() async throws {
        let output = try await script(
            """
            herald watch other > /dev/null & other=$!
            begin com.acme.saved
            # A program that is held up does not answer in time, as its line says.
            inspect() { until herald inspect "$@" > table; ! grep -q 'not answer' table; do :; done; cat table; }
            inspect | sed "s/$program/PID/; s/  */ /g"
            inspect --json | grep -c '"program":"herald"'
            ask inspect $program | sed "s/$program/PID/"
            ask inspect $program --json | grep -c '"name":"com.acme.saved"'
            herald inspect $other; echo $?
            kill $other $program; wait $program $other 2>/dev/null; herald inspect | wc -l
            """)
        let lines = output.text.split(separator: "\n", omittingEmptySubsequences: false)
        try #require(lines.count > 8, "\(output.text)\(output.errors)")
        #expect(lines[0] == " PID PROGRAM CENTERS NAMES OBSERVERS TRACED")
        #expect(lines[1].hasPrefix(" PID herald ") && lines[1].hasSuffix(" 1 1 -") && lines[2] == "1", "\(output.text)")
        #expect(output.text.contains("(host): 1 observers of 1 names"))
        #expect(output.text.hasSuffix("\n1\n69\n1\n"), "\(output.text)")
        #expect(output.errors.contains("HERALD_INSPECT=1"))
        #expect(lines.allSatisfy { $0.count <= 80 })
    }

    @Test("A post is shown with the call in it, and as the program says it")
    func R24_a_post_is_shown_with_the_call_in_it() async throws {
        let output = try await script(
            """
            begin com.acme.saved
            post_on com.acme.saved
            # A program that is sent a signal before it handles it ends by it.
            await_handler() {
                until grep -qx herald /proc/$1/comm; do sleep 0.01; done
                until grep -q '^SigCgt:.*[4-7c-f]...$' /proc/$1/status; do kill -0 $1 2> /dev/null || return; sleep 0.01; done
            }
            # Runs two traces of one program, and ends the first by a signal. Does so again if the program has not
            # answered the first in time.
            end_trace() {
                local signal=$1; shift
                until
                    herald trace $program --name com.acme.none "$@" 2> refusal & other=$!
                    await_handler $other; ask trace $program --limit 1 --perfetto file; kill -$signal $other; wait $other; status=$?
                    ! grep -q 'not answer' refusal
                do :; done
                echo $status
            }
            ask trace $program --limit 2 > text
            wc -l < text; awk '{ print $3 }' text | sort | uniq -c | sort -rn | head -n 1 | awk '{ print $1, $2 }'
            ask trace $program --limit 1 --json | grep -c '"type":"post"'
            end_trace TERM --limit 1 > ended; head -n 1 file; grep -c '"ph":"X"' file; cat ended
            end_trace INT  # which the shell ignores in what it begins with &
            herald trace 1; echo $?
            """)
        #expect(
            output.text == """
                4
                2 com.acme.saved
                1
                {"displayTimeUnit":"ns","traceEvents":[
                2
                0
                0
                69

                """, "\(output.text)\(output.errors)")
    }

    @Test("Two programs with one number, in two containers: it says so")
    func twoContainers() async throws {
        let output = try await script(
            """
            contained() { exec unshare --user --pid --fork --kill-child=KILL --map-root-user "$@"; }
            (contained true) 2> /dev/null || { echo skipped; exit; }
            for i in 1 2; do HERALD_INSPECT=1 contained herald watch x$i > /dev/null & containers="$containers $!"; done
            for i in $(seq 1200); do [ $(ls herald-inspect 2> /dev/null | grep -c '^1[.][0-9a-f]*$') = 2 ] && break; sleep 0.05; done
            herald inspect 1; echo $?; herald inspect | grep -c '1 is the number of 2 programs'
            kill -KILL $containers
            """)
        if output.text == "skipped\n" {
            print("skipped: no namespace of process numbers can be made here")
            return
        }
        #expect(output.text == "69\n1\n", "\(output.text)\(output.errors)")
        #expect(output.errors.contains("herald: 2 programs have the number 1, in containers that share \(folder)"))
    }

    @Test("A program that was just begun is waited for; one that has ended is told from one that was not asked")
    func begun() async throws {
        let output = try await script(
            """
            mkfifo ready
            HERALD_INSPECT=1 herald watch a --ready-fd 3 3> ready > lines & program=$!
            ask trace $program --limit 1 --json > events & tracer=$!
            read -r line < ready
            until [ -s events ]; do herald post a; done; wait $tracer; echo $?; kill $program; wait $program
            herald trace $program; echo $?
            # No job of this shell, which would tell of its end.
            other=$(sleep 60 > /dev/null & echo $!); herald inspect $other; echo $?; kill -KILL $other
            """)
        let errors = output.errors.split(separator: "\n")
        #expect(output.text == "0\n69\n69\n" && errors.count == 2, "\(output.text)\(output.errors)")
        #expect(errors.first?.contains("it has ended") == true && errors.last?.contains("HERALD_INSPECT=1") == true)
    }

    @Test("A program that is stopped, or that has been killed, holds nobody up")
    func silent() async throws {
        let output = try await script(
            """
            begin a; kill -STOP $program
            herald inspect | sed "s/$program/PID/; s/  *//"; herald inspect $program; echo $?
            herald top --once | grep -c 'not answering'
            kill -KILL $program; wait $program 2>/dev/null; herald inspect | wc -l; ls herald-inspect | wc -l
            """)
        #expect(output.text.contains("PID does not answer\n69\n1\n1\n0\n"), "\(output.text)\(output.errors)")
    }

    @Test("The busiest names of all programs, as a table and as JSON")
    func top() async throws {
        let output = try await script(
            """
            begin com.acme.busy
            post_on com.acme.busy
            for i in $(seq 30); do herald top --once > table; grep -q 'com.acme.busy *herald' table && break; done
            grep -c 'com.acme.busy *herald' table
            timeout 250 herald top --json | head -n 1 | grep -c '"type":"count"'
            herald top --once | awk '{ if (length($0) > 80) print }'
            """)
        #expect(output.text == "1\n1\n", "\(output.text)\(output.errors)")
    }

    @Test("A callback that began before top was started is found, too; without a program, top and inspect say why")
    func stuck() async throws {
        let output = try await script(
            """
            herald inspect 2>&1 | grep -c 'HERALD_INSPECT=1'; herald top --once | grep -c 'HERALD_INSPECT=1'
            HERALD_INSPECT=1 herald watch com.acme.slow \
                --exec 'touch runs; until [ -e go ]; do sleep 0.05; done' & program=$!
            until herald inspect $program > /dev/null 2>&1; do sleep 0.05; done
            for i in 1 2 3 4 5 6; do herald post com.acme.slow --message $i; done
            until [ -e runs ]; do sleep 0.05; done
            for i in $(seq 30); do herald top --once > table; grep -q 'stuck.* com.acme.slow > ' table && break; done
            grep -c "stuck for over [0-9.]* s  herald $program  com.acme.slow > " table
            touch go; kill $program; wait $program; echo $?
            """)
        #expect(output.text == "1\n1\n1\n143\n", "\(output.text)\(output.errors)")
    }

    @Test("Names cannot control the terminal")
    func terminal() async throws {
        let output = try await script(
            """
            begin $'a\\e[31mb'
            post_on $'a\\e[31mb'
            ask inspect $program; ask trace $program --limit 1; herald top --once
            """)
        #expect(
            output.text.contains("a\\u{1b}[31mb") && !output.text.contains("\u{1b}"), "\(output.text)\(output.errors)")
    }

    @Test("The tour is traced completely: its posts are its tallies, and what was queued was heard or told as lost")
    func R24_every_post_and_message_of_the_tour_is_traced() async throws {
        let output = try await script(
            """
            mkfifo return
            HERALD_INSPECT=1 \(productFolder.path)/HeraldTour --tallies-only \(packageFolder.path)/Sources < return > tour &
            program=$!; exec 3> return
            for i in $(seq 1200); do herald inspect | grep -q " $program " && break; sleep 0.05; done
            ask trace $program --json > events & tracer=$!
            for i in $(seq 1200); do herald inspect | grep -q " $program .* yes$" && break; sleep 0.05; done
            echo >&3
            for i in $(seq 1200); do
                grep -q "tour is over" tour && queued=$(grep -c '"type":"queued"' events) && [ $queued -gt 83 ] &&
                    [ $queued = $(grep -c '"type":"heard"' events) ] && break
                grep -q '"type":"lost"' events && break
                sleep 0.05
            done
            echo >&3; wait $program; wait $tracer
            grep '^  total ' tour | awk '{ print $2 }'
            grep '"name":"FileScanned"' events | grep -c '"type":"post"'
            grep -c '"type":"queued"' events; grep -c '"type":"heard"' events
            grep '"type":"lost"' events
            """)
        let lines = output.text.split(separator: "\n").map(String.init), numbers = lines.prefix(4).compactMap(Int.init)
        try #require(numbers.count == 4 && numbers[0] > 50, "\(output.text)\(output.errors)")
        func lost(_ key: String) -> Int {
            lines.dropFirst(4).compactMap { $0.firstMatch(of: try! Regex("\"\(key)\":([0-9]+)"))?[1].substring }
                .compactMap { Int($0) }.reduce(0, +)
        }
        #expect(numbers[1] <= numbers[0] && numbers[1] + lost("posts") >= numbers[0], "\(output.text)")
        #expect(abs(numbers[2] - numbers[3]) <= lost("calls") && numbers[2] > 83, "\(output.text)")
    }
}
