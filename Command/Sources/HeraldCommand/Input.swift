import ArgumentParser
#if canImport(Glibc)
@preconcurrency import Glibc
#elseif canImport(Musl)
@preconcurrency import Musl
#endif

/// The lines of standard input, byte for byte, without their ends: a newline, or a carriage return and a newline.
struct Input: ~Copyable {
    struct Line {
        let number: Int
        let bytes: [UInt8]

        func text() throws -> String {
            guard !bytes.contains(0), let text = String(validating: bytes, as: UTF8.self) else {
                throw ValidationError("it is not UTF-8, or has a NUL in it")
            }
            return text
        }
    }

    private var buffer: UnsafeMutablePointer<CChar>?
    private var size = 0
    private var number = 0

    mutating func next() throws -> Line? {
        let length = getline(&buffer, &size, stdin)
        guard length > 0, let buffer else { return nil }
        number += 1
        var bytes = Array(UnsafeRawBufferPointer(start: buffer, count: length))
        if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
        if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        return Line(number: number, bytes: bytes)
    }

    deinit { free(buffer) }
}
