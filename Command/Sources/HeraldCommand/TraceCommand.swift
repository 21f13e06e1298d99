import ArgumentParser
import FoundationEssentials
#if canImport(Glibc)
@preconcurrency import Glibc
#elseif canImport(Musl)
@preconcurrency import Musl
#endif
import Inspecting

struct Trace: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show a program's posts as they are made, with the calls in them.",
        discussion: """
            Prints a line for each post that is made outside of callbacks. Under it come the callbacks that it called \
            and the posts that these made, with their times and where they come from. Posts that come faster than they \
            can be shown are left out of the output, and counted. Posts are never held up. The command ends with the \
            program, at a signal, or after --limit.
            """)

    @Argument(help: ArgumentHelp("A process number.", valueName: "pid"), transform: Program.number) var pid: Int32
    @Option(help: ArgumentHelp("Show the posts of this name alone.", valueName: "name")) var name: String?
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "End after this many posts; without --json those in callbacks are not counted.", valueName: "n"))
    var limit: Int?
    @Flag(help: "Print what the program sends, a JSON object a line.") var json = false
    @Option(
        help: ArgumentHelp("Write a file that ui.perfetto.dev and chrome://tracing open.", valueName: "file"))
    var perfetto: String?

    func validate() throws {
        if let limit, limit <= 0 { throw ValidationError("--limit \(limit) is not a positive number") }
        if let name, name.utf8.contains(UInt8(ascii: "\n")) || name.utf8.count > 4000 {
            throw ValidationError("--name must be one line of at most 4000 bytes")
        }
    }

    func run() throws {
        let program = try Program.begun(pid)
        var file = try perfetto.map { try Perfetto($0) }
        var shown = Shown(program)
        program.say(name.map { "trace name \($0)" } ?? "trace")
        var left = limit ?? .max
        try Signals.take(evenIgnored: SIGINT, endingWithin: perfetto == nil || json ? 3 : 0)
        while left > 0, Signals.first == nil, !program.isGone {
            if Signals.isOutputGone { Signals.end(by: SIGPIPE) }
            guard program.wait(0.2) else { continue }
            for line in program.lines() where left > 0 {
                guard let said = Said(line) else { continue }
                if said.type == "error" { throw Unusable("the program refuses to be traced") }
                guard said.type != "begin" else { continue }
                if said.type == "post", json || said.parent == "0" { left -= 1 }
                file?.add(said, pid: pid)
                if json {
                    print(printable(json: String(decoding: line, as: UTF8.self)))
                } else if perfetto == nil {
                    shown.show(said)
                }
            }
        }
        alarm(0)  // the loop has ended, so no output waits for a reader any more
        try file?.end()
        if let number = Signals.first, getpid() == 1 { Signals.end(by: number) }
        if program.isGone && !json { print("-- \(printable(program.name)) \(pid) has ended") }
    }
}

/// Events as lines: a post, and under it the calls and posts in it.
private struct Shown {
    private let program: Program
    private let offset: Double
    /// Spans that have ended while their parents have not. The key is the parent.
    private var inside: [String: [Said]] = [:]
    private var kept = 0
    private static let most = 100_000
    private var observers: [String: Said] = [:]
    private var asked = 0.0
    /// When messages were put into mailboxes.
    private var queued: [String: UInt64] = [:]
    private var queuedIn: [String: UInt64] = [:]

    init(_ program: Program) {
        self.program = program
        offset = Date().timeIntervalSince1970 - secondsNow()
        learn()
    }

    private mutating func learn() {
        asked = secondsNow()
        guard let other = try? Program(program.pid), let all = try? other.observers else { return }
        for one in all { observers["\(one.center ?? 0) \(one.id ?? "")"] = one }
    }

    mutating func show(_ said: Said) {
        if queued.count > Self.most { (queued, queuedIn) = ([:], [:]) }
        switch said.type {
        case "post" where said.parent != "0": keep(said)
        case "call" where said.parent != "0": keep(said)
        case "post", "call": lines(of: said, depth: 0)
        case "queued":
            if case .number(let number) = said.message {
                queued["\(said.carrier ?? "") \(number)"] = said.begin
                queuedIn[said.parent ?? ""] = number
            }
        case "heard": heard(said)
        case "lost":
            print(
                "-- \(Column.number(said.posts ?? 0)) posts and \(Column.number(said.calls ?? 0)) calls are not shown: they come faster than they can be printed"
            )
        default: break
        }
    }

    /// Keeps a span until its parent ends. A post may never end, for example because a loop runs in its callback,
    /// and its spans would pile up here. So when more than 100,000 are kept, all are printed early.
    private mutating func keep(_ said: Said) {
        inside[said.parent ?? "", default: []].append(said)
        kept += 1
        guard kept > Self.most else { return }
        print("-- \(Column.number(UInt64(kept))) posts and calls are in callbacks that have not ended:")
        let spans = Set(inside.values.joined().map { $0.span ?? "" })
        for some in inside.filter({ !spans.contains($0.key) }).values { for one in some { lines(of: one, depth: 1) } }
        (inside, kept) = ([:], 0)
    }

    /// A program may report any depth, so this does not recurse.
    private mutating func lines(of said: Said, depth: Int) {
        var next = [(said, depth)]
        while let (said, depth) = next.popLast() {
            line(of: said, depth: depth)
            let within = inside.removeValue(forKey: said.span ?? "") ?? []
            kept -= within.count
            next += within.sorted { ($0.begin ?? 0) < ($1.begin ?? 0) }.reversed().map { ($0, depth + 1) }
        }
    }

    private mutating func line(of said: Said, depth: Int) {
        let took = Column.cell(Column.time((said.end ?? 0).minus(said.begin ?? 0)), 9, right: true)
        let indent = String(repeating: "  ", count: min(depth, 8))
        var note = said.outcome == "returned" ? "" : said.outcome ?? ""
        var what = said.name ?? "?", place = said.caller ?? ""
        if said.type == "call" {
            let one = observer(said)
            what = one?.observer ?? said.id ?? "?"
            place = one?.site ?? ""
        }
        if let number = queuedIn.removeValue(forKey: said.span ?? "") { note = "queued #\(number)" }
        let time = depth == 0 ? clock(said.begin ?? 0) : ""
        print(
            Column.line(
                Column.cell(time, 15), Column.cell(thread(said.thread ?? 0), 9), Column.cell(indent + what, 24), took,
                Column.cell(note.isEmpty ? place : note, 19)))
    }

    private mutating func heard(_ said: Said) {
        guard case .number(let number) = said.message else { return }
        let since = queued.removeValue(forKey: "\(said.carrier ?? "") \(number)")
        var note = "#\(number)"
        if said.outcome != "returned" { note += " \(said.outcome ?? "")" }
        if let since, let begin = said.begin, begin > since { note += " waited \(Column.time(begin - since))" }
        let took = Column.cell(Column.time((said.end ?? 0).minus(said.begin ?? 0)), 9, right: true)
        let what = observer(said)?.observer ?? said.name ?? "?"
        print(
            Column.line(
                Column.cell(clock(said.begin ?? 0), 15), Column.cell(thread(said.thread ?? 0), 9),
                Column.cell(what, 24), took,
                Column.cell(note, 19)))
    }

    private mutating func observer(_ said: Said) -> Said? {
        let key = "\(said.center ?? 0) \(said.id ?? "")"
        if observers[key] == nil && secondsNow() > asked + 1 { learn() }
        return observers[key]
    }

    /// 14:03:21.114208
    private func clock(_ nanoseconds: UInt64) -> String {
        let seconds = Double(nanoseconds) / 1e9 + offset
        var time = time_t(Int(saturating: seconds)), parts = tm()
        localtime_r(&time, &parts)
        func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let micro = String(Int(saturating: (seconds - seconds.rounded(.down)) * 1e6))
        return "\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec))."
            + String(repeating: "0", count: max(0, 6 - micro.count)) + micro
    }

    private func thread(_ number: UInt32) -> String {
        if number == UInt32(clamping: program.pid) { return "main" }
        guard let file = fopen("/proc/\(program.pid)/task/\(number)/comm", "re") else { return "\(number)" }
        defer { fclose(file) }
        var text = [CChar](repeating: 0, count: 32)
        guard fgets(&text, 32, file) != nil else { return "\(number)" }
        return String(decoding: text.prefix { $0 != 0 && $0 != 10 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

/// A file of complete events, which Perfetto reads.
private struct Perfetto {
    private struct Event: Encodable {
        let name: String
        let cat: String
        let ph = "X"
        let ts: Double
        let dur: Double
        let pid: Int32
        let tid: UInt32
        let args: [String: String]
    }

    private let file: UnsafeMutablePointer<FILE>
    private let path: String
    private var isFirst = true

    init(_ path: String) throws {
        self.path = path
        guard let file = fopen(path, "we") else {
            throw Unusable("\(path) cannot be written: \(String(cString: strerror(errno)))", status: EX_CANTCREAT)
        }
        self.file = file
        fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n", file)
    }

    mutating func add(_ said: Said, pid: Int32) {
        guard ["post", "call", "heard"].contains(said.type), let begin = said.begin, let end = said.end else { return }
        var args = ["outcome": said.outcome ?? "", "span": said.span ?? "", "parent": said.parent ?? ""]
        args["caller"] = said.caller
        args["observer"] = said.id
        let event = Event(
            name: said.name ?? said.type, cat: said.type, ts: Double(begin) / 1000,
            dur: Double(end.minus(begin)) / 1000,
            pid: pid,
            tid: said.thread ?? 0, args: args)
        fputs((isFirst ? "" : ",\n") + Inspecting.json(event), file)
        isFirst = false
    }

    func end() throws {
        fputs("\n]}\n", file)
        guard fclose(file) == 0 else { throw Unusable("\(path) cannot be written", status: EX_IOERR) }
    }
}
