import Foundation

/// The page as one HTML file that needs nothing else.
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
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>\(escaped(title))</title>
        <style>
        \(style)
        </style>
        </head>
        <body>
        <main>
        \(blocks.map(text).joined(separator: "\n"))
        </main>
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
        body { margin: 0; background: var(--paper); color: var(--ink); font: 15px/1.5 Helvetica, Arial, sans-serif; }
        main { max-width: 1160px; margin: 0 auto; padding: 24px; }
        h1, h2 { line-height: 1.2; } h2 { margin-top: 2em; border-bottom: 1px solid var(--faint); padding-bottom: 4px; }
        .scroll { overflow-x: auto; margin: 12px 0; }
        table { border-collapse: collapse; font-size: 13px; font-variant-numeric: tabular-nums; }
        th, td { padding: 4px 10px; border-bottom: 1px solid var(--faint); text-align: right; white-space: nowrap; }
        th { color: var(--quiet); font-weight: 600; vertical-align: bottom; white-space: normal; min-width: 56px; }
        th:first-child, td:first-child { text-align: left; }
        tbody tr:nth-child(even) { background: var(--stripe); }
        strong { color: var(--strong); }
        svg { max-width: 100%; height: auto; }
        figure { margin: 16px 0; }
        """

    private static func text(_ block: Block) -> String {
        switch block {
        case .heading(let level, let text): return "<h\(level)>\(inline(text))</h\(level)>"
        case .text(let text): return "<p>\(inline(text))</p>"
        case .list(let lines):
            return lines.isEmpty
                ? "" : "<ul>\n" + lines.map { "<li>\(inline($0))</li>" }.joined(separator: "\n") + "\n</ul>"
        case .table(let header, let rows):
            let head = header.map { "<th>\(inline($0))</th>" }.joined()
            let body = rows.map { "<tr>" + $0.map { "<td>\(inline($0))</td>" }.joined() + "</tr>" }
            return """
                <div class="scroll"><table>
                <thead><tr>\(head)</tr></thead>
                <tbody>
                \(body.joined(separator: "\n"))
                </tbody>
                </table></div>
                """
        case .figure(let chart):
            return "<figure>\n"
                + Chart.Theme.allCases.map { "<div class=\"\($0.rawValue)\">\n\(chart.svg($0))</div>" }.joined(
                    separator: "\n")
                + "\n</figure>"
        }
    }

    /// `code` and **bold**.
    private static func inline(_ text: String) -> String {
        var result = ""
        var code = false
        var bold = false
        var rest = Substring(escaped(text))
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
