extension Function {
    var what: String {
        family.what + (isOfOne ? " about one subject" : "") + (family.isKept ? ", beginning with what is kept," : "")
    }
    var some: String { "\(family.one)s" }
    var Some: String { some.prefix(1).uppercased() + some.dropFirst() }
    /// The beginning of a symbol's path in the documentation.
    var path: String { family.isWire ? "HeraldCenter/" : "" }

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

    /// What a start means.
    private var beginning: [String] {
        if !family.isKept { return [] }
        let newest = isOfOne ? family.kept.one : family.kept.all
        let handed =
            family.isWire
            ? "What is kept is handed over soon after this function returns, on Herald's thread\(form.isHere ? "" : "; it counts in the buffer, which has room for it"). "
                + "There, ``HeraldCenter/currentPostIsKept`` is `true` for it."
            : form.isHere
                ? "This thread calls the body with what is kept, before the function returns. "
                    + "If another thread posts while the body runs, the body hears that message after the running call, and the post may return before."
                : "What is kept is handed over before the \(form == .scope ? "closure is called" : "function returns"), and counts in the buffer, which has room for it."
        return [
            "From ``\(path)Start/kept``, the \(isSequence ? "sequence gets" : "observer hears") \(newest) and then every later one\(family.isMerged ? "" : ", in posting order") (R25). \(handed)"
        ]
    }

    private var suspended: String {
        family.isHeld && !form.isHere ? "The body gets \(some) even while the center is suspended (R16). " : ""
    }

    var paragraphs: [String] { beginning + ownParagraphs }

    private var ownParagraphs: [String] {
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
                    body runs before the block. \(Some) that still wait when the \
                    registration ends are dropped (R6). \(suspended)
                    """
            ]
        case .ownerVia, .ownerViaClosure, .ownerAsync, .ownerThrowing, .actor:
            return [
                copies + waiting
                    + "\(Some) that still wait when the registration ends are dropped (R6). \(suspended)",
                form == .actor ? replaces.replacing("owner", with: "actor") : replaces,
            ]
        case .async, .throwing:
            return [
                copies + waiting
                    + """
                    A body that is written in an actor runs on that actor, and a body that is written in a main-actor class on the \
                    main actor. \(Some) that still wait when the registration ends are \
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
                The registration ends when the closure returns or throws. \(Some) that \
                wait then are dropped, and another task that still iterates gets `nil`. \(waiting)\
                \(suspended.replacing("body", with: "sequence"))
                """
            ]
        case .next:
            return [
                """
                The observer is registered before the call waits. `next` in a loop would miss what is posted between two calls: \
                use `messages` there. \(suspended.replacing("The body gets", with: "The call gets"))
                """
            ]
        case .conditional:
            return [
                """
                The registration ends with the first \(family.one) for which the condition does not hold. The body does not get \
                this \(family.one), and no later one. If several threads post at once, a call of the body that has begun or been decided on for \
                another \(family.one) goes on. The registration also ends with the token.
                """
            ]
        case .once:
            return [
                "The registration ends with the first call, even if several threads post at once (R6)."
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
        if family.isKept { all.append(("start", "What the \(isSequence ? "sequence gets" : "observer hears") first.")) }
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
                    "A `DispatchQueue`, or another ``\(path)WorkScheduler``, that runs the body."
                ))
        }
        if form == .viaClosure || form == .ownerViaClosure {
            all.append(
                (
                    "schedule",
                    "Runs the work that it gets, later or at once, as ``\(path)WorkScheduler/schedule(_:)`` does."
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
            if parameter.hasPrefix("began") {
                all.append(
                    (
                        "began",
                        family.isWire
                            ? begunElsewhere
                            : "From ``Start/kept``: called once on this thread with the number of messages that were kept, after they were \(form.isHere ? "heard" : "handed over") and before any later one. Not called if there is no registration by then, or if the subject is being deinitialised."
                    ))
            }
            if parameter.hasPrefix("cannotBegin") {
                all.append(
                    (
                        "cannotBegin",
                        "From ``\(path)Start/kept``: called on Herald's thread with the reason, in place of `began`, if what is kept cannot be had now. Later \(some) are heard all the same. When the center has tried again, `began` or this is called again. If the registration is refused, this thread calls it, and no more."
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
                    "Gets \(owned)the error that the body has thrown and the \(family.one), before the next call of the body. If the closure is written beside the body and no attribute names another actor, the closure runs on the body's actor."
                ))
        }
        return all + [
            ("file", "The source file of this call. Inspection tools show `file` and `line`."),
            ("line", "The source line of this call."),
        ]
    }

    private var begunElsewhere: String {
        "From ``\(path)Start/kept``: called on Herald's thread with the number of kept \(some) that the observer \(form.isHere ? "has heard" : "was handed"), before any later one."
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
            "The token that owns the registration. ``\(path)ObservationToken/cancel()`` waits for running calls (R11)."
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
