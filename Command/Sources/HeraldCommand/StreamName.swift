import ArgumentParser

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
