import Foundation
import Herald
import Synchronization

/// Posts between this process and another one, which is the same program as a listener.
enum Neighbor {
    static let option = "--listen"
    private static let ready: HeraldCenter.Name = "org.herald.tour.ready"
    private static let news: HeraldCenter.Name = "org.herald.tour.news"
    private static let heard: HeraldCenter.Name = "org.herald.tour.heard"

    /// The other process: prints the posts that it gets, answers, and ends.
    static func listen() async {
        let all = HeraldCenter.host.messages(named: news)
        HeraldCenter.host.post(ready)
        var posts = 0
        for await post in all {
            posts += post.count
            print("  process \(getpid()) heard of \(post.count == 1 ? "a post" : "\(post.count) posts at once")")
            fflush(nil)
            if posts >= 3 { break }
        }
        HeraldCenter.host.post(heard)
    }

    static func talk() async throws {
        print("\nTwo processes, and no daemon:\n")
        do { try HeraldCenter.host.check() } catch { return print("  not here: \(error)") }
        let begun = HeraldCenter.host.messages(named: ready)
        let answers = HeraldCenter.host.messages(named: heard)
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
            HeraldCenter.host.post(news)
            print("  process \(getpid()) posted \(number == 1 ? "a name" : "it again")")
            fflush(nil)
            try await Task.sleep(for: .milliseconds(50))
        }
        for await _ in answers { break }
        other.waitUntilExit()
        print("  process \(getpid()) heard that all has been heard")
    }
}
