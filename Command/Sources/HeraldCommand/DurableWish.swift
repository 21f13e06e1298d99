import ArgumentParser

/// A durable observer, as `watch` is asked for it.
struct DurableWish {
    /// With what it begins if the servers do not know it yet.
    enum Start: ExpressibleByArgument, Equatable {
        case next, beginning
        case sequence(UInt64)

        init?(argument: String) {
            switch argument {
            case "next": self = .next
            case "beginning": self = .beginning
            default:
                guard let number = UInt64(argument), number > 0 else { return nil }
                self = .sequence(number)
            }
        }
    }

    let name: String
    let stream: String?
    let start: Start
    let attempts: Int?
}

/// The name of a durable observer or of a stream.
enum StreamName {
    @Sendable static func check(_ text: String) throws -> String {
        let refused = Set(".*>/\\".utf8)
        guard (1...128).contains(text.utf8.count),
            !text.utf8.contains(where: { refused.contains($0) || $0 <= 0x20 || $0 == 0x7f })
        else {
            throw ValidationError(
                "\(text.isEmpty ? "an empty text" : text) is no name of a stream or of a durable observer: it has 1 to 128 bytes, no space and none of . * > / \\"
            )
        }
        return text
    }
}
