import Foundation
import FoundationXML
import Testing

@testable import HeraldBench

/// The page as a reader sees it, on a desktop and on a phone.
@Suite struct PageTests {
    let page: Page
    let html: String

    init() throws {
        page = Page(results: try .read(repository + "/Benchmarks/Results/results.json"))
        html = Html.text(page.blocks, title: "t")
    }

    @Test("Plots are well-formed, their texts inside and apart, in every theme and size")
    func plots() throws {
        for chart in page.charts {
            #expect(chart.series.count >= 5 && chart.series.count <= Chart.styles.count)
            for (theme, size) in Chart.Theme.allCases.flatMap({ theme in Chart.Size.allCases.map { (theme, $0) } }) {
                let texts = try Elements(of: chart.svg(theme, size)).all.filter { $0.name == "text" }.map {
                    (x: Double($0.attributes["x"]!)!, y: Double($0.attributes["y"]!)!, fill: $0.attributes["fill"]!)
                }
                let labels = texts.filter { $0.x > size.width - size.right + 10 }.map(\.y).sorted()
                #expect(labels.count == chart.series.count)
                for (one, next) in zip(labels, labels.dropFirst()) { #expect(next - one >= 12, "\(chart.name)") }
                #expect(texts.allSatisfy { $0.x >= 0 && $0.x < size.width && $0.y >= 0 && $0.y <= size.height })
                // Texts can be read in every theme: none has the colour of a line.
                #expect(Set(texts.map(\.fill)) == [theme.ink, theme.quiet])
            }
        }
    }

    @Test("No two lines have the same colour and dashes, nor the same colour and mark, and colours are told apart")
    func lines() {
        func count(_ key: (Chart.Style) -> String) -> Int { Set(Chart.styles.map(key)).count }
        #expect(count { "\($0.hue) \($0.dash)" } == Chart.styles.count)
        #expect(count { "\($0.hue) \($0.mark)" } == Chart.styles.count)
        let solid = Chart.styles.filter(\.dash.isEmpty)
        #expect(Set(solid.map(\.hue)).count == solid.count && solid.count == 3)
    }

    @Test("The HTML page needs nothing else, and says what the Markdown says")
    func complete() throws {
        let markdown = Markdown.text(page.blocks)
        #expect(!html.replacingOccurrences(of: "http://www.w3.org/2000/svg", with: "").contains("http"))
        #expect(!html.contains("<link") && !html.contains("src=") && !html.contains("@import"))
        #expect(html.components(separatedBy: "<script>").count == 2)
        #expect(html.components(separatedBy: "<svg").count == 1 + 3 * 2 * 2)
        for section in Matrix.sections {
            #expect(html.contains(">\(section.number). \(section.title)</h2>"))
            #expect(markdown.contains("## \(section.number). \(section.title)"))
        }
        #expect(html.components(separatedBy: "<tr>").count > 100)
        let text = html.replacingOccurrences(of: #"(?s)<script>.*?</script>"#, with: "", options: .regularExpression)
        #expect(!text.contains("**") && !text.contains("`"))
    }

    @Test("It is well-formed; each link leads somewhere, each id is there once")
    func links() throws {
        let elements = try Elements(of: html.replacingOccurrences(of: "<!DOCTYPE html>", with: "")).all
        let ids = elements.compactMap { $0.attributes["id"] }
        #expect(Set(ids).count == ids.count)
        let links = elements.filter { $0.name == "a" }.compactMap { $0.attributes["href"] }
        let inside = links.filter { $0.hasPrefix("#") }.map { String($0.dropFirst()) }
        #expect(inside == Block.headings(page.blocks).map(Html.anchor) && inside.allSatisfy(ids.contains))
        #expect(inside.count > Matrix.sections.count)
        let outside = links.filter { !$0.hasPrefix("#") }
        #expect(outside == ["results.json"])
        for link in outside {
            #expect(FileManager.default.fileExists(atPath: repository + "/Benchmarks/Results/" + link))
        }
    }

    @Test("A summary and a plot come first, reasons are folded, contestants can be chosen")
    func order() throws {
        func place(_ text: String) throws -> String.Index { try #require(html.range(of: text)?.lowerBound, "\(text)") }
        #expect(try place("<li>") < place("<svg") && place("<svg") < place("<table"))
        #expect(try place("<svg") < place("id=\"the-gate\"") && place("<nav") < place("id=\"the-gate\""))
        #expect(try place("id=\"filter\"") < place("<table") && html.contains("hidden=\"hidden\""))
        // It stays hidden without the script; nothing else needs one.
        #expect(html.components(separatedBy: "hidden=").count == 2)
        let elements = try Elements(of: html.replacingOccurrences(of: "<!DOCTYPE html>", with: "")).all
        #expect(elements.filter { $0.name == "details" }.count == elements.filter { $0.name == "summary" }.count)
        let folded = html.components(separatedBy: "<details>").dropFirst().map {
            $0.components(separatedBy: "</details>")[0]
        }
        let reason = try #require(page.results.gate.first { $0.outcome == .fail }?.reason.map(Html.escaped))
        #expect(folded.contains { $0.contains(reason) })
        #expect(
            html.components(separatedBy: "</details>").map { $0.components(separatedBy: "<details>")[0] }
                .allSatisfy { !$0.contains(": \(reason)</li>") })
    }

    static let chromium = ["chromium", "chromium-browser", "google-chrome"].lazy.compactMap { name in
        ["/usr/bin/", "/usr/local/bin/"].map { $0 + name }.first(where: FileManager.default.isExecutableFile(atPath:))
    }.first

    /// The text that a script passes to `said`. The script runs when the page, which it has as `page`, has loaded in a
    /// frame of this width.
    private func said(_ script: String, width: Int) throws -> String {
        let folder = try Folder()
        let frame = """
            <!DOCTYPE html><meta charset="utf-8"><body><iframe id="f" width="\(width)" height="2000" \
            style="border:0" srcdoc="\(Html.escaped(html))"></iframe><p id="said"></p><script>
            document.getElementById("f").onload = function () {
              var page = this.contentDocument, said = function (text) {
                document.getElementById("said").textContent = text;
              };
              \(script)
            };
            </script></body>
            """
        try frame.write(toFile: folder.path + "/frame.html", atomically: true, encoding: .utf8)
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: try #require(Self.chromium))
        process.arguments = [
            "--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir=\(folder.path)/profile",
            "--virtual-time-budget=10000", "--dump-dom", "file://\(folder.path)/frame.html",
        ]
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return text.components(separatedBy: "<p id=\"said\">").last?.components(separatedBy: "</p>").first ?? ""
    }

    @Test(
        "At 390 pixels nothing but tables scrolls sideways, and figures are seen beside their contestants",
        .enabled(if: chromium != nil), arguments: [390, 1280])
    func width(_ width: Int) throws {
        let said = try said(
            """
            var all = page.querySelectorAll("table"), hidden = 0;
            all.forEach(function (table) {
              var row = table.querySelector("tbody tr:not(.title)");
              if (!table.closest("details") && row.cells[1].getBoundingClientRect().right > \(width)) hidden++;
            });
            said("overflow " + (page.documentElement.scrollWidth - page.documentElement.clientWidth) +
              ", hidden " + hidden + ", tables " + all.length + ".");
            """, width: width)
        #expect(said.hasPrefix("overflow 0, hidden 0, tables ") && said != "overflow 0, hidden 0, tables 0.", "\(said)")
    }

    @Test(
        "Who is chosen stays, with the floors, the titles and the budgets; with nothing written all are there again",
        .enabled(if: chromium != nil))
    func filter() throws {
        let said = try said(
            """
            var box = page.getElementById("filter"), rows = page.querySelectorAll("tbody tr");
            var count = function (text) {
              box.value = text;
              box.dispatchEvent(new Event("input"));
              var shown = 0, others = 0;
              rows.forEach(function (row) {
                if (row.hidden) return;
                shown++;
                if (row.className != "title" && !row.closest(".plain") && !/boost|^floor/i.test(row.cells[0].textContent))
                  others++;
              });
              return shown + " " + others;
            };
            var chosen = count("Boost").split(" "), all = count("").split(" ");
            said("box " + !box.parentNode.hidden + ", others " + chosen[1] + ", fewer " + (+chosen[0] < +all[0]) +
              ", some " + (+chosen[0] > 0) + ", all " + (+all[0] == rows.length) + ".");
            """, width: 800)
        #expect(said == "box true, others 0, fewer true, some true, all true.", "\(said)")
    }

    /// The elements of a well-formed text.
    private final class Elements: NSObject, XMLParserDelegate {
        private(set) var all: [(name: String, attributes: [String: String])] = []

        init(of text: String) throws {
            super.init()
            let parser = XMLParser(data: Data(text.utf8))
            parser.delegate = self
            guard parser.parse() else {
                throw Failure("line \(parser.lineNumber): \(parser.parserError.map { "\($0)" } ?? "not well-formed")")
            }
        }

        func parser(
            _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
            attributes: [String: String]
        ) { all.append((name, attributes)) }
    }
}
