import CHerald
import Foundation
import Herald
import HeraldFoundation
import Testing

private struct Ping: HeraldCenter.Message { var number = 0 }

private class Shape: @unchecked Sendable {}
private final class Circle: Shape, @unchecked Sendable {}

private struct Move: Sendable, Equatable, CustomStringConvertible {
    var distance: Int
    var description: String { "move \(distance)" }
}

/// Herald's own observers of names and those of HeraldNotificationCenter, on one center: each hears the other's posts.
@Suite struct BothWaysTests {
    private let center = HeraldNotificationCenter()
    private let log = Log<String>()
    private let bag = ObservationBag()

    private var herald: HeraldCenter { center.herald }

    /// What Herald's observer of a name reads from a post.
    private func notice<Value: Sendable>(
        of post: () -> Void, _ read: @escaping @Sendable (HeraldCenter.Notice) -> Value
    ) throws -> Value {
        let values = Log<Value>()
        let token = herald.observe("saved") { values.add(read($0)) }
        post()
        token.cancel()
        #expect(values.count == 1)
        return try #require(values.all.first)
    }

    /// What an observer of notifications reads from a post.
    private func notification<Value: Sendable>(
        of post: () -> Void, _ read: @escaping @Sendable (Notification) -> Value
    ) throws -> Value {
        let values = Log<Value>()
        let added = center.hear("saved") { values.add(read($0)) }
        post()
        center.remove(added)
        #expect(values.count == 1)
        return try #require(values.all.first)
    }

    // MARK: Notifications as Herald hears them

    @Test("Herald's observer of a name hears a notification: its name, its object and its values")
    func heardByHerald() throws {
        let object = Canary()
        let read = try notice(of: { center.say("saved", about: object, ["path": "a", "length": 12]) }) {
            let path = $0["path", as: String.self] ?? "no path"
            let length = $0["length", as: Int.self] ?? 0
            return "\($0.name), \($0.subject === object), \(path), \(length), \($0["size", as: Int.self] == nil)"
        }
        #expect(read == "saved, true, a, 12, true")
    }

    @Test("A notification without an object or userInfo has no subject and no payload")
    func nothingHeardByHerald() throws {
        let read = try notice(of: { center.say("saved") }) {
            "\($0.subject == nil), \($0.userInfo == nil), \($0.message == nil)"
        }
        #expect(read == "true, true, true")
    }

    @Test("A value as the object is no subject")
    func valueIsNoSubject() throws {
        center.hear("saved", about: "a", write: "its observer", to: log)
        let read = try notice(of: { center.say("saved", about: "a", ["n": 1]) }) {
            "\($0.subject == nil), \($0["n", as: Int.self] ?? 0)"
        }
        #expect(read == "true, 1")
        #expect(log.all == ["its observer"])
    }

    @Test("A userInfo whose keys are not all texts is the payload as it is")
    func otherKeys() throws {
        let read = try notice(of: { center.say("saved", [1: "one", "two": 2]) }) {
            let userInfo = $0.userInfo(as: [AnyHashable: Any].self)
            return "\(userInfo?[1] as? String ?? "none"), \(userInfo?["two"] as? Int ?? 0)"
        }
        #expect(read == "one, 2")
    }

    @Test("Herald's observer of a subject hears notifications about that instance alone")
    func subjects() {
        let object = Canary()
        herald.observe("saved", subject: object) { [log] _ in log.add("subject") }.store(in: bag)
        herald.observeAll(subject: object) { [log] _ in log.add("all about it") }.store(in: bag)
        center.say("saved", about: object)
        #expect(log.take() == ["subject", "all about it"])
        center.say("saved", about: Canary())
        center.say("saved", about: "a")
        center.say("saved")
        #expect(log.take() == [])
    }

    @Test("A notice that is kept, and a sequence, have the object and the values after the post")
    func kept() async throws {
        let notices = Log<HeraldCenter.Notice>()
        let deaths = Log<Int>()
        herald.observe("saved") { notices.add($0) }.store(in: bag)
        let posts = herald.messages(named: "saved").makeAsyncIterator()
        center.say("saved", about: Canary(deaths), ["n": 1])
        #expect(deaths.count == 0)
        let notice = try #require(notices.all.first)
        let posted = try #require(await posts.next())
        #expect(notice.subject is Canary)
        #expect(notice["n", as: Int.self] == 1)
        #expect(posted.subject === notice.subject)
        #expect(posted["n", as: Int.self] == 1)
        #expect(posted.userInfo(as: [String: any Sendable].self)?.count == 1)
    }

    @Test("Herald's observers of every name hear a notification that nobody observes by name, under no text")
    func unmadeName() {
        let name = "unmade.\(UUID().uuidString)"
        herald.observeAll { [log] in
            let text = HeraldNameGetUTF8String($0.name.native).map { String(cString: $0) }
            log.add("\(text ?? "no text"), \($0["n", as: Int.self] ?? 0)")
        }.store(in: bag)
        center.say(name, ["n": 1])
        center.hear(name) { _ in }
        center.say(name, ["n": 2])
        #expect(log.all == ["no text, 1", "\(name), 2"])
    }

    @Test("Herald's observers of a prefix hear the notifications whose names somebody has made")
    func prefix() {
        let run = UUID().uuidString
        herald.observe(posts: .under("prefix.\(run)")) { [log] in log.add("\($0.name)") }.store(in: bag)
        center.say("prefix.\(run).a")
        #expect(log.take() == [])
        center.hear("prefix.\(run).a") { _ in }
        center.say("prefix.\(run).a")
        center.say("prefix.\(run)")
        #expect(log.take() == ["prefix.\(run).a"])
    }

    // MARK: Herald's posts as notifications

    @Test("A name that Herald posts arrives as a notification, with its subject and its dictionary")
    func heardAsNotification() throws {
        let object = Canary()
        let read = try notification(of: { herald.post("saved", subject: object, userInfo: ["path": "a", "n": 1]) }) {
            let path = $0.userInfo?["path"] as? String ?? "no path"
            let isObject = ($0.object as AnyObject) === object
            return "\($0.name.rawValue), \(isObject), \(path), \($0.userInfo?["n"] as? Int ?? 0)"
        }
        #expect(read == "saved, true, a, 1")
    }

    @Test("A payload that is no dictionary is under the key userInfo")
    func otherPayload() throws {
        let read = try notification(of: { herald.post("saved", userInfo: Move(distance: 3)) }) {
            "\($0.userInfo?.count ?? 0), \($0.userInfo?["userInfo"] as? Move ?? Move(distance: 0))"
        }
        #expect(read == "1, move 3")
    }

    @Test("A name that Herald posts with nothing arrives with nothing")
    func nothingHeardAsNotification() throws {
        let read = try notification(of: { herald.post("saved") }) { "\($0.object == nil), \($0.userInfo == nil)" }
        #expect(read == "true, true")
    }

    @Test("A name that C posts arrives without an object and a userInfo, which only C can read")
    func postedByC() throws {
        let number = 5
        let read = try notification(of: {
            withUnsafePointer(to: number) {
                _ = HeraldCenterPostNotification(
                    herald.native, HeraldNameCreate("saved"), UnsafeRawPointer(bitPattern: 8), $0, true)
            }
        }) { "\($0.name.rawValue), \($0.object == nil), \($0.userInfo == nil)" }
        #expect(read == "saved, true, true")
    }

    @Test("What C posts reaches observers of every name, and none of an object")
    func postedByCToAll() {
        let object = Canary()
        center.hear(nil) { [log] in log.add($0.name.rawValue) }
        center.hear("saved", about: object, write: "object", to: log)
        center.hear("saved", about: "a", write: "value", to: log)
        HeraldCenterPostNotification(herald.native, HeraldNameCreate("saved"), nil, nil, true)
        #expect(log.all == ["saved"])
        withExtendedLifetime(object) {}
    }

    @Test("An observer of an object hears what Herald posts about it as a subject")
    func subjectIsTheObject() {
        let object = Canary()
        center.hear("saved", about: object, write: "by name", to: log)
        center.hear(nil, about: object, write: "every name", to: log)
        herald.post("saved", subject: object)
        herald.post("saved", subject: Canary())
        herald.post("saved")
        #expect(log.all == ["by name", "every name"])
    }

    @Test("Herald's typed messages and calls are no notifications")
    func typedMessages() {
        center.hear(nil) { [log] in log.add("notification \($0.name.rawValue)") }
        herald.observe(Ping.self) { [log] in log.add("ping \($0.number)") }.store(in: bag)
        herald.post(Ping(number: 1))
        #expect(log.all == ["ping 1"])
    }

    @Test("Observers of both kinds are called in the order in which they were added")
    func order() {
        center.hear("saved", write: "1", to: log)
        herald.observe("saved") { [log] _ in log.add("2") }.store(in: bag)
        center.hear(nil, write: "3", to: log)
        herald.observeAll { [log] _ in log.add("4") }.store(in: bag)
        center.hear("saved", write: "5", to: log)
        center.say("saved")
        #expect(log.take() == ["1", "2", "3", "4", "5"])
        herald.post("saved")
        #expect(log.take() == ["1", "2", "3", "4", "5"])
    }

    // MARK: Faces of a center

    @Test("Several centers over one of Herald's hear the same posts, and remove each other's observers")
    func faces() {
        let face = HeraldNotificationCenter(over: herald)
        #expect(face.herald == herald)
        #expect(face != center)
        let added = center.hear("saved", write: "center", to: log)
        face.hear("saved", write: "face", to: log)
        face.say("saved")
        #expect(log.take() == ["center", "face"])
        face.remove(added)
        center.say("saved")
        #expect(log.take() == ["face"])
    }

    @Test("A center over another owns nothing: its observers stay when it is gone")
    func faceIsGone() {
        HeraldNotificationCenter(over: herald).hear("saved", write: "heard", to: log)
        herald.post("saved")
        #expect(log.all == ["heard"])
    }

    // MARK: Suspension

    @Test("A suspended center calls observers of notifications at once")
    func suspended() {
        center.hear("saved", write: "notification", to: log)
        herald.isSuspended = true
        center.say("saved")
        herald.post("saved")
        HeraldCenterPostNotification(herald.native, HeraldNameCreate("saved"), nil, nil, false)
        #expect(log.take() == ["notification", "notification", "notification"])
        herald.isSuspended = false
        #expect(log.take() == [])
    }

    @Test("A suspended center holds notifications for Herald's observers that ask for it, with all they carry")
    func held() {
        let deaths = Log<Int>()
        herald.observe("saved", whileSuspended: .hold) { [log] in
            log.add("\($0["n", as: Int.self] ?? 0) \($0.subject is Canary)")
        }.store(in: bag)
        herald.isSuspended = true
        for number in 1...3 { center.say("saved", about: Canary(deaths), ["n": number]) }
        #expect(log.take() == [])
        #expect(deaths.count == 0)
        herald.isSuspended = false
        #expect(log.all == ["1 true", "2 true", "3 true"])
    }

    @Test("Of held notifications about one object, an observer that coalesces gets the last")
    func coalesced() {
        let object = Canary()
        herald.observe("saved", whileSuspended: .coalesce) { [log] in
            log.add("\($0["n", as: Int.self] ?? 0)")
        }
        .store(in: bag)
        herald.isSuspended = true
        for number in 1...3 { center.say("saved", about: object, ["n": number]) }
        center.say("saved", about: Canary(), ["n": 4])
        herald.isSuspended = false
        #expect(log.all == ["3", "4"])
    }

    @Test("A held notification has its name, even if nobody has observed that")
    func heldUnobserved() {
        let name = "held.\(UUID().uuidString)"
        herald.observeAll(whileSuspended: .hold) { [log] in log.add("\($0.name)") }.store(in: bag)
        herald.isSuspended = true
        center.say(name)
        herald.isSuspended = false
        #expect(log.all == [name])
    }

    @Test("What was held is released after it was heard")
    func heldIsReleased() async {
        let deaths = Log<Int>()
        herald.observe("saved", whileSuspended: .hold) { [log] _ in log.add("heard") }.store(in: bag)
        herald.isSuspended = true
        for _ in 0..<10 { center.say("saved", about: Canary(deaths), ["canary": Canary(deaths)]) }
        herald.isSuspended = false
        #expect(log.count == 10)
        await expectSoon("all are released") { deaths.count == 20 }
    }

    // MARK: userInfo(as:)

    @Test("A payload is read as its type, a superclass or a protocol, and as nothing else")
    func payloadAsItsType() throws {
        func types(_ payload: (any Sendable)?) throws -> String {
            try notice(of: { herald.post("saved", userInfo: payload) }) { notice in
                var types: [String] = []
                if notice.userInfo(as: Move.self) == Move(distance: 1) { types.append("Move") }
                if notice.userInfo(as: (any CustomStringConvertible).self) != nil { types.append("description") }
                if notice.userInfo(as: Int.self) != nil { types.append("Int") }
                if notice.userInfo(as: Double.self) != nil { types.append("Double") }
                if notice.userInfo(as: Circle.self) != nil { types.append("Circle") }
                if notice.userInfo(as: Shape.self) != nil { types.append("Shape") }
                if notice.userInfo(as: AnyObject.self) is Shape { types.append("AnyObject") }
                return types.joined(separator: " ")
            }
        }
        #expect(try types(Move(distance: 1)) == "Move description")
        #expect(try types(Move(distance: 2)) == "description")
        #expect(try types(12) == "description Int")
        #expect(try types(Circle()) == "Circle Shape AnyObject")
        #expect(try types(Shape()) == "Shape AnyObject")
        #expect(try types(nil) == "")
    }

    @Test("A post that is kept reads its payload in the same way")
    func keptPayload() async throws {
        let posts = herald.messages(named: "saved").makeAsyncIterator()
        herald.post("saved", userInfo: Move(distance: 1))
        herald.post("saved")
        let first = try #require(await posts.next())
        let second = try #require(await posts.next())
        #expect(first.userInfo(as: Move.self) == Move(distance: 1))
        #expect(first.userInfo(as: Int.self) == nil)
        #expect(second.userInfo(as: Move.self) == nil)
    }

    @Test("A payload of C is read as no type")
    func payloadOfC() throws {
        let read = try notice(of: {
            HeraldCenterPostNotification(
                herald.native, HeraldNameCreate("saved"), nil, UnsafeRawPointer(bitPattern: 24), true)
        }) { "\($0.userInfo(as: Int.self) == nil), \($0.userInfo == nil)" }
        #expect(read == "true, true")
    }
}
