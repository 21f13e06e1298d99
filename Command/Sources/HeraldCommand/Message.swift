import ArgumentParser
import CHerald
import CHeraldHost
#if canImport(Glibc)
@preconcurrency import Glibc
#elseif canImport(Musl)
@preconcurrency import Musl
#endif
import Inspecting

/// A message to post, from `--message`, `--object` and `--type`.
struct Message {
    let bytes: [UInt8]
    let object: String?
    let type: String?
    /// Whether the center keeps it for observers that come later.
    let isKept: Bool

    /// - Parameter source: `@` and the path of a file, `-` for standard input, or the text itself.
    init(_ source: String, object: String?, type: String?, isKept: Bool) throws {
        if source == "-" {
            bytes = try Self.read(STDIN_FILENO, "standard input")
        } else if source.utf8.first == UInt8(ascii: "@") {
            let path = String(decoding: source.utf8.dropFirst(), as: UTF8.self)
            let file = open(path, O_RDONLY | O_CLOEXEC)
            guard file >= 0 else { throw Self.unreadable(path) }
            defer { close(file) }
            bytes = try Self.read(file, path)
        } else {
            bytes = Array(source.utf8)
        }
        self.object = object
        self.type = type
        self.isKept = isKept
    }

    init(_ bytes: [UInt8], object: String?, type: String?, isKept: Bool) {
        self.bytes = bytes
        self.object = object
        self.type = type
        self.isKept = isKept
    }

    func post(_ name: String) throws {
        guard let name = HeraldNameCreate(name) else { throw Unusable("out of memory") }
        let status = bytes.withUnsafeBytes { bytes in
            Self.withCString(object) { object in
                Self.withCString(type) { type in
                    var message = HeraldMessage()
                    message.size = MemoryLayout<HeraldMessage>.size
                    message.object = object
                    message.type = type
                    message.bytes = bytes.baseAddress
                    message.length = bytes.count
                    message.options = isKept ? UInt32(HeraldPostKeep) : 0
                    return HeraldCenterPostMessage(HeraldCenterGetHostCenter(), name, &message)
                }
            }
        }
        try attempt(status)
    }

    /// A limit, because input may never end.
    private static let mostToRead = 16 << 20

    private static func read(_ file: Int32, _ path: String) throws -> [UInt8] {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let length = readBytes(file, &piece, piece.count)
            if length < 0, errno == EINTR { continue }
            guard length >= 0 else { throw unreadable(path) }
            guard length > 0 else { return bytes }
            bytes += piece[..<length]
            guard bytes.count <= mostToRead else {
                throw Unusable("\(path) is larger than a message can be", status: EX_USAGE)
            }
        }
    }

    private static func unreadable(_ path: String) -> Unusable {
        Unusable("\(path) cannot be read: \(String(cString: strerror(errno)))", status: EX_NOINPUT)
    }

    private static func withCString<Result>(_ text: String?, _ body: (UnsafePointer<CChar>?) -> Result) -> Result {
        guard let text else { return body(nil) }
        return text.withCString(body)
    }
}
