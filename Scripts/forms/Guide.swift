import Foundation

let marks = (begin: "<!-- forms: begin -->", end: "<!-- forms: end -->")

func matrix() -> String {
    var lines = ["| | in this process | between processes and machines |", "|---|---|---|"]
    for form in Form.allCases {
        guard let row = form.row("Saved.self"), let wire = form.row("Shared.self") else { continue }
        lines.append("| \(row.0) | \(row.1) | \(wire.1) |")
    }
    lines += ["", "| instead of `Saved.self` | the observer gets |", "|---|---|"]
    for family in families {
        let first = functions(family)[0].element.replacing("borrowing M", with: "the message, borrowed").replacing(
            "M", with: "the message")
        let gets =
            family.element == family.copied || family.element == "borrowing M"
            ? first : "`Notice`; elsewhere, once and with a condition `Posted`"
        let start = family.isKept ? ", beginning with what is kept" : ""
        let between = family.isOfHost ? " between processes, on the host center alone" : " between processes"
        lines.append(
            "| `\(family.example)` | \(family.what)\(family.isWire ? between : "")\(start): \(gets.contains("`") || gets.contains(" ") || gets == "the message" ? gets : "`\(gets)`") |"
        )
    }
    return lines.joined(separator: "\n")
}

func guide(_ text: String) -> String {
    guard let begin = text.range(of: marks.begin), let end = text.range(of: marks.end) else {
        fatalError("Observing.md has lost its marks")
    }
    return text.replacingCharacters(in: begin.upperBound..<end.lowerBound, with: "\n\n\(matrix())\n\n")
}
