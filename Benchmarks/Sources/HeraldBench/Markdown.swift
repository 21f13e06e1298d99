/// The page as Markdown, with its plots beside it.
enum Markdown {
    static func text(_ blocks: [Block]) -> String {
        blocks.map { text($0) }.filter { !$0.isEmpty }.joined(separator: "\n\n") + "\n"
    }

    static func text(_ block: Block, plots: String = "") -> String {
        switch block {
        case .heading(let level, let text): String(repeating: "#", count: level) + " " + text
        case .text(let text): text
        case .list(let lines): lines.map { "- " + $0 }.joined(separator: "\n")
        case .table(let header, let rows):
            ([line(header), "|---|" + String(repeating: "---:|", count: header.count - 1)] + rows.map(line))
                .joined(separator: "\n")
        case .figure(let chart): picture(chart, folder: plots)
        }
    }

    private static func line(_ cells: [String]) -> String { "| " + cells.joined(separator: " | ") + " |" }

    /// Both pictures: the reader's background decides.
    static func picture(_ chart: Chart, folder: String) -> String {
        """
        <picture>
          <source media="(prefers-color-scheme: dark)" srcset="\(folder)\(chart.name)-dark.svg">
          <img alt="\(chart.title)" src="\(folder)\(chart.name)-light.svg">
        </picture>
        """
    }
}
