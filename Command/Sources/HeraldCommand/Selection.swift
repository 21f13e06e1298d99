import CHerald
import CHeraldHost
import Herald

/// What `watch` observes.
struct Selection {
    private let names: Set<HeraldCenter.Name>
    private let prefixes: [String]
    private let isAll: Bool

    init(names: [String], prefixes: [String], isAll: Bool) {
        self.names = Set(names.map { HeraldCenter.Name($0) })
        self.prefixes = prefixes
        self.isAll = isAll
    }

    /// One observer hears all names, so that one which is selected twice is heard once; unless there are only names.
    private var isWide: Bool { isAll || !prefixes.isEmpty }

    /// Throws if the file, a name's entry, a channel or the thread is not to be had: an observer would never be called.
    func check() throws {
        guard !isWide else {
            var token = HeraldToken()
            try attempt(HeraldHostAddObserverUnder(nil, { _, _, _, _, _ in }, "herald", nil, &token))
            HeraldCenterRemoveTokenAndWait(HeraldCenterGetHostCenter(), token)
            return
        }
        for name in names {
            var descriptor: Int32 = -1
            var token: HeraldHostToken = 0
            try attempt(HeraldHostRegisterFileDescriptor("\(name)", false, &descriptor, &token))
            try attempt(HeraldHostCancel(token))
        }
    }

    /// - Parameter body: Called for one post after the other, on one thread.
    func observe(in bag: ObservationBag, _ body: @escaping @Sendable (WirePost) -> Void) {
        guard isWide else {
            for name in names { HeraldCenter.host.observe(messagesNamed: name, body).store(in: bag) }
            return
        }
        HeraldCenter.host.observeAll { if wants($0.name) { body($0) } }.store(in: bag)
    }

    private func wants(_ name: HeraldCenter.Name) -> Bool {
        if isAll || names.contains(name) { return true }
        let text = "\(name)"
        return prefixes.contains { HostName.isUnder($0, text) }
    }
}
