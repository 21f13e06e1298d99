import Glibc
import Herald
import Testing

/// The state machine that says when a mailbox asks for work, without mailboxes, threads and locks: a table of cases, and
/// all orders in which its calls can come.
@Suite struct WorkTests {
    // ---- The table

    /// What happens, and what the machine must say: `true` or `false`, as the function of the same name returns it.
    enum Event: Sendable {
        /// An element is sent: on a thread of its own, or by the body that runs.
        case send(asks: Bool)
        case sendFromBody(asks: Bool)
        /// Turn number N (from 0, in the order in which they were asked for) begins on a queue's thread, or in the call
        /// that asks for it.
        case begin(Int, runs: Bool)
        case beginInCall(Int, runs: Bool)
        /// Turn number N is released without having begun.
        case lose(Int, losesElements: Bool)
        /// The call that asks for turn number N returns.
        case accept(Int, asksAgain: Bool)
        /// The running turn takes an element.
        case take
        case end(asks: Bool)
        /// The task looks for an element and finds none.
        case rest(ends: Bool)
        case idle(Bool)
    }

    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var isTask = false
        var extra = 1024
        var events: [Event]
        init(_ what: String, isTask: Bool = false, extra: Int = 1024, _ events: [Event]) {
            (testDescription, self.isTask, self.extra, self.events) = (what, isTask, extra, events)
        }
    }

    static let cases: [Case] = [
        Case(
            "the first element asks; the next ones ask until the turn is accepted",
            [
                .idle(true), .send(asks: true), .idle(false), .send(asks: true), .accept(0, asksAgain: false),
                .send(asks: false), .begin(0, runs: true), .take, .take, .take, .end(asks: false), .idle(true),
            ]),
        Case(
            "a turn that has begun is not certain: the next element asks for another",
            [
                .send(asks: true), .accept(0, asksAgain: false), .begin(0, runs: true), .send(asks: true),
                .accept(1, asksAgain: false), .take, .idle(false), .end(asks: false), .begin(1, runs: true), .take,
                .end(asks: false),
            ]),
        Case(
            "a turn may begin before its call returns",
            [
                .send(asks: true), .begin(0, runs: true), .accept(0, asksAgain: false), .send(asks: true), .take,
                .accept(1, asksAgain: false), .end(asks: false), .begin(1, runs: true), .take, .end(asks: false),
            ]),
        Case(
            "a turn that begins beside another takes nothing; the running one asks for what is left",
            [
                .send(asks: true), .accept(0, asksAgain: false), .begin(0, runs: true), .send(asks: true),
                .accept(1, asksAgain: false), .begin(1, runs: false), .take, .end(asks: true),
                .accept(2, asksAgain: false), .begin(2, runs: true), .take, .end(asks: false),
            ]),
        Case(
            "a body in a turn that runs in its call does not ask: its own turn takes the element",
            [
                .send(asks: true), .beginInCall(0, runs: true), .take, .sendFromBody(asks: false), .take,
                .end(asks: false), .accept(0, asksAgain: false), .send(asks: true),
            ]),
        Case(
            "beyond the extra elements, the asking thread asks again", extra: 1,
            [
                .send(asks: true), .beginInCall(0, runs: true), .take, .sendFromBody(asks: false), .take,
                .sendFromBody(asks: false), .end(asks: false), .accept(0, asksAgain: true),
                .beginInCall(1, runs: true), .take, .end(asks: false), .accept(1, asksAgain: false),
            ]),
        Case(
            "another thread's element asks, even while a turn runs in its call",
            [
                .send(asks: true), .beginInCall(0, runs: true), .send(asks: true), .take,
                .accept(1, asksAgain: false), .end(asks: false), .accept(0, asksAgain: false), .begin(1, runs: true),
                .take, .end(asks: false),
            ]),
        Case(
            "a body on the queue's own thread asks, because no call waits for its turn",
            [
                .send(asks: true), .accept(0, asksAgain: false), .begin(0, runs: true), .take,
                .sendFromBody(asks: true),
                .accept(1, asksAgain: false), .sendFromBody(asks: false), .end(asks: false),
            ]),
        Case(
            "a turn is idle when no body runs and nothing waits",
            [
                .idle(true), .send(asks: true), .accept(0, asksAgain: false), .begin(0, runs: true), .take,
                .idle(false),
                .end(asks: false), .idle(true),
            ]),
        Case(
            "a turn is lost: the elements that waited for it are lost, and the next element asks",
            [
                .send(asks: true), .accept(0, asksAgain: false), .send(asks: false), .lose(0, losesElements: true),
                .idle(true), .send(asks: true), .accept(1, asksAgain: false), .begin(1, runs: true), .take,
                .end(asks: false),
            ]),
        Case(
            "a turn is lost, and another is to come: no element is lost",
            [
                .send(asks: true), .send(asks: true), .accept(0, asksAgain: false), .accept(1, asksAgain: false),
                .lose(0, losesElements: false), .begin(1, runs: true), .take, .take, .end(asks: false),
                .send(asks: true),
            ]),
        Case(
            "a turn is lost while another is running: the running turn asks for the next",
            [
                .send(asks: true), .accept(0, asksAgain: false), .begin(0, runs: true), .take, .send(asks: true),
                .accept(1, asksAgain: false), .lose(1, losesElements: false), .end(asks: true),
                .accept(2, asksAgain: false), .lose(2, losesElements: true), .send(asks: true),
            ]),
        Case(
            "a turn is lost after one that began beside another: the elements are lost once",
            [
                .send(asks: true), .send(asks: true), .accept(0, asksAgain: false), .accept(1, asksAgain: false),
                .begin(0, runs: true), .send(asks: true), .begin(1, runs: false), .take, .take,
                .end(asks: true), .accept(2, asksAgain: false), .accept(3, asksAgain: false),
                .lose(2, losesElements: false), .lose(3, losesElements: true), .idle(true),
            ]),
        Case(
            "a task that was asked for is certain", isTask: true,
            [
                .idle(true), .send(asks: true), .send(asks: false), .idle(false), .take, .take, .rest(ends: true),
                .idle(true), .send(asks: true),
            ]),
        Case(
            "a task goes on if an element has come since it looked", isTask: true,
            [
                .send(asks: true), .take, .send(asks: false), .rest(ends: false), .send(asks: false), .take, .take,
                .rest(ends: true), .send(asks: true),
            ]),
        Case(
            "a task is busy while its body runs, with nothing waiting", isTask: true,
            [
                .send(asks: true), .take, .idle(false), .rest(ends: true), .idle(true),
            ]),
    ]

    @Test("When work is asked for, case by case", arguments: cases) func table(_ each: Case) {
        var desk = Desk(isTask: each.isTask, extra: each.extra)
        for (step, event) in each.events.enumerated() {
            let isRight = desk.apply(event)
            #expect(isRight, "step \(step): \(event)")
        }
    }

    /// A mailbox with one observer: the machine, how many elements wait, and the turns that were asked for.
    struct Desk {
        var work: Work
        var waiting = 0
        var turns: [Turn] = []
        let extra: Int
        static let queue: pthread_t = 1
        static func caller(_ number: Int) -> pthread_t { pthread_t(100 + number) }

        init(isTask: Bool, extra: Int) { (work, self.extra) = (Work(isTask: isTask), extra) }

        mutating func ask() { turns.append(Turn(extra: extra)) }

        mutating func send(on thread: pthread_t) -> Bool {
            waiting += 1
            let asks = work.mustAsk(on: thread)
            if asks && !work.isTask { ask() }
            return asks
        }

        /// Returns whether the machine has said what the event says.
        mutating func apply(_ event: Event) -> Bool {
            switch event {
            case .send(let asks): return send(on: 0) == asks
            case .sendFromBody(let asks): return send(on: work.running?.thread ?? 0) == asks
            case .begin(let number, let runs):
                return work.begin(turns[number], waiting: waiting, on: Self.queue) == runs
            case .beginInCall(let number, let runs):
                return work.begin(turns[number], waiting: waiting, on: Self.caller(number)) == runs
            case .accept(let number, let asksAgain):
                let says = work.accept(turns[number])
                if says { ask() }
                return says == asksAgain
            case .lose(_, let losesElements):
                let says = work.lose()
                if says { waiting = 0 }
                return says == losesElements
            case .take:
                waiting -= 1
                work.running?.left -= 1
                return waiting >= 0
            case .end(let asks):
                guard let turn = work.running else { return false }
                let says = work.end(turn, waiting: waiting)
                if says { ask() }
                return says == asks
            case .rest(let ends): return work.rest(waiting: waiting) == ends
            case .idle(let idle): return work.isIdle(waiting: waiting) == idle
            }
        }
    }

    // ---- All orders

    /// A step that some thread can take next.
    enum Step: Hashable {
        case send
        case sendFromBody
        case begin(Int)
        case beginInCall(Int)
        case accept(Int)
        case lose(Int)
        case take
        case end
    }

    /// What a world has done, with all that decides what it can do next.
    struct World {
        var desk = Desk(isTask: false, extra: 1)
        var sent = 0
        var running: Int?
        /// The running turn has been given an element, so its body may send.
        var isInBody = false
        var began: Set<Int> = []
        /// Turns that have begun in their call and not ended: the call returns only after that.
        var inCall: Set<Int> = []
        var accepted: Set<Int> = []
        var lost: Set<Int> = []

        func canTake(_ step: Step, most: Int) -> Bool {
            switch step {
            case .send: return sent < most
            case .sendFromBody: return sent < most && isInBody
            case .begin(let number): return !began.contains(number) && !lost.contains(number)
            case .beginInCall(let number): return !began.contains(number) && !accepted.contains(number)
            // The asking thread has a reference to the turn until the call has returned.
            case .lose(let number):
                return !began.contains(number) && !lost.contains(number) && accepted.contains(number)
            case .accept(let number): return !accepted.contains(number) && !inCall.contains(number)
            case .take: return running.map { desk.turns[$0].left > 0 && desk.waiting > 0 } ?? false
            case .end: return running.map { desk.turns[$0].left == 0 || desk.waiting == 0 } ?? false
            }
        }

        /// Returns what is wrong, or nil.
        mutating func take(_ step: Step) -> String? {
            switch step {
            case .send:
                sent += 1
                _ = desk.send(on: 0)
            case .sendFromBody:
                sent += 1
                let isOwn = running.map { inCall.contains($0) } ?? false
                if desk.send(on: desk.work.running?.thread ?? 0) && isOwn {
                    return "a body asks for a second turn in the call for its own"
                }
            case .begin(let number): return begin(number, on: Desk.queue)
            case .beginInCall(let number):
                inCall.insert(number)
                return begin(number, on: Desk.caller(number))
            case .accept(let number):
                accepted.insert(number)
                if desk.work.accept(desk.turns[number]) { desk.ask() }
            case .lose(let number):
                lost.insert(number)
                if desk.work.lose() {
                    if running != nil { return "elements are lost, though a turn runs" }
                    let isOneToCome = desk.turns.indices.contains { !began.contains($0) && !lost.contains($0) }
                    if isOneToCome { return "elements are lost, though a turn is to come" }
                    desk.waiting = 0
                }
            case .take:
                desk.waiting -= 1
                desk.work.running?.left -= 1
                isInBody = true
            case .end:
                guard let number = running else { return "no turn runs" }
                running = nil
                isInBody = false
                inCall.remove(number)
                if desk.work.end(desk.turns[number], waiting: desk.waiting) { desk.ask() }
            }
            return nil
        }

        private mutating func begin(_ number: Int, on thread: pthread_t) -> String? {
            began.insert(number)
            if desk.work.begin(desk.turns[number], waiting: desk.waiting, on: thread) {
                if running != nil { return "two turns run" }
                running = number
            } else {
                inCall.remove(number)
            }
            return nil
        }

        var fault: String? {
            let pending = desk.turns.indices.filter { !began.contains($0) && !lost.contains($0) }
            if desk.work.coming == .certain && !pending.contains(where: accepted.contains) {
                return "a turn is certain, and none was accepted"
            }
            let isOver = running == nil && pending.isEmpty && desk.turns.indices.allSatisfy(accepted.contains)
            return isOver && desk.waiting > 0 ? "an element waits for ever" : nil
        }

        /// Worlds with the same key go on in the same way.
        var key: [Int] {
            // A turn that is over no longer matters, and neither does the order of the others.
            let alive = desk.turns.indices.filter { number in
                let isOver = began.contains(number) && accepted.contains(number) && running != number
                return !isOver && !lost.contains(number)
            }
            let turns = alive.map { number -> Int in
                let turn = desk.turns[number]
                let flags = [
                    turn.isAsking, turn.asksAgain, turn.hasBegun, began.contains(number),
                    inCall.contains(number), accepted.contains(number), running == number,
                    turn.thread == Desk.queue,
                ]
                return flags.reduce(turn.left * 16 + turn.extra) { $0 * 2 + ($1 ? 1 : 0) }
            }
            let coming = desk.work.coming == .nothing ? 0 : desk.work.coming == .asked ? 1 : 2
            return [coming, desk.waiting, sent, isInBody ? 1 : 0, desk.work.pending] + turns.sorted()
        }
    }

    private func world(after steps: [Step]) -> World {
        var world = World()
        for step in steps { _ = world.take(step) }
        return world
    }

    @Test("In all orders of calls, with turns that are lost: no element waits for ever or is lost while a turn comes")
    func allOrders() {
        var seen: Set<[Int]> = [], paths: [[Step]] = [[]]
        while let path = paths.popLast() {
            let here = world(after: path)
            var steps: [Step] = [.send, .sendFromBody, .take, .end]
            for number in here.desk.turns.indices {
                steps += [.begin(number), .beginInCall(number), .accept(number), .lose(number)]
            }
            for step in steps where here.canTake(step, most: 3) {
                var next = world(after: path)  // made anew, because turns are instances
                let fault = next.take(step) ?? next.fault
                if let fault {
                    Issue.record("\(fault): \(path + [step])")
                    return
                }
                if seen.insert(next.key).inserted { paths.append(path + [step]) }
            }
        }
        #expect(seen.count > 1000, "\(seen.count) states")
    }
}
