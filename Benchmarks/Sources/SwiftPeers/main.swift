// The peers in Swift, Herald among them, and tasks for other costs in Swift.
import Dispatch
import Foundation
import Harness

private func serve() -> Int32 {
    let peers = heraldPeers() + [coreFoundationPeer()] + heraldFoundationPeers() + foundationPeers() + combinePeers()
    let tasks = tasks()
    return peer_main(CommandLine.argc, CommandLine.unsafeArgv, peers, peers.count, tasks, tasks.count)
}

// Tasks that are served leave the main thread to the main actor: Foundation's typed notifications are posted there.
if CommandLine.arguments.dropFirst().starts(with: ["serve", "-"]) {
    Thread { exit(serve()) }.start()
    dispatchMain()
} else {
    exit(serve())
}
