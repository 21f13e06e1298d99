import CHerald

/// What the observers of a scan count.
final class Tallies {
    var total = Count()
    var byKind: [String: Count] = [:]
    var byFolder: [String: Count] = [:]
    var swiftAtTheTop = Count()
    var firsts: [String] = []
    var ticks = 0
    var latest = ""
    var suspensions = 0
    var largest: FileFacts?

    struct Count: Equatable {
        var files = 0, lines = 0, bytes = 0
        mutating func add(_ facts: FileFacts) {
            files += 1
            lines += facts.lines
            bytes += facts.bytes
        }
    }
}

/// Registers observers of all four kinds. Some remove themselves or others on the way, one suspends the center.
func register(_ tallies: Tallies, on center: HeraldCenterRef, folders: some Collection<Folder>, kinds: [String]) {
    // Any name, any object: everything.
    Observer(center) { facts, _ in tallies.total.add(facts) }

    // One name, any object: a count for each kind of file.
    for kind in kinds {
        Observer(center, name: kind) { facts, _ in tallies.byKind[kind, default: .init()].add(facts) }
        // It has seen enough after one file, and removes itself inside its call.
        Observer(center, name: kind) { facts, observer in
            tallies.firsts.append(facts.path)
            observer.remove()
        }
    }

    // Any name, one object: a count for each folder.
    for folder in folders {
        Observer(center, folder: folder) { facts, _ in tallies.byFolder[folder.name, default: .init()].add(facts) }
    }

    // One name, one object: the Swift files of the folder itself.
    if let top = folders.first(where: { $0.name == "." }) {
        Observer(center, name: "file.swift", folder: top) { facts, _ in tallies.swiftAtTheTop.add(facts) }
    }

    // A guard removes the ticker it watches when the third file has come: nobody hears from the ticker again.
    var heard = 0
    let ticker = Observer(center) { _, _ in tallies.ticks += 1 }
    Observer(center) { _, observer in
        heard += 1
        guard heard == 3 else { return }
        ticker.remove()
        observer.remove()
    }

    // Suspends the center at every tenth file that it hears of; the scan resumes it after each folder. What comes
    // meanwhile is held for the others.
    Observer(center, whileSuspended: HeraldSuspensionDrop) { _, observer in
        guard observer.calls.isMultiple(of: 10) else { return }
        tallies.suspensions += 1
        HeraldCenterSetSuspended(center, true)
    }

    // Coalesced while suspended: only the last of each name and folder matters.
    Observer(center, whileSuspended: HeraldSuspensionCoalesce) { facts, _ in tallies.latest = facts.path }
    Observer(center) { facts, _ in
        if facts.bytes > tallies.largest?.bytes ?? -1 { tallies.largest = facts }
    }
}
