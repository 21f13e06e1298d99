import Foundation

/// A contestant and the program it is in.
struct Entrant: Equatable {
    let id: String
    let program: String
    let peer: String
    let role: Contestant.Role
    /// The Debian package without which the program is not built.
    var package: String?
    /// The way of Herald's that does the same, and has to be faster.
    var rival: String?

    static let herald = [
        Entrant(id: "topic", program: "herald", peer: "topic", role: .herald),
        Entrant(id: "name", program: "herald", peer: "name", role: .herald),
        Entrant(id: "string", program: "herald", peer: "string", role: .herald),
        Entrant(id: "swift-topic", program: "SwiftPeers", peer: "topic", role: .herald),
        Entrant(id: "swift-type", program: "SwiftPeers", peer: "typed", role: .herald),
        Entrant(id: "swift-name", program: "SwiftPeers", peer: "name", role: .herald),
        Entrant(id: "swift-owner", program: "SwiftPeers", peer: "owner", role: .herald),
        Entrant(id: "swift-protocol", program: "SwiftPeers", peer: "protocol", role: .herald),
        Entrant(id: "cf", program: "SwiftPeers", peer: "cf", role: .herald),
    ]

    static let peers = [
        Entrant(
            id: "boost", program: "boost", peer: "signal", role: .peer, package: "libboost-dev", rival: "topic"),
        Entrant(id: "glib", program: "glib", peer: "signal", role: .peer, package: "libglib2.0-dev", rival: "topic"),
        Entrant(
            id: "glib-notify", program: "glib", peer: "notify", role: .peer, package: "libglib2.0-dev", rival: "topic"),
        Entrant(id: "qt", program: "qt", peer: "signal", role: .peer, package: "qt6-base-dev", rival: "topic"),
        Entrant(id: "urcu", program: "urcu", peer: "list", role: .peer, package: "liburcu-dev", rival: "topic"),
        Entrant(
            id: "sigc", program: "sigc", peer: "signal", role: .peer, package: "libsigc++-3.0-dev", rival: "topic"),
        Entrant(
            id: "gnustep", program: "gnustep", peer: "center", role: .peer, package: "libgnustep-base-dev and gobjc",
            rival: "name"),
        Entrant(id: "foundation", program: "SwiftPeers", peer: "foundation", role: .peer, rival: "swift-name"),
        Entrant(
            id: "foundation-typed", program: "SwiftPeers", peer: "foundation-typed", role: .peer, rival: "swift-type"),
        Entrant(id: "opencombine", program: "SwiftPeers", peer: "opencombine", role: .peer, rival: "swift-topic"),
    ]

    static let floors = [
        Entrant(id: "floor-loop", program: "floor", peer: "loop", role: .floor),
        Entrant(id: "floor-probe", program: "floor", peer: "probe", role: .floor),
        Entrant(id: "floor-string", program: "floor", peer: "string", role: .floor),
        Entrant(id: "floor-change", program: "floor", peer: "change", role: .floor),
    ]

    /// Something of a program that is no center: a row of its own has it.
    static func task(_ id: String, _ program: String, role: Contestant.Role, package: String? = nil) -> Entrant {
        Entrant(id: id, program: program, peer: "-", role: role, package: package)
    }
}

/// The programs as they are built, and how they are started.
struct Programs {
    let folders: [String]
    let scratch: URL

    /// Throws a sentence when it has not been built.
    func path(of entrant: Entrant) throws -> String {
        for folder in folders {
            let path = folder + "/" + entrant.program
            if FileManager.default.isExecutableFile(atPath: path) { return path }
        }
        throw Failure(
            entrant.package.map { "not built: it needs \($0)" } ?? "not built: there is no program \(entrant.program)")
    }

    /// Each with a folder of its own, for the host center's file and for what it complains of.
    func start(_ entrant: Entrant, _ arguments: [String]) throws -> Child {
        let path = try path(of: entrant)
        let folder = scratch.appendingPathComponent("\(entrant.program)-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        return try Child(path, arguments, folder: folder)
    }

    /// Asks each program for its peers' titles; and why who is absent is so.
    func introduce(_ entrants: [Entrant]) -> (present: [Entrant], contestants: [Contestant], absent: [String: String]) {
        var lists: [String: Result<[String], Failure>] = [:]
        var present: [Entrant] = []
        var contestants: [Contestant] = []
        var absent: [String: String] = [:]
        for entrant in entrants {
            let list = lists[entrant.program] ?? list(of: entrant)
            lists[entrant.program] = list
            do {
                let lines = try list.get()
                guard let line = lines.first(where: { $0.hasPrefix("peer \(entrant.peer) ") }) else {
                    throw Failure("\(entrant.program) has no \(entrant.peer)")
                }
                let words = line.split(separator: " ", maxSplits: 3)
                guard words.count == 4 else { throw Failure("\(entrant.program) lists what cannot be read: \(line)") }
                present.append(entrant)
                contestants.append(
                    Contestant(
                        id: entrant.id, title: String(words[3]), role: entrant.role, threadSafe: words[2] == "safe"))
            } catch {
                absent[entrant.id] = "\(error)"
            }
        }
        return (present, contestants, absent)
    }

    private func list(of entrant: Entrant) -> Result<[String], Failure> {
        do {
            let child = try start(entrant, ["list"])
            var lines: [String] = []
            while lines.count < 1000, let line = try? child.answer(within: 10) { lines.append(line) }
            return lines.isEmpty ? .failure(Failure("\(entrant.program) does not tell what it has")) : .success(lines)
        } catch {
            return .failure(error as? Failure ?? Failure("\(error)"))
        }
    }
}
