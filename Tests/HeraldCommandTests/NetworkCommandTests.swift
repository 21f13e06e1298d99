import Foundation
import Processes
import Testing

/// `herald --network`, with NATS servers on this machine.
@Suite(.enabled(if: hasServer, "nats-server is not installed: make setup-network"))
struct NetworkCommandTests {
    @Test("What is posted on one machine is watched on another, each post once")
    func watch() async throws {
        let output = try await networkScript(
            """
            herald --network $url watch com.acme.b com.acme.b --prefix com.acme --prefix com.acme.x other --count 5 > lines &
            watcher=$!
            await_subscribed
            herald --network $url post com.acme.a
            herald post com.acme.b --network $url --message hello --object notes.txt
            printf 'a\\0b\\377' | herald --network $url post com.acme.x.y --message - --type application/x-bytes
            herald --network $url post com.acme elsewhere
            herald --network $url post other --count 2
            wait $watcher; echo $?; cat lines
            """)
        #expect(
            output.text == """
                0
                com.acme.a
                com.acme.b [notes.txt]: hello
                com.acme.x.y: 4 bytes of application/x-bytes
                other
                other

                """, "\(output.text)\(output.errors)")
    }

    @Test("The servers keep messages, once their stream is made; before that a line says why they do not")
    func kept() async throws {
        let output = try await networkScript(
            """
            herald --network $url kept list; echo $?
            herald --network $url watch --kept com.acme.s 2> errors & watcher=$!
            await errors 'what is kept of com.acme.s cannot be had'; kill $watcher; wait $watcher 2> /dev/null
            herald --network $url kept create --replicas 1; echo $?; herald --network $url kept create; echo $?
            herald --network $url post com.acme.s --keep --message one
            herald --network $url post com.acme.s --keep --message two --object x
            herald --network $url watch --kept com.acme.s --count 2
            herald --network $url kept list --prefix com
            herald --network $url kept forget com.acme.s; echo $?
            herald --network $url kept forget com.acme.s; echo $?
            herald --network $url watch --kept com.acme.s --once
            """, config: #"jetstream { store_dir: "js" }"#)
        #expect(
            output.text == """
                69
                0
                0
                com.acme.s (kept): one
                com.acme.s [x] (kept): two
                NAME        OBJECT  TYPE  BYTES
                com.acme.s  -       -         3
                com.acme.s  x       -         3
                0
                1
                com.acme.s [x] (kept): two

                """, "\(output.text)\(output.errors)")
    }

    @Test("A signal ends what still connects, and nothing is begun then")
    func signalBefore() async throws {
        let output = try await networkScript(
            """
            kill $server; wait $server 2> /dev/null
            for signal in TERM INT HUP; do
                # It gives up after five seconds: then another round is needed. It connects when its threads have begun.
                for i in $(seq 20); do
                    (trap - INT; exec herald --network $url watch a --then 'touch then' 2> /dev/null) & watcher=$!
                    until [ $(ls /proc/$watcher/task | wc -l) -gt 1 ]; do kill -0 $watcher || break; done 2> /dev/null
                    kill -$signal $watcher 2> /dev/null; wait $watcher; status=$?
                    [ $status = 69 ] || break
                done
                echo $status
            done
            ls then 2> /dev/null; begin
            """)
        #expect(output.text == "143\n130\n129\n", "\(output.text)\(output.errors)")
    }

    @Test("Prefixes are bytes: those that only look alike are two")
    func prefixes() async throws {
        let output = try await networkScript(
            """
            one=$'e\\xcc\\x81' other=$'\\xc3\\xa9'
            herald --network $url watch --prefix $one --prefix $other --count 2 --timeout 250 \\
                --then "herald --network $url post $one.a $other.b" | wc -l
            herald --network $url post a --message x --type $'text/plain\\r\\n'; echo $?
            """)
        #expect(output.text == "2\n64\n" && output.errors.contains("--type has the control"), "\(output.errors)")
    }

    @Test("Lines of input are posts, in their order, and all of them arrive")
    func input() async throws {
        let output = try await networkScript(
            """
            herald --network $url watch --all --count 20000 --timeout 250 --json > lines & watcher=$!
            await_subscribed
            # Its input comes as it is heard: the server has five seconds for the last answer, also if it is slow.
            for last in $(seq 1000 1000 20000); do
                seq -f 'n.%.0f' $((last - 999)) $last
                until [ $(wc -l < lines) -ge $last ] || ! kill -0 $watcher 2> /dev/null; do sleep 0.01; done
            done | herald --network $url post --stdin; echo $?
            wait $watcher; echo $?
            grep -o '"name":"[^"]*"' lines | cmp - <(seq -f '"name":"n.%.0f"' 20000) && echo same
            """)
        #expect(output.text == "0\n0\nsame\n" && output.errors.isEmpty, "\(output.text)\(output.errors)")
    }

    @Test("A message is a command's input")
    func execute() async throws {
        let output = try await networkScript(
            """
            herald --network $url watch a --once --exec 'cat; echo " $HERALD_NAME $HERALD_OBJECT"' > lines & watcher=$!
            await_subscribed; herald --network $url post a --message text --object about; wait $watcher; cat lines
            """)
        #expect(output.text == "text a about\n" && output.errors.isEmpty, "\(output.text)\(output.errors)")
    }

    @Test("Without a server, or without the right to it: one line with the reason, and an exit status")
    func refused() async throws {
        let output = try await networkScript(
            """
            herald --network nats://127.0.0.1:1 post a; echo $?
            herald --network nats://127.0.0.1:1 watch a 2> errors; echo $?; tail -n 1 errors >&2
            herald --network $url post a; echo $?
            herald --network nats://me:secret@127.0.0.1:$port post free; echo $?
            herald --network nats://me:secret@127.0.0.1:$port post bound; echo $?
            timeout 250 herald --network nats://me:secret@127.0.0.1:$port watch bound 2> errors; echo $?
            tail -n 1 errors >&2
            head -c 2000000 /dev/zero | herald --network nats://me:secret@127.0.0.1:$port post free --message -; echo $?
            herald --network nats://me:secret,comma@127.0.0.1:$port post free; echo $?
            """,
            config: """
                authorization { users = [ { user: me, password: secret, permissions: { \
                publish: { deny: "herald.bound" }, subscribe: { deny: "herald.bound" } } } ] }
                """)
        #expect(output.text == "69\n69\n69\n0\n77\n77\n64\n64\n", "\(output.text)\(output.errors)")
        let errors = output.errors.split(separator: "\n")
        try #require(errors.count == 7, "\(output.errors)")
        #expect(errors.allSatisfy { $0.hasPrefix("herald: ") && !$0.contains("secret") })
        #expect(errors[0].contains("no server") && errors[1].contains("no server"))
        #expect(errors[2].lowercased().contains("authorization"), "\(errors[2])")
        #expect(errors[3].contains("bound") && errors[4].contains("bound") && errors[5].contains("too large"))
    }

    @Test("A post that a server took and did not confirm before it ended is a failure, with the reason")
    func unconfirmed() async throws {
        let output = try await networkScript(
            """
            mkfifo lines; herald --network $url post --verbose --stdin < lines 2> errors & poster=$!
            exec 3> lines; echo first >&3; await server.log 'PUB herald.first'
            stopped() { ! awk '{ print $3 }' /proc/$server/task/*/stat | grep -v T; }
            kill -STOP $server; until stopped > /dev/null; do sleep 0.01; done; echo second >&3
            unread() { awk -v port=":$(printf %04X $port)$" '$2 ~ port && $4 == "01" { print $5 }' /proc/net/tcp; }
            for i in $(seq 1200); do  # more than a ping of what the server does not read
                read=0; for queues in $(unread); do [ $((16#${queues#*:})) -gt 40 ] && read=1; done
                [ $read = 1 ] && break; sleep 0.05
            done
            kill -9 $server; wait $server 2>/dev/null; begin 3>&-
            await errors 'herald: connected'; exec 3>&-
            wait $poster; echo $?; tail -n 1 errors >&2
            """)
        #expect(output.text == "69\n", "\(output.text)\(output.errors)")
        #expect(output.errors.contains("confirmed"), "\(output.errors)")
    }

    @Test("A watcher says that its server is gone, and goes on when it is back")
    func comesBack() async throws {
        let output = try await networkScript(
            """
            herald --network $url watch a > lines 2> errors & watcher=$!
            await_subscribed; herald --network $url post a --message before; await lines before
            kill -9 $server; wait $server 2>/dev/null; await errors disconnected
            herald --network $url post a --message meanwhile & poster=$!
            begin
            wait $poster; echo $?; await errors 'herald: connected'
            # A post in the meantime is heard if the watcher was back first; the next is in any case.
            await_subscribed; herald --network $url post a --message after; await lines after
            kill $watcher; wait $watcher 2>/dev/null; echo $?
            """)
        #expect(output.text == "0\n143\n", "\(output.text)\(output.errors)")
    }
}
