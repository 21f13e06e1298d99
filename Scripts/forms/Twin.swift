let stays =
    "this message stays in its process: write `struct ...: HeraldCenter.WireMessage, Codable` and give it a `static let wireName: HeraldCenter.Name`"
let texts = "between processes a subject is a `String`, and a message a `HeraldCenter.WireMessage`"
let wireMessages = families.first { $0.file == "ObserveWireMessages" }!

/// What a misused call has as its subject.
enum Subject: CaseIterable { case none, text, instance }

/// The twin of a form for messages that cannot leave their process.
func twin(_ form: Form, _ subject: Subject) -> [String] {
    let function = Function(family: wireMessages, form: form, isOfOne: subject != .none)
    let isBorrowed = form.isHere
    let message = isBorrowed ? "M: HeraldCenter.AnyMessage & ~Copyable" : "M: HeraldCenter.AnyMessage"
    let generics = [form.hasOwner ? "O: AnyObject" : "", form == .actor ? "A: Actor" : "", message].filter { $0 != "" }
    let element = isBorrowed ? "borrowing M" : "M"
    let parameters = function.parameters.dropLast(2).compactMap { parameter -> String? in
        if parameter.hasPrefix("subject") && subject == .instance { return "subject: M.Subject" }
        if parameter.hasPrefix("whileSuspended") || parameter.hasPrefix("isolation") { return nil }
        if parameter.contains("where isWanted") { return "where isWanted: ((M) -> Bool)? = nil" }
        if parameter.contains("while goesOn") { return "while goesOn: @escaping (\(element)) -> Bool" }
        if parameter.contains("failed:") {
            return "failed: @escaping (\(form.hasOwner ? "O, " : "")any Error, M) async -> Void"
        }
        guard parameter.contains("body:") else { return parameter }
        return switch form {
        case .async: "async body: @escaping (M) async -> Void"
        case .ownerAsync: "async body: @escaping (O, M) async -> Void"
        case .throwing: "async body: @escaping (M) async throws -> Void"
        case .ownerThrowing: "async body: @escaping (O, M) async throws -> Void"
        case .actor: "_ body: @escaping (isolated A, M) async -> Void"
        case .scope: "_ body: (Messages<Never>) async throws -> Void"
        case .owner, .ownerVia, .ownerViaClosure: "_ body: @escaping (O, \(element)) -> Void"
        default: "_ body: @escaping (\(element)) -> Void"
        }
    }
    let result =
        switch form {
        case .sequence: " -> Messages<Never> { Messages(Mailbox(.oldest(0)), HeraldCenter.ObservationToken(nil)) }"
        case .scope: " async {}"
        case .next: " async -> M? { nil }"
        default:
            function.result == "" ? " {}" : " -> HeraldCenter.ObservationToken { HeraldCenter.ObservationToken(nil) }"
        }
    return [
        "    @available(*, unavailable, message: \"\(subject == .instance ? texts : stays)\")",
        "    @_documentation(visibility: internal)",
    ] + declared("public func \(function.name)<\(generics.joined(separator: ", "))>", parameters, result)
}

let twins: [(form: Form, subject: Subject)] =
    Form.allCases.filter { has(wireMessages, $0) }.flatMap { form in Subject.allCases.map { (form, $0) } }

func misuseOfWires() -> String {
    var lines = [
        head
            + "// The calls of a `WireCenter` with arguments that cannot leave the process. A program that makes one of these calls",
        "// does not compile. The compiler's error says what to write instead.", "extension WireCenter {",
    ]
    for post in [
        ("_ message: borrowing M, subject: String? = nil", stays),
        ("_ message: borrowing M, subject: M.Subject", texts),
    ] {
        lines += [
            "    @available(*, unavailable, message: \"\(post.1)\")", "    @_documentation(visibility: internal)",
            "    public func post<M: HeraldCenter.AnyMessage & ~Copyable>(\(post.0)) {}", "",
        ]
    }
    for (form, subject) in twins { lines += twin(form, subject) + [""] }
    lines += [
        "    @available(*, unavailable, message: \"names have no subjects between processes: use `observe(messages: .named(name), subject:)`\")",
        "    @_documentation(visibility: internal)",
        "    public func observe(",
        "        _ name: HeraldCenter.Name, subject: String?, _ body: @escaping @Sendable (WirePost) -> Void",
        "    ) -> HeraldCenter.ObservationToken { HeraldCenter.ObservationToken(nil) }", "}",
    ]
    return lines.joined(separator: "\n") + "\n"
}

func callOfTwin(_ form: Form, _ subject: Subject) -> String {
    let about = subject == .none ? "" : subject == .text ? ", subject: \"a\"" : ", subject: document"
    let call =
        switch form {
        case .token: "observe(Saved.self\(about)) { _ in }.keep()"
        case .once: "observeOnce(Saved.self\(about)) { _ in }.keep()"
        case .conditional: "observe(Saved.self\(about), while: { _ in true }) { _ in }.keep()"
        case .owner, .ownerAnywhere: "observe(Saved.self\(about), by: self) { _, _ in }"
        case .via: "observe(Saved.self\(about), via: queue) { _ in }.keep()"
        case .viaClosure: "observe(Saved.self\(about), via: { $0() }) { _ in }.keep()"
        case .ownerVia: "observe(Saved.self\(about), by: self, via: queue) { _, _ in }"
        case .ownerViaClosure: "observe(Saved.self\(about), by: self, via: { $0() }) { _, _ in }"
        case .async: "observe(Saved.self\(about), async: { _ in }).keep()"
        case .ownerAsync: "observe(Saved.self\(about), by: self, async: { _, _ in })"
        case .throwing: "observe(Saved.self\(about), async: { _ in }, failed: { _, _ in }).keep()"
        case .ownerThrowing: "observe(Saved.self\(about), by: self, async: { _, _ in }, failed: note)"
        case .actor: "observe(Saved.self\(about), on: store) { _, _ in }"
        case .sequence: "messages(Saved.self\(about))"
        case .scope: "withMessages(Saved.self\(about)) { _ in }"
        case .next: "next(Saved.self\(about))"
        }
    let line = "HeraldCenter.host.\(call)"
    return "        " + (form == .sequence ? "_ = " : form == .next ? "_ = await " : form == .scope ? "await " : "")
        + line
}

/// A file that calls the twins. `expected` is what the compiler says of each call.
func testsOfTwins(_ expected: String, ofInstances: Bool) -> String {
    var lines = [
        "// expect on each marked line: \(expected)", head + "import Dispatch", "import Herald", "",
        "final class Document: Sendable {}", "", "actor Store {}", "", "#if MISUSE",
    ]
    let wire =
        "    struct Saved: HeraldCenter.WireMessage, Codable { static let wireName: HeraldCenter.Name = \"com.acme.saved\" }"
    lines +=
        ofInstances
        ? [
            "    struct Saved: HeraldCenter.Message, Sendable { typealias Subject = Document }",
            "    let document = Document()", "#else", wire, "    let document = \"a document\"",
        ] : ["    struct Saved: HeraldCenter.Message, Sendable {}", "#else", wire]
    lines += [
        "#endif", "", "final class Library: Sendable {",
        "    @Sendable func note(_: Library, _: any Error, _: Saved) {}", "",
        "    func watch(_ queue: DispatchQueue, _ store: Store) async {",
    ]
    for (form, subject) in twins where (subject == .instance) == ofInstances {
        lines.append(callOfTwin(form, subject) + "  // here")
    }
    return lines.joined(separator: "\n") + "\n    }\n}\n"
}
