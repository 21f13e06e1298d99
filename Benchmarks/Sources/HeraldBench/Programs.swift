import Foundation

/// The built programs, and how they are started.
struct Programs {
    private let paths: [String]
    /// A folder for each other placement, 1, 2 and so on: the same programs, linked with other padding.
    private let placed: String?
    private let scratch: URL
    /// Why a program is not built.
    let missing: [String: String]

    /// Each place is a program that is measured, or a folder with nothing else. A program that was left out of a folder
    /// has a line in the folder's file `absent`: a name, and the packages it needs.
    init(_ places: [String], placed: String? = nil, scratch: URL) {
        var paths: [String] = []
        var missing: [String: String] = [:]
        for place in places {
            let names = try? FileManager.default.contentsOfDirectory(atPath: place).sorted()
            let files = names?.map { place + "/" + $0 }.filter(FileManager.default.isExecutableFile(atPath:))
            paths += files ?? [place]
            for line in (try? String(contentsOfFile: place + "/absent", encoding: .utf8))?.split(separator: "\n") ?? []
            {
                let words = line.split(separator: " ")
                missing[String(words[0])] = "not built: it needs \(words.dropFirst().joined(separator: " and "))"
            }
        }
        (self.paths, self.missing, self.placed, self.scratch) = (paths, missing, placed, scratch)
    }

    private static func name(_ path: String) -> String { (path as NSString).lastPathComponent }

    private func path(_ program: String, _ placement: Int) -> String? {
        if placement == 0 { return paths.first { Self.name($0) == program } }
        return placed.map { "\($0)/\(placement)/\(program)" }.flatMap {
            FileManager.default.isExecutableFile(atPath: $0) ? $0 : nil
        }
    }

    /// The number of placements that a program has.
    func placements(of program: String, most: Int) -> Int {
        (1..<max(1, most)).first { path(program, $0) == nil } ?? max(1, most)
    }

    /// Each child has a folder of its own, for the host center's file and for the child's error output.
    func start(_ program: String, _ arguments: [String], placement: Int = 0) throws -> Child {
        guard let path = path(program, placement) else {
            throw Failure(missing[program] ?? "not built: there is no program \(program)")
        }
        let folder = scratch.appendingPathComponent("\(program)-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        return try Child(path, arguments, folder: folder)
    }

    /// Gets the peers of each program: Herald's ways, then the others, then the floors; and why a program has none
    /// here.
    func introduce() -> (contestants: [Contestant], absent: [String: String]) {
        var all: [Contestant] = []
        var absent = missing
        for program in paths.map(Self.name) {
            do { all += try peers(of: program) } catch { absent[program] = "\(error)" }
        }
        return ([.herald, .peer, .floor].flatMap { role in all.filter { $0.role == role } }, absent)
    }

    private func peers(of program: String) throws -> [Contestant] {
        let child = try start(program, ["list"])
        var lines: [String] = []
        while lines.count < 1000, let line = try? child.answer(within: 10) { lines.append(line) }
        guard !lines.isEmpty else { throw Failure("\(program) does not tell what it has") }
        return try lines.filter { !$0.hasPrefix("task ") }.map { line in
            let said = Data(line.dropFirst("peer ".count).utf8)
            guard line.hasPrefix("peer "), var peer = try? JSONDecoder().decode(Contestant.self, from: said) else {
                throw Failure("\(program) lists what cannot be read: \(line)")
            }
            peer.program = program
            return peer
        }
    }
}
