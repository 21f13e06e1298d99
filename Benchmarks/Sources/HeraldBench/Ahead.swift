/// A row in which a thread-safe peer's median is better than that of Herald's way that does the same.
struct Behind: Equatable {
    let row: String
    let title: String
    let herald: String
    let peer: String
    /// How many times better the peer is.
    let by: Double
    let reason: String?
}

extension Results {
    /// In every placement.
    var behind: [Behind] { rows.flatMap { row in row.cells.compactMap { behind(row, $0, decided: true) } } }

    /// In some placements of the two programs, or some rounds, and not in others: no verdict.
    var undecided: [Behind] { rows.flatMap { row in row.cells.compactMap { behind(row, $0, decided: false) } } }

    private func behind(_ row: Row, _ cell: Cell, decided: Bool) -> Behind? {
        guard let median = cell.median, let range = cell.range, let rival = rival(of: cell, in: row),
            let own = row[rival]?.median, let ownRange = row[rival]?.range
        else { return nil }
        let moreIsBetter = row.shape == .rate
        let better = moreIsBetter ? median > own : median < own
        guard better, median > 0 else { return nil }  // a line that begins below zero is no figure
        var isDecided =
            moreIsBetter ? range.lowerBound > ownRange.upperBound : range.upperBound < ownRange.lowerBound
        // If the peer is the floor, the bounds of the rounds' ratios decide, too.
        if row[rival]?.floor == cell.contestant, let ratio = row[rival]?.ratio {
            isDecided = isDecided && (moreIsBetter ? ratio.high < 1 : ratio.low > 1)
        }
        guard isDecided == decided else { return nil }
        let by = moreIsBetter ? median / own : own / median
        let words = contestant(cell.contestant)?.ahead?.split(separator: " ").map(String.init) ?? []
        let reason = Ahead.reasons.first {
            $0.rows.contains(where: row.id.hasPrefix) && ($0.word.map(words.contains) ?? true)
        }
        return Behind(
            row: row.id, title: "\(row.section). \(row.title)", herald: rival, peer: cell.contestant, by: by,
            reason: reason?.text)
    }

    private func rival(of cell: Cell, in row: Row) -> String? {
        if ["peer", "dbus", "stream", "each", "async", "current", "byhand"].contains(cell.contestant) {
            return "herald"
        }
        if row.section == 17 { return contestant(cell.contestant)?.threadSafe == true ? "signal" : nil }
        guard let peer = contestant(cell.contestant), peer.threadSafe, let rival = peer.rival else { return nil }
        // If Herald's ways cost the same, only one of them takes part.
        return row[rival] != nil ? rival : contestant(rival)?.like
    }
}

enum Ahead {
    struct Reason {
        let rows: [String]
        /// A word that peers name in their `ahead`; nil: the reason is for all peers.
        let word: String?
        let text: String
    }

    private static let hand = [
        "nobody", "post", "intercept", "slope", "names", "change", "threads", "churn.", "single.", "pace", "bytes",
    ]

    /// Why a row is as it is, for rows in which a peer is ahead.
    static let reasons = [
        Reason(
            rows: hand, word: "under-lock",
            text:
                "observers are called under the lock, so there is nothing to copy and nothing to look up; but a "
                + "call that adds or removes hangs, and so do two of them that use each other's list (it fails R5, "
                + "R6, R7, R10, ABBA)"
        ),
        Reason(
            rows: hand, word: "unnamed",
            text:
                "a list by hand, and nothing else: no other names, no objects, no suspension, no look at "
                + "whether an observer was removed during the post (it fails R6), no removal that waits (R11); each change "
                + "it copies it, "
                + "so that large lists are changed slowly"),
        Reason(
            rows: [
                "nobody", "post", "intercept", "slope", "names", "change", "threads", "churn.", "single.", "pace",
                "bytes.name",
            ],
            word: "bare",
            text:
                "it is written for one purpose, an array for each place, with no names, no objects, no suspension, no "
                + "look at whether an observer was removed during the post (it fails R6); what read-copy-update alone costs"
        ),
        Reason(
            rows: ["names"], word: "adjacent",
            text:
                "what counts here is cold memory: a signal and its connection were made one after the other and lie side "
                + "by side; a topic, its list, and its observer lie in pools of their own, so that threads that post share "
                + "no line with threads that change"),
        Reason(
            rows: ["change.posting"], word: "locking",
            text:
                "a removal in Swift gives back what the observer holds, at once; for that membarrier(2) interrupts the "
                + "other thread (its price is the floor of \"remove and wait\"), and posts take no lock; the others take one in "
                + "every post"),
        Reason(
            rows: ["change.posting"], word: "at-once",
            text:
                "the list's line goes from one CPU's cache to the other's between a post and a change; its posts take "
                + "twenty times as long (section 2), so that fewer come between two changes"),
        Reason(
            rows: ["change"], word: "at-hand",
            text:
                "it adds to the object at hand: there is no name to be looked up, and no index by token and by observer "
                + "to be kept"),
        Reason(
            rows: ["change"], word: "loose",
            text:
                "it keeps no order and gives back nothing when the last call has returned (it fails R2, and R10 or R11)"
        ),
        Reason(
            rows: ["churn.memory"], word: "at-once",
            text:
                "posts do not say what they read, so what was removed is kept until a batch of it is known to be unread: "
                + "some tens of kilobytes, however long it goes on"),
        Reason(
            rows: ["signals.disconnect"], word: "at-hand",
            text:
                "a connection leads to its entry, which is taken out under a lock, or only marked, so that later "
                + "connections and emissions take it out (\"reconnect\" has that); Herald looks up a token, so that a stale "
                + "one ends nobody, takes the entry out of the list that posts read without a lock, and looks whether "
                + "memory can be freed that no post reads any more"),
        Reason(
            rows: ["signals.connect"], word: "at-hand",
            text:
                "the first connection makes what a herald::signal without connections does not have, and of two "
                + "slots that is most"),
        Reason(
            rows: ["signals.threaded"], word: nil,
            text:
                "two threads change one signal and wait for each other's locks; how often they meet differs from round "
                + "to round by five times, in all libraries"),
        Reason(
            rows: ["signals."], word: "at-hand",
            text:
                "most of it is the making and the end of connections, which lead to their entries: there is no token to "
                + "be made and looked up, and no list to be copied for posts that take no lock and no count"),
        Reason(
            rows: ["kept"], word: nil,
            text:
                "it is one value and one list, without names, subjects and suspension, and it does not decide at once what "
                + "is kept and what is new: an observer that comes while threads post hears values twice, or an older one "
                + "after a newer one"),
        Reason(
            rows: ["bytes.observer"], word: "small-observer",
            text:
                "the core's part is less than 99 bytes; an observation in Swift also has a record and a hook, what its "
                + "closure has captured, and a token"),
        Reason(
            rows: ["bytes.observer"], word: "bare",
            text:
                "an observer there is a function, a word and a pointer in an array: no token, no order among kinds, "
                + "no hooks"
        ),
        Reason(
            rows: ["bytes.name"], word: "small-name",
            text:
                "the name is kept with its text for the life of the process, its list has room for more observers, and "
                + "by topic there is the topic, too"),
        Reason(
            rows: ["bytes.center"], word: "small-center",
            text: "an empty center has room for its queue, its transport and the observers of any name from the start"),
        Reason(
            rows: ["churn.", "single."], word: "at-once",
            text:
                "its posts and its changes take one lock, and a thread that posts without a pause lets few changes "
                + "through: its posts are as fast as in peace, and its tail is long"),
        Reason(
            rows: ["queue", "actor", "messages"], word: nil,
            text:
                "the reader takes from the mailbox while the poster puts more in; how often their two CPUs meet "
                + "at its lock the scheduler decides, and the rounds differ by five times"),
        Reason(
            rows: ["bytes.threads"], word: nil,
            text: "the first threads make what the later ones use again: it does not grow with their number"),
    ]
}
