import Foundation
import Processes

let hasServer = ["/usr/sbin", "/usr/bin", "/usr/local/bin"].contains {
    FileManager.default.isExecutableFile(atPath: "\($0)/nats-server")
}

let jetStream = #"jetstream { store_dir: "js" }"#

/// Runs a script with a server at $url. `config` is added to the server's configuration.
func networkScript(_ text: String, config: String = "") async throws -> ProcessOutput {
    let scratch = try Scratch("network")
    return try await scratch.run(
        text,
        prelude: """
            folder=$PWD; PATH=$PATH:/usr/sbin
            printf '%s\\n' 'listen: "127.0.0.1:-1"' '\(config)' > config
            begin() {  # a server, at the port of the one before
                nats-server -DV -c config --ports_file_dir $folder > server.log 2>&1 & server=$!
                for i in $(seq 3000); do [ -s *_$server.ports ] && break; sleep 0.02; done
                port=$(grep -o '127.0.0.1:[0-9]*' *_$server.ports | head -n 1 | cut -d: -f2)
                sed -i "s/:-1/:$port/" config; url=nats://127.0.0.1:$port
            }
            await() { for i in $(seq 1200); do grep -q "$2" $1 2>/dev/null && return; sleep 0.05; done; echo "no $2"; }
            await_subscribed() {  # the server has answered what came after the subscriptions
                for i in $(seq 1200); do sed -n '/\\[SUB /,$p' server.log | grep -aq 'PONG' && return; sleep 0.05; done
                echo "nobody subscribes"
            }
            trap 'kill $server' EXIT
            begin
            """)
}
