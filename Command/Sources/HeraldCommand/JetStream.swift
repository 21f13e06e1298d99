// What the servers' JetStream API takes and gives, as far as `herald stream` needs it.
import FoundationEssentials
import Inspecting

/// How a stream stores.
struct StreamConfig: Codable {
    let name: String
    let subjects: [String]?
    let retention, storage: String
    let replicas: Int
    /// Nanoseconds; 0: no limit.
    let age: Int64
    /// -1: no limit.
    let bytes: Int64
    let discard: String
    /// Nanoseconds in which a message that is sent again is known.
    let window: Int64?

    enum CodingKeys: String, CodingKey {
        case name, subjects, retention, storage, discard
        case replicas = "num_replicas", age = "max_age", bytes = "max_bytes", window = "duplicate_window"
    }
}

struct Stream: Decodable {
    struct State: Decodable {
        let messages, bytes, first, last: UInt64
        let observers: Int
        enum CodingKeys: String, CodingKey {
            case messages, bytes
            case first = "first_seq", last = "last_seq", observers = "consumer_count"
        }
    }
    struct Cluster: Decodable { let leader: String? }

    let config: StreamConfig
    let state: State
    let cluster: Cluster?
}

/// What is a page of a list.
protocol Page: Decodable {
    /// How many there are on all pages.
    var total: Int { get }
}

struct Streams: Page {
    let total: Int
    let streams: [Stream]?
}

struct Consumer: Decodable {
    struct Place: Decodable {
        let stream: UInt64
        enum CodingKeys: String, CodingKey { case stream = "stream_seq" }
    }

    let name: String
    let floor: Place
    let waiting, listening: UInt64
    let given, again: Int
    enum CodingKeys: String, CodingKey {
        case name
        case floor = "ack_floor", waiting = "num_pending", listening = "num_waiting", given = "num_ack_pending"
        case again = "num_redelivered"
    }
}

struct Consumers: Page {
    let total: Int
    let consumers: [Consumer]?
}

/// The answer of a call that has nothing to say.
struct Done: Decodable {}

extension Network {
    /// All pages of a list.
    func all<P: Page, Element>(_ call: String, of elements: (P) -> [Element]) throws -> [Element] {
        var all: [Element] = []
        while true {
            let page = try self.call(call, "{\"offset\":\(all.count)}", as: P.self), more = elements(page)
            all += more
            if more.isEmpty || all.count >= page.total { return all }
        }
    }
}

/// A stream, as `herald stream` says it.
struct StreamSaid: Encodable {
    let stream: String
    let subjects: [String]
    let replicas: Int
    /// Seconds; nil: no limit.
    let age: Double?
    let bytesLimit: Int64?
    let refusesWhenFull: Bool
    let messages, bytes, first, last: UInt64
    let observers: Int
    let leader: String?

    init(_ said: Stream) {
        stream = said.config.name
        subjects = said.config.subjects ?? []
        replicas = said.config.replicas
        age = said.config.age > 0 ? Double(said.config.age) / 1e9 : nil
        bytesLimit = said.config.bytes > 0 ? said.config.bytes : nil
        refusesWhenFull = said.config.discard == "new"
        messages = said.state.messages
        bytes = said.state.bytes
        first = said.state.first
        last = said.state.last
        observers = said.state.observers
        leader = said.cluster?.leader
    }
}

/// A durable observer, as `herald stream observers` says it.
struct ObserverSaid: Encodable {
    let observer: String
    let heard, waiting, listening: UInt64
    let given, again: Int

    init(_ said: Consumer) {
        observer = said.name
        heard = said.floor.stream
        waiting = said.waiting
        given = said.given
        again = said.again
        listening = said.listening
    }
}
