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
    /// The words for all elements, as in "the messages of a type", and the word for one element.
    let what: String, one: String
    /// The source of the elements, with a filter.
    let source: (_ filter: String) -> String
    /// The words before a filter's subject: `Filter(names, .only(subject), file, line)`.
    var filtered = ""
    /// Observers of this family in the process are called through C's own closures.
    var direct: (kind: String, name: String, key: String, closure: String)?
    /// Posts of a suspended center may be held.
    var isHeld = false
    /// The observer may hear first what is kept (R25).
    var isKept = false
    /// The functions belong to the host center alone.
    var isOfHost = false
    /// The words for what is kept.
    var kept: (all: String, one: String) = (
        "the newest kept message of each subject, the oldest of them first,", "the kept message,"
    )
    /// Posts that wait are one: the last, with the count of all.
    var isMerged = false
    /// The body belongs to the main actor.
    var isMainActor = false
    /// Where the poster's observers are called, and the rules that say when.
    let place: String
    let calls: String
    /// What is observed, in the guide's matrix.
    let example: String
}

/// What `calls` says where the post itself calls the observers, whether the center is suspended or not.
private let calledByThePost = """
    Observers are called in the order of registration (R2), before the post returns (R3). After the registration has \
    ended, no new call of the body starts (R6).
    """

let families = [
    Family(
        file: "ObserveMessages", argument: "_: M.Type", ofSequence: "_: M.Type",
        about: ("type", "The type of the messages."),
        here: "M: Message & ~Copyable", elsewhere: "M: AnyMessage & Sendable", element: "borrowing M", copied: "M",
        subject: "M.Subject", what: "the messages of a type", one: "message",
        source: { "Source<M>(self, \($0))" },
        direct: ("HERALD_SWIFT_MESSAGES", "Herald.name(of: M.self)", "", "message"),
        place: "on the posting thread",
        calls: calledByThePost,
        example: "Saved.self"),
    Family(
        file: "ObserveKeptMessages", argument: "_: M.Type", ofSequence: "_: M.Type",
        about: ("type", "The type of the messages."),
        here: "M: KeptMessage", elsewhere: "M: KeptMessage", element: "borrowing M", copied: "M", subject: "M.Subject",
        what: "the messages of a type", one: "message",
        source: { "Source<M>(self, \($0))" },
        direct: ("HERALD_SWIFT_MESSAGES", "Herald.name(of: M.self)", "", "message"), isKept: true,
        place: "on the posting thread",
        calls: calledByThePost,
        example: "Settings.self, from: .kept"),
    Family(
        file: "ObserveMainActorMessages", argument: "_: M.Type", ofSequence: "_: M.Type",
        about: ("type", "The type of the messages."),
        here: "M: MainActorMessage", elsewhere: "", element: "M", copied: "M", subject: "M.Subject",
        what: "main-actor messages", one: "message", source: { "Source<M>(self, \($0))" },
        direct: ("HERALD_SWIFT_MESSAGES", "Herald.name(of: M.self)", "", "mainActorMessage"), isMainActor: true,
        place: "on the main actor",
        calls: calledByThePost + " Any thread may release the body.",
        example: "Shown.self"),
    Family(
        file: "ObserveNames", argument: "_ name: Name", ofSequence: "named name: Name",
        about: ("name", "The name to observe."), element: "Notice", copied: "Posted", subject: "AnyObject",
        what: "the posts of a name", one: "post", source: { "Source(self, name, \($0))" },
        direct: ("HERALD_SWIFT_NOTICES", "name.native", "", "notice"), isHeld: true, place: "on the posting thread",
        calls: """
            Observers are called in the order of registration (R2), before the post returns (R3), unless the center is \
            suspended. After the registration has ended, no new call of the body starts (R6).
            """,
        example: ".saved"),
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
        example: "posts: .under(\"app\")"),
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
        example: "Shared.self"),
    Family(
        file: "ObserveKeptWireMessages", isWire: true, argument: "_: M.Type", ofSequence: "_: M.Type",
        about: ("type", "The type of the messages."), here: "M: HeraldCenter.KeptMessage & HeraldCenter.WireMessage",
        elsewhere: "M: HeraldCenter.KeptMessage & HeraldCenter.WireMessage", element: "M", copied: "M",
        subject: "String", what: "the messages of a type", one: "message",
        source: { "Source<M>(wire, \($0)).beginning(from: start.of(M.self), began: began, cannotBegin: cannotBegin)" },
        isHeld: true,
        isKept: true, place: "on Herald's thread",
        calls: """
            The body gets no message that cannot be decoded as the type (R23). All observers without a queue or an actor \
            share one thread, so a slow body delays the others. After the registration has ended, no new call of the body \
            starts (R6).
            """,
        example: "SharedSettings.self, from: .kept"),
    Family(
        file: "ObserveWireNames", isWire: true, argument: "_ name: HeraldCenter.Name",
        ofSequence: "named name: HeraldCenter.Name", about: ("name", "The name to observe."), element: "NamePost",
        copied: "NamePost", subject: nil, what: "the posts of a name", one: "post",
        source: { "Source(wire, name, \($0))" }, isHeld: true, isMerged: true, place: "on Herald's thread",
        calls: """
            A call may stand for several posts: ``NamePost/count``. All observers without a queue or an actor share one \
            thread, so a slow body delays the others. After the registration has ended, no new call of the body starts (R6).
            """,
        example: ".saved"),
    Family(
        file: "ObserveKeptNames", isWire: true, argument: "_ name: HeraldCenter.Name",
        ofSequence: "named name: HeraldCenter.Name", about: ("name", "The name to observe."), element: "NamePost",
        copied: "NamePost", subject: nil, what: "the posts of a name", one: "post",
        source: { "Source(wire, name, \($0)).beginning(from: start, began: began, cannotBegin: cannotBegin)" },
        isHeld: true, isKept: true,
        isOfHost: true,
        kept: ("a post with the name's state, if a process has set one,", ""), isMerged: true,
        place: "on Herald's thread",
        calls: """
            A call may stand for several posts: ``NamePost/count``. All observers without a queue or an actor share one \
            thread, so a slow body delays the others. After the registration has ended, no new call of the body starts (R6).
            """,
        example: ".level, from: .kept"),
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
        example: "messages: .under(\"app\")"),
    Family(
        file: "ObserveKeptWirePosts", isWire: true, argument: "messages name: HeraldCenter.Name",
        ofSequence: "messages name: HeraldCenter.Name",
        about: ("name", "The name to observe. A prefix cannot begin with what is kept."),
        element: "WirePost", copied: "WirePost", subject: "String",
        what: "messages of any type, not decoded", one: "message",
        source: {
            "Source(wire, HeraldCenter.Names.named(name), \($0)).beginning(from: start, began: began, cannotBegin: cannotBegin)"
        }, filtered: "HeraldCenter.Names.named(name), ", isHeld: true, isKept: true, place: "on Herald's thread",
        calls: """
            Posts of the name alone are heard, too. All observers without a queue or an actor share one thread, so a slow \
            body delays the others. After the registration has ended, no new call of the body starts (R6).
            """,
        example: "messages: \"app.settings\", from: .kept"),
]
