// Programs written as for macOS. Semantics and WatchAppCenter import nothing of Herald's.
import CoreFoundation
import Dispatch
import Foundation
import Hearing

let arguments = CommandLine.arguments.dropFirst()
switch arguments.first {
case "semantics": semantics()
case "watch": watch(Array(arguments.dropFirst()))
case "post": post(Array(arguments.dropFirst()))
case "hear": hear(runBy: arguments.dropFirst().first ?? "")
case "bridge": bridge()
case "both": postToBothCenters("org.herald.test.both")
default: fatalError("semantics, watch NAME..., post NAME..., hear RUN, both, bridge")
}

/// How the main thread runs; `async` main is a program of its own.
func hear(runBy way: String) {
    hearBothCenters("org.herald.test.both")
    switch way {
    case "dispatchMain": dispatchMain()
    case "RunLoop.run": RunLoop.main.run()
    case "CFRunLoopRunInMode": while true { CFRunLoopRunInMode(kCFRunLoopDefaultMode, 0.1, false) }
    default: fatalError("dispatchMain, RunLoop.run, CFRunLoopRunInMode")
    }
}
