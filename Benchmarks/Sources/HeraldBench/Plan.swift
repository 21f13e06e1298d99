/// One row that is to be measured: who takes part, and with which line.
struct Plan {
    let id: String
    let section: Int
    let title: String
    var unit = Row.Unit.nanoseconds
    var shape = Row.Shape.cost
    var entries: [Entry]
    /// Too large for a quick run.
    var isLong = false
    /// Whether each program takes part in all its placements, because the address of its code changes the figure.
    var isPlaced = false

    /// A contestant in the row. Its floor is the id of another entry.
    struct Entry {
        let id: String
        let program: String
        /// The peer of the program; "-" for a task.
        let peer: String
        let line: String
        var floor: String?
        /// Other ways of the same program to do the same: the best of all is the figure.
        var others: [(peer: String, line: String)] = []

        /// A cost that has to be paid in any case: its figure is the best that was found.
        var isFloor: Bool { id == "floor" || id.hasPrefix("floor-") }
    }

    /// This plan with every program in all its placements.
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
