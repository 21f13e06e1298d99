import Foundation
import Testing

@testable import HeraldBench

/// Programs that crash, hang and print nonsense: each is a line, and the others go on.
@Suite struct ChildTests {
    let folder: Folder
    init() throws { folder = try Folder() }

    private func answer(serve: String, within patience: Double = brief.patience) throws -> Cell {
        try folder.program("boost", serve: serve)
        var effort = brief
        effort.patience = patience
        let plan = Plan(
            id: "r", section: 2, title: "r",
            entries: [Plan.Entry(boost, "post observers=1")])
        return Measurement(programs: folder.programs, effort: effort).measure([plan])[0].cells[0]
    }

    @Test("A program that answers has figures")
    func figures() throws {
        let cell = try answer(serve: "case $verb in open) echo ok ;; sample) echo 3.5 ;; esac")
        #expect(cell.median == 3.5 && cell.reason == nil && cell.count == 3)
    }

    @Test("One that has no such row says why")
    func none() throws {
        let cell = try answer(serve: "echo none it has no objects")
        #expect(cell.reason == "it has no objects" && cell.failed == nil)
        #expect(try answer(serve: "echo perhaps").failed == true)
    }

    @Test("One that crashes in its second sample, and one that is killed, say so")
    func crash() throws {
        let crashing = try answer(
            serve: "case $verb in open) echo ok ;; sample) n=$((n+1)); [ $n = 2 ] && kill -SEGV $$; echo 1 ;; esac")
        #expect(crashing.reason == "boost ended by signal 11 (segmentation fault)")
        #expect(try answer(serve: "kill -KILL $$").reason == "boost ended by signal 9 (killed)")
    }

    @Test("One that ends with an error says the last that it complained of")
    func error() throws {
        #expect(try answer(serve: "echo one >&2; echo two >&2; exit 3").reason == "boost ended with status 3: two")
    }

    @Test("One that hangs is ended")
    func hang() throws {
        #expect(try answer(serve: "sleep 60", within: 2).reason == "boost does not answer within 2 s")
    }

    @Test(
        "Nonsense is not a figure",
        arguments: ["echo fast", "echo", "echo 1 2 x", "echo nan", "echo inf", "echo 0", "echo -5"])
    func nonsense(sample: String) throws {
        let cell = try answer(serve: "case $verb in open) echo ok ;; sample) \(sample) ;; esac")
        #expect(cell.reason?.hasPrefix("it says what cannot be read") == true)
        #expect(cell.median == nil)
    }

    @Test("Its neighbour has its figures all the same, without a floor to stand beside")
    func neighbour() throws {
        try folder.program("boost", serve: "exit 1")
        try folder.program("qt", serve: "case $verb in open) echo ok ;; sample) echo 2 ;; esac")
        let plan = Plan(
            id: "r", section: 2, title: "r",
            entries: [Plan.Entry(boost, "post"), Plan.Entry(qt, "post", floor: "boost")])
        let row = Measurement(programs: folder.programs, effort: brief).measure([plan])[0]
        #expect(row["qt"]?.median == 2 && row["qt"]?.ratio == nil && row["boost"] == nil)
    }

    @Test("What a program lists are its peers; one that lists none, or nonsense, is a note")
    func list() throws {
        func absence() -> (String?, Int) {
            let (contestants, absent) = folder.programs.introduce()
            return (absent["boost"], contestants.count)
        }
        #expect(absence() == (nil, 0))
        try folder.program("boost", list: "exit 1")
        #expect(absence() == ("boost does not tell what it has", 0))
        for nonsense in ["yes nonsense", "peer boost safe Boost", #"peer {"id":"boost"}"#] {
            try folder.program("boost", list: "echo '\(nonsense)'")
            #expect(absence() == ("boost lists what cannot be read: \(nonsense)", 0))
        }
        try folder.program("boost", list: "echo task spin")
        #expect(absence() == (nil, 0))
        try folder.program("boost")
        #expect(absence() == (nil, 1))
    }

    @Test("All that a program says of a peer is kept, under its name; Herald's ways are first, floors last")
    func introduction() throws {
        let floor = #"{"id":"f","title":"F","role":"floor","threadSafe":true}"#
        let peer = """
            {"id":"p","title":"P 1.2","role":"peer","threadSafe":false,"rival":"topic","ahead":"bare at-hand",\
            "like":"q","lookup":"name","rank":7,"label":"L","objects":true,"removesByObserver":true,"waits":true,\
            "package":"libp-dev"}
            """
        let way = #"{"id":"h","title":"H","role":"herald","threadSafe":true}"#
        try folder.program("a", list: "echo 'peer \(floor)'; echo 'peer \(peer)'; echo task t")
        try folder.program("b", list: "echo 'peer \(way)'")
        let contestants = folder.programs.introduce().contestants
        #expect(contestants.map(\.id) == ["h", "p", "f"] && contestants.map(\.program) == ["b", "a", "a"])
        #expect(
            contestants[1]
                == Contestant(
                    id: "p", title: "P 1.2", role: .peer, threadSafe: false, program: "a", rival: "topic",
                    ahead: "bare at-hand", like: "q", lookup: "name", rank: 7, label: "L", objects: true,
                    removesByObserver: true, waits: true))
        let kept = try JSONDecoder().decode(Results.self, from: results(contestants: contestants).encoded())
        #expect(kept.contestants == contestants)
    }

    @Test("A program that is not built is one note, with its packages; a row that needs it goes on")
    func missing() throws {
        try "gnustep libgnustep-base-dev gobjc\nqt qt6-base-dev\n\n".write(
            toFile: folder.path + "/absent", atomically: true, encoding: .utf8)
        let programs = folder.programs
        let absent = programs.introduce().absent
        #expect(absent["gnustep"] == "not built: it needs libgnustep-base-dev and gobjc")
        #expect(absent["qt"] == "not built: it needs qt6-base-dev" && absent.count == 2)
        let plan = Plan(id: "r", section: 2, title: "r", entries: [Plan.Entry(qt, "post"), Plan.Entry(boost, "post")])
        let cells = Measurement(programs: programs, effort: brief).measure([plan])[0].cells
        #expect(cells[0].reason == absent["qt"] && cells[0].failed == nil)
        #expect(cells[1].reason == "not built: there is no program boost" && cells[1].failed == true)
        let path = folder.path + "/SwiftPeers"
        #expect(Programs([path], scratch: scratch).introduce().absent.keys.sorted() == ["SwiftPeers"])
    }

    @Test("Programs take turns; the first turn of each is to be warm and does not count")
    func turns() throws {
        let log = folder.path + "/log"
        for name in ["boost", "qt"] {
            try folder.program(
                name, serve: "case $verb in open) echo ok ;; sample) echo \(name) >>\(log); n=$((n+1)); echo $n ;; esac"
            )
        }
        let plan = Plan(
            id: "r", section: 2, title: "r",
            entries: [boost, qt].map { Plan.Entry($0, "post") })
        let row = Measurement(programs: folder.programs, effort: brief).measure([plan])[0]
        let taken = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n")
        #expect(taken == ["boost", "qt", "boost", "qt", "boost", "qt", "boost", "qt"])
        #expect(row["boost"]?.median == 3 && row["boost"]?.best == 2 && row["boost"]?.count == 3)
    }

    @Test("Between its turns a program is stopped, with all its threads")
    func stopped() throws {
        try folder.program("boost", serve: "case $verb in open) echo ok ;; sample) echo 1 ;; esac")
        let child = try folder.programs.start("boost", ["serve", "boost"])
        #expect(try child.ask("open post", within: 30) == "ok")
        child.pause()
        for _ in 0..<60_000 where child.state != "T" { usleep(1000) }
        #expect(child.state == "T")
        child.resume()
        #expect(try child.ask("sample", within: 30) == "1")
        child.end()
        #expect(child.state == nil)
    }

    @Test("One that closes its output and lives is given up")
    func closed() throws {
        #expect(try answer(serve: "exec >&-; sleep 600").reason == "boost has closed its output")
    }

    @Test(
        "What the gate makes of a peer",
        arguments: [
            ("echo pass", Verdict.Outcome.pass, nil), ("echo fail it is late", .fail, "it is late"),
            ("echo none it has no objects", .none, "it has no objects"),
            ("kill -SEGV $$", .crash, "boost ended by signal 11 (segmentation fault)"),
            ("sleep 60", .hang, "boost does not answer within 1 s"), ("exit 0", .crash, "boost ended with status 0"),
            ("echo perhaps", .fail, "it says what cannot be read: perhaps"),
        ] as [(String, Verdict.Outcome, String?)])
    func gate(script: String, outcome: Verdict.Outcome, reason: String?) throws {
        try folder.program("boost", gate: script)
        let verdict = Gate(programs: folder.programs, patience: outcome == .hang ? 1 : 30).put(Gate.rules[0], to: boost)
        #expect(verdict.outcome == outcome)
        #expect(verdict.reason == reason)
    }

    @Test("Who does not answer for a while is asked again, and has more time then; the others keep their answers")
    func again() throws {
        let log = folder.path + "/asked"
        try folder.program(
            "boost",
            gate: "[ $3 = R7 ] && sleep 60; [ $3 = R2 ] && [ ! -e \(log) ] && { touch \(log); sleep 60; }; echo pass")
        let verdicts = Gate(programs: folder.programs, patience: 12).putAll(to: [boost, boost], atOnce: 7, brief: 3)
        #expect(verdicts.map(\.rule) == Gate.rules.map(\.name) + Gate.rules.map(\.name))
        #expect(verdicts.filter { $0.rule != "R7" }.allSatisfy { $0.outcome == .pass })
        #expect(
            verdicts.filter { $0.rule == "R7" }.map(\.reason)
                == [String](repeating: "boost does not answer within 12 s", count: 2))
    }

    @Test("A crash is a mark in the table and a note of the run")
    func page() throws {
        let crash = Verdict(contestant: "boost", rule: "R2", outcome: .crash, reason: "boost ended by signal 11")
        let peer = Contestant(id: "boost", title: "Boost", role: .peer, threadSafe: true)
        let text = Markdown.text(
            Page(results: results(rows: [row("post.1", [cell("boost", 3)])], gate: [crash], contestants: [peer])).blocks
        )
        #expect(text.contains("| Boost |  | crash |"))
        #expect(text.contains("Boost, R2: crash: boost ended by signal 11"))
        #expect(text.contains("Boost (fails R2) | 3 |"))
    }
}
