import Foundation
import Herald

/// Sends posts between the tour and its neighbor: a second process, which runs the same program with `--listen`.
enum Neighbor {
    static let option = "--listen"

    /// The names that a tour and its neighbor post to each other. No other tour uses them.
    private struct Names {
        let ready, news, heard: HeraldCenter.Name
        /// The subject of the letters to the tour, and the subject of the letters to its neighbor.
        let toTour, toNeighbor: String

        init(ofTour process: Int32) {
            ready = HeraldCenter.Name("org.herald.tour.\(process).ready")
            news = HeraldCenter.Name("org.herald.tour.\(process).news")
            heard = HeraldCenter.Name("org.herald.tour.\(process).heard")
            toTour = "tour \(process)"
            toNeighbor = "neighbor of tour \(process)"
        }
    }

    private struct Letter: HeraldCenter.WireMessage, Codable {
        static let wireName: HeraldCenter.Name = "org.herald.tour.letter"
        var way: [Int32]
        var isLast: Bool
    }

    /// What is true until the next one comes. So it is kept for observers that come later.
    private struct Weather: HeraldCenter.KeptMessage, HeraldCenter.WireMessage, Codable {
        static let wireName: HeraldCenter.Name = "org.herald.tour.weather"
        var sky: String
    }

    /// The lines of `listen` for the second process, in this one.
    private static func comeLate() {
        HeraldCenter.local.post(Weather(sky: "sunny"))
        let late = HeraldCenter.local.observe(Weather.self, from: .kept) { weather in
            print("  an observer that came late to process \(getpid()) began with: \(weather.sky)")
        }
        late.cancel()
        HeraldCenter.local.forget(Weather.self)
    }

    /// Runs in the second process: prints the posts that come, answers, sends letters back, and ends.
    static func listen() async throws {
        let host = HeraldCenter.host, names = Names(ofTour: getppid())
        for await weather in host.messages(Weather.self, subject: names.toNeighbor, from: .kept) {
            print("  process \(getpid()) came late, and began with what was posted before: \(weather.sky)")
            break
        }
        let all = host.messages(named: names.news)
        let letters = host.messages(Letter.self, subject: names.toNeighbor)
        host.post(names.ready)
        var posts = 0
        for await post in all {
            posts += post.count
            print("  process \(getpid()) heard of \(post.count == 1 ? "a post" : "\(post.count) posts at once")")
            fflush(nil)
            if posts >= 3 { break }
        }
        host.post(names.heard)
        for await var letter in letters {
            letter.way.append(getpid())
            try host.post(letter, subject: names.toTour)
            if letter.isLast { break }
        }
    }

    static func talk() async throws {
        let host = HeraldCenter.host, names = Names(ofTour: getpid())
        print("\nTwo processes, and no daemon:\n")
        do { try host.check() } catch { return print("  not here: \(error)") }
        comeLate()
        try host.post(Weather(sky: "cloudy"), subject: names.toNeighbor)
        defer { host.forget(Weather.self, subject: names.toNeighbor) }
        let begun = host.messages(named: names.ready)
        let answers = host.messages(named: names.heard)
        let letters = host.messages(Letter.self, subject: names.toTour)
        fflush(nil)
        let other = Process()
        other.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        other.arguments = [option]
        try other.run()
        let guardian = Task {
            try await Task.sleep(for: .seconds(20))
            other.terminate()
            fail("the other process does not answer")
        }
        defer { guardian.cancel() }
        for await _ in begun { break }
        for number in 1...3 {
            host.post(names.news)
            print("  process \(getpid()) posted \(number == 1 ? "a name" : "it again")")
            fflush(nil)
            try await Task.sleep(for: .milliseconds(50))
        }
        for await _ in answers { break }
        print("  process \(getpid()) heard that all has been heard")

        let back = letters.makeAsyncIterator()
        var times: [Duration] = []
        var way: [Int32] = []
        for number in 1...100 {
            let posted = ContinuousClock.now
            try host.post(
                Letter(way: [getpid()], isLast: number == 100), subject: names.toNeighbor)
            guard let letter = await back.next() else { break }
            times.append(ContinuousClock.now - posted)
            way = letter.way + [getpid()]
        }
        let route = way.map { "\($0)" }.joined(separator: " to ")
        let middle = Int(times.sorted()[times.count / 2] / .microseconds(1))
        print("  a struct went from \(route) \(times.count) times, in \(middle) us each")
        other.waitUntilExit()
    }
}
