import Foundation

func fail(_ sentence: String) -> Never {
    FileHandle.standardError.write(Data("herald tour: \(sentence)\n".utf8))
    exit(1)
}

var arguments = Array(CommandLine.arguments.dropFirst())
let option = arguments.first.flatMap { $0.hasPrefix("--") ? $0 : nil }
if option != nil { arguments.removeFirst() }
let options = ["--tallies-only", Neighbor.option]
guard arguments.count <= 1, option == nil || options.contains(option!) else {
    fail("takes one folder at the most: HeraldTour [--tallies-only] [FOLDER]")
}
do {
    if option == Neighbor.option {
        try await Neighbor.listen()
        exit(0)
    }
    try await tour(of: arguments.first ?? FileManager.default.currentDirectoryPath)
    if option == nil { await Costs.measure().print() }
    try await Neighbor.talk()
    awaitThoseWhoStillRead()
} catch {
    fail("\(error)")
}
