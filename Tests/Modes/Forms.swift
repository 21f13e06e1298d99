// Every form of observing, as an application writes it. It compiles without a message in Swift 6 and 5 mode, and with
// the main actor as the default isolation.
import Dispatch
import Herald

final class Document: Sendable {}

struct Saved: HeraldCenter.Message, Sendable {
    typealias Subject = Document
    var path = ""
}

nonisolated protocol Audited { var path: String { get } }
extension Saved: Audited {}

struct Settings: HeraldCenter.KeptMessage { var theme = "" }

struct Page: HeraldCenter.Message, ~Copyable { var number = 0 }

struct Shown: HeraldCenter.MainActorMessage { var width = 0 }

struct Shared: HeraldCenter.WireMessage, Codable {
    static let wireName: HeraldCenter.Name = "com.acme.shared"
    var path = ""
}

struct SharedSettings: HeraldCenter.KeptMessage, HeraldCenter.WireMessage, Codable {
    static let wireName: HeraldCenter.Name = "com.acme.settings"
    var theme = ""
}

enum Change { case saved(Saved), named(HeraldCenter.Posted) }

protocol Saving: AnyObject, Sendable { func wasSaved() }

extension HeraldCenter.Name {
    nonisolated static let saved: Self = "saved"
}

nonisolated final class Index: Saving {
    func wasSaved() {}
    func add(_ path: String) {}

    func start(_ center: HeraldCenter, _ queue: DispatchQueue, _ document: Document) {
        center.observe(Saved.self, by: self) { index, saved in index.add(saved.path) }
        center.observe(Saved.self, subject: document, by: self, via: queue) { index, saved in index.add(saved.path) }
        center.observe(Saved.self, by: self, via: .global(qos: .utility)) { index, saved in index.add(saved.path) }
        center.observe(Saved.self, by: self, via: .main) { index, saved in index.add(saved.path) }
        center.observe(Saved.self, by: self, via: { $0() }) { index, saved in index.add(saved.path) }
        center.observe(Settings.self, from: .kept, by: self) { index, settings in index.add(settings.theme) }
        center.observe(Settings.self, from: .kept, by: self, via: queue) { index, settings in index.add(settings.theme)
        }
        center.observe(.saved, by: self) { index, notice in index.add("\(notice.name)") }
        center.observe(posts: .under("app"), by: self) { index, notice in index.add("\(notice.name)") }
        HeraldCenter.host.observe(.saved, by: self, via: queue) { index, post in index.add("\(post.count)") }
        HeraldCenter.host.observe(messages: .under("app"), by: self) { index, post in index.add("\(post.name)") }
        HeraldCenter.host.observe(SharedSettings.self, from: .kept, by: self) { index, settings in
            index.add(settings.theme)
        }
        HeraldCenter.host.observe(.saved, from: .kept, by: self) { index, post in index.add("\(post.state ?? 0)") }
        HeraldCenter.host.observe(messages: .saved, from: .kept, by: self, via: queue) { index, post in
            index.add("\(post.isKept)")
        }
        center.addObserver(self, as: (any Saving).self)
    }
}

@MainActor final class Model {
    @Watched var name = ""

    func start(_ queue: DispatchQueue, _ store: Store) async {
        $name.observe(by: self, async: { model, _, new in print(model.name, new) })
        $name.observe(on: store) { store, old, new in store.add(old + new) }
        $name.observe(via: queue) { old, new in print(old, new) }.keep()
        $name.observe(async: { [weak self] old, new in print(old, new, self?.name ?? "") }).keep()
        for await name in $name.values { print(name) }
    }
}

actor Store {
    func add(_ path: String) { paths.append(path) }

    private var paths: [String] = []

    func start(_ center: HeraldCenter) {
        center.observe(Saved.self, on: self) { store, saved in store.paths.append(saved.path) }
        center.observe(Settings.self, from: .kept, on: self) { store, settings in store.paths.append(settings.theme) }
        HeraldCenter.host.observe(SharedSettings.self, from: .kept, on: self) { store, settings in
            store.paths.append(settings.theme)
        }
        center.observe(.saved, on: self) { store, posted in store.paths.append("\(posted.name)") }
        center.observe(on: self) {
            $0.on(Saved.self) { store, saved in store.paths.append(saved.path) }
            $0.on(.saved) { store, posted in store.paths.append("\(posted.name)") }
        }
    }
}

@MainActor final class Window {
    private var title = ""
    private var observations: Set<AnyObservation> = []
    private var bags: [ObservationBag] = []

    func start(_ center: HeraldCenter, _ queue: DispatchQueue, _ document: Document) {
        center.observe(Saved.self, by: self, async: { window, saved in window.title = saved.path })
        center.observe(
            Saved.self, by: self, async: { window, saved in try window.show(saved) },
            failed: { window, error, saved in window.title = "\(saved.path): \(error)" })
        center.observe(Saved.self) { saved in
            try await Task.sleep(for: .seconds(1))
        } failed: { error, saved in
            print(saved.path, error)
        }.store(in: &observations)
        center.observe(Settings.self, from: .kept) { print($0.theme) }.store(in: &observations)
        center.observe(
            Settings.self, from: .kept, by: self, began: { [weak self] kept in self?.title = "\(kept)" },
            async: { window, settings in window.title = settings.theme })
        center.observe(.saved, by: self, async: { window, posted in window.title = "\(posted.name)" })
        center.observe(Shown.self, by: self) { window, shown in window.title = "\(shown.width)" }
        center.observe(Shown.self) { [weak self] shown in self?.title = "\(shown.width)" }.store(in: &observations)
        center.observe(Saved.self, async: { [weak self] in self?.title = $0.path }).store(in: &observations)
        center.observe(Saved.self, subject: document) { print($0.path) }.store(in: &observations)
        center.observe(Saved.self, via: queue, buffer: .newest(1)) { print($0.path) }.store(in: &observations)
        center.observe(Page.self) { print($0.number) }.store(in: &observations)
        center.observe(.saved) { print($0.name) }.store(in: &observations)
        center.observe(conforming: (any Audited).self) { print($0.path) }.store(in: &observations)
        center.observeAll { print($0.name) }.store(in: &observations)
        center.observe(posts: .all) { print($0.name) }.store(in: &observations)
        center.observe(posts: "saved", subject: document, async: { print($0.name) }).store(in: &observations)
        HeraldCenter.host.observeOnce(Shared.self, subject: "a") { print($0.path) }.store(in: &observations)
        center.observeOnce(Saved.self) { print($0.path) }.store(in: &observations)
        center.observe(Saved.self, while: { $0.path != "" }) { print($0.path) }.store(in: &observations)
        center.observe(Shown.self, while: { [weak self] _ in self?.title == "" }) { print($0.width) }
            .store(in: &observations)
        center.observe(Page.self, while: { $0.number < 5 }) { print($0.number) }.store(in: &observations)
        center.observe(.saved, while: { $0.subject == nil }) { print($0.name) }.store(in: &observations)
        HeraldCenter.host.observe(.saved, while: { $0.count == 1 }) { print($0.name) }.store(in: &observations)
        HeraldCenter.host.observe(Shared.self, by: self, async: { window, shared in window.title = shared.path })
        HeraldCenter.host.observe(
            SharedSettings.self, from: .kept, by: self,
            began: { if $0 == 0 { print("nothing is kept") } }, cannotBegin: { print($0) },
            async: { window, settings in window.title = settings.theme })
        HeraldCenter.host.observe(SharedSettings.self, subject: "a", from: .kept) { print($0.theme) }
            .store(in: &observations)
    }

    func together(_ center: HeraldCenter, _ queue: DispatchQueue, _ document: Document) {
        bags = [
            center.observe(via: queue) {
                $0.on(Saved.self) { print($0.path) }
                $0.on(Saved.self, subject: document) { print($0.path) }
                $0.on(.saved, subject: document) { print($0.name) }
            },
            center.observe(via: { $0() }, buffer: .newest(1)) { $0.on(.saved) { print($0.name) } },
            center.observe(async: {
                $0.on(Saved.self) { [weak self] saved in self?.title = saved.path }
                $0.on(.saved) { [weak self] posted in self?.title = "\(posted.name)" }
            }),
        ]
    }

    func show(_ saved: Saved) throws { title = saved.path }

    func follow(_ center: HeraldCenter) async {
        let changes = center.messages(as: Change.self) {
            $0.on(Saved.self) { .saved($0) }
            $0.on(.saved) { .named($0) }
        }
        for await change in changes {
            switch change {
            case .saved(let saved): title = saved.path
            case .named(let posted): title = "\(posted.name)"
            }
        }
        for await saved in center.messages(Saved.self) { title = saved.path }
        await center.withMessages(Saved.self) { for await saved in $0 { title = saved.path } }
        await center.withMessages(named: .saved, buffer: .newest(1)) { _ in }
        title = await HeraldCenter.host.withMessages(Shared.self) {
            for await shared in $0 where shared.path != "" { return shared.path }
            return ""
        }
        for await posted in center.messages(named: .saved) { title = "\(posted.name)" }
        for await posted in center.messages(posts: .under("app")) { title = "\(posted.name)" }
        for await post in HeraldCenter.host.messages(messages: .all) { title = "\(post.name)" }
        for await settings in HeraldCenter.host.messages(SharedSettings.self, from: .kept) { title = settings.theme }
        await HeraldCenter.withCenter { title = await HeraldCenter.current.next(Saved.self)?.path ?? "" }
        title = await HeraldCenter.host.next(.saved, within: .seconds(1))?.name.description ?? ""
        title = await center.next(Saved.self, within: .seconds(1), where: { $0.path != "" })?.path ?? ""
    }

    func post(_ center: HeraldCenter, _ document: Document) throws {
        center.post(Saved(path: title), subject: document)
        HeraldCenter.withCenter(center) { HeraldCenter.current.post(Saved(path: title)) }
        center.topic(for: Saved.self).post(Saved(path: title))
        if center.isHeard(Page.self) { center.post(Page(number: 1)) }
        center.post(Shown(width: 1))
        center.post(.saved, userInfo: ["path": title, "length": 12])
        center.notify((any Saving).self) { $0.wasSaved() }
        try HeraldCenter.host.post(SharedSettings(theme: title))
        title = HeraldCenter.host.kept(SharedSettings.self)?.theme ?? ""
        HeraldCenter.host.forget(SharedSettings.self)
        try HeraldCenter.host.post(.saved, state: 3)
        if HeraldCenter.host.isHeard(Shared.self) { try HeraldCenter.host.post(Shared(path: title)) }
    }
}
