import ArgumentParser
#if canImport(Glibc)
@preconcurrency import Glibc
#elseif canImport(Musl)
@preconcurrency import Musl
#endif
import Inspecting

struct Top: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show what programs post, name by name, second by second.",
        discussion: """
            A line for each name of the programs that can be inspected (see 'herald inspect'): its posts and calls a second, its observers, the part of the time that its callbacks \
            took, the longest of them, and how many messages wait for them. 'nobody' marks a name that is posted and that nobody \
            observes, '+11 in 1m' one whose observers only grow; a callback that runs for more than a second is named \
            above. On a terminal the keys t, p, l and w sort by time, posts, the longest call or waiting messages, and q ends.
            """)

    @Flag(help: "Print one table, after a second, and end.") var once = false
    @Flag(help: "Print what the programs count, a JSON object a line.") var json = false

    func run() throws {
        // The terminal must be restored, and nothing else ends process 1.
        try Signals.take(evenIgnored: SIGINT, endingWithin: 3)
        var watch = TopWatch()
        let isScreen = isatty(STDOUT_FILENO) == 1 && isatty(STDIN_FILENO) == 1 && !once && !json
        let keys = isScreen ? Keys() : nil
        defer { keys?.restore() }
        while Signals.first == nil {
            watch.look()
            let begin = secondsNow()
            let end = begin + (once ? 1.25 : 1)  // the programs' counts of a second arrive after it
            while secondsNow() < end && Signals.first == nil {
                watch.read(for: end - secondsNow(), json: json)
                if let key = keys?.read() {
                    if key == "q" { return }
                    watch.sort(by: key)
                }
            }
            if Signals.isOutputGone { Signals.end(by: SIGPIPE) }
            if once { watch.findStuck() }
            if !json {
                if isScreen { print("\u{1b}[H\u{1b}[J", terminator: "") }
                for line in watch.table(lines: isScreen ? rows() - 1 : .max) { print(line) }
                if !isScreen && !once { print() }
            }
            fflush(stdout)
            if once { return }
        }
        guard let number = Signals.first, !isScreen || getpid() == 1 else { return }
        keys?.restore()
        Signals.end(by: number)
    }

    private func rows() -> Int {
        var size = winsize()
        return ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_row > 4 ? Int(size.ws_row) : 24
    }
}

/// Keys as they are pressed.
private final class Keys {
    private var before = termios()

    init() {
        tcgetattr(STDIN_FILENO, &before)
        Signals.terminal = before
        var now = before
        now.c_lflag &= ~tcflag_t(ICANON | ECHO)
        tcsetattr(STDIN_FILENO, TCSANOW, &now)
    }

    func restore() {
        tcsetattr(STDIN_FILENO, TCSANOW, &before)
        Signals.terminal = nil
    }

    func read() -> Character? {
        var waits = [pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)]
        var byte: UInt8 = 0
        guard poll(&waits, 1, 0) > 0, readBytes(STDIN_FILENO, &byte, 1) == 1 else { return nil }
        return Character(UnicodeScalar(byte))
    }
}

/// The programs' answers for the last second.
private struct TopWatch {
    private struct Key: Hashable {
        let pid: Int32
        let name: ExactText
    }
    private struct Row {
        var posts: UInt64 = 0, calls: UInt64 = 0, ns: UInt64 = 0, longest: UInt64 = 0, waiting: UInt64 = 0
        var observers = 0
    }

    private var programs: [Int32: Program] = [:]
    private var silent: Set<Int32> = []
    private var rows: [Key: Row] = [:]
    private var lastPosted: [Key: Double] = [:]
    /// How many observers a name had, and when.
    private var history: [Key: [(at: Double, count: Int)]] = [:]
    private var observers: [Key: (count: Int, waiting: UInt64)] = [:]
    /// The names that any program observes.
    private var observed: Set<ExactText> = []
    private var ids: [String: Said] = [:]
    private var stuck: [String] = []
    /// When a callback was first seen that began before its program was watched.
    private var begunBefore: [String: Double] = [:]
    private var lost: UInt64 = 0
    private var looked = -10.0
    private var order: Character = "t"

    /// Looks for new programs, every few seconds at observers, and at running callbacks.
    mutating func look() {
        rows = [:]
        for (pid, program) in programs where program.isGone {
            programs[pid] = nil
            forget(pid)
        }
        silent = []
        for pid in Program.all where programs[pid] == nil {
            do {
                let program = try Program(pid)
                program.say("counts 1000")
                programs[pid] = program
            } catch {
                if (error as? Unusable)?.how != nil { silent.insert(pid) }
            }
        }
        if secondsNow() > looked + 5 { count() }
        findStuck()
    }

    private mutating func forget(_ pid: Int32) {
        history = history.filter { $0.key.pid != pid }
        lastPosted = lastPosted.filter { $0.key.pid != pid }
    }

    private mutating func count() {
        looked = secondsNow()
        observers = [:]
        ids = [:]
        for (pid, program) in programs where (program.hello?.observers ?? 0) <= 20_000 {
            guard let other = try? Program(pid), let all = try? other.observers else { continue }
            for one in all {
                let key = Key(pid: pid, name: ExactText(one.name ?? "any name"))
                let before = observers[key] ?? (0, 0)
                observers[key] = (before.count + 1, [before.waiting, one.waiting ?? 0, one.queued ?? 0].sum)
                ids["\(pid) \(one.center ?? 0) \(one.id ?? "")"] = one
            }
        }
        observed = Set(observers.keys.map(\.name))
        for (key, value) in observers {
            history[key, default: []].append((looked, value.count))
            history[key]?.removeAll { $0.at < looked - 60 }
        }
    }

    /// Finds callbacks that have been running for more than a second.
    mutating func findStuck() {
        stuck = []
        var before: [String: Double] = [:]
        defer { begunBefore = before }
        for (pid, program) in programs {
            guard let other = try? Program(pid), let all = try? other.ask("running", until: "running") else { continue }
            for one in all where one.type == "running" {
                let id = "\(pid) \(one.center ?? 0) \(one.id ?? "")"
                var since = Double(one.since ?? 0) / 1e9
                let isKnown = since > 0
                if !isKnown {
                    let call = "\(id) \(one.thread ?? 0)"
                    since = begunBefore[call] ?? secondsNow()
                    before[call] = since
                }
                let seconds = secondsNow() - since
                guard seconds > 1 else { continue }
                let observer = ids[id], tenths = Int(saturating: seconds * 10)
                let place = [observer?.observer, observer?.site].compactMap { $0 }.first { !$0.isEmpty }
                stuck.append(
                    Column.line(
                        "stuck \(isKnown ? "" : "for over ")\(tenths / 10).\(tenths % 10) s  \(printable(program.name)) \(pid)  "
                            + "\(printable(observer?.name ?? "?")) > \(printable(place ?? one.id ?? "?"))"))
            }
        }
    }

    /// Reads the lines that arrive in that time, or in part of it.
    mutating func read(for seconds: Double, json: Bool) {
        let all = programs.values.filter { !$0.isGone }  // `look` removes the programs that have gone
        var waits = all.map(\.descriptor)
        guard poll(&waits, nfds_t(waits.count), Int32(min(0.1, max(0, seconds)) * 1000)) > 0 else { return }
        for program in all {
            for line in program.lines() {
                guard let said = Said(line) else { continue }
                if json, said.type == "count" { print(printable(json: Self.with(program.pid, line))) }
                add(said, program.pid)
            }
        }
    }

    /// The line, with the number of its program.
    private static func with(_ pid: Int32, _ line: ArraySlice<UInt8>) -> String {
        "{\"pid\":\(pid)," + String(decoding: line.dropFirst(), as: UTF8.self)
    }

    private mutating func add(_ said: Said, _ pid: Int32) {
        guard said.type == "count" else { return }
        let key = Key(pid: pid, name: ExactText(said.name ?? "?"))
        var row = rows[key] ?? Row()
        row.posts = row.posts.plus(said.posts ?? 0)
        row.calls = row.calls.plus(said.calls ?? 0)
        row.ns = row.ns.plus(said.ns ?? 0)
        row.longest = max(row.longest, said.longest ?? 0)
        rows[key] = row
        if row.posts > 0 { lastPosted[key] = secondsNow() }
    }

    mutating func sort(by key: Character) { if "tplw".contains(key) { order = key } }

    /// The table, of at most that many lines.
    func table(lines most: Int) -> [String] {
        var all = rows
        for (key, value) in observers {
            all[key, default: Row()].observers = value.count
            all[key]?.waiting = value.waiting
        }
        for key in lastPosted.keys where secondsNow() < (lastPosted[key] ?? 0) + 10 {
            all[key] = all[key] ?? Row()
        }
        let posts = all.values.map(\.posts).sum, calls = all.values.map(\.calls).sum
        let busy = Int(saturating: Double(all.values.map(\.ns).sum) / 1e6)  // tenths of a percent
        var lines = [
            Column.line(
                "herald top   \(programs.count) processes   \(Column.number(posts)) posts/s   \(Column.number(calls)) calls/s   \(busy / 10).\(busy % 10) % in callbacks"
            )
        ]
        lines += stuck.prefix(5)
        if programs.isEmpty { lines.append(Column.line(Program.none)) }
        lines.append("")
        lines.append(
            Column.line(
                Column.cell("POSTS/S", 9, right: true), Column.cell("OBS", 5, right: true),
                Column.cell("CALLS/S", 9, right: true),
                Column.cell("TIME %", 7, right: true), Column.cell("LONGEST", 8, right: true),
                Column.cell("WAITING", 8, right: true), Column.cell("NAME", 18), "PROCESS"))
        let sorted = all.sorted { one, other in
            let (a, b) = (weight(one.value), weight(other.value))
            return a != b ? a > b : (one.key.name, one.key.pid) < (other.key.name, other.key.pid)
        }
        for (key, row) in sorted.prefix(max(0, most - lines.count - 1)) { lines.append(line(key, row)) }
        if !silent.isEmpty {
            lines.append(Column.line("not answering: " + silent.sorted().map(String.init).joined(separator: ", ")))
        }
        return lines
    }

    private func weight(_ row: Row) -> UInt64 {
        switch order {
        case "p": row.posts
        case "l": row.longest
        case "w": row.waiting
        default: row.ns
        }
    }

    private func line(_ key: Key, _ row: Row) -> String {
        let tenths = Int(saturating: Double(row.ns) / 1e6)
        let name = programs[key.pid]?.name
        var note = name.map { Column.width < 100 ? $0 : "\($0) \(key.pid)" } ?? "\(key.pid)"
        if row.posts > 0, row.calls == 0, !observed.contains(key.name) { note = "nobody  " + note }
        if let growth = growth(key) { note = "+\(growth) in 1m  " + note }
        return Column.line(
            Column.cell(Column.number(row.posts), 9, right: true), Column.cell("\(row.observers)", 5, right: true),
            Column.cell(Column.number(row.calls), 9, right: true),
            Column.cell(row.ns == 0 ? "0" : "\(tenths / 10).\(tenths % 10)", 7, right: true),
            Column.cell(Column.time(row.longest), 8, right: true),
            Column.cell(Column.number(row.waiting), 8, right: true),
            Column.cell(key.name.text, 18), Column.cell(note, max(14, Column.width - 72)))
    }

    /// By how many the observers of a name have grown, if they only grow.
    private func growth(_ key: Key) -> Int? {
        guard let counts = history[key]?.map(\.count), counts.count >= 3, let first = counts.first,
            let last = counts.last
        else { return nil }
        guard zip(counts, counts.dropFirst()).allSatisfy({ $0 <= $1 }), last >= first + 3 else { return nil }
        return last - first
    }
}
