// Notes in a file that processes share: `notes add FILE TEXT`, `notes watch FILE`.
import Foundation
import GRDB
import SharedDatabase

struct Note: Codable, FetchableRecord, PersistableRecord, Sendable {
    var text: String
    /// Seconds since 1970.
    var added: Double
}

func open(_ path: String) throws -> DatabasePool {
    var configuration = Configuration()
    configuration.busyMode = .timeout(5)  // processes wait for each other's writes
    let pool = try DatabasePool(path: path, configuration: configuration)
    try pool.write { db in
        try db.create(table: "note", options: .ifNotExists) { table in
            table.column("text", .text).notNull()
            table.column("added", .double).notNull()
        }
    }
    return pool
}

func add(_ path: String, _ text: String) throws {
    let pool = try open(path)
    let sharing = try SharedDatabase(pool)
    try pool.write { try Note(text: text, added: Date().timeIntervalSince1970).insert($0) }
    withExtendedLifetime(sharing) {}
}

/// A change that is rolled back.
func tryToAdd(_ path: String, _ text: String) throws {
    let pool = try open(path)
    let sharing = try SharedDatabase(pool)
    try pool.writeInTransaction { db in
        try Note(text: text, added: 0).insert(db)
        return .rollback
    }
    withExtendedLifetime(sharing) {}
}

/// When the notes change, prints their number, the newest note, and how long ago it was added.
func watch(_ path: String) async throws {
    let pool = try open(path)
    let sharing = try SharedDatabase(pool)
    let notes = ValueObservation.tracking { try Note.fetchAll($0) }
    for try await notes in notes.values(in: pool) {
        let newest = notes.last.map { ": \($0.text), \(Int((Date().timeIntervalSince1970 - $0.added) * 1e3)) ms ago" }
        print("\(notes.count) notes\(newest ?? "")")
        fflush(nil)
    }
    withExtendedLifetime(sharing) {}
}

let arguments = CommandLine.arguments.dropFirst()
do {
    switch (arguments.first, arguments.count) {
    case ("add", 3): try add(arguments[2], arguments[3])
    case ("try", 3): try tryToAdd(arguments[2], arguments[3])
    case ("watch", 2): try await watch(arguments[2])
    default:
        FileHandle.standardError.write(Data("usage: notes add FILE TEXT | notes watch FILE\n".utf8))
        exit(64)
    }
} catch {
    FileHandle.standardError.write(Data("notes: \(error)\n".utf8))
    exit(1)
}
