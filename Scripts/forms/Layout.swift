/// The first lines of a file that is written.
let head = "// Written by Scripts/forms: change the table there, and run `make forms`.\n"

/// A file of the library, which is empty on other systems.
func onLinux(_ text: String) -> String { "#if os(Linux)\n\(text)#endif\n" }

/// Lines of 120 characters at most, in a comment of a member.
func wrapped(_ text: String, further: String = "", width: Int = 112) -> [String] {
    var lines: [String] = []
    var line = ""
    let indent = String(text.prefix { $0 == " " })
    for word in text.split(separator: " ") {
        let start = lines.isEmpty ? indent : further
        if line == "" {
            line = start + word
        } else if line.count + 1 + word.count > width {
            lines.append(line)
            line = further + word
        } else {
            line += " " + word
        }
    }
    return lines + (line == "" ? [] : [line])
}

/// A declaration, broken into lines of 120 characters as `make format` does it.
func declared(_ start: String, _ parameters: [String], _ end: String) -> [String] {
    let whole = "\(start)(\(parameters.joined(separator: ", ")))\(end)"
    if whole.count <= 116 { return ["    " + whole] }
    var lines = ["    \(start)("]
    let places = Array(parameters.dropLast(2)), site = parameters.suffix(2).joined(separator: ", ")
    var line = ""
    for (index, parameter) in places.enumerated() {
        let next = parameter + (index == places.count - 1 && site == "" ? "" : ",")
        if line == "" {
            line = next
        } else if line.count + 1 + next.count > 112 {
            lines.append("        " + line)
            line = next
        } else {
            line += " " + next
        }
    }
    lines += ["        " + line, "        \(site)"]
    return lines + ["    )\(end)"]
}
