import Dispatch
import Foundation

/// A folder in memory for the programs' files, named after this process. It is removed with the process, also when that
/// is interrupted.
final class Scratch {
    let url: URL
    private var sources: [any DispatchSourceSignal] = []
    private static let prefix = "herald-bench-"

    init() throws {
        Self.sweep()
        url = URL(fileURLWithPath: "/dev/shm/\(Self.prefix)\(getpid())")
        guard mkdir(url.path, 0o700) == 0 else {
            throw Failure("cannot make \(url.path): \(String(cString: strerror(errno)))")
        }
        for number in [SIGINT, SIGTERM] {
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { [url] in
                try? FileManager.default.removeItem(at: url)
                _exit(128 + number)  // the children end when their input ends
            }
            source.resume()
            sources.append(source)
        }
    }

    func remove() { try? FileManager.default.removeItem(at: url) }

    /// Folders of processes that were killed.
    private static func sweep() {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: "/dev/shm")) ?? []
        where name.hasPrefix(prefix) {
            guard let process = Int32(name.dropFirst(prefix.count)), kill(process, 0) != 0, errno == ESRCH else {
                continue
            }
            try? FileManager.default.removeItem(atPath: "/dev/shm/" + name)
        }
    }
}
