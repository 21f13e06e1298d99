#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif
import Inspecting

/// Columns of a table of at most 80 characters, or as wide as the terminal if that is more.
enum Column {
    static var width: Int {
        var size = winsize()
        guard isatty(STDOUT_FILENO) == 1, ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 else { return 80 }
        return max(80, Int(size.ws_col))
    }

    /// A text of that width: cut in the middle, or filled with spaces, on the right or, for numbers, on the left.
    static func cell(_ text: String, _ width: Int, right: Bool = false) -> String {
        let text = printable(text)
        if text.count > width {
            let end = (width - 1) / 2
            return "\(text.prefix(width - 1 - end))…\(text.suffix(end))"
        }
        let space = String(repeating: " ", count: width - text.count)
        return right ? space + text : text + space
    }

    /// A line without spaces at its end, of at most `width` characters.
    static func line(_ cells: String...) -> String {
        var line = cells.joined(separator: " ")
        while line.last == " " { line.removeLast() }
        return String(line.prefix(width))
    }

    /// Nanoseconds, for people.
    static func time(_ nanoseconds: UInt64) -> String {
        let value = Double(nanoseconds)
        func text(_ number: Double, _ unit: String) -> String {
            let tenths = Int(saturating: (number * 10).rounded())
            return number < 10
                ? "\(tenths / 10).\(tenths % 10) \(unit)" : "\(Int(saturating: number.rounded())) \(unit)"
        }
        switch nanoseconds {
        case 0: return "-"
        case ..<1000: return "\(nanoseconds) ns"
        case ..<1_000_000: return text(value / 1e3, "µs")
        case ..<1_000_000_000: return text(value / 1e6, "ms")
        default: return text(value / 1e9, "s")
        }
    }

    /// 0.5 or, for whole numbers, 1,234
    static func number(_ value: Double) -> String { UInt64(exactly: value).map { number($0) } ?? "\(value)" }

    /// 1,234
    static func number(_ value: UInt64) -> String {
        var digits = Array(String(value)), text = ""
        while digits.count > 3 {
            text = "," + String(digits.suffix(3)) + text
            digits.removeLast(3)
        }
        return String(digits) + text
    }
}

/// Prints rows in columns that are as wide as they need to be.
/// - Parameter numbers: The columns that are filled up on the left.
func printTable(_ header: [String], _ rows: [[String]], numbers: ClosedRange<Int>) {
    let cells = [header] + rows.map { $0.map { printable($0) } }
    let widths = header.indices.map { column in cells.map { $0[column].count }.max() ?? 0 }
    for row in cells {
        let texts = row.indices.map { column in
            let space = String(repeating: " ", count: widths[column] - row[column].count)
            if numbers.contains(column) { return space + row[column] }
            return column == row.indices.last ? row[column] : row[column] + space
        }
        print(texts.joined(separator: "  "))
    }
}

extension Said {
    /// The observer: the owner's type or, without an owner, the best that is known.
    var observer: String { owner ?? site ?? module ?? callback ?? "?" }
    /// Where it was registered.
    var place: String { site ?? module ?? "" }
}
