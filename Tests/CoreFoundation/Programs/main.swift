// A program written as for macOS: nothing of Herald's is imported.
import CoreFoundation

let arguments = CommandLine.arguments.dropFirst()
switch arguments.first {
case "semantics": semantics()
case "watch": watch(Array(arguments.dropFirst()))
case "post": post(Array(arguments.dropFirst()))
default: fatalError("semantics, watch NAME..., post NAME...")
}
