/// One row that is to be measured: who takes part, and with what.
struct Plan {
    let id: String
    let section: Int
    let title: String
    var unit = Row.Unit.nanoseconds
    var shape = Row.Shape.cost
    var entries: [Entry]
    /// Too large for a quick run.
    var isLong = false
    /// Whether each program takes part as often as it is linked: where its code lies moves the figure.
    var isPlaced = false

    /// Somebody in the row. The floor is another entry's id.
    struct Entry {
        let id: String
        let program: String
        /// Of the program's; for a task "-".
        let peer: String
        let line: String
        var floor: String?
        /// Other ways to do the same, of the same program: the best of all is the figure.
        var others: [(peer: String, line: String)] = []

        /// What has to be paid in any case: its figure is the best that was found.
        var isFloor: Bool { id == "floor" || id.hasPrefix("floor-") }
    }

    /// The same with every program in all its placements.
    var placed: Plan {
        var plan = self
        plan.isPlaced = true
        return plan
    }
}

extension Plan.Entry {
    init(_ peer: Contestant, _ line: String, floor: String? = nil) {
        self.init(id: peer.id, program: peer.program ?? "", peer: peer.id, line: line, floor: floor)
    }
}
