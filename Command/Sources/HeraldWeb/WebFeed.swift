import Dispatch
import FoundationEssentials
#if canImport(Glibc)
@preconcurrency import Glibc
#elseif canImport(Musl)
@preconcurrency import Musl
#endif
import Synchronization
import Inspecting

/// Sends the pages server-sent events. An event's data are the number of a program and the lines that the program has
/// sent. While no page listens, no program is inspected.
///
/// Programs are asked and read no faster than the pages take the events; posts beyond that are counted as lost by the
/// program. A page that takes nothing for some seconds, for example because its machine sleeps, is closed. It connects
/// again by itself, and is sent everything again.
final class WebFeed: Sendable {
    private struct State {
        var pages: [Int: WebPage] = [:]
        var opened = 0
        var watched: Set<Int32> = []
        /// Programs that a page was told of, but not of their end.
        var shown: Set<Int32> = []
        var isLooking = false
    }

    private let state = Mutex(State())
    private static let mostPages = 4, mostPrograms = 64, mostBytes = 4 << 20, patience = 5.0

    /// A page, which gets all events from now on. Nil: too many are open.
    func open(_ connection: WebConnection) -> WebPage? {
        let (page, looks): (WebPage?, Bool) = state.withLock { state in
            guard state.pages.count < Self.mostPages else { return (nil, false) }
            state.opened += 1
            let number = state.opened
            let page = WebPage(connection) { self.close(number) }
            state.pages[number] = page
            defer { state.isLooking = true }
            return (page, !state.isLooking)
        }
        page?.tell(Array("retry: 1000\n\n".utf8))
        if looks { DispatchQueue(label: "herald.web").async { self.look() } }
        return page
    }

    private func close(_ number: Int) { state.withLock { _ = $0.pages.removeValue(forKey: number) } }

    /// The number of the page that was opened last, which must be sent everything. Nil: nobody listens.
    var newestPage: Int? { state.withLock { $0.pages.isEmpty ? nil : $0.opened } }

    func tell(_ event: String, of pid: Int32, _ lines: some Sequence<ArraySlice<UInt8>>) {
        var piece = Array("event: \(event)\ndata: \(pid)\n".utf8)
        for line in lines {
            piece += Array("data: ".utf8)
            piece += line.lazy.map { $0 == UInt8(ascii: "\r") ? UInt8(ascii: " ") : $0 }  // a CR would end the line
            piece.append(UInt8(ascii: "\n"))
        }
        piece.append(UInt8(ascii: "\n"))
        send(piece)
    }

    /// Sends the state of a program: empty when all is well.
    func tell(_ pid: Int32, named name: String, is state: String) {
        struct Program: Encodable { let program, state: String }
        self.state.withLock { held in
            if state == "ended" { held.shown.remove(pid) } else { held.shown.insert(pid) }
        }
        let line = json(Program(program: name, state: state))
        tell("program", of: pid, [ArraySlice(line.utf8)])
    }

    private func send(_ piece: [UInt8]) {
        let pages = state.withLock { $0.pages }
        for page in pages.values {
            while !page.hasRoom(below: Self.mostBytes, patience: Self.patience) { usleep(10_000) }
            page.tell(piece)
        }
    }

    // ---- Programs

    /// Finds programs while a page is open. Each is watched by a thread of its own, so that a stopped program delays no
    /// other.
    private func look() {
        while isListenedTo() {
            let all = Program.all
            let now = UInt64(secondsNow() * 1e9)
            send(Array("event: now\ndata: \(now)\ndata: \(unwatched(of: all))\ndata: \(all.count)\n\n".utf8))
            for pid in gone(from: all) { tell(pid, named: "", is: "ended") }
            for pid in all where begin(pid) {
                DispatchQueue(label: "herald.web.\(pid)").async {
                    WebWatch(pid, self).run()
                    self.state.withLock { _ = $0.watched.remove(pid) }
                }
            }
            usleep(500_000)
        }
    }

    private func isListenedTo() -> Bool {
        state.withLock { state in
            state.isLooking = !state.pages.isEmpty
            if !state.isLooking { state.shown = [] }
            return state.isLooking
        }
    }

    /// Programs that a page shows, that nobody watches, and that do not exist any more: they have ended while they did
    /// not answer.
    private func gone(from all: [Int32]) -> [Int32] {
        state.withLock { $0.shown.subtracting($0.watched).subtracting(all).sorted() }
    }

    /// How many programs there are beyond those that can be watched.
    private func unwatched(of all: [Int32]) -> Int {
        state.withLock { $0.watched.count < Self.mostPrograms ? 0 : Set(all).subtracting($0.watched).count }
    }

    private func begin(_ pid: Int32) -> Bool {
        state.withLock { $0.watched.count < Self.mostPrograms && $0.watched.insert(pid).inserted }
    }
}
