import Foundation

/// The page as one HTML file without external resources. It is well-formed XML as well, so that a test can read it.
enum Html {
    static func escaped(_ text: String) -> String {
        text.replacingOccurrences(of: "&", with: "&amp;").replacingOccurrences(of: "<", with: "&lt;")
            .replacingOccurrences(of: ">", with: "&gt;").replacingOccurrences(of: "\"", with: "&quot;")
    }

    static func text(_ blocks: [Block], title: String) -> String {
        """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8"/>
        <meta name="viewport" content="width=device-width, initial-scale=1"/>
        <title>\(escaped(title))</title>
        <style>
        \(style)
        </style>
        </head>
        <body>
        <main>
        \(blocks.map { text($0, of: blocks) }.filter { !$0.isEmpty }.joined(separator: "\n"))
        </main>
        <script>
        \(script)
        </script>
        </body>
        </html>

        """
    }

    private static let style = """
        :root { color-scheme: light dark; --ink: #1f2328; --paper: #ffffff; --faint: #d8dee4; --quiet: #59636e;
          --strong: #0550ae; --stripe: #f6f8fa; }
        @media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --paper: #0d1117; --faint: #30363d;
          --quiet: #9198a1; --strong: #79c0ff; --stripe: #151b23; } .light { display: none; } }
        @media (prefers-color-scheme: light) { .dark { display: none; } }
        body { margin: 0; background: var(--paper); color: var(--ink); font: 15px/1.5 Helvetica, Arial, sans-serif;
          overflow-wrap: break-word; }
        main { max-width: 1160px; margin: 0 auto; padding: 24px; }
        h1, h2 { line-height: 1.2; } h2 { margin-top: 2em; border-bottom: 1px solid var(--faint); padding-bottom: 4px; }
        a { color: var(--strong); }
        nav ol { columns: 3; padding-left: 0; list-style: none; }
        .filter { position: sticky; top: 0; z-index: 2; padding: 6px 0; background: var(--paper); }
        .filter input { font: inherit; color: inherit; background: var(--stripe); border: 1px solid var(--faint);
          border-radius: 6px; padding: 4px 10px; width: min(420px, 100%); box-sizing: border-box; }
        details { margin: 10px 0; } summary { cursor: pointer; color: var(--quiet); }
        .scroll { overflow-x: auto; margin: 12px 0; }
        table { border-collapse: collapse; font-size: 13px; font-variant-numeric: tabular-nums; }
        th, td { padding: 4px 10px; border-bottom: 1px solid var(--faint); text-align: right; white-space: nowrap;
          vertical-align: top; }
        th { color: var(--quiet); font-weight: 600; vertical-align: bottom; white-space: normal; min-width: 56px; }
        th:first-child, td:first-child { text-align: left; white-space: normal; min-width: 120px; max-width: 300px;
          position: sticky; left: 0; background: var(--paper); }
        tbody tr:nth-child(even) td { background: var(--stripe); }
        tbody tr.title td { background: var(--paper); padding-top: 12px; max-width: none; }
        td:last-child:not(:first-child) { white-space: normal; min-width: 64px; }
        strong { color: var(--strong); }
        small { display: block; color: var(--quiet); font-size: 11px; }
        svg { max-width: 100%; height: auto; display: block; }
        figure { margin: 16px 0; }
        .narrow { display: none; }
        @media (max-width: 640px) {
          main { padding: 12px; } nav ol { columns: 2; font-size: 13px; } ul { padding-left: 20px; }
          table { font-size: 12px; } th, td { padding: 3px 5px; } th { min-width: 44px; }
          th:first-child, td:first-child { min-width: 84px; max-width: 116px; }
          .wide { display: none; } .narrow { display: block; }
        }
        """

    /// Rows whose contestant is not chosen are hidden; floors and titles stay.
    private static let script = """
        (function () {
          var box = document.getElementById("filter");
          box.parentNode.hidden = false;
          box.addEventListener("input", function () {
            var wanted = box.value.toLowerCase().trim();
            document.querySelectorAll("tbody tr").forEach(function (row) {
              var who = row.cells[0].textContent.toLowerCase();
              var stays = row.className == "title" || row.closest(".plain") || who.startsWith("floor");
              row.hidden = !(stays || who.includes(wanted));
            });
          });
        })();
        """

    /// As GitHub makes anchors of Markdown headings.
    static func anchor(_ heading: String) -> String {
        String(
            heading.lowercased().compactMap { character in
                character == " " ? "-" : character.isLetter || character.isNumber || character == "-" ? character : nil
            })
    }

    private static func text(_ block: Block, of all: [Block]) -> String {
        switch block {
        case .heading(let level, let text): return "<h\(level) id=\"\(anchor(text))\">\(inline(text))</h\(level)>"
        case .text(let text): return "<p>\(inline(text))</p>"
        case .list(let lines):
            return lines.isEmpty
                ? "" : "<ul>\n" + lines.map { "<li>\(inline($0))</li>" }.joined(separator: "\n") + "\n</ul>"
        case .table(let header, let rows): return table(header, rows)
        case .figure(let chart):
            return "<figure>\n"
                + Chart.Size.allCases.map { size in
                    "<div class=\"\(size.rawValue)\">\n"
                        + Chart.Theme.allCases.map {
                            "<div class=\"\($0.rawValue)\">\n\(chart.svg($0, size))</div>"
                        }.joined(separator: "\n") + "\n</div>"
                }.joined(separator: "\n") + "\n</figure>"
        case .details(let summary, let blocks):
            return "<details>\n<summary>\(inline(summary))</summary>\n"
                + blocks.map { self.text($0, of: all) }.joined(separator: "\n") + "\n</details>"
        case .contents:
            let links = Block.headings(all).map { "<li><a href=\"#\(anchor($0))\">\(inline($0))</a></li>" }
            return "<nav aria-label=\"Contents\">\n<ol>\n" + links.joined(separator: "\n") + "\n</ol>\n</nav>"
        case .filter:
            return "<p class=\"filter\" hidden=\"hidden\"><input id=\"filter\" type=\"search\" "
                + "placeholder=\"show contestants: herald, boost …\" aria-label=\"Show contestants\"/></p>"
        }
    }

    private static func table(_ header: [String], _ rows: [[String]]) -> String {
        let head = header.map { "<th>\(inline($0))</th>" }.joined()
        let body = rows.map { row -> String in
            if row.dropFirst().allSatisfy(\.isEmpty) {
                return "<tr class=\"title\"><td colspan=\"\(header.count)\">\(inline(row[0]))</td></tr>"
            }
            return "<tr>" + row.map { "<td>\(cell($0))</td>" }.joined() + "</tr>"
        }
        // The rows of the gate and of contestants begin with a name; those of budgets do not.
        let isPlain = header.count == 4 && header[1] == "measured"
        return """
            <div class="scroll\(isPlain ? " plain" : "")"><table>
            <thead><tr>\(head)</tr></thead>
            <tbody>
            \(body.joined(separator: "\n"))
            </tbody>
            </table></div>
            """
    }

    /// The explanation of a figure, and the rules that a contestant fails, are below it in small print.
    private static func cell(_ text: String) -> String {
        let parts = text.components(separatedBy: " · ")
        let main = parts[0].replacing(#/ \((fails [^()]*|[^()]*–[^()]*|[^()]* to [^()]*)\)$/#) { "\u{1}" + $0.1 }
            .components(separatedBy: "\u{1}")
        return inline(main[0]) + (main.dropFirst() + parts.dropFirst()).map { "<small>\(inline($0))</small>" }.joined()
    }

    /// `code`, **bold** and [links](where).
    private static func inline(_ text: String) -> String {
        var result = ""
        var code = false
        var bold = false
        let linked = escaped(text).replacing(#/\[([^\]]+)\]\(([^)]+)\)/#) { "<a href=\"\($0.2)\">\($0.1)</a>" }
        var rest = Substring(linked)
        while let character = rest.first {
            if rest.hasPrefix("**") {
                result += bold ? "</strong>" : "<strong>"
                bold.toggle()
                rest = rest.dropFirst(2)
            } else if character == "`" {
                result += code ? "</code>" : "<code>"
                code.toggle()
                rest = rest.dropFirst()
            } else {
                result.append(character)
                rest = rest.dropFirst()
            }
        }
        return result
    }
}

extension Block {
    /// Headings of the second level, in order.
    static func headings(_ blocks: [Block]) -> [String] {
        blocks.compactMap { if case .heading(2, let text) = $0 { text } else { nil } }
    }
}
