#if canImport(Glibc)
@preconcurrency import Glibc
#elseif canImport(Musl)
@preconcurrency import Musl
#endif
import Inspecting

/// Watches one program for the pages, until it ends or nobody listens.
///
/// The program's posts are read as fast as a page can take them. The program counts the rest as lost. Its own counts
/// are exact.
struct WebWatch {
    private let pid: Int32
    private let feed: WebFeed
    private var told: Int?
    private let places: CodePlaces

    /// Bytes of events that are read ten times a second: about 4,000 events a second.
    private static let eventBytes = 1 << 17
    /// A program with more observers is shown without them.
    private static let mostObservers = 20_000

    init(_ pid: Int32, _ feed: WebFeed) {
        self.pid = pid
        self.feed = feed
        places = CodePlaces(of: pid) { feed.tell("places", of: pid, $0.map { ArraySlice($0.utf8) }) }
    }

    consuming func run() {
        do {
            try watch()
        } catch {
            if let how = (error as? Unusable)?.how {
                feed.tell(pid, named: "", is: how)
                for _ in 0..<20 where feed.newestPage != nil { usleep(100_000) }  // then `WebFeed` tries it again
            } else if told != nil {
                feed.tell(pid, named: "", is: "ended")
            }
        }
    }

    private mutating func watch() throws {
        let events = try Program(pid), counts = try Program(pid), asked = try Program(pid)
        events.say("trace")
        counts.say("counts 1000")
        var next = 0.0, pause = 2.0
        while let page = feed.newestPage {
            if page != told || secondsNow() > next {
                if page != told {
                    feed.tell(pid, named: events.name, is: "")
                    places.tellAll()
                }
                told = page
                let began = secondsNow()
                try describe(asked)
                pause = max(2, 20 * (secondsNow() - began))
                next = secondsNow() + pause
            }
            try pass("running", of: asked)
            let end = secondsNow() + 0.5
            while secondsNow() < end { try listen(events, counts) }
        }
    }

    private mutating func listen(_ events: Program, _ counts: Program) throws {
        usleep(100_000)
        let lines = events.lines(most: Self.eventBytes)
        if !lines.isEmpty {
            places.find("caller", in: lines)
            feed.tell("events", of: pid, lines)
        }
        let counted = counts.lines()
        if !counted.isEmpty { feed.tell("counts", of: pid, counted) }
        if events.isGone || counts.isGone { throw Program.absent(pid) }
    }

    /// Centers and observers.
    private mutating func describe(_ program: Program) throws {
        var lines: [ArraySlice<UInt8>] = []
        _ = try program.ask("centers", until: "centers") { lines.append($0) }
        let observers = try program.ask("hello", until: "hello").last?.observers ?? 0
        if observers <= Self.mostObservers {
            _ = try program.ask("observers", until: "observers", passing: "observer") { lines.append($0) }
        }
        places.find("module", in: lines)
        feed.tell("observers", of: pid, lines)
    }

    private func pass(_ request: String, of program: Program) throws {
        var lines: [ArraySlice<UInt8>] = []
        _ = try program.ask(request, until: request) { lines.append($0) }
        feed.tell(request, of: pid, lines)
    }
}
