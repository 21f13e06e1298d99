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
