/// Where and how long an observer is called.
enum Form: CaseIterable {
    case token, owner, ownerAnywhere, via, viaClosure, ownerVia, ownerViaClosure, async, ownerAsync, throwing,
        ownerThrowing, actor, sequence, scope, next, once, conditional

    /// Whether the observer is called by the post itself.
    var isHere: Bool { [.token, .owner, .ownerAnywhere, .once, .conditional].contains(self) }
    var hasOwner: Bool {
        [.owner, .ownerAnywhere, .ownerVia, .ownerViaClosure, .ownerAsync, .ownerThrowing].contains(self)
    }

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
    if form == .next { return !family.isMainActor && !family.isKept }
    return !family.isMainActor || form.isHere
}
