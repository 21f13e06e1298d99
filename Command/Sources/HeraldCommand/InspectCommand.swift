import ArgumentParser
import Dispatch
#if canImport(Glibc)
@preconcurrency import Glibc
#elseif canImport(Musl)
@preconcurrency import Musl
#endif
import Synchronization
import Inspecting

extension Program {
    /// The number of a process that an argument gives.
    @Sendable static func number(_ text: String) throws -> Int32 {
        guard let number = Int32(text), number > 0 else { throw ValidationError("\(text) is not a process number") }
        return number
    }
}

struct Inspect: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Look into programs: centers, names, observers.",
        discussion: """
            Without a number it lists the user's programs that can be inspected: those that call \
            HeraldInspectorStart(), and those that were started with HERALD_INSPECT=1. With one it shows the program's \
            centers and what observes which name in them. With --json it prints what the programs send, a JSON object a \
            line. With --web it prints the address of a page that shows all of them live, for a browser on this machine, and \
            serves it until a signal ends it; while the page is open, the programs' posts are traced.
            """)

    @Argument(help: ArgumentHelp("A process number.", valueName: "pid"), transform: Program.number) var pid: Int32?
    @Flag(help: "Print JSON objects, one a line.") var json = false
    @Flag(help: "Serve a page for a browser, at the address that is printed.") var web = false
    @Option(help: ArgumentHelp("The page's port; by default any free port.", valueName: "number")) var port: UInt16?

    func validate() throws {
        if web && json { throw ValidationError("--web and --json exclude each other") }
        if port != nil && !web { throw ValidationError("--port goes with --web") }
    }

    func run() throws {
        if web { try serve() }
        if let pid { try show(Program.begun(pid)) } else { list() }
    }

    /// Becomes herald-web, which lies next to this command or, installed, in libexec.
    private func serve() throws -> Never {
        var path = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
        guard readlink("/proc/self/exe", &path, path.count - 1) > 0,
            let end = path.lastIndex(of: CChar(UInt8(ascii: "/")))
        else { throw Unusable("/proc cannot be read") }
        let folder = String(decoding: path[..<end].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let arguments = ["herald", "\(port ?? 0)"] + (pid.map { ["\($0)"] } ?? [])
        let words = arguments.map { strdup($0) } + [nil]
        // Process 1 gets no signal that it has no handler for. Signals that come now stay blocked until herald-web has
        // its handlers.
        var all = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_SETMASK, &all, nil)
        for program in ["\(folder)/herald-web", "\(folder)/../libexec/herald/herald-web"] { execv(program, words) }
        let reason = String(cString: strerror(errno))
        unblockSignals()
        throw Unusable("herald-web cannot be run: \(reason)")
    }

    // ---- One program

    private func show(_ program: Program) throws {
        if json {
            let say = { (line: ArraySlice<UInt8>) in print(printable(json: String(decoding: line, as: UTF8.self))) }
            _ = try program.ask("hello", until: "hello", say)
            let centers = try program.ask("centers", until: "centers", say)
            _ = try program.ask("observers", until: "observers", passing: "observer", say)
            if Self.keep(centers) { _ = try program.ask("kept", until: "end", passing: "kept", say) }
            return
        }
        let centers = try program.ask("centers", until: "centers").filter { $0.type == "center" }
        let observers = try program.observers
        let kept = Self.keep(centers) ? try program.ask("kept", until: "end").filter { $0.type == "kept" } : []
        print(Column.line("\(printable(program.name)) \(program.pid)"))
        for center in centers {
            let own = observers.filter { $0.center == center.center }.sorted { ($0.order ?? 0) < ($1.order ?? 0) }
            show(center, own, kept.filter { $0.center == center.center })
        }
    }

    /// A program with an older Herald does not know the request that lists what is kept.
    private static func keep(_ centers: [Said]) -> Bool { centers.contains { ($0.kept ?? 0) > 0 } }

    private func show(_ center: Said, _ observers: [Said], _ kept: [Said]) {
        let names = Set(observers.map { ExactText($0.name ?? "") }).count
        var title = "center \(center.center ?? 0)"
        if let label = center.label, !label.isEmpty { title += " \(printable(label))" }
        title += " (\(printable(center.kind ?? "?"))): \(observers.count) observers of \(names) names"
        if center.suspended == true { title += ", suspended" }
        if let queued = center.queued, queued > 0 { title += ", \(queued) posts held" }
        if !kept.isEmpty { title += ", \(center.kept ?? UInt64(kept.count)) posts kept" }
        print("\n" + Column.line(title))
        show(observers)
        show(kept: kept)
    }

    private func show(kept: [Said]) {
        guard !kept.isEmpty else { return }
        print(Column.line(Column.cell("  KEPT", 26), "OBJECT"))
        for one in kept {
            print(Column.line(Column.cell("  " + (one.name ?? "?"), 26), Column.cell(one.object ?? "-", 22)))
        }
    }

    private func show(_ observers: [Said]) {
        guard !observers.isEmpty else { return }
        print(Column.line(Column.cell("  NAME", 26), Column.cell("OBSERVER", 22), Column.cell("DELIVERY", 9), "PLACE"))
        for observer in observers {
            let state = observer.alive == false ? " (gone)" : observer.blocked == true ? " (muted)" : ""
            print(
                Column.line(
                    Column.cell("  " + (observer.name ?? "any name"), 26),
                    Column.cell((observer.owner ?? "-") + state, 22),
                    Column.cell(observer.delivery ?? "-", 9), Column.cell(observer.place, 20)))
        }
    }

    // ---- All programs

    private enum Answer: Sendable {
        case found(name: String, centers: Int, names: Int?, observers: Int, traced: Bool, hello: String)
        case busy(String), absent
    }

    private func list() {
        let numbers = Program.all
        let answers = Mutex<[Int32: Answer]>([:])
        withExtendedLifetime(answers) {
            DispatchQueue.concurrentPerform(iterations: numbers.count) { index in
                let answer = Self.look(at: numbers[index])
                answers.withLock { $0[numbers[index]] = answer }
            }
        }
        let all = answers.withLock { $0 }
        if !json {
            print(
                Column.line(
                    Column.cell("PID", 8, right: true), Column.cell("PROGRAM", 24),
                    Column.cell("CENTERS", 8, right: true),
                    Column.cell("NAMES", 8, right: true), Column.cell("OBSERVERS", 10, right: true), " TRACED"))
        }
        for number in numbers { report(number, all[number] ?? .absent) }
        let isEmpty = all.values.allSatisfy { if case .absent = $0 { true } else { false } }
        if isEmpty { fputs("herald: \(Program.none)\n", stderr) }
    }

    /// The names of a program with very many observers are not counted.
    private static func look(at pid: Int32) -> Answer {
        do {
            let program = try Program(pid)
            let observers = program.hello?.observers ?? 0
            let names = observers <= 20_000 ? Set(try program.observers.map { ExactText($0.name ?? "") }).count : nil
            return .found(
                name: program.name, centers: program.hello?.centers ?? 0, names: names, observers: observers,
                traced: program.hello?.tracing ?? false, hello: program.greeting)
        } catch {
            return (error as? Unusable)?.how.map(Answer.busy) ?? .absent
        }
    }

    private func report(_ pid: Int32, _ answer: Answer) {
        switch answer {
        case .absent: return
        case .busy(let how):
            if !json {
                print(Column.line(Column.cell("\(pid)", 8, right: true), printable(how)))
            } else {
                print(#"{"type":"error","pid":\#(pid),"message":\#(Inspecting.json(how))}"#)
            }
        case .found(let name, let centers, let names, let observers, let traced, let hello):
            guard !json else { return print(printable(json: hello)) }
            print(
                Column.line(
                    Column.cell("\(pid)", 8, right: true), Column.cell(name, 24),
                    Column.cell("\(centers)", 8, right: true),
                    Column.cell(names.map(String.init) ?? "-", 8, right: true),
                    Column.cell("\(observers)", 10, right: true),
                    traced ? " yes" : " -"))
        }
    }
}
