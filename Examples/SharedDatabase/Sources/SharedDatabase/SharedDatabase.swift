import Foundation
import GRDB
import Herald
import Synchronization

/// Makes GRDB's observations see what other processes commit to the same file.
///
/// ```swift
/// let pool = try DatabasePool(path: path)
/// let sharing = try SharedDatabase(pool)  // in each process; it lasts as long as this instance
/// ```
///
/// After each commit that has changed something, the process posts which tables have changed. The other processes then
/// notify their observations of these tables, which fetch again. Nothing is polled, and a transaction that is rolled
/// back posts nothing.
public final class SharedDatabase: Sendable {
    /// Some tables of a file have changed. The subject of the message is the path of the file.
    struct Changed: HeraldCenter.WireMessage, Codable {
        static let wireName: HeraldCenter.Name = "org.herald.example.database-changed"
        /// The instance that has changed them. An instance ignores its own messages.
        var origin: UUID
        /// Nil: any.
        var tables: [String]?
    }

    private let commits: Commits
    private let pool: DatabasePool
    private let token: HeraldCenter.ObservationToken
    private let losses: Task<Void, Never>

    /// - Parameters:
    ///   - pool: The database; its file must exist.
    ///   - report: Called with errors that no call can throw: a commit could not be posted, or the observations could
    ///     not be notified of another process's commit.
    public init(
        _ pool: DatabasePool, report: @escaping @Sendable (any Error) -> Void = { print("shared database: \($0)") }
    ) throws {
        // One subject for one file, even if different paths lead to it.
        let path = URL(fileURLWithPath: pool.path).resolvingSymlinksInPath().path
        let origin = UUID()
        self.pool = pool
        commits = Commits(origin: origin, path: path, report: report)
        let queue = DispatchQueue(label: "org.herald.example.shared-database")
        token = HeraldCenter.host.observe(Changed.self, subject: path, via: queue) { changed in
            guard changed.origin != origin else { return }
            Self.tell(pool, changed.tables, report)
        }
        // A process that is too slow loses messages, and gets an event. Then anything may have changed.
        let events = HeraldCenter.host.events
        losses = Task {
            for await event in events {
                if case .lost = event { queue.async { Self.tell(pool, nil, report) } }
            }
        }
        pool.add(transactionObserver: commits, extent: .observerLifetime)
    }

    deinit { losses.cancel() }

    /// Makes the observations fetch again. That needs a transaction. This one writes nothing and so waits for no
    /// writer.
    private static func tell(_ pool: DatabasePool, _ tables: [String]?, _ report: (any Error) -> Void) {
        do {
            try pool.writeWithoutTransaction { db in
                try db.inTransaction(.deferred) {
                    if let tables {
                        for table in tables where try db.tableExists(table) { try db.notifyChanges(in: Table(table)) }
                    } else {
                        try db.notifyChanges(in: .fullDatabase)
                    }
                    return .commit
                }
            }
        } catch { report(error) }
    }
}

/// Posts each commit of this process. The notifications of `tell` are not seen as changes here.
private final class Commits: TransactionObserver, Sendable {
    private let origin: UUID
    private let path: String
    private let report: @Sendable (any Error) -> Void
    private let tables = Mutex<Set<String>>([])

    init(origin: UUID, path: String, report: @escaping @Sendable (any Error) -> Void) {
        self.origin = origin
        self.path = path
        self.report = report
    }

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }

    func databaseDidChange(with event: DatabaseEvent) {
        let name = event.tableName
        tables.withLock { _ = $0.insert(name) }
    }

    func databaseDidCommit(_ db: Database) {
        let changed = tables.withLock { tables in
            defer { tables = [] }
            return tables.sorted()
        }
        guard !changed.isEmpty else { return }
        do {
            do {
                try post(changed)
            } catch WireError.tooLarge { try post(nil) }
        } catch { report(error) }
    }

    func databaseDidRollback(_ db: Database) { tables.withLock { $0 = [] } }

    private func post(_ tables: [String]?) throws(WireError) {
        try HeraldCenter.host.post(SharedDatabase.Changed(origin: origin, tables: tables), subject: path)
    }
}
