// Writes the functions that observe. A function is a form (Form.swift: where and how long an observer is called) of a
// family (Family.swift: what it gets), once for all subjects and once for one. From these two come:
//
//   Sources/Herald/Observe/*.swift             the functions, a file for each family
//   Sources/Herald/WireMisuse.swift            unavailable twins, for messages that cannot leave their process
//   Tests/Misuse/WireForms*.swift              a call of each twin, with the sentence that the compiler must say
//   Sources/Herald/Herald.docc/Observing.md    the matrix of forms and families, between two marks
//
// `make forms` runs this, and `make forms-check` fails if a file is not what the table gives. Usage: forms FOLDER
import Foundation

func file(of family: Family) -> String {
    let imports = family.direct == nil ? [head] : [head, "import CHeraldRuntime", ""]
    var lines =
        imports + ["extension \(family.isOfHost ? "HostCenter" : family.isWire ? "WireCenter" : "HeraldCenter") {"]
    for (index, function) in functions(family).enumerated() {
        if index > 0 { lines.append("") }
        lines += function.comment
        lines += function.attributes.map { "    \($0)" }
        lines += declared(
            "public func \(function.name)\(function.generics)", function.parameters, function.result + " {")
        lines += ["        " + function.statement, "    }"]
    }
    return lines.joined(separator: "\n") + "\n}\n"
}

let folder = CommandLine.arguments.count == 2 ? CommandLine.arguments[1] : "."

func write(_ text: String, _ path: String) {
    let full = "\(folder)/\(path)"
    try! FileManager.default.createDirectory(
        atPath: (full as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
    try! text.write(toFile: full, atomically: true, encoding: .utf8)
}

for family in families { write(onLinux(file(of: family)), "Sources/Herald/Observe/\(family.file).swift") }
write(onLinux(misuseOfWires()), "Sources/Herald/WireMisuse.swift")
write(
    testsOfTwins(
        "this message stays in its process: write `struct ...: HeraldCenter.WireMessage, Codable`", ofInstances: false),
    "Tests/Misuse/WireForms.swift")
write(
    testsOfTwins("between processes a subject is a `String`", ofInstances: true),
    "Tests/Misuse/WireFormsOfInstances.swift")
let observing = "Sources/Herald/Herald.docc/Observing.md"
if let text = try? String(contentsOfFile: "\(folder)/\(observing)", encoding: .utf8) { write(guide(text), observing) }
