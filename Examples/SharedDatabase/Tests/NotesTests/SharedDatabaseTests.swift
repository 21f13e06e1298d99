import Foundation
import GRDB
import Herald
import SharedDatabase
import Synchronization
import Testing

/// Pools of one file in one process, each with a ``SharedDatabase`` of its own: they reach each other in the same way
/// as between processes.
@Suite(.serialized) final class SharedDatabaseTests {
    private let file: String
    private static let folder: URL = {
        let folder = makeFolder()
        setenv("HERALD_HOST_DIRECTORY", folder.path, 1)  // before the host center is used
        atexit { try? FileManager.default.removeItem(at: SharedDatabaseTests.folder) }
        return folder
    }()

    init() throws {
        file = Self.folder.appendingPathComponent("\(UUID().uuidString).sqlite").path
        try DatabasePool(path: file).write { db in
            try db.create(table: "number") { $0.column("value", .integer).notNull() }
            try db.create(table: "other") { $0.column("value", .integer).notNull() }
        }
    }

    /// A pool, and the highest number in it as its observation reports it.
    private final class Side {
        let pool: DatabasePool
        private let sharing: SharedDatabase
        private let observation: any DatabaseCancellable
        private let seen: Seen

        private final class Seen: Sendable {
            let values = Mutex<[Int]>([])
        }

        init(_ file: String) throws {
            pool = try DatabasePool(path: file)
            sharing = try SharedDatabase(pool)
            let seen = Seen()
            observation = ValueObservation.tracking { try Int.fetchOne($0, sql: "SELECT max(value) FROM number") ?? 0 }
                .start(in: pool, scheduling: .async(onQueue: DispatchQueue(label: "seen"))) { _ in
                } onChange: { value in
                    seen.values.withLock { $0.append(value) }
                }
            self.seen = seen
        }

        var values: [Int] { seen.values.withLock { $0 } }

        func insert(_ value: Int, into table: String = "number") throws {
            try pool.write { try $0.execute(sql: "INSERT INTO \(table) VALUES (?)", arguments: [value]) }
        }

        /// Waits until the observation reports this number. False: it does not.
        func sees(_ value: Int) -> Bool {
            let end = ContinuousClock.now + .seconds(60)
            while values.last != value {
                guard ContinuousClock.now < end else { return false }
                usleep(50)
            }
            return true
        }
    }

    /// The number of messages that this process has posted. It waits until they have been heard.
    private func posted() -> Int {
        usleep(100_000)
        return HeraldCenter.host.statistics.posted
    }

    @Test("A commit is told once: nobody answers, and a rollback and another table's change tell nothing of this one")
    func once() throws {
        let one = try Side(file), two = try Side(file)
        #expect(one.sees(0) && two.sees(0))
        let before = posted()
        try one.insert(1)
        #expect(one.sees(1) && two.sees(1) && posted() == before + 1)
        try two.insert(2)
        #expect(one.sees(2) && two.sees(2) && posted() == before + 2)
        try one.pool.writeInTransaction { db in
            try db.execute(sql: "INSERT INTO number VALUES (3)")
            return .rollback
        }
        try one.pool.write { _ in }
        #expect(posted() == before + 2)
        try one.insert(4, into: "other")
        #expect(posted() == before + 3)
        // GRDB may fetch the first value twice.
        for side in [one, two] { #expect(side.values.filter { $0 > 0 } == [1, 2]) }
    }

    @Test("Who is told waits for no writer")
    func busy() throws {
        let one = try Side(file), two = try Side(file)
        #expect(two.sees(0))
        try one.insert(1)
        try one.pool.writeInTransaction(.immediate) { db in
            #expect(two.sees(1))
            return .rollback
        }
    }

    @Test("The delay of a change, in microseconds")
    func delay() throws {
        let one = try Side(file), two = try Side(file)
        #expect(two.sees(0))
        var delays: [Int] = []
        for value in 1...200 {
            let start = ContinuousClock.now
            try one.insert(value)
            try #require(two.sees(value))
            delays.append(Int((ContinuousClock.now - start) / .microseconds(1)))
        }
        delays.sort()
        print("written and observed in \(delays[100]) us in the middle, \(delays[199]) us at the most")
    }
}
