import Foundation
import Herald
import Synchronization

/// Gives the user time to start an inspection tool. Does nothing without `HERALD_INSPECT=1` in the environment.
private func awaitThoseWhoLookOn() {
    guard ProcessInfo.processInfo.environment["HERALD_INSPECT"] == "1" else { return }
    print("In another terminal: herald trace \(getpid())    Then press Return.")
    fflush(nil)
    _ = readLine()
}

/// Lets the tools read the rest of the trace before the process ends: otherwise the rest would be lost.
func awaitThoseWhoStillRead() {
    guard ProcessInfo.processInfo.environment["HERALD_INSPECT"] == "1" else { return }
    print("The tour is over. Press Return.")
    fflush(nil)
    _ = readLine()
}

/// Scans a folder and prints what each kind of observer gets.
func tour(of root: String) async throws {
    let center = HeraldCenter()
    awaitThoseWhoLookOn()
    let scanner = try Scanner(root: root, center: center)
    print("Scanning \(root): a message for each file, about its folder.\n")
    let bag = ObservationBag()

    // Blocks: for all files, for the files of one kind, for the files of one folder.
    let total = Tally()
    center.observe(FileScanned.self) { total.add($0) }.store(in: bag)
    let kinds = ["file.swift", "file.c", "file.h", "file.md", "file"].map { ($0, Tally()) }
    for (kind, tally) in kinds {
        center.observe(FileScanned.self) { if $0.kind == kind { tally.add($0) } }.store(in: bag)
    }
    let folders = scanner.folders.values.sorted { $0.name < $1.name }.map { ($0, Tally()) }
    for (folder, tally) in folders {
        center.observe(FileScanned.self, subject: folder) { tally.add($0) }.store(in: bag)
    }

    // A token: the ticker is an observer that counts in `ticks`. During the post of the third file, an earlier observer
    // cancels the ticker, which is therefore not called for this post.
    let seen = Atomic(0)
    let ticks = Tally()
    let guardian = ObservationBag()
    center.observe(FileScanned.self) { _ in
        if seen.add(1, ordering: .relaxed).newValue == 3 { guardian.cancelAll() }
    }.store(in: bag)
    center.observe(FileScanned.self) { ticks.add($0) }.store(in: guardian)

    // Weak owners: two views of the root's files. One view is released after it has shown one file. That view does not
    // remove its observer.
    let staying = FolderView(of: scanner.folders["."]!, on: center)
    let leaving = Mutex<FolderView?>(FolderView(of: scanner.folders["."]!, on: center))
    let shown = leaving.withLock { $0!.shown }
    center.observe(FileScanned.self, subject: scanner.folders["."]!) { _ in leaving.withLock { $0 = nil } }.store(
        in: bag)

    // A protocol; and a property, whose observer gets the old and the new value.
    let log = ScanLog()
    center.addObserver(log, as: ScanObserver.self)
    var records = 0
    let watching = scanner.$largest.observe { old, new in if new!.bytes > old?.bytes ?? 0 { records += 1 } }

    // Not on the posting thread: an actor, and a loop in a task.
    let counter = LineCounter()
    await counter.observe(center)
    let steps = center.messages(ScanStep.self, buffer: .unbounded)
    let loop = Task {
        var folders = 0
        for await step in steps {
            guard case .folder = step else { break }
            folders += 1
        }
        return folders
    }

    // A name, for observers that do not know the types. While the center is suspended, the center holds only the last
    // post of the name.
    let latest = Mutex<[String]>([])
    center.observe("scan.progress", whileSuspended: .coalesce) { notice in
        let path = notice.userInfo as? String ?? "?"
        latest.withLock { $0.append(path) }
    }.store(in: bag)

    center.isSuspended = true  // observers of messages are still called at once
    scanner.run()
    center.isSuspended = false

    let looped = await loop.value
    while await counter.files < scanner.posts { await Task.yield() }  // the actor counts when its task runs
    print("blocks:")
    row("total", total.value)
    for (kind, tally) in kinds { row(kind, tally.value) }
    for (folder, tally) in folders { row("folder \(folder.name)", tally.value) }
    print("weak owners:")
    row("a view that stays", staying.shown.value)
    row("a view that went away", shown.value)
    print("elsewhere:")
    row("an actor", await counter.count)
    print("  a loop in a task heard of \(looped) folders")
    print(
        """
        on the way:
          a ticker heard \(ticks.value.files) files before another observer removed it
          an observer of a protocol heard: \(log.sentence)
          a watched property changed \(records) times; the largest file: \(scanner.largest?.path ?? "none")
          a name was posted \(scanner.posts) times while the center was suspended, and told \
        \(latest.withLock { $0.count }) times: \(latest.withLock { $0.last } ?? "nothing")
        """)
    withExtendedLifetime((staying, log)) { watching.cancel() }
}

private func row(_ label: String, _ count: Tally.Count) {
    func right(_ number: Int, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - "\(number)".count)) + "\(number)"
    }
    let padded = label.padding(toLength: max(28, label.count), withPad: " ", startingAt: 0)
    print("  \(padded)\(right(count.files, 8)) files\(right(count.lines, 10)) lines\(right(count.bytes, 12)) bytes")
}
