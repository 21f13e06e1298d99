/// A contestant that is below its floor.
struct Undercut {
    let row: Row
    let contestant: String
    let ratio: Double
    let reason: String
}

extension Results {
    /// In all placements and rounds: by the bounds of the ratio, and by more than the clock's resolution.
    var undercut: [Undercut] {
        rows.flatMap { row in
            row.cells.compactMap { cell -> Undercut? in
                let isFloor = cell.floor.map { $0 == "floor" || $0.hasPrefix("floor-") } ?? false
                guard isFloor, contestant(cell.contestant)?.role != .floor, let spread = cell.spread,
                    row.shape == .rate ? spread.low > 1.02 : spread.high < 0.98
                else { return nil }
                return Undercut(row: row, contestant: cell.contestant, ratio: spread.median, reason: Undercut.why(row))
            }
        }
    }
}

extension Undercut {
    private static let reasons = [
        ("wait.", "posting threads answer a handshake, so that no CPU has to be interrupted as membarrier(2) does"),
        (
            "swift.owner",
            "an owner is retained where it is, while a weak reference, which is what is written without a center, goes "
                + "through a side table"
        ),
        ("swift.protocol", "the same as a weak owner by type"),
        ("network.", "libnats is the usual way and not a least: Herald gathers posts, and sends them together"),
    ]

    fileprivate static func why(_ row: Row) -> String {
        reasons.first { row.id.hasPrefix($0.0) }?.1
            ?? "no better way was found by hand: what is shown as the floor is none here"
    }
}
