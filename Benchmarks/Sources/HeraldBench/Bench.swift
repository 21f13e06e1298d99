import ArgumentParser
import Foundation

@main
struct Bench: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "HeraldBench",
        abstract: "Compares Herald with others, and shows the results.",
        subcommands: [Run.self, Render.self, Compare.self])
}

struct Run: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Put the rules to all, measure all rows, write the page.")

    @Flag(help: "Fewer samples, without the largest rows: under a minute.") var quick = false
    @Option(help: "The folder for results.json, the page and the plots.") var results: String
    @Option(help: "A program that is measured, or a folder of them; may be given again.") var programs: [String]
    @Option(help: "A folder of folders 1, 2 ...: the programs as they are linked otherwise.") var placed: String?
    @Option(help: "Only rows whose id begins so, and no rules.") var only: String?
    @Flag(help: "Add these rows to the results that are there; the rules are put to contestants that are new.")
    var add = false
    @Option(help: "The checkout whose documents show the figures; none: they stay.") var documents: String?
    @Option(help: "The checkout that is measured.") var repository = "."

    func run() throws {
        signal(SIGPIPE, SIG_IGN)
        Self.raiseLimit()
        try Report.prepare(results)
        if let documents { try Report.prepareDocuments(in: documents) }
        guard !add || only != nil else { throw ValidationError("--add needs --only") }
        let before = add ? try Results.read(results + "/results.json") : nil
        let scratch = try Scratch()
        defer { scratch.remove() }
        let effort = quick ? Effort.quick : .full
        let progress = Progress()
        let session = Session(
            programs: Programs(programs, placed: placed, scratch: scratch.url), effort: effort,
            about: .here(effort.kind, repository: repository), only: only, before: before, progress: progress)
        let run = session.run()
        let measured = before.map { $0.adding(run, of: only ?? "") } ?? run
        progress.say("the page")
        progress.end()
        try Report.write(measured.encoded(), to: results + "/results.json")  // first, because it cannot be made again
        try Report(results: measured).write(to: results)
        if let note = Report(results: measured).writePictures(to: results) { print("note: \(note)") }
        if let documents { try Report(results: measured).writeDocuments(in: documents) }
        Self.tell(measured, results)
    }

    /// The limit of open files: rows that are measured together have some hundreds of programs, with pipes to each.
    private static func raiseLimit() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }

    private static func tell(_ results: Results, _ folder: String) {
        let budgets = Budget.all.compactMap { budget in budget.verdict(in: results).map { (budget, $0) } }
        for (budget, verdict) in budgets where verdict.outcome != .held {
            print(
                "\(verdict.outcome.rawValue): \(budget.what): \(budget.text(verdict.figure)), "
                    + "budget \(budget.limitText)"
            )
        }
        for behind in results.behind where behind.reason == nil {
            print("behind, and no reason is written: \(behind.title): \(behind.peer) by \(Page.times(behind.by))")
        }
        for note in results.notes { print("note: \(note)") }
        let held = budgets.filter { $0.1.outcome == .held }.count
        print(
            "\(results.rows.count) rows, \(results.gate.count) verdicts, \(held) of "
                + "\(budgets.count) budgets held, \(results.seconds) s: \(folder)/page.html")
    }
}

struct Render: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Write the page and the documents' parts from results.json.")

    @Option(help: "The folder of results.json.") var results: String
    @Option(help: "The checkout whose documents show the figures; none: they stay.") var documents: String?

    func run() throws {
        try Report.prepare(results)
        let report = Report(results: try .read(results + "/results.json"))
        try report.write(to: results)
        if let note = report.writePictures(to: results) { print("note: \(note)") }
        if let documents { try report.writeDocuments(in: documents) }
    }
}

struct Compare: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Compare two results; the exit status is 1 when something of Herald's is worse.")

    @Argument(help: "The results.json of before.") var before: String
    @Argument(help: "The results.json of after.") var after: String
    @Flag(help: "Peers and floors too.") var all = false

    func run() throws {
        let (old, new) = (try Results.read(before), try Results.read(after))
        let comparison = Comparison(old, new, all: all)
        print(comparison.text)
        if old.about.machine != new.about.machine {
            print("the machines differ: \(old.about.machine) and \(new.about.machine)")
        }
        if old.about.kind != new.about.kind {
            print("one of the runs is a quick one: its figures are rougher, and colder")
        }
        if comparison.isWorse { throw ExitCode(1) }
    }
}
