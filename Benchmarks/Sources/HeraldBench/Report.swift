import Foundation

/// The files that show a run, and the parts of documents.
struct Report {
    let results: Results

    /// Name and text of each file that is made from the results alone.
    var files: [(name: String, text: String)] {
        let page = Page(results: results)
        let blocks = page.blocks
        return [
            ("page.md", Markdown.text(blocks)), ("page.html", Html.text(blocks, title: "Herald compared with others")),
        ]
            + page.charts.flatMap { chart in
                Chart.Theme.allCases.map { ("\(chart.name)-\($0.rawValue).svg", chart.svg($0)) }
            }
    }

    func write(to folder: String) throws {
        for (name, text) in files { try Self.write(Data(text.utf8), to: folder + "/" + name) }
    }

    /// Pictures for viewers without SVG, made by librsvg's command; a sentence if the command is missing.
    func writePictures(to folder: String) -> String? {
        for (name, _) in files where name.hasSuffix(".svg") {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.arguments = [
                "rsvg-convert", "--zoom", "1.5", "--output", folder + "/" + name.dropLast(4) + ".png",
                folder + "/" + name,
            ]
            process.standardError = FileHandle.nullDevice
            try? process.run()
            if process.isRunning || process.processIdentifier > 0 { process.waitUntilExit() }
            if process.processIdentifier == 0 || process.terminationStatus != 0 {
                return "the PNG files are not made: rsvg-convert is missing or failed (package librsvg2-bin)"
            }
        }
        return nil
    }

    static func write(_ data: Data, to path: String) throws {
        do {
            try data.write(to: URL(fileURLWithPath: path), options: .atomic)
        } catch {
            throw Failure("cannot write \(path): \(error.localizedDescription)")
        }
    }

    /// Whether files can be made in a folder. Checked before the measurement, so that its results are not lost.
    static func prepare(_ folder: String) throws {
        try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let probe = folder + "/.probe-\(getpid())"
        guard let file = fopen(probe, "w") else {
            throw Failure("cannot write results into \(folder): \(String(cString: strerror(errno)))")
        }
        fclose(file)
        unlink(probe)
    }

    /// Whether the documents of a repository can be written and have a place for figures.
    static func prepareDocuments(in repository: String) throws {
        for document in Document.all {
            let path = repository + "/" + document.path
            guard FileManager.default.isWritableFile(atPath: path),
                let data = FileManager.default.contents(atPath: path)
            else {
                throw Failure("cannot write \(path)")
            }
            try document.checkPlace(in: String(decoding: data, as: UTF8.self))
        }
    }

    /// The names of committed files that differ from the results.
    func differences(in folder: String, documents repository: String) throws -> [String] {
        var names = files.filter { name, text in
            FileManager.default.contents(atPath: folder + "/" + name) != Data(text.utf8)
        }.map { folder + "/" + $0.name }
        for document in Document.all {
            let path = repository + "/" + document.path
            let text = String(decoding: FileManager.default.contents(atPath: path) ?? Data(), as: UTF8.self)
            if try document.insert(Page(results: results), into: text) != text { names.append(path) }
        }
        return names
    }

    func writeDocuments(in repository: String) throws {
        for document in Document.all {
            let path = repository + "/" + document.path
            guard let data = FileManager.default.contents(atPath: path) else { throw Failure("cannot read \(path)") }
            let text = try document.insert(Page(results: results), into: String(decoding: data, as: UTF8.self))
            if Data(text.utf8) != data { try Self.write(Data(text.utf8), to: path) }
        }
    }
}
