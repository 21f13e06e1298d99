import FoundationEssentials
import Herald
import Inspecting

/// The line that `watch` prints for a post.
struct Line {
    let post: WirePost
    let time = Date()
    let showsTime: Bool
    /// The number of the name, if it is to be shown.
    let state: UInt64?

    var text: String {
        let line = state.map { "\(content) state=\($0)" } ?? content
        guard showsTime else { return line }
        return "\(time.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))) \(line)"
    }

    private var kept: String { post.isKept ? " (kept)" : "" }

    private var content: String {
        let name = printable("\(post.name)")
        guard let bytes = post.bytes else { return name + (post.count > 1 ? " (\(post.count) posts)" : "") + kept }
        let subject = (post.subject.map { " [\(printable($0))]" } ?? "") + kept
        guard let text = String(validating: bytes, as: UTF8.self) else {
            let type = post.type.map { " of \(printable($0))" } ?? ""
            return "\(name)\(subject): \(bytes.count) byte\(bytes.count == 1 ? "" : "s")\(type)"
        }
        return "\(name)\(subject): \(printable(text))"
    }

    /// Fields that are nil are left out.
    private struct Object: Encodable {
        let name: String
        let time: Double
        var kept: Bool?
        var stored: UInt64?
        var deliveries: Int?
        var state: UInt64?
        var stateText: String?
        var posts: Int?
        var object: String?
        var type: String?
        var length: Int?
        var sequence: UInt64?
        var sequenceText: String?
        var missed: Int?
        var sender: UInt64?
        var senderText: String?
        var message: String?
        var base64: String?
    }

    var json: String {
        var object = Object(name: "\(post.name)", time: time.timeIntervalSince1970)
        object.kept = post.isKept ? true : nil
        object.stored = post.stored?.sequence
        object.deliveries = post.stored?.deliveries
        object.state = state
        object.stateText = state.flatMap(exactText)
        if let bytes = post.bytes {
            object.object = post.subject
            object.type = post.type
            object.length = bytes.count
            object.sequence = post.sequence
            object.sequenceText = exactText(post.sequence)
            object.missed = post.missed
            object.sender = post.sender
            object.senderText = exactText(post.sender)
            object.message = String(validating: bytes, as: UTF8.self)
            if object.message == nil { object.base64 = Data(bytes).base64EncodedString() }
        } else {
            object.posts = post.count
        }
        return Inspecting.json(object)
    }
}
