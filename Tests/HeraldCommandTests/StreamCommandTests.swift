import Foundation
import Processes
import Testing

/// `herald stream`, `herald post --store` and `herald watch --durable` (R28), with NATS servers on this machine.
@Suite(.enabled(if: hasServer, "nats-server is not installed: make setup-network"))
struct StreamCommandTests {
    @Test("An operator makes, lists and removes streams, and sees their observers")
    func streams() async throws {
        let output = try await networkScript(
            """
            S="herald --network $url stream"
            $S create SAVED --names com.acme.saved --age 7d --bytes 1M; echo $?
            $S create SAVED --names com.acme.saved --age 7d --bytes 1M; echo $?
            $S create ODD --names 'a b' --prefix q.r --refuse-when-full --bytes 10K --age 90; echo $?
            $S list
            $S info ODD
            herald --network $url watch --prefix q.r --durable indexer --from beginning --timeout 0.1; echo $?
            herald --network $url post q.r.s --store --message x --verbose; echo $?
            $S observers ODD
            $S info ODD --json; $S observers ODD --json
            $S forget ODD indexer; echo $?
            $S rm ODD; echo $?
            $S list
            """, config: jetStream)
        #expect(
            output.text == """
                0
                0
                0
                STREAM  MESSAGES  BYTES  OBSERVERS  SUBJECTS
                ODD            0      0          0  herald.a%20b herald.a%20b.%.* herald.q.r.>
                SAVED          0      0          0  herald.com.acme.saved herald.com.acme.saved.%.*
                stream     ODD
                subjects   herald.a%20b herald.a%20b.%.* herald.q.r.>
                replicas   1
                leader     -
                age        90 s
                size       10240 bytes, then new messages are refused
                messages   0
                bytes      0
                numbers    -
                observers  0
                1
                0
                OBSERVER  HEARD  WAITING  GIVEN  AGAIN  LISTENING
                indexer       0        1      0      0          0
                {"age":90,"bytes":\(bytes(output.text)),"bytesLimit":10240,"first":1,"last":1,"messages":1,"observers":1,\
                "refusesWhenFull":true,"replicas":1,"stream":"ODD",\
                "subjects":["herald.a%20b","herald.a%20b.%.*","herald.q.r.>"]}
                [{"again":0,"given":0,"heard":0,"listening":0,"observer":"indexer","waiting":1}]
                0
                0
                STREAM  MESSAGES  BYTES  OBSERVERS  SUBJECTS
                SAVED          0      0          0  herald.com.acme.saved herald.com.acme.saved.%.*

                """, "\(output.text)\(output.errors)")
        #expect(output.errors == "herald: q.r.s: stored as 1\n")
    }

    /// The size that the server gives its one message, with its headers.
    private func bytes(_ text: String) -> Substring {
        text.firstRange(of: "\"bytes\":").map { text[$0.upperBound...].prefix { $0.isNumber } } ?? ""
    }

    @Test("What cannot be done with a stream is an error with the server's reason, and changes nothing")
    func cannot() async throws {
        let output = try await networkScript(
            """
            S="herald --network $url stream"
            $S create SAVED --names com.acme.saved
            for arguments in 'create SAVED --names other' 'create ALL --all' 'info NONE' 'rm NONE' 'observers NONE' \
                'forget SAVED nobody' 'create THREE --names three --replicas 3'; do $S $arguments; echo $?; done
            $S create FULL --names full --bytes 300 --refuse-when-full
            herald --network $url post full --store --message one; echo $?
            herald --network $url post full --store --message "$(seq 100)"; echo $?
            $S list --json | grep -o '"messages":[0-9]*'
            """, config: jetStream)
        #expect(
            output.text == "69\n69\n69\n69\n69\n69\n69\n0\n69\n\"messages\":1\n\"messages\":0\n",
            "\(output.text)\(output.errors)")
        let errors = output.errors.split(separator: "\n")
        try #require(errors.count == 8, "\(output.errors)")
        #expect(errors.allSatisfy { $0.hasPrefix("herald: ") })
        #expect(errors[0].contains("already in use") && errors[1].contains("overlap"))
        #expect(errors[2].contains("not found") && errors[5].contains("consumer not found"))
        #expect(errors[7].contains("full: ") && errors[7].contains("exceeded"))
    }

    @Test("Without JetStream, or the right to use it, an error says so")
    func noJetStream() async throws {
        let output = try await networkScript("herald --network $url stream list; echo $?")
        #expect(output.text == "69\n" && output.errors.contains("JetStream"), "\(output.text)\(output.errors)")
    }

    @Test(
        "A durable watcher hears what was stored while it did not run, once and in order, as an indexer that is restarted"
    )
    func restarted() async throws {
        let output = try await networkScript(
            """
            H="herald --network $url"
            $H stream create SAVED --names a --names b
            $H watch a --durable indexer --then 'exit 3'; echo $?   # the servers know it from now on
            seq 3 | $H post a --store --stdin --message - --object about; echo $?
            $H watch a --durable indexer --count 2; echo $?
            $H post a; seq 4 5 | $H post a --store --stdin --message -
            $H watch a --durable indexer --count 4; echo $?
            $H watch a --durable other --from beginning --json --once | grep -o '"deliveries":.*,"length":1,"message":"1"'
            $H watch a --durable third --from 5 --once --exec 'echo $HERALD_STORED: $(cat)'
            # A message that is printed while `head` has not ended is heard, so the rest is stored after it.
            seq 2 | $H post b --store --stdin --message -
            $H watch b --durable fourth --from beginning | head -n 2
            seq 3 5 | $H post b --store --stdin --message -
            $H watch b --durable fourth --count 3
            """, config: jetStream)
        #expect(
            output.text == """
                3
                0
                a [about]: 1
                a [about]: 2
                0
                a [about]: 3
                a
                a: 4
                a: 5
                0
                "deliveries":1,"length":1,"message":"1"
                5: 4
                b: 1
                b: 2
                b: 3
                b: 4
                b: 5

                """, "\(output.text)\(output.errors)")
    }

    @Test("A post whose command fails comes again before later ones, and is given up after --attempts")
    func fails() async throws {
        let output = try await networkScript(
            """
            H="herald --network $url"
            $H stream create SAVED --names a
            $H watch a --durable one --timeout 0.1; $H watch a --durable two --timeout 0.1
            seq 2 | $H post a --store --stdin --message -
            $H watch a --durable one --count 4 --exec 'echo $HERALD_DELIVERIES $(cat); [ $HERALD_DELIVERIES = 3 ] || exit 5'
            echo $?
            $H watch a --durable one --once --exec 'echo $HERALD_MESSAGE'; echo $?
            $H watch a --durable two --attempts 2 --count 3 --exec 'echo $(cat); [ $HERALD_MESSAGE = 2 ]' 2> errors; echo $?
            grep -c 'given up message 1' errors
            """, config: jetStream)
        #expect(
            output.text == "1 1\n2 1\n3 1\n1 2\n5\n2\n0\n1\n1\n2\n1\n1\n", "\(output.text)\(output.errors)")
    }

    /// One that ends waits a second or two for its server (net_durable.c). If the server is held up for longer, the next
    /// message has had its one attempt, and the next watcher says that it is given up. Here that may happen twice;
    /// watchers of each kind end three times and more.
    @Test("A watcher that ends after a post gives no other one up that it has not shown")
    func lastPost() async throws {
        let output = try await networkScript(
            """
            H="herald --network $url"
            $H stream create SAVED --names a
            seq 18 | $H post a --store --stdin --message -
            for i in 1 2 3; do
                $H watch a --durable one --from beginning --attempts 1 --count 2 --json | grep -o '"deliveries":[0-9]*'
            done
            for i in 1 2 3 4 5; do
                $H watch a --durable one --attempts 1 --once
                $H watch a --durable one --attempts 1 --once --exec 'echo $HERALD_DELIVERIES $HERALD_MESSAGE'
            done
            """, config: jetStream)
        let complaint = "herald: the durable observer one has given up message "
        let givenUp = output.errors.split(separator: "\n").map {
            $0.hasPrefix(complaint) ? Int($0.dropFirst(complaint.count)) : nil
        }
        let shown = (1...18).filter { !givenUp.contains($0) }
        let lines =
            Array(repeating: "\"deliveries\":1\n", count: 6)
            + zip(shown.dropFirst(6).prefix(10), 0...).map { $1 % 2 == 0 ? "a: \($0)\n" : "1 \($0)\n" }
        #expect(givenUp.count <= 2 && !givenUp.contains(nil), "\(output.errors)")
        #expect(output.text == lines.joined(), "\(output.text)\(output.errors)")
    }

    @Test("A stream of names and prefixes has each subject once")
    func overlapping() async throws {
        let output = try await networkScript(
            """
            herald --network $url stream create O --names o --names o --names o.x --prefix o --prefix o.y --names p; echo $?
            herald --network $url stream info O | grep subjects
            herald --network $url stream rm $'O.\\u0301' 2> /dev/null; echo $?
            """, config: jetStream)
        #expect(
            output.text == "0\nsubjects   herald.o herald.p herald.p.%.* herald.o.>\n64\n",
            "\(output.text)\(output.errors)")
    }

    @Test("What a command has done counts if it has ended with 0, even after a signal; else the post comes again")
    func signals() async throws {
        let output = try await networkScript(
            """
            H="herald --network $url"
            $H stream create SAVED --names a
            $H watch a --durable indexer --timeout 0.1
            seq 2 | $H post a --store --stdin --message -
            for status in 1 0; do
                (trap - INT; exec $H watch a --durable indexer \\
                    --exec "trap 'exit $status' TERM; echo \\$HERALD_MESSAGE > begun; while :; do sleep 0.05; done") &
                watcher=$!; await begun .; kill $watcher; wait $watcher; echo $? $(cat begun); rm begun
            done
            $H watch a --durable indexer --once; echo $?
            """, config: jetStream)
        #expect(output.text == "143 1\n143 1\na: 2\n0\n", "\(output.text)\(output.errors)")
    }

    @Test("Two watchers with one name share what is stored, and each post is heard by one of them")
    func shared() async throws {
        let output = try await networkScript(
            """
            H="herald --network $url"
            $H stream create SAVED --names a
            for i in 1 2; do
                mkfifo ready$i
                $H watch a --durable mailer --ready-fd 9 9> ready$i > lines$i & watchers="$watchers $!"; read -r _ < ready$i
            done
            seq 200 | $H post a --store --stdin --message -
            for i in $(seq 1200); do [ $(cat lines1 lines2 | wc -l) -ge 200 ] && break; sleep 0.05; done
            kill $watchers; wait $watchers
            sort lines1 lines2 | cmp - <(seq -f 'a: %.0f' 200 | sort) && echo same
            [ -s lines1 ] && [ -s lines2 ] && echo both
            """, config: jetStream)
        #expect(output.text == "same\nboth\n", "\(output.text)\(output.errors)")
    }

    @Test("A durable watcher says why it cannot begin, and begins when the stream is made")
    func made() async throws {
        let output = try await networkScript(
            """
            H="herald --network $url"
            $H watch a --durable indexer --once > lines 2> errors & watcher=$!
            await errors 'the durable observer indexer cannot go on now: no stream stores what it observes'
            $H stream create SAVED --names a
            $H post a --store --message one
            # The observer begins with what is stored once it is known: it may have come after the first.
            for i in $(seq 600); do [ -s lines ] && break; $H post a --store --message one; sleep 0.1; done
            wait $watcher; echo $?; cat lines
            """, config: jetStream)
        #expect(output.text == "0\na: one\n", "\(output.text)\(output.errors)")
    }
}
