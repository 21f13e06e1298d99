import Foundation

var arguments = Array(CommandLine.arguments.dropFirst())
let withCosts = arguments.first != "--tallies-only"
if !withCosts { arguments.removeFirst() }

func fail(_ sentence: String) -> Never {
    FileHandle.standardError.write(Data("herald tour: \(sentence)\n".utf8))
    exit(1)
}

guard arguments.count <= 1 else { fail("takes one folder at the most: HeraldTour [--tallies-only] [FOLDER]") }
do {
    try await tour(of: arguments.first ?? FileManager.default.currentDirectoryPath)
} catch {
    fail("\(error)")
}
if withCosts { await Costs.measure().print() }
