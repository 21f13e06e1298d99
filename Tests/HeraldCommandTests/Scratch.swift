import Foundation
import Processes
import Testing

/// A test's own folder, whose scripts share nothing with other tests. It is removed with its owner.
final class Scratch {
    let path: String

    init(_ name: String) throws {
        var template = Array("/dev/shm/herald-test-\(getpid())-\(name)-XXXXXX".utf8CString)
        try #require(mkdtemp(&template) != nil)
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Runs a script after `prelude`, in the folder, for five minutes at most; `herald` is the command.
    func run(_ script: String, prelude: String = "") async throws -> ProcessOutput {
        try await Processes.run(
            URL(fileURLWithPath: "/usr/bin/timeout"),
            [
                "300", "bash", "-c",
                """
                export HERALD_HOST_DIRECTORY=\(path); cd \(path)
                PATH=\(heraldCommand.deletingLastPathComponent().path):$PATH
                # The command, which asks a program. One that is held up does not answer in time, and is asked again.
                ask() {
                    local status refusal=refusal.$BASHPID
                    until command herald "$@" 2> $refusal; status=$?
                        [ $status = 0 ] || ! grep -q 'not answer' $refusal; do :; done
                    cat $refusal >&2; rm $refusal; return $status
                }
                await_file() { for i in $(seq 6000); do [ -e $1 ] && return; sleep 0.01; done; echo "there is no $1"; }
                \(prelude)
                \(script)
                """,
            ])
    }
}
