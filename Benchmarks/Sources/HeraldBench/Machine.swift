import Foundation

extension About {
    /// Describes this machine and this checkout.
    static func here(_ kind: Kind, repository: String) -> About {
        let cpuinfo = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""
        func said(_ field: String) -> String? {
            let line = cpuinfo.split(separator: "\n").first {
                $0.split(separator: ":").first?.trimmingCharacters(in: .whitespaces) == field
            }
            return line?.split(separator: ":").last?.trimmingCharacters(in: .whitespaces)
        }
        // A hypervisor may report only the vendor; family and model tell which processor it is.
        let numbers = [("cpu family", "family"), ("model", "model")].compactMap { field, title in
            said(field).map { "\(title) \($0)" }
        }
        let processor = ([said("model name") ?? "unknown processor"] + numbers).joined(separator: ", ")
        let shown = (["Benchmarks/Results"] + Document.all.map(\.path)).map { ":!" + $0 }
        let changed = !(say(["git", "-C", repository, "status", "--porcelain", "--", "."] + shown) ?? "").isEmpty
        let commit = say(["git", "-C", repository, "rev-parse", "--short", "HEAD"]) ?? "unknown"
        let kernel = say(["uname", "-r"])?.prefix { $0 != "-" } ?? "unknown"  // its version, without who built it
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.dateFormat = "yyyy-MM-dd"
        return About(
            kind: kind, date: format.string(from: Date()), commit: commit + (changed ? " with changes" : ""),
            machine: "\(processor), \(ProcessInfo.processInfo.activeProcessorCount) CPUs",
            kernel: "Linux \(kernel) \(say(["uname", "-m"]) ?? "")",
            compilers: [say(["cc", "--version"]), say(["c++", "--version"]), say(["swift", "--version"])].compactMap {
                $0
            })
    }

    /// The first line that a program prints, or nil.
    private static func say(_ arguments: [String]) -> String? {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = arguments
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return nil }
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return process.terminationStatus == 0 ? text.split(separator: "\n").first.map(String.init) : nil
    }
}
