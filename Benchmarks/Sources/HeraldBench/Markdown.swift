/// The page as Markdown, with its plots in files next to it.
enum Markdown {
    static func text(_ blocks: [Block]) -> String {
        blocks.map { text($0, of: blocks) }.filter { !$0.isEmpty }.joined(separator: "\n\n") + "\n"
    }

    static func text(_ block: Block, of all: [Block] = []) -> String {
        switch block {
        case .heading(let level, let text): String(repeating: "#", count: level) + " " + text
        case .text(let text): text
        case .list(let lines): lines.map { "- " + $0 }.joined(separator: "\n")
        case .table(let header, let rows):
            ([line(header), "|---|" + String(repeating: "---:|", count: header.count - 1)] + rows.map(line))
                .joined(separator: "\n")
        case .figure(let chart): picture(chart, folder: "")
        case .details(let summary, let blocks):
            "<details>\n<summary>\(summary)</summary>\n\n" + blocks.map { text($0) }.joined(separator: "\n\n")
                + "\n\n</details>"
        case .contents: Block.headings(all).map { "- [\($0)](#\(Html.anchor($0)))" }.joined(separator: "\n")
        case .filter: ""
        }
    }

    private static func line(_ cells: [String]) -> String { "| " + cells.joined(separator: " | ") + " |" }

    /// Both pictures: the reader's background decides which is shown.
    static func picture(_ chart: Chart, folder: String) -> String {
        #"<picture><source media="(prefers-color-scheme: dark)" srcset="\#(folder)\#(chart.name)-dark.svg">"#
            + #"<img alt="\#(chart.title)" src="\#(folder)\#(chart.name)-light.svg"></picture>"#
    }
}
