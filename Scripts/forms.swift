// Writes the functions that observe. A function is a form (where and how long an observer is called) of a family (what
// it gets), once for all subjects and once for one. From this one table come:
//
//   Sources/Herald/Observe/*.swift       the functions, a file for each family
//   Sources/Herald/WireMisuse.swift      unavailable twins, for messages that cannot leave their process
//   Tests/Misuse/WireForms.swift         a call of each twin, with the sentence that the compiler must say
//   Herald.docc/Observing.md             the matrix of forms and families, between two marks
//
// `make forms` runs this, and `make forms-check` fails if a file is not what the table gives. Usage: forms FOLDER
import Foundation

// ---- The table -------------------------------------------------------------------------------------------------------

/// What an observer gets.
struct Family {
    let file: String
    /// The protocol or type that the functions belong to.
    var isWire = false
    /// The argument that says what is observed, its label as a sequence, and its comment.
    let argument: String, ofSequence: String, about: (name: String, text: String)
    /// Generic parameters where the poster calls, and everywhere else.
    var here = "", elsewhere = ""
    /// What the body gets where the poster calls, and everywhere else.
    let element: String, copied: String
    /// The type of a subject. Nil: there is none.
    let subject: String?
    /// What is observed, in a sentence: "the messages of a type", and one of them.
    let what: String, one: String
    /// The source of the elements, with a filter.
    let source: (_ filter: String) -> String
    /// The words before a filter's subject: `Filter(names, .only(subject), file, line)`.
    var filtered = ""
    /// Observers of this family in the process are called through C's own closures.
    var direct: (kind: String, name: String, key: String, closure: String)?
    /// Posts of a suspended center may be held.
    var isHeld = false
    /// Posts that wait are one: the last, with the count of all.
    var isMerged = false
    /// The body belongs to the main actor.
    var isMainActor = false
    /// Where the poster's observers are called, and the rules that say when.
    let place: String
    let calls: String
    /// The columns of the guide's matrix.
    let column: String, example: String
}

let families = [
    Family(
        file: "ObserveMessages", argument: "_: M.Type", ofSequence: "_: M.Type",
        about: ("type", "The type of the messages."),
        here: "M: Message & ~Copyable", elsewhere: "M: AnyMessage & Sendable", element: "borrowing M", copied: "M",
        subject: "M.Subject", what: "the messages of a type", one: "message",
        source: { "Source<M>(self, \($0))" },
        direct: ("HERALD_SWIFT_MESSAGES", "Herald.name(of: M.self)", "", "message"),
        place: "on the posting thread",
        calls: """
            Observers are called in the order of registration (R2), before the post returns (R3). After the registration has \
            ended, no new call of the body starts (R6).
            """,
        column: "messages of a type", example: "Saved.self"),
    Family(
        file: "ObserveMainActorMessages", argument: "_: M.Type", ofSequence: "_: M.Type",
        about: ("type", "The type of the messages."),
        here: "M: MainActorMessage", elsewhere: "", element: "M", copied: "M", subject: "M.Subject",
        what: "main-actor messages", one: "message", source: { "Source<M>(self, \($0))" },
        direct: ("HERALD_SWIFT_MESSAGES", "Herald.name(of: M.self)", "", "mainActorMessage"), isMainActor: true,
        place: "on the main actor",
        calls: """
            Observers are called in the order of registration (R2), before the post returns (R3). After the registration has \
            ended, no new call of the body starts (R6). Any thread may release the body.
            """,
        column: "main-actor messages", example: "Shown.self"),
    Family(
        file: "ObserveNames", argument: "_ name: Name", ofSequence: "named name: Name",
        about: ("name", "The name to observe."), element: "Notice", copied: "Posted", subject: "AnyObject",
        what: "the posts of a name", one: "post", source: { "Source(self, name, \($0))" },
        direct: ("HERALD_SWIFT_NOTICES", "name.native", "", "notice"), isHeld: true, place: "on the posting thread",
        calls: """
            Observers are called in the order of registration (R2), before the post returns (R3), unless the center is \
            suspended. After the registration has ended, no new call of the body starts (R6).
            """,
        column: "posts of a name", example: ".saved"),
    Family(
        file: "ObservePosts", argument: "posts names: Names", ofSequence: "posts names: Names",
        about: ("names", "A name, all names below a prefix (R26), or all names: ``Names``."), element: "Notice",
        copied: "Posted", subject: "AnyObject", what: "the posts of several names", one: "post",
        source: { "Source(self, names, \($0))" }, filtered: "names, ",
        direct: ("HERALD_SWIFT_NOTICES", "names.native", "names.key", "notice"), isHeld: true,
        place: "on the posting thread",
        calls: """
            Messages are posts of names, too: ``Notice/message``. Observers are called in the order of registration (R2), \
            before the post returns (R3), unless the center is suspended. After the registration has ended, no new call of \
            the body starts (R6).
            """,
        column: "posts of several names", example: "posts: .under(\"app\")"),
    Family(
        file: "ObserveWireMessages", isWire: true, argument: "_: M.Type", ofSequence: "_: M.Type",
        about: ("type", "The type of the messages."), here: "M: HeraldCenter.WireMessage",
        elsewhere: "M: HeraldCenter.WireMessage", element: "M", copied: "M", subject: "String",
        what: "the messages of a type", one: "message", source: { "Source<M>(wire, \($0))" }, isHeld: true,
        place: "on Herald's thread",
        calls: """
            The body gets no message that cannot be decoded as the type (R23). All observers without a queue or an actor \
            share one thread, so a slow body delays the others. After the registration has ended, no new call of the body \
            starts (R6).
            """,
        column: "wire messages", example: "Shared.self"),
    Family(
        file: "ObserveWireNames", isWire: true, argument: "_ name: HeraldCenter.Name",
        ofSequence: "named name: HeraldCenter.Name", about: ("name", "The name to observe."), element: "NamePost",
        copied: "NamePost", subject: nil, what: "the posts of a name", one: "post",
        source: { "Source(wire, name, \($0))" }, isHeld: true, isMerged: true, place: "on Herald's thread",
        calls: """
            A call may stand for several posts: ``NamePost/count``. All observers without a queue or an actor share one \
            thread, so a slow body delays the others. After the registration has ended, no new call of the body starts (R6).
            """,
        column: "posts of a name between processes", example: ".saved"),
    Family(
        file: "ObserveWirePosts", isWire: true, argument: "messages names: HeraldCenter.Names",
        ofSequence: "messages names: HeraldCenter.Names",
        about: ("names", "A name, all names below a prefix (R26), or all names: ``HeraldCenter/Names``."),
        element: "WirePost", copied: "WirePost", subject: "String", what: "messages of any type, not decoded",
        one: "message", source: { "Source(wire, names, \($0))" }, filtered: "names, ", isHeld: true,
        place: "on Herald's thread",
        calls: """
            Posts of a name alone are heard, too. All observers without a queue or an actor share one thread, so a slow body \
            delays the others. After the registration has ended, no new call of the body starts (R6).
            """,
        column: "wire messages of any type", example: "messages: .under(\"app\")"),
]

/// Where and how long an observer is called.
enum Form: CaseIterable {
    case token, owner, ownerAnywhere, via, viaClosure, ownerVia, ownerViaClosure, async, ownerAsync, throwing,
        ownerThrowing, actor, sequence, scope, next, once, conditional

    /// Whether the observer is called by the post itself.
    var isHere: Bool { [.token, .owner, .ownerAnywhere, .once, .conditional].contains(self) }
    var hasOwner: Bool {
        [.owner, .ownerAnywhere, .ownerVia, .ownerViaClosure, .ownerAsync, .ownerThrowing].contains(self)
    }
    var isScheduled: Bool { [.via, .viaClosure, .ownerVia, .ownerViaClosure].contains(self) }

    /// The row of the guide's matrix. Nil: another form's row says it.
    func row(_ example: String) -> (String, String)? {
        switch self {
        case .token: ("where the poster is, while a token lives", "`observe(\(example)) { }`")
        case .owner: ("the same, while an owner lives", "`observe(\(example), by: self) { }`")
        case .via: ("through a queue or scheduler", "`observe(\(example), via: queue) { }`")
        case .ownerVia: ("the same, while an owner lives", "`observe(\(example), by: self, via: queue) { }`")
        case .async: ("on the body's own actor", "`observe(\(example), async: { })`")
        case .ownerAsync: ("the same, while an owner lives", "`observe(\(example), by: self, async: { })`")
        case .throwing: ("there, with a body that throws", "`observe(\(example), async: { }, failed: { })`")
        case .ownerThrowing:
            ("the same, while an owner lives", "`observe(\(example), by: self, async: { }, failed: { })`")
        case .actor: ("on an actor, while it lives", "`observe(\(example), on: self) { }`")
        case .sequence: ("as a sequence", "`messages(\(example))`")
        case .scope: ("as a sequence that ends with a scope", "`withMessages(\(example)) { }`")
        case .next: ("the next one", "`next(\(example))`")
        case .once: ("once", "`observeOnce(\(example)) { }`")
        case .conditional: ("as long as a condition holds", "`observe(\(example), while: { ... }) { }`")
        case .ownerAnywhere, .viaClosure, .ownerViaClosure: nil
        }
    }
}

func has(_ family: Family, _ form: Form) -> Bool {
    if form == .ownerAnywhere { return family.isMainActor }
    return !family.isMainActor || form.isHere
}

// ---- A function ------------------------------------------------------------------------------------------------------

struct Function {
    let family: Family, form: Form, isOfOne: Bool

    var prefix: String { family.isWire ? "HeraldCenter." : "" }
    var isOnce: Bool { form == .once }

    var isSequence: Bool { form == .sequence || form == .scope }

    var name: String {
        switch form {
        case .sequence: "messages"
        case .scope: "withMessages"
        case .next: "next"
        case .once: "observeOnce"
        default: "observe"
        }
    }

    var generics: String {
        let message = form.isHere ? family.here : family.elsewhere
        let sendable = form == .owner && family.isMainActor ? "O: AnyObject" : "O: AnyObject & Sendable"
        let all = [
            form.hasOwner ? sendable : "", form == .actor ? "A: Actor" : "", message, form == .scope ? "Result" : "",
        ]
        .filter { $0 != "" }
        return all.isEmpty ? "" : "<\(all.joined(separator: ", "))>"
    }

    /// The registration ends by itself. Such an observer of a name gets what outlives the call.
    var endsItself: Bool { isOnce || form == .conditional }

    /// What the body gets.
    var element: String { form.isHere && !(endsItself && family.element == "Notice") ? family.element : family.copied }

    var actor: String { family.isMainActor ? "@MainActor" : "@Sendable" }

    var body: String {
        switch form {
        case .token, .once, .conditional: "_ body: @escaping \(actor) (\(element)) -> Void"
        case .owner, .ownerAnywhere: "_ body: @escaping \(actor) (O, \(element)) -> Void"
        case .via, .viaClosure: "_ body: @escaping @Sendable (\(element)) -> Void"
        case .ownerVia, .ownerViaClosure: "_ body: @escaping @Sendable (O, \(element)) -> Void"
        case .async:
            "@_inheritActorContext async body: @escaping @isolated(any) @Sendable (\(element)) async -> Void"
        case .ownerAsync:
            "@_inheritActorContext async body: @escaping @isolated(any) @Sendable (O, \(element)) async -> Void"
        case .throwing:
            "@_inheritActorContext async body: @escaping @isolated(any) @Sendable (\(element)) async throws -> Void"
        case .ownerThrowing:
            "@_inheritActorContext async body: @escaping @isolated(any) @Sendable (O, \(element)) async throws -> Void"
        case .actor: "_ body: @escaping @Sendable (isolated A, \(element)) async -> Void"
        case .sequence: ""
        case .scope: "_ body: (Messages<\(element)>) async throws -> Result"
        case .next: "where isWanted: (@Sendable (\(element)) -> Bool)? = nil"
        }
    }

    /// What is called with an error of the body.
    var failed: String? {
        switch form {
        case .throwing:
            "@_inheritActorContext failed: @escaping @isolated(any) @Sendable (any Error, \(element)) async -> Void"
        case .ownerThrowing:
            "@_inheritActorContext failed: @escaping @isolated(any) @Sendable (O, any Error, \(element)) async -> Void"
        default: nil
        }
    }

    var parameters: [String] {
        var all = [isSequence ? family.ofSequence : family.argument]
        if isOfOne { all.append("subject: \(family.subject!)") }
        if form.hasOwner { all.append("by owner: O") }
        if form == .actor { all.append("on actor: A") }
        if form == .via || form == .ownerVia { all.append("via scheduler: some \(prefix)WorkScheduler") }
        if form == .viaClosure || form == .ownerViaClosure {
            all.append("via schedule: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void")
        }
        if family.isHeld && form.isHere && !isOnce {
            all.append("whileSuspended: \(prefix)SuspensionBehavior = .deliverImmediately")
        }
        if !form.isHere && form != .next && !family.isMerged {
            all.append("buffer: \(prefix)Buffer = \(isSequence ? ".newest(256)" : ".unbounded")")
        }
        if form == .next {
            all += ["within limit: Duration? = nil", "isolation: isolated (any Actor)? = #isolation"]
        }
        if form == .scope { all.append("isolation: isolated (any Actor)? = #isolation") }
        if form == .conditional { all.append("while goesOn: @escaping \(actor) (\(element)) -> Bool") }
        if body != "" { all.append(body) }
        if let failed { all.append(failed) }
        return all + ["file: StaticString = #fileID", "line: UInt = #line"]
    }

    var result: String {
        switch form {
        case .token, .via, .viaClosure, .async, .throwing, .once, .conditional: " -> \(prefix)ObservationToken"
        case .sequence: " -> Messages<\(element)>"
        case .scope: " async rethrows -> Result"
        case .next: " async -> \(element)?"
        default: ""
        }
    }

    var filter: String {
        let text = family.subject == "String"
        let subject = isOfOne ? (text ? "text: subject, " : ".only(subject), ") : ""
        return "Filter(\(family.filtered)\(subject)file, line)"
    }

    var attributes: [String] {
        var all: [String] = []
        // A copy of these in the library would be a third of it, and each is one call of what the library has.
        if !form.isHere { all.append("@_alwaysEmitIntoClient") }
        if form == .owner && family.isMainActor { all.append("@MainActor") }
        return all
    }

    var statement: String {
        let held = family.isHeld && form.isHere && !isOnce ? "whileSuspended: whileSuspended, " : ""
        let source = family.source(filter)
        let merge = family.isMerged ? ".newest(1), merge: NamePost.merge" : "buffer"
        /// A closure of the main actor, as one that C may call: C calls it on the main actor alone.
        func free(_ closure: String, _ result: String) -> String {
            family.isMainActor ? "unsafeBitCast(\(closure), to: ((M) -> \(result)).self)" : closure
        }
        func mailbox(_ rest: String) -> String { "HeraldCenter.mailbox(\(merge), \(rest))" }
        switch form {
        case .token:
            guard let direct = family.direct else { return "\(source).observe(\(held)body)" }
            return
                "observe(\(direct.kind), HERALD_SWIFT_PLAIN, \(direct.name), \(filter), \(held)herald_swift_closure(\(direct.closure): body))"
        case .owner, .ownerAnywhere:
            guard let direct = family.direct else { return "\(source).observe(by: owner, \(held)body)" }
            let key = direct.key == "" ? "" : "key: \(direct.key), "
            return
                "observe(\(direct.kind), HERALD_SWIFT_OWNED, \(direct.name), \(key)\(filter), by: owner, \(held)herald_swift_closure(owner: owner, \(direct.closure): body))"
        case .via: return "\(source).observe(\(mailbox("via: scheduler._run, body")))"
        case .viaClosure: return "\(source).observe(\(mailbox("via: schedule, body")))"
        case .ownerVia: return "\(source).observe(by: owner, \(mailbox("for: owner, via: scheduler._run, body")))"
        case .ownerViaClosure: return "\(source).observe(by: owner, \(mailbox("for: owner, via: schedule, body")))"
        case .async: return "\(source).observe(\(mailbox("body")))"
        case .ownerAsync: return "\(source).observe(by: owner, \(mailbox("for: owner, body")))"
        case .throwing: return "\(source).observe(\(mailbox("body, failed: failed")))"
        case .ownerThrowing: return "\(source).observe(by: owner, \(mailbox("for: owner, body, failed: failed")))"
        case .actor: return "\(source).observe(by: actor, \(mailbox("on: actor, body")))"
        case .sequence: return "\(source).messages(\(merge))"
        case .scope: return "try await \(source).messages(\(merge)).during(isolation: isolation, body)"
        case .next: return "await \(source).next(within: limit, where: isWanted, isolation: isolation)"
        case .once:
            return "\(source).once(\(free("body", "Void")))"
        case .conditional:
            return "\(source).observe(\(held)while: \(free("goesOn", "Bool")), \(free("body", "Void")))"
        }
    }
}

// ---- Comments --------------------------------------------------------------------------------------------------------

extension Function {
    var what: String { isOfOne ? "\(family.what) about one subject" : family.what }
    var some: String { "\(family.one)s" }
    var isElsewhere: Bool { !form.isHere }

    var title: String {
        switch form {
        case .token: "Observes \(what) \(family.place), while the token lives."
        case .owner: "Observes \(what) \(family.place), while an owner lives."
        case .ownerAnywhere:
            "Observes \(what) \(family.place), while an owner lives. Any thread or actor may call this function."
        case .via: "Observes \(what) through a queue, while the token lives."
        case .viaClosure: "Observes \(what) through a scheduler that is a closure, while the token lives."
        case .ownerVia: "Observes \(what) through a queue, while an owner lives."
        case .ownerViaClosure: "Observes \(what) through a scheduler that is a closure, while an owner lives."
        case .async: "Observes \(what) on the body's own actor, while the token lives."
        case .ownerAsync: "Observes \(what) on the body's own actor, while an owner lives."
        case .throwing: "Observes \(what) on the body's own actor with a body that may throw, while the token lives."
        case .ownerThrowing:
            "Observes \(what) on the body's own actor with a body that may throw, while an owner lives."
        case .actor: "Observes \(what) on an actor, while the actor lives."
        case .sequence: "\(what.prefix(1).uppercased())\(what.dropFirst()) from now on, as a sequence."
        case .scope: "Gives a closure \(what) from now on, as a sequence that ends with the closure."
        case .next: "Waits for the next of \(what)."
        case .once: "Observes \(what) \(family.place) until the body has been called once."
        case .conditional: "Observes \(what) \(family.place), as long as a condition holds."
        }
    }

    private var replaces: String {
        """
        If the same owner observes the same \(family.about.name)\(family.subject == nil ? "" : " and subject") again, in the same \
        source file, the new registration replaces the old one, and is the last in order. Until the old registration has \
        been removed, a post on another thread may call both.
        """
    }

    private var copies: String {
        family.isWire ? "" : "A post copies what the body gets, and waits for the body only if a scheduler waits. "
    }

    private var waiting: String {
        family.isMerged
            ? "At most one post waits for the body: later posts are added to its ``NamePost/count``. "
            : ""
    }

    private var suspended: String {
        family.isHeld && isElsewhere ? "The body gets \(some) even while the center is suspended (R16). " : ""
    }

    var paragraphs: [String] {
        switch form {
        case .token:
            let hint =
                family.file == "ObserveMessages"
                ? ["If a trailing closure contains `await`, the compiler chooses the form that queues messages."] : []
            return [family.calls + " The body is released when the last running call has returned (R10)."] + hint
        case .owner, .ownerAnywhere:
            let hint =
                family.isMainActor || family.isWire
                ? []
                : [
                    """
                    **In a class of the main actor, write `async:`**\(family.file == "ObserveMessages" ? ", or make the message a ``MainActorMessage``" : ""). \
                    Otherwise the body is called on whichever thread posts, and the compiler reports "main actor-isolated property ... can not be \
                    mutated from a Sendable closure", or "call to main actor-isolated instance method ... in a synchronous \
                    nonisolated context". In an actor, write `on: self`.
                    """
                ]
            return hint + [
                """
                No observer is called after its owner is gone (R6). When the owner is gone, the next post that reaches the \
                registration releases the body (R10). Adding another observer with an owner may release the body earlier.
                """, replaces,
            ]
        case .via, .viaClosure:
            return [
                copies + waiting
                    + """
                    Suppose that the scheduler uses a serial queue. If a thread posts, and then puts a block on this queue, the \
                    body runs before the block. \(some.prefix(1).uppercased())\(some.dropFirst()) that still wait when the \
                    registration ends are dropped (R6). \(suspended)
                    """
            ]
        case .ownerVia, .ownerViaClosure, .ownerAsync, .ownerThrowing, .actor:
            return [
                copies + waiting
                    + "\(some.prefix(1).uppercased())\(some.dropFirst()) that still wait when the registration ends are dropped (R6). \(suspended)",
                form == .actor ? replaces.replacing("owner", with: "actor") : replaces,
            ]
        case .async, .throwing:
            return [
                copies + waiting
                    + """
                    A body that is written in an actor runs on that actor, and a body that is written in a main-actor class on the \
                    main actor. \(some.prefix(1).uppercased())\(some.dropFirst()) that still wait when the registration ends are \
                    dropped (R6). \(suspended)
                    """
            ]
        case .sequence:
            return [
                """
                This call registers the observer, so the sequence also gets \(some) that come before a loop begins. \(waiting)\
                \(family.isMerged ? "" : "They come in posting order. ")\(suspended.replacing("body", with: "sequence"))
                """
            ]
        case .scope:
            return [
                """
                The registration ends when the closure returns or throws. \(some.prefix(1).uppercased())\(some.dropFirst()) that \
                wait then are dropped, and another task that still iterates gets `nil`. \(waiting)\
                \(suspended.replacing("body", with: "sequence"))
                """
            ]
        case .next:
            return [
                """
                The observer is registered before the call waits. ``next`` in a loop would miss what is posted between two calls: \
                use `messages` there. \(suspended.replacing("The body gets", with: "The call gets"))
                """.replacing("``next``", with: "`next`")
            ]
        case .conditional:
            return [
                """
                The registration ends with the first \(family.one) for which the condition does not hold. The body does not get \
                this \(family.one), and no later one. If several threads post at once, a call of the body that has begun for \
                another \(family.one) goes on. The registration also ends with the token.
                """
            ]
        case .once:
            return [
                "The registration ends with the first call, even if several threads post at once (R6). \(isOnce && family.isWire ? "" : "")"
            ]
        }
    }

    var documented: [(String, String)] {
        var all = [family.about]
        if isOfOne {
            all.append(
                (
                    "subject",
                    family.subject == "String"
                        ? "Only \(some) with this subject. The text stays in memory until the process ends."
                        : "Only \(some) about this instance, which is not retained. A later instance at the same address is never mistaken for it (R12)."
                ))
        }
        if form.hasOwner {
            all.append(
                (
                    "owner",
                    "Referenced weakly, but retained during a call. So the owner's `deinit` may run after a call, on the calling thread."
                ))
        }
        if form == .actor {
            all.append(("actor", "The owner of the registration. Referenced weakly, but retained during a call."))
        }
        if form == .via || form == .ownerVia {
            all.append(
                (
                    "scheduler",
                    "A `DispatchQueue`, or another ``\(prefix == "" ? "" : "HeraldCenter/")WorkScheduler``, that runs the body."
                ))
        }
        if form == .viaClosure || form == .ownerViaClosure {
            all.append(
                (
                    "schedule",
                    "Runs the work that it gets, later or at once, as ``\(prefix == "" ? "" : "HeraldCenter/")WorkScheduler/schedule(_:)`` does."
                ))
        }
        for parameter in parameters {
            if parameter.hasPrefix("whileSuspended") {
                all.append(
                    (
                        "whileSuspended",
                        "What the observer gets while the center is suspended\(family.isWire ? " in this process" : "") (R16)."
                    ))
            }
            if parameter.hasPrefix("buffer") {
                all.append(
                    (
                        "buffer",
                        isSequence
                            ? "How many \(some) may wait to be taken. ``Messages/dropped`` counts those that were dropped."
                            : "How many \(some) may wait for the body."
                    ))
            }
        }
        if form == .next {
            all += [
                ("limit", "How long to wait at most. `nil`, or more than a hundred years: there is no limit."),
                ("isolation", "The caller's actor."),
                (
                    "isWanted",
                    "Returns whether \(family.one == "message" ? "a message" : "a post") counts. Called on the posting thread, and no more once one has counted."
                ),
            ]
        }
        if form == .scope { all.append(("isolation", "The caller's actor.")) }
        if form == .conditional {
            all.append(
                (
                    "goesOn",
                    "Returns whether the observer gets the \(family.one), and stays registered. Called before the body, \(family.place)."
                ))
        }
        if body != "" && form != .next { all.append(("body", bodyText)) }
        if failed != nil {
            let owned = form.hasOwner ? "the owner, " : ""
            all.append(
                (
                    "failed",
                    "Called with \(owned)the error that the body has thrown and the \(family.one), before the next call of the body. A closure that is written beside the body runs on the same actor, unless an attribute names another."
                ))
        }
        return all + [
            ("file", "The source file of this call. Inspection tools show `file` and `line`."),
            ("line", "The source line of this call."),
        ]
    }

    private var bodyText: String {
        let owned = form.hasOwner ? "with the owner and " : "with "
        let lent =
            switch family.element {
            case "borrowing M": "a borrow of the poster's own message"
            case "Notice": endsItself ? "the post" : "the post, which is lent for the call"
            default: family.one == "message" ? "the message" : "the post"
            }
        switch form {
        case .token, .owner, .ownerAnywhere:
            let rest =
                family.isMainActor
                ? "Called on the main actor \(owned)the message. The body need not be `Sendable`."
                : "Called \(owned)\(lent). The body may post, observe and cancel (R7)."
            return rest + (form == .token ? " The body retains everything that it captures, even the subject." : "")
        case .once, .conditional: return "Called \(owned)\(lent)\(family.isMainActor ? ", on the main actor" : "")."
        case .via, .viaClosure, .ownerVia, .ownerViaClosure:
            return "Called where the scheduler runs it, \(owned)one \(family.one) at a time, in posting order."
        case .async, .ownerAsync, .throwing, .ownerThrowing:
            return
                "Called on the actor to which the body is isolated, \(owned)one \(family.one) at a time, in posting order."
        case .actor: return "Called on the actor, with one \(family.one) at a time, in posting order."
        case .scope: return "Called with the sequence, on the caller's actor."
        case .sequence, .next: return ""
        }
    }

    var returned: String? {
        switch form {
        case .token:
            "The token that owns the registration. ``\(prefix == "" ? "" : "HeraldCenter/")ObservationToken/cancel()`` waits for running calls (R11)."
        case .once, .conditional: "The token that owns the registration."
        case .via, .viaClosure, .async, .throwing:
            "The token that owns the registration. Ending the registration does not wait for a running body."
        case .sequence: "The sequence. The registration ends when the sequence and its iterators are gone."
        case .scope: "What the closure returns."
        case .next: "The \(family.one); `nil` when the time is over, or the task is cancelled."
        default: nil
        }
    }

    var comment: [String] {
        var lines = wrapped(title)
        for paragraph in paragraphs where paragraph.contains(where: { $0 != " " }) {
            lines += [""] + wrapped(paragraph)
        }
        lines += ["", "- Parameters:"]
        for (name, text) in documented { lines += wrapped("  - \(name): \(text)", further: "    ") }
        if let returned { lines += wrapped("- Returns: \(returned)", further: "  ") }
        return lines.map { $0 == "" ? "    ///" : "    /// \($0)" }
    }
}

/// Lines of 120 characters at most, in a comment of a member.
func wrapped(_ text: String, further: String = "", width: Int = 112) -> [String] {
    var lines: [String] = []
    var line = ""
    let indent = String(text.prefix { $0 == " " })
    for word in text.split(separator: " ") {
        let start = lines.isEmpty ? indent : further
        if line == "" {
            line = start + word
        } else if line.count + 1 + word.count > width {
            lines.append(line)
            line = further + word
        } else {
            line += " " + word
        }
    }
    return lines + (line == "" ? [] : [line])
}

// ---- Files -----------------------------------------------------------------------------------------------------------

let head = "// Written by Scripts/forms.swift: change the table there, and run `make forms`.\n"

func functions(_ family: Family) -> [Function] {
    Form.allCases.filter { has(family, $0) }.flatMap { form in
        [Function(family: family, form: form, isOfOne: false)]
            + (family.subject == nil ? [] : [Function(family: family, form: form, isOfOne: true)])
    }
}

/// A declaration, broken into lines of 120 characters as `make format` does it.
func declared(_ start: String, _ parameters: [String], _ end: String) -> [String] {
    let whole = "\(start)(\(parameters.joined(separator: ", ")))\(end)"
    if whole.count <= 116 { return ["    " + whole] }
    var lines = ["    \(start)("]
    let places = Array(parameters.dropLast(2)), site = parameters.suffix(2).joined(separator: ", ")
    var line = ""
    for (index, parameter) in places.enumerated() {
        let next = parameter + (index == places.count - 1 && site == "" ? "" : ",")
        if line == "" {
            line = next
        } else if line.count + 1 + next.count > 112 {
            lines.append("        " + line)
            line = next
        } else {
            line += " " + next
        }
    }
    lines += ["        " + line, "        \(site)"]
    return lines + ["    )\(end)"]
}

func file(of family: Family) -> String {
    let imports = family.direct == nil ? [head] : [head, "import CHeraldRuntime", ""]
    var lines = imports + ["extension \(family.isWire ? "WireCenter" : "HeraldCenter") {"]
    for (index, function) in functions(family).enumerated() {
        if index > 0 { lines.append("") }
        lines += function.comment
        lines += function.attributes.map { "    \($0)" }
        lines += declared(
            "public func \(function.name)\(function.generics)", function.parameters, function.result + " {")
        lines += ["        " + function.statement, "    }"]
    }
    return lines.joined(separator: "\n") + "\n}\n"
}

// ---- Misuse ----------------------------------------------------------------------------------------------------------

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

func testsOfTwins() -> String {
    var lines = [
        "// expect on each marked line: this message stays in its process: write `struct ...: HeraldCenter.WireMessage, Codable`",
        head + "import Dispatch", "import Herald", "", "final class Document: Sendable {}", "", "actor Store {}", "",
        "#if MISUSE",
        "    struct Saved: HeraldCenter.Message, Sendable {}", "#else",
        "    struct Saved: HeraldCenter.WireMessage, Codable { static let wireName: HeraldCenter.Name = \"com.acme.saved\" }",
        "#endif", "", "final class Library: Sendable {",
        "    @Sendable func note(_: Library, _: any Error, _: Saved) {}", "",
        "    func watch(_ queue: DispatchQueue, _ store: Store) async {",
    ]
    for (form, subject) in twins where subject != .instance { lines.append(callOfTwin(form, subject) + "  // here") }
    return lines.joined(separator: "\n") + "\n    }\n}\n"
}

func testsOfTwinsWithInstances() -> String {
    var lines = [
        "// expect on each marked line: between processes a subject is a `String`",
        head + "import Dispatch", "import Herald", "", "final class Document: Sendable {}", "", "actor Store {}", "",
        "#if MISUSE",
        "    struct Saved: HeraldCenter.Message, Sendable { typealias Subject = Document }",
        "    let document = Document()", "#else",
        "    struct Saved: HeraldCenter.WireMessage, Codable { static let wireName: HeraldCenter.Name = \"com.acme.saved\" }",
        "    let document = \"a document\"", "#endif", "", "final class Library: Sendable {",
        "    @Sendable func note(_: Library, _: any Error, _: Saved) {}", "",
        "    func watch(_ queue: DispatchQueue, _ store: Store) async {",
    ]
    for (form, subject) in twins where subject == .instance { lines.append(callOfTwin(form, subject) + "  // here") }
    return lines.joined(separator: "\n") + "\n    }\n}\n"
}

// ---- The guide -------------------------------------------------------------------------------------------------------

let marks = (begin: "<!-- forms: begin -->", end: "<!-- forms: end -->")

func matrix() -> String {
    var lines = ["| | in this process | between processes and machines |", "|---|---|---|"]
    for form in Form.allCases {
        guard let row = form.row("Saved.self"), let wire = form.row("Shared.self") else { continue }
        lines.append("| \(row.0) | \(row.1) | \(wire.1) |")
    }
    lines += ["", "| instead of `Saved.self` | the observer gets |", "|---|---|"]
    for family in families {
        let first = functions(family)[0].element.replacing("borrowing M", with: "the message, borrowed").replacing(
            "M", with: "the message")
        let gets =
            family.element == family.copied || family.element == "borrowing M"
            ? first : "`Notice`; elsewhere, once and with a condition `Posted`"
        lines.append(
            "| `\(family.example)` | \(family.what)\(family.isWire ? " between processes" : ""): \(gets.contains("`") || gets.contains(" ") || gets == "the message" ? gets : "`\(gets)`") |"
        )
    }
    return lines.joined(separator: "\n")
}

func guide(_ text: String) -> String {
    guard let begin = text.range(of: marks.begin), let end = text.range(of: marks.end) else {
        fatalError("Observing.md has lost its marks")
    }
    return text.replacingCharacters(in: begin.upperBound..<end.lowerBound, with: "\n\n\(matrix())\n\n")
}

// ---- Writing ---------------------------------------------------------------------------------------------------------

let folder = CommandLine.arguments.count == 2 ? CommandLine.arguments[1] : "."

func write(_ text: String, _ path: String) {
    let full = "\(folder)/\(path)"
    try! FileManager.default.createDirectory(
        atPath: (full as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
    try! text.write(toFile: full, atomically: true, encoding: .utf8)
}

for family in families { write(file(of: family), "Sources/Herald/Observe/\(family.file).swift") }
write(misuseOfWires(), "Sources/Herald/WireMisuse.swift")
write(testsOfTwins(), "Tests/Misuse/WireForms.swift")
write(testsOfTwinsWithInstances(), "Tests/Misuse/WireFormsOfInstances.swift")
let observing = "Sources/Herald/Herald.docc/Observing.md"
if let text = try? String(contentsOfFile: "\(folder)/\(observing)", encoding: .utf8) { write(guide(text), observing) }
