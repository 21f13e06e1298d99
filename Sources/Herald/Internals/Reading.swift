import CHerald
import CHeraldRuntime

/// What an observer of messages between processes gets: messages of which name, about which subject, and as which type.
/// `read` returns the message that is being delivered, or nil if the observer does not get this message.
struct Reading<Element: Sendable> {
    let name: HeraldCenter.Name?
    /// The key that tells an owner's registrations apart. Two types with the same wire name have different keys, so
    /// that registrations for these types do not replace each other. Nil: the name is the key.
    let key: NativeName?
    let filter: Filter
    let read: @Sendable (NativeName) -> Element?
}

extension Reading {
    /// The messages of a type.
    init(_: Element.Type, about subject: String?, of wire: Wire, _ file: StaticString, _ line: UInt)
    where Element: HeraldCenter.WireMessage {
        self.init(name: Element.wireName, key: Herald.name(of: Element.self), filter: Filter(text: subject, file, line))
        {
            wire.decode(Element.self, $0)
        }
    }
}

extension Reading where Element == WirePost {
    /// The posts of a name, not decoded.
    init(_ name: HeraldCenter.Name, about subject: String?, of wire: Wire, _ file: StaticString, _ line: UInt) {
        self.init(name: name, key: nil, filter: Filter(text: subject, file, line)) { wire.post($0) }
    }

    /// The posts of all names, not decoded.
    init(allOf wire: Wire, _ file: StaticString, _ line: UInt) {
        self.init(name: nil, key: nil, filter: Filter(file, line)) { wire.post($0) }
    }

    /// The posts of all names that begin with a prefix and a dot, not decoded. The prefix itself is not such a name.
    init(under prefix: String, of wire: Wire, _ file: StaticString, _ line: UInt) {
        let isPrefix = !prefix.isEmpty && !prefix.hasSuffix(".") && !prefix.utf8.contains(0)
        if !isPrefix { complain("no name begins with \(prefix.debugDescription) and a dot") }
        // The text is interned as a name, so that it lives as long as the process.
        let text = isPrefix ? HeraldNameGetUTF8String(HeraldNameCreate(canonical(prefix))) : nil
        self.init(name: nil, key: nil, filter: Filter(text.map { .under($0) } ?? .nothing, file, line)) {
            wire.post($0)
        }
    }
}

extension Filter {
    /// Only messages about this text; nil: all messages. No message can be about a text with a NUL, so an observer with
    /// such a text is never called.
    init(text: String?, _ file: StaticString, _ line: UInt) {
        guard let text else {
            self.init(file, line)
            return
        }
        guard !text.utf8.contains(0), let object = HeraldObjectForString(text) else {
            complain("no message is about \(text.debugDescription)")
            self.init(.nothing, file, line)
            return
        }
        self.init(.object(object), file, line)
    }
}

// Registers observers that get the elements of a reading.
extension HeraldCenter {
    func observe<Element>(
        _ reading: Reading<Element>, whileSuspended: SuspensionBehavior,
        _ body: @escaping @Sendable (Element) -> Void
    ) -> ObservationToken {
        let read = reading.read
        return observe(
            HERALD_SWIFT_NOTICES, HERALD_SWIFT_WHILE, reading.name?.native, reading.filter,
            whileSuspended: whileSuspended,
            herald_swift_closure(while: { name, _, _, _ in
                if let element = read(name.unsafelyUnwrapped) { body(element) }
                return 1
            }))
    }

    func observe<Element, O: AnyObject & Sendable>(
        _ reading: Reading<Element>, by owner: O, whileSuspended: SuspensionBehavior,
        _ body: @escaping @Sendable (O, Element) -> Void
    ) {
        let read = reading.read
        observe(
            HERALD_SWIFT_NOTICES, HERALD_SWIFT_OWNED, reading.name?.native, key: reading.key, reading.filter, by: owner,
            whileSuspended: whileSuspended,
            herald_swift_closure(
                owner: owner,
                notice: { (owner: O, notice) in
                    if let element = read(notice.nativeName.unsafelyUnwrapped) { body(owner, element) }
                }))
    }

    func observe<Element>(_ reading: Reading<Element>, _ mailbox: Mailbox<Element>) -> ObservationToken {
        if reading.filter.isNothing { mailbox.end() }  // no element will come, so a task must not wait for one
        return observe(
            HERALD_SWIFT_NOTICES, HERALD_SWIFT_WHILE, reading.name?.native, reading.filter, delivery: mailbox,
            Self.send(reading.read, to: mailbox))
    }

    func observe<Element>(_ reading: Reading<Element>, by owner: AnyObject, _ mailbox: Mailbox<Element>) {
        observe(
            HERALD_SWIFT_NOTICES, HERALD_SWIFT_WHILE, reading.name?.native, key: reading.key, reading.filter, by: owner,
            delivery: mailbox,
            Self.send(reading.read, to: mailbox))
    }

    private static func send<Element>(
        _ read: @escaping @Sendable (NativeName) -> Element?, to mailbox: Mailbox<Element>
    ) -> herald_swift_closure {
        herald_swift_closure(while: { name, _, _, _ in
            read(name.unsafelyUnwrapped).map(mailbox.send) ?? true ? 1 : 0
        })
    }
}
