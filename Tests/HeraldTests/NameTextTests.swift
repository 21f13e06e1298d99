import CHerald
import Herald
import Processes
import Testing

/// Names of texts that Unicode writes in several ways (R13).
@Suite(.serialized) struct NameTextTests {
    private typealias Name = HeraldCenter.Name

    /// Texts that are equal in Swift, the first of each in normalization form C.
    static let pairs = [
        ("caf\u{E9}", "cafe\u{301}"),  // one accent
        ("\u{1EAD}", "a\u{323}\u{302}"), ("\u{1EAD}", "a\u{302}\u{323}"),  // two, in any order
        ("\u{D55C}", "\u{1112}\u{1161}\u{11AB}"),  // Hangul
        ("\u{C5}", "\u{212B}"),  // a letter that is another sign, too
        ("\u{915}\u{93C}", "\u{958}"),  // excluded from composition
        ("q\u{323}\u{307}", "q\u{307}\u{323}"),  // without a composed form
    ]

    @Test("Texts that are equal in Swift make the same name", arguments: pairs)
    func R13_equal_texts_of_Swift_make_the_same_name(_ composed: String, _ other: String) {
        #expect(composed == other && Array(composed.utf8) != Array(other.utf8))
        let prefix = "name.text.\(other.unicodeScalars.map(\.value))."
        #expect(Name(existing: prefix + other) == nil)
        let name = Name(prefix + other)
        #expect(name == Name(prefix + composed) && name.hashValue == Name(prefix + composed).hashValue)
        #expect(Name(existing: prefix + other) == name && Name(existing: prefix + composed) == name)
        #expect(Array(name.description.utf8) == Array((prefix + composed).utf8))
    }

    @Test("Literals are equal as their texts are")
    func R13_equal_literals_make_the_same_name() {
        for _ in 0..<2 {
            let one: Name = "name.literal.caf\u{E9}", other: Name = "name.literal.cafe\u{301}"
            #expect(one == other)
        }
        let scalar: Name = "\u{212B}"
        #expect(scalar == "\u{C5}")
        #expect(Name("name.literal.cafe") != Name("name.literal.caf\u{E9}"))
    }

    @Test("A post in one form is heard in the other")
    func R13_a_name_posted_in_one_form_is_heard_in_the_other() {
        let center = HeraldCenter()
        let log = Log<String>()
        let token = center.observe(Name("name.post.caf\u{E9}")) { log.append("\($0.name)") }
        center.post(Name("name.post.cafe\u{301}"))
        #expect(log.values == ["name.post.caf\u{E9}"])
        token.cancel()
    }

    @Test("In C a name is its bytes; Swift's names are those in form C")
    func R13_a_name_of_C_is_its_bytes() {
        let composed = HeraldNameCreate("name.bytes.caf\u{E9}"), other = HeraldNameCreate("name.bytes.cafe\u{301}")
        #expect(composed != other)
        #expect(Name("name.bytes.cafe\u{301}").native == composed)
    }

    @Test("Names that C has made are their bytes, and so are the prefixes of such names")
    func R13_names_that_C_has_made_are_their_bytes() throws {
        let center = HeraldCenter(), log = Log<String>(), bag = ObservationBag()
        let (one, other) = (
            try #require(HeraldNameCreate("name.c.caf\u{E9}.a")), HeraldNameCreate("name.c.cafe\u{301}.a")!
        )
        #expect(Name(one) != Name(other) && Name(one) == "name.c.cafe\u{301}.a")
        center.observe(Name(other)) { _ in log.append("name") }.store(in: bag)
        center.observe(posts: .under(Name(HeraldNameCreate("name.c.cafe\u{301}")!))) { _ in log.append("below") }
            .store(in: bag)
        center.post(Name(one))
        #expect(log.take() == [])
        center.post(Name(other))
        #expect(log.take() == ["name", "below"])
    }

    private struct Saved: HeraldCenter.WireMessage, Codable {
        static let wireName = HeraldCenter.Name("name.wire.cafe\u{301}.saved")
    }

    @Test("Between processes names and prefixes are in form C, and subjects are passed on as they are")
    func R13_names_and_prefixes_between_processes_are_in_form_C() async throws {
        _ = hostFolder
        let host = HeraldCenter.host
        let named = host.messages(messages: .named(HeraldCenter.Name("name.wire.caf\u{E9}.saved"))).makeAsyncIterator()
        let below = host.messages(messages: .under("name.wire.cafe\u{301}")).makeAsyncIterator()
        let typed = host.messages(Saved.self, subject: "cafe\u{301}").makeAsyncIterator()
        try host.post(Saved(), subject: "caf\u{E9}")
        try host.post(Saved(), subject: "cafe\u{301}")
        for bytes in [Array("caf\u{E9}".utf8), Array("cafe\u{301}".utf8)] {
            #expect(await named.next()?.subject.map { Array($0.utf8) } == bytes)
            #expect(await below.next()?.subject.map { Array($0.utf8) } == bytes)
        }
        #expect(await typed.next() != nil)
    }
}
