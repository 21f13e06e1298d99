/// A function to be written: a form of a family, for all subjects or for one.
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

    /// The parameter for the closure that gets an error of the body.
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
        if family.isKept { all.append("from start: \(prefix)Start") }
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
        if family.isKept {
            let sendable = family.isWire ? "@escaping @Sendable " : ""
            all.append("began: \(sendable)(Int) -> Void = { _ in }")
            if family.isWire { all.append("cannotBegin: \(sendable)(WireError) -> Void = { _ in }") }
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
        let from = family.isKept && !family.isWire ? "from: start.of(M.self), began: began" : ""
        let begins = from == "" ? "" : from + ", ", ends = from == "" ? "" : ", " + from
        switch form {
        case .token:
            guard let direct = family.direct else { return "\(source).observe(\(held)body)" }
            return
                "observe(\(direct.kind), HERALD_SWIFT_PLAIN, \(direct.name), \(filter), \(held)\(begins)herald_swift_closure(\(direct.closure): body))"
        case .owner, .ownerAnywhere:
            guard let direct = family.direct else { return "\(source).observe(by: owner, \(held)body)" }
            let key = direct.key == "" ? "" : "key: \(direct.key), "
            return
                "observe(\(direct.kind), HERALD_SWIFT_OWNED, \(direct.name), \(key)\(filter), by: owner, \(held)\(begins)herald_swift_closure(owner: owner, \(direct.closure): body))"
        case .via: return "\(source).observe(\(begins)\(mailbox("via: scheduler._run, body")))"
        case .viaClosure: return "\(source).observe(\(begins)\(mailbox("via: schedule, body")))"
        case .ownerVia:
            return "\(source).observe(by: owner, \(begins)\(mailbox("for: owner, via: scheduler._run, body")))"
        case .ownerViaClosure:
            return "\(source).observe(by: owner, \(begins)\(mailbox("for: owner, via: schedule, body")))"
        case .async: return "\(source).observe(\(begins)\(mailbox("body")))"
        case .ownerAsync: return "\(source).observe(by: owner, \(begins)\(mailbox("for: owner, body")))"
        case .throwing: return "\(source).observe(\(begins)\(mailbox("body, failed: failed")))"
        case .ownerThrowing:
            return "\(source).observe(by: owner, \(begins)\(mailbox("for: owner, body, failed: failed")))"
        case .actor: return "\(source).observe(by: actor, \(begins)\(mailbox("on: actor, body")))"
        case .sequence: return "\(source).messages(\(merge)\(ends))"
        case .scope: return "try await \(source).messages(\(merge)\(ends)).during(isolation: isolation, body)"
        case .next: return "await \(source).next(within: limit, where: isWanted, isolation: isolation)"
        case .once:
            return "\(source).once(\(begins)\(free("body", "Void")))"
        case .conditional:
            return "\(source).observe(\(held)\(begins)while: \(free("goesOn", "Bool")), \(free("body", "Void")))"
        }
    }
}

func functions(_ family: Family) -> [Function] {
    Form.allCases.filter { has(family, $0) }.flatMap { form in
        [Function(family: family, form: form, isOfOne: false)]
            + (family.subject == nil ? [] : [Function(family: family, form: form, isOfOne: true)])
    }
}
